"""The bundled revisions and extensions: their names and files (``bundled_schemas``), and the resolved schemas."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mcp_bindgen.bundled_schemas import (
    DRAFT_HINT,
    NO_DRAFT,
    OfficialFile,
    extended_by,
    extensions,
    extensions_of,
    is_date,
    is_like_a_date,
    label_of,
    nearest,
    official_files,
    package_label,
    package_name,
    revisions,
    schema_file,
    schema_name,
    unknown_revision,
)

if TYPE_CHECKING:
    from mcp_bindgen.ir.protocol import Protocol

__all__ = [
    "DRAFT_HINT",
    "NO_DRAFT",
    "OfficialFile",
    "base_of",
    "extended_by",
    "extensions",
    "extensions_of",
    "is_date",
    "is_like_a_date",
    "label_of",
    "load",
    "nearest",
    "official_files",
    "package_label",
    "package_name",
    "revisions",
    "schema_file",
    "schema_name",
    "unknown_revision",
]


@cache
def load(label: str) -> Protocol:
    """Return a bundled schema, resolved."""
    from mcp_bindgen.sources import read_bundled, understand

    return understand(read_bundled(label), label, numbers="integer")


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
    """Return the names that a schema declares: methods, types, and the fields of the types."""
    fields = {f"{path}.{field.name}" for path, declared in protocol.objects.items() for field in declared.fields}
    return {*protocol.methods, *protocol.aliases, *protocol.objects, *fields}
