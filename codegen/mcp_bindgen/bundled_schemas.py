"""The bundled schemas: revisions and extensions, their files, labels and package names."""

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

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LOOSE_DATE = re.compile(r"v?(\d{4})[-_.](\d{1,2})[-_.](\d{1,2})", re.ASCII)
_DECLARATION = re.compile(r"^export (?:interface|type) (\w+)", re.MULTILINE)
NO_DRAFT = "the draft is not bundled, because it changes often"
DRAFT_HINT = f"{NO_DRAFT}; download schema/draft/schema.ts of modelcontextprotocol/modelcontextprotocol on GitHub"
"""Advice on the draft, for errors that continue with the option or argument for the file."""
_MAX_LABEL = 64
_LABEL = re.compile(r"[^\W_]+([-._]+[^\W_]+)*")
_NO_LABEL = re.compile(r"[^\w.-]+")
_EXTENSIONS = "extensions"
"""The folder beside those of the revisions."""

RESERVED_LABELS = ("adapters", "bridge", "connect", "runtime", "serve", "testing")
"""Modules and packages beside the packages of the revisions."""


# No attrs here: a bare `--version` reads this module, and importing attrs would double its time.
class OfficialFile(NamedTuple):
    """The official file that a bundled transcription was checked against."""

    repository: str
    commit: str
    sha256: str


@cache
def revisions() -> tuple[str, ...]:
    """Return the bundled revisions, oldest first."""
    found = (folder.name for folder in resources.schemas().iterdir() if (folder / "schema.ts").is_file())
    return tuple(sorted(found))


@cache
def extensions() -> tuple[str, ...]:
    """Return the labels of the bundled extensions of the protocol, in alphabetical order."""
    found = ((folder.name, folder) for folder in (resources.schemas() / _EXTENSIONS).iterdir())
    return tuple(sorted(label for label, folder in found if (folder / "schema.ts").is_file()))


@cache
def extensions_of(revision: str) -> tuple[str, ...]:
    """Return the bundled extensions whose schemas import from that of a revision."""
    imported = f'from "../../{revision}/schema.js"'
    return tuple(label for label in extensions() if imported in schema_file(label).read_text(encoding="utf-8"))


def extended_by(label: str) -> str | None:
    """Return the revision that a bundled extension extends; None for a revision."""
    return next((revision for revision in revisions() if label in extensions_of(revision)), None)


@cache
def declared_types() -> frozenset[str]:
    """Return the names of the types that the bundled schemas declare."""
    texts = (schema_file(label).read_text(encoding="utf-8") for label in (*revisions(), *extensions()))
    return frozenset(name for text in texts for name in _DECLARATION.findall(text))


def schema_file(label: str) -> Path:
    """Return the file of a bundled schema; raise ``BindgenError`` for an unknown label."""
    if label in extensions():
        return resources.schemas() / _EXTENSIONS / label / "schema.ts"
    if label not in revisions():
        raise unknown_revision(label)
    return resources.schemas() / label / "schema.ts"


def schema_name(label: str) -> str:
    """Return the name of a bundled schema in messages and generated files, the same wherever it is installed."""
    return f"schema/{_EXTENSIONS}/{label}/schema.ts" if label in extensions() else f"schema/{label}/schema.ts"


@cache
def official_files() -> dict[str, OfficialFile]:
    """Return the records of ``schema/official.toml`` by label."""
    with (resources.schemas() / "official.toml").open("rb") as file:
        data = tomllib.load(file)
    recorded = {**data["revisions"], **data["extensions"]}
    return {
        label: OfficialFile(entry.get("repository", data["repository"]), entry["commit"], entry["sha256"])
        for label, entry in sorted(recorded.items())
    }


def package_name(label: str) -> str:
    """Return the package name of a label: ``v2025_03_26`` for ``2025-03-26``, ``acme_2`` for ``acme-2``."""
    plain = unicodedata.normalize("NFKC", label)
    name = re.sub(r"\W+", "_", plain)
    name = f"v{name}" if name[:1].isdigit() else name
    if keyword.iskeyword(name):
        name += "_"
    if not _LABEL.fullmatch(plain) or len(label) > _MAX_LABEL or not name.isidentifier():
        shown = label if len(label) <= _MAX_LABEL else f"{label[:_MAX_LABEL]}…"
        message = (
            f"the label of a package must consist of at most {_MAX_LABEL} letters and digits, with -, _ or . between them; "
            f"got {shown!r}"
        )
        raise _wrong(message)
    if name in RESERVED_LABELS:
        message = f"the label {label!r} is reserved, as are {', '.join(RESERVED_LABELS)}; choose another label"
        raise _wrong(message)
    return name


def package_label(path: Path) -> str:
    """Return the default label of the package of a schema file: ``label_of``, with ``-`` for what labels do not have."""
    return _NO_LABEL.sub("-", label_of(path)).strip("-_.")


def label_of(path: Path) -> str:
    """Return the default label of a schema file: its folder if that is a revision, else its own stem."""
    folder = Path(os.path.realpath(path)).parent.name
    if _DATE.fullmatch(folder) or folder == "draft":
        return folder
    name = path.name
    for suffix in (".d.ts", ".ts"):
        name = name.removesuffix(suffix)
    return name


def is_date(word: str) -> bool:
    """Return whether a word has the form of a revision."""
    return _DATE.fullmatch(word) is not None


def is_like_a_date(word: str) -> bool:
    """Return whether a word was meant as a revision, such as ``2025_6_18``."""
    return _LOOSE_DATE.fullmatch(word) is not None


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Return the known words that are most similar to ``word``, the best first; none if all differ a lot."""
    import difflib

    return difflib.get_close_matches(word, list(known), n=count, cutoff=0.6)


def unknown_revision(word: str, option: str | None = None, *, what: str = "not a bundled revision") -> BindgenError:
    """Return the error for a word that names no bundled revision; ``option`` is where the user wrote it.

    The error names the revision with the nearest date.
    """
    known = revisions()
    written = _LOOSE_DATE.fullmatch(word)
    if written is None:
        hint = f"use one of {', '.join(known)}"
    else:
        day = _day(*written.groups())
        hint = f"did you mean {min(known, key=lambda each: abs(_day(*each.split('-')) - day))}?"
    place = "" if option is None else f"{option}: "
    return _wrong(f"{place}{word!r} is {what}; {hint}")


def _day(year: str, month: str, day: str) -> int:
    """Return a number that grows with the date; neither month nor day need exist."""
    return (int(year) * 12 + int(month)) * 31 + int(day)


def _wrong(message: str) -> BindgenError:
    from mcp_bindgen.errors import BindgenError

    return BindgenError(message)
