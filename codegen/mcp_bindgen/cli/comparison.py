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
            message = f"{option} applies to schema files, and {word} is a bundled revision; for a file, write ./{word}"
            raise BindgenError(message)
        if own:
            message = f"{map_option} applies to schema files, and {word} is a bundled revision; leave it out"
            raise BindgenError(message)
        return Bundled(word)
    file = Path(word)
    if not _is_path(word):
        raise BindgenError(_no_revision(word))
    if name is not None and not name.strip():
        message = f"{option} must not be empty"
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
            f"OLD and NEW are missing; run: mcp-codegen diff OLD NEW, each a revision ({', '.join(known)}) "
            "or the path of a schema.ts"
        )
    later = [revision for revision in known if revision > old] if old in known else []
    example = later[0] if later else known[-1] if old != known[-1] else "path/to/schema.ts"
    return f"NEW is missing; for example, run: mcp-codegen diff {old} {example}"


def _is_path(word: str) -> bool:
    separators = [separator for separator in (os.sep, os.altsep) if separator]
    return word.endswith(".ts") or any(separator in word for separator in separators) or os.path.lexists(word)


def _no_revision(word: str) -> str:
    known = catalog.revisions()
    if word == "draft":
        return (
            "the draft is not bundled, because it changes often; download its schema.ts into a folder named draft, "
            "and pass the path of that file"
        )
    if word == "latest":
        return f"'latest' is not a revision; the newest bundled revision is {known[-1]}"
    if word == "-":
        return "a schema cannot be read from standard input, because its imports are looked up beside it; pass a path"
    return str(catalog.unknown_revision(word, what="neither a bundled revision nor a file"))
