"""The schemas that ``diff`` compares: two words, each a bundled revision or a schema file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from mcp_bindgen import catalog
from mcp_bindgen.cli.options import pairs

if TYPE_CHECKING:
    from mcp_bindgen.generate import Input


class Side(NamedTuple):
    """One side of the comparison with its options."""

    which: Literal["old", "new"]
    word: str
    name: str | None
    """Label of a file, of ``--old-name`` or ``--new-name``."""
    mapped: tuple[str, ...]
    """Files of imports on both sides, of ``--map``."""
    own: tuple[str, ...]
    """Files of imports on this side, of ``--old-map`` or ``--new-map``."""


def schema_of(side: Side) -> Input:
    """Return the bundled revision or schema file of a side."""
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import Bundled, SchemaFile

    which, word, name, mapped, own = side
    option, map_option = f"--{which}-name", f"--{which}-map"
    if word in (*catalog.revisions(), *catalog.extensions()):
        if name is not None:
            message = f"{option} names a schema file, and {word} is bundled; for a file write ./{word}"
            raise BindgenError(message)
        if own:
            message = f"{map_option} says where a schema's imports are, and {word} is bundled; leave it out"
            raise BindgenError(message)
        return Bundled(word)
    file = Path(word)
    if not _is_path(word):
        raise BindgenError(_no_revision(word))
    if name is not None and not name.strip():
        message = f"{option} needs a name"
        raise BindgenError(message)
    alone = pairs(own, map_option)
    return SchemaFile(
        file, name or catalog.label_of(file), {**pairs(mapped), **alone}, dict.fromkeys(alone, map_option)
    )


def missing(old: str | None) -> str:
    """Return the error message for a missing revision."""
    known = catalog.revisions()
    if old is None:
        return (
            f"say what to compare: mcp-codegen diff OLD NEW, each a revision ({', '.join(known)}) "
            "or the path of a schema.ts"
        )
    later = [revision for revision in known if revision > old] if old in known else []
    example = later[0] if later else known[-1] if old != known[-1] else "path/to/schema.ts"
    return f"say what to compare {old} with; for example: mcp-codegen diff {old} {example}"


def _is_path(word: str) -> bool:
    separators = [separator for separator in (os.sep, os.altsep) if separator]
    return word.endswith(".ts") or any(separator in word for separator in separators) or os.path.lexists(word)


def _no_revision(word: str) -> str:
    known = catalog.revisions()
    if word == "draft":
        return (
            "there is no bundled draft, as it changes from day to day; fetch its schema.ts and give the path of that "
            "file instead, in a folder named draft or with --old-name or --new-name"
        )
    if word == "latest":
        return f"'latest' is no bundled revision, as what it means would change; the newest is {known[-1]}"
    if word == "-":
        return "a schema cannot be read from standard input, as its imports lie beside it; give the path of a file"
    return f"{catalog.unknown_revision(word)}; no file has that name either"
