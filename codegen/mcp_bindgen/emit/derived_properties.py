"""Properties and methods that classes have besides their members: ``bytes``, ``display_name`` and others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_bindgen.emit.layout import lines
from mcp_bindgen.emit.prerequisites import object_of
from mcp_bindgen.emit.view_model import DerivedPropertiesView
from mcp_bindgen.ir.protocol import Field, ListOf, ObjectType, Protocol, Scalar

_TOOL_SCHEMAS = frozenset({"Tool.inputSchema", "Tool.outputSchema"})
"""Types of JSON Schemas; which keywords they declare depends on the revision."""
_BASE64 = "byte"
"""The ``@format`` of text in base64."""


def plan_derived_properties(
    protocol: Protocol, declared: ObjectType, attributes: Mapping[str, str]
) -> DerivedPropertiesView:
    """Return the properties that a class gets; ``attributes`` maps wire names of its members to attribute names.

    An attribute of the class takes precedence over a property of the same name.
    """
    members = {member.name: member for member in declared.fields}
    names = {*attributes.values(), "extra"}
    encoded = next((attributes[member.name] for member in declared.fields if _is_base64(member)), "")
    titles = list(_titles(protocol, members)) if _is_text(members.get("name"), optional=False) else []
    content = members.get("content")
    has_content = content is not None and isinstance(content.type, ListOf)
    fails = declared.path == "CallToolResult" and "isError" in members and has_content
    is_schema = declared.path in _TOOL_SCHEMAS
    return DerivedPropertiesView(
        has_bytes=bool(encoded) and "bytes" not in names,
        has_display_name=bool(titles) and "display_name" not in names,
        has_raise_for_error=fails and "raise_for_error" not in names,
        has_properties=is_schema and "properties" not in names,
        has_required=is_schema and "required" not in names,
        encoded=encoded,
        display_name=tuple(lines("return ", ("record_methods.first_name(", [*titles, "self.name"], ")"), "", 8)),
    )


def _titles(protocol: Protocol, members: Mapping[str, Field]) -> Iterator[str]:
    """Yield the expressions for a label, the preferred one first (2025-06-18, Schema: BaseMetadata.title)."""
    if _is_text(members.get("title"), optional=True):
        yield "self.title"
    hints = members.get("annotations")
    annotations = None if hints is None else object_of(protocol, hints.type)
    if annotations is not None and any(
        each.name == "title" and _is_text(each, optional=True) for each in annotations.fields
    ):
        yield "None if self.annotations is None else self.annotations.title"


def _is_text(member: Field | None, *, optional: bool) -> bool:
    return (
        member is not None
        and isinstance(member.type, Scalar)
        and member.type.kind == "string"
        and member.optional == optional
    )


def _is_base64(member: Field) -> bool:
    return member.constraints.format == _BASE64 and _is_text(member, optional=False)
