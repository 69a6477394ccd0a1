"""The revisions and extensions that come with the generator, and the names of the packages made of them."""

from __future__ import annotations

import keyword
import os
import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp_bindgen import resources

if TYPE_CHECKING:
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.ir.protocol import Protocol

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MAX_LABEL = 64
_EXTENSIONS = "extensions"
"""The folder beside those of the revisions."""

_TAKEN = frozenset({"runtime", "connect", "serve"})
"""What lies beside the packages of the revisions."""


# No attrs here: a bare `--version` reads this module, and importing attrs would double its time.
class Official(NamedTuple):
    """The official file that a bundled transcription was checked against."""

    repository: str
    commit: str
    sha256: str


@cache
def revisions() -> tuple[str, ...]:
    """The bundled revisions, oldest first."""
    found = (folder.name for folder in resources.schemas().iterdir() if (folder / "schema.ts").is_file())
    return tuple(sorted(found))


@cache
def extensions() -> tuple[str, ...]:
    """The labels of the bundled extensions of the protocol, in alphabetical order."""
    found = ((folder.name, folder) for folder in (resources.schemas() / _EXTENSIONS).iterdir())
    return tuple(sorted(label for label, folder in found if (folder / "schema.ts").is_file()))


@cache
def extensions_of(revision: str) -> tuple[str, ...]:
    """The bundled extensions that extend a revision: those that import from its schema."""
    imported = f'from "../../{revision}/schema.js"'
    return tuple(label for label in extensions() if imported in schema_file(label).read_text(encoding="utf-8"))


def extended_by(label: str) -> str | None:
    """Return the revision that a bundled extension extends; None for a revision."""
    return next((revision for revision in revisions() if label in extensions_of(revision)), None)


def schema_file(label: str) -> Path:
    """The bundled schema of a revision or an extension."""
    if label in extensions():
        return resources.schemas() / _EXTENSIONS / label / "schema.ts"
    if label not in revisions():
        raise unknown_revision(label)
    return resources.schemas() / label / "schema.ts"


def schema_name(label: str) -> str:
    """What the bundled schema is called in messages and in what is generated, wherever it is installed."""
    return f"schema/{_EXTENSIONS}/{label}/schema.ts" if label in extensions() else f"schema/{label}/schema.ts"


@cache
def load(label: str) -> Protocol:
    """A bundled schema, resolved."""
    from mcp_bindgen.sources import read_bundled, understand

    return understand(read_bundled(label), label)


@cache
def manifest() -> dict[str, Official]:
    """By revision and by extension, what ``schema/manifest.toml`` records."""
    with (resources.schemas() / "manifest.toml").open("rb") as file:
        data = tomllib.load(file)
    recorded = {**data["revisions"], **data["extensions"]}
    return {
        label: Official(entry.get("repository", data["repository"]), entry["commit"], entry["sha256"])
        for label, entry in sorted(recorded.items())
    }


def base_of(protocol: Protocol) -> str:
    """Return the bundled revision whose prose holds for a schema.

    It is the one that the schema names as its version, else the one nearest in structure.
    """
    known = revisions()
    if protocol.version in known:
        return protocol.version
    own = _structure(protocol)

    def likeness(revision: str) -> tuple[float, str]:
        other = _structure(load(revision))
        # Of two that are equally near the newer one.
        return len(own & other) / max(len(own | other), 1), revision

    return max(known, key=likeness)


def _structure(protocol: Protocol) -> set[str]:
    """What a schema declares: methods, types, and the fields of the types."""
    fields = {f"{path}.{field.name}" for path, declared in protocol.objects.items() for field in declared.fields}
    return {*protocol.methods, *protocol.aliases, *protocol.objects, *fields}


def package_name(label: str) -> str:
    """The package of a label: ``2025-03-26`` to ``v2025_03_26``, ``acme-2`` to ``acme_2``."""
    name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", label)).strip("_")
    name = f"v{name}" if name[:1].isdigit() else name
    if keyword.iskeyword(name):
        name += "_"
    if not name.isidentifier() or len(label) > _MAX_LABEL or not label.isprintable():
        shown = label if len(label) <= _MAX_LABEL else f"{label[:_MAX_LABEL]}…"
        message = f"{shown!r} gives no name for a package; accepted are letters, digits, - and _ ({_MAX_LABEL} at most)"
        raise _wrong(message)
    if name in _TAKEN:
        message = f"the package of {label!r} would be {name!r}, which is the name of a shared part; choose another"
        raise _wrong(message)
    return name


def label_of(path: Path) -> str:
    """What a schema file is called unless told otherwise: its folder if that is a revision, else its own stem."""
    folder = Path(os.path.realpath(path)).parent.name
    if _DATE.fullmatch(folder) or folder == "draft":
        return folder
    name = path.name
    for suffix in (".d.ts", ".ts"):
        name = name.removesuffix(suffix)
    return name


def is_date(word: str) -> bool:
    """Whether a word has the form of a revision."""
    return _DATE.fullmatch(word) is not None


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known words that are most like ``word``, the best first; none where all differ a lot."""
    import difflib

    return difflib.get_close_matches(word, list(known), n=count, cutoff=0.6)


def unknown_revision(word: str, option: str | None = None) -> BindgenError:
    """Return the error for a word that names no bundled revision; ``option`` is where the user wrote it."""
    known = revisions()
    near = nearest(word.removeprefix("v").replace("_", "-"), known)
    if near:
        hint = f"the nearest {'are' if len(near) > 1 else 'is'} {', '.join(near)}"
    else:
        hint = f"there are {', '.join(known)}"
    place = "" if option is None else f"{option}: "
    return _wrong(f"{place}{word!r} is no bundled revision; {hint}")


def _wrong(message: str) -> BindgenError:
    from mcp_bindgen.errors import BindgenError

    return BindgenError(message)
