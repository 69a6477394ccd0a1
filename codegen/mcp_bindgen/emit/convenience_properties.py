"""What classes offer besides their members, where they have the members for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_bindgen.emit.layout import lines
from mcp_bindgen.emit.prerequisites import object_of
from mcp_bindgen.ir.protocol import Field, ListOf, ObjectType, Protocol, Scalar, Type

_TOOL_SCHEMAS = frozenset({"Tool.inputSchema", "Tool.outputSchema"})
"""Types of JSON Schemas, of which revisions declare more or less."""
_BYTE = "byte"
"""The ``@format`` of text that is base64."""


def convenience_properties(
    protocol: Protocol, declared: ObjectType, attributes: Mapping[str, str], name: str
) -> tuple[str, ...]:
    """The lines of a class's convenience_properties; ``attributes`` are its attributes by wire name, ``name`` is its own."""
    taken = {*attributes.values(), "extra"}
    found = {each: code for each, code in _found(protocol, declared, attributes, name) if each not in taken}
    return tuple(line for code in found.values() for line in code.rstrip().splitlines())


def _found(
    protocol: Protocol, declared: ObjectType, attributes: Mapping[str, str], name: str
) -> Iterator[tuple[str, str]]:
    members = {member.name: member for member in declared.fields}
    for member in declared.fields:
        if _is_encoded(member):
            yield "bytes", _BYTES.format(attributes[member.name])
            break
    titles = list(_titles(protocol, members))
    if titles and "name" in members and _is_text(members["name"], optional=False):
        chosen = lines("return ", ("record_methods.shown(", [*titles, "self.name"], ")"), "", 8)
        yield "display_name", _DISPLAY_NAME + "\n".join(chosen)
    failed, content = members.get("isError"), members.get("content")
    if declared.path == "CallToolResult" and failed and content and isinstance(content.type, ListOf):
        yield "raise_for_error", _RAISE.format(name)
    if declared.path in _TOOL_SCHEMAS:
        # Where the revision declares them they are members, which take their place.
        yield "properties", _PROPERTIES
        yield "required", _REQUIRED


def _titles(protocol: Protocol, members: Mapping[str, Field]) -> Iterator[str]:
    """Where a label may be, the best place first (2025-06-18, Schema: BaseMetadata.title)."""
    title = members.get("title")
    if title is not None and _is_text(title, optional=True):
        yield "self.title"
    hints = members.get("annotations")
    below = None if hints is None else object_of(protocol, hints.type)
    if below is not None and any(each.name == "title" and _is_text(each, optional=True) for each in below.fields):
        yield "None if self.annotations is None else self.annotations.title"


def _is_text(member: Field, *, optional: bool) -> bool:
    return _is(member.type, "string") and member.optional == optional


def _is(kind: Type, scalar: str) -> bool:
    return isinstance(kind, Scalar) and kind.kind == scalar


def _is_encoded(member: Field) -> bool:
    return member.constraints.format == _BYTE and _is_text(member, optional=False)


_BYTES = '''
    @property
    def bytes(self) -> record_methods.Bytes:
        """What `{0}` stands for in base64; raises ProtocolError where it is none."""
        return record_methods.decoded(self.{0})
'''

_DISPLAY_NAME = '''
    @property
    def display_name(self) -> str:
        """What to call it in front of people."""
'''

_RAISE = '''
    def raise_for_error(self) -> {}:
        """The result itself; raises ToolFailed, with its text, where the tool has failed."""
        record_methods.check(self)
        return self
'''

_PROPERTIES = '''
    @property
    def properties(self) -> dict[str, Any] | None:
        """Schemas of the members by name, a member of `extra`; None if absent.

        Raises ProtocolError if it is no object.
        """
        return record_methods.opaque_object(self.extra, "properties")
'''

_REQUIRED = '''
    @property
    def required(self) -> list[str] | None:
        """Names of the required members, a member of `extra`; None if absent.

        Raises ProtocolError if it is no array of strings.
        """
        return record_methods.opaque_texts(self.extra, "required")
'''
