"""The classes of the bindings, read and written by cattrs' own functions instead of the emitted ones.

The hooks are those that a user would write by hand: cattrs creates a function for each class with the wire names of its
members, and the tag of a union is looked up once. The parser and the printer are orjson.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from types import UnionType
from typing import Any, Union, get_args, get_origin

import attrs
import orjson
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf.orjson import OrjsonConverter, make_converter

from benchmarks.contenders import Work
from benchmarks.corpus import Message

Hook = Callable[[Any, Any], Any]
_NAMESPACE = "io.modelcontextprotocol/"
_OPEN_SCHEMAS = ("ToolInputSchema", "ToolOutputSchema")


class StockCattrs:
    """A converter for one revision, and the classes of its messages."""

    def __init__(self, revision: str) -> None:
        self._mcp: Any = import_module("mcp_bindings.v" + revision.replace("-", "_"))
        self._stock = _converter(revision, detailed=True)
        self._terse = _converter(revision, detailed=False)

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        return self._decoder(message, self._stock)

    def _decoder(self, message: Message, converter: OrjsonConverter) -> Callable[[bytes], Any]:
        if message.answers is None:
            methods = {**self._mcp.methods.REQUESTS, **self._mcp.methods.NOTIFICATIONS}
            kind = methods[message.method].message
            hook: Hook = converter.get_structure_hook(kind)
            return lambda data: hook(orjson.loads(data), kind)
        response = getattr(self._mcp, "JSONRPCResultResponse", None) or self._mcp.JSONRPCResponse
        answer = self._mcp.methods.REQUESTS[message.answers].result
        envelope: Hook = converter.get_structure_hook(response)
        result: Hook = converter.get_structure_hook(answer)

        def decode(data: bytes) -> Any:
            made = envelope(orjson.loads(data), response)
            made.result = result(made.result, answer)
            return made

        return decode

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        unstructure = self._stock.unstructure
        return lambda typed: orjson.dumps(unstructure(typed))

    def other(self, work: str, message: Message) -> Work:
        """Return reading without places of faults, by ``detailed_validation=False``."""
        if work == "terse decode":
            return Work(self._decoder(message, self._terse), message.data)
        raise LookupError(work)

    def versions(self) -> Mapping[str, str]:
        return {name: version(name) for name in ("cattrs", "attrs")}


def _converter(revision: str, *, detailed: bool) -> OrjsonConverter:
    converter = make_converter(detailed_validation=detailed)

    def reader(cls: type) -> Hook:
        if cls.__name__ in _OPEN_SCHEMAS and revision == "2026-07-28":
            return _open_schema
        names = {field.name: override(rename=_wire_name(cls, field.name)) for field in _declared(cls)}
        made: Any = make_dict_structure_fn(cls, converter, extra=override(omit=True), **names)  # type: ignore[arg-type]
        hook: Hook = made
        return hook

    def writer(cls: type) -> Callable[[Any], Any]:
        names = {
            field.name: override(rename=_wire_name(cls, field.name), omit_if_default=_is_optional(field))
            for field in _declared(cls)
        }
        write: Callable[[Any], Any] = make_dict_unstructure_fn(cls, converter, extra=override(omit=True), **names)  # type: ignore[arg-type]
        constants = {
            name: getattr(cls, name)
            for name in ("jsonrpc", "method", "type")
            if isinstance(getattr(cls, name, None), str)
        }
        if cls.__name__ in _OPEN_SCHEMAS and revision == "2026-07-28":
            return lambda made: {**constants, **write(made), **made.extra}
        return lambda made: {**constants, **write(made)}

    def read_union(union: Any) -> Hook:
        return _union(converter, union)

    converter.register_structure_hook_factory(attrs.has, reader)
    converter.register_unstructure_hook_factory(attrs.has, writer)
    converter.register_structure_hook_factory(_is_union_of_classes, read_union)
    return converter


def _declared(cls: type) -> list[Any]:
    fields: Any = attrs.fields(cls)
    return [field for field in fields if field.name != "extra"]


def _is_optional(field: Any) -> bool:
    return field.default is not attrs.NOTHING and field.default not in {"complete", "input_required"}


def _wire_name(cls: type, field: str) -> str:
    if field == "meta":
        return "_meta"
    if field == "schema_":
        return "$schema"
    first, *rest = field.split("_")
    name = first + "".join(word.capitalize() for word in rest)
    if cls.__name__.endswith("MetaObject") and field != "progress_token":
        return _NAMESPACE + name
    return name


def _open_schema(value: Any, cls: Any) -> Any:
    """Return a JSON Schema that keeps the members that the revision does not declare, without which it is useless."""
    rest = {name: value[name] for name in value if name != "$schema" and not (name == "type" and hasattr(cls, "type"))}
    return cls(schema_=value.get("$schema"), extra=rest)


def _members(union: Any) -> tuple[Any, ...]:
    """Return the members of a union except None; nothing for any other type."""
    if get_origin(union) not in {Union, UnionType}:
        return ()
    return tuple(member for member in get_args(union) if member is not type(None))


def _is_union_of_classes(union: Any) -> bool:
    members = _members(union)
    return len(members) > 1 and all(attrs.has(member) or get_origin(member) is list for member in members)


def _union(converter: OrjsonConverter, union: Any) -> Hook:
    classes = {member.__name__: member for member in _members(union) if get_origin(member) is not list}
    hooks: dict[str, Hook] = {name: converter.get_structure_hook(cls) for name, cls in classes.items()}
    lists = [member for member in _members(union) if get_origin(member) is list]
    if lists:
        any_of: Any = Union
        one = _union(converter, any_of[tuple(classes.values())])
        return lambda value, _: [one(item, None) for item in value] if value.__class__ is list else one(value, None)
    for tag in ("type", "method"):
        if all(hasattr(cls, tag) and isinstance(getattr(cls, tag), str) for cls in classes.values()):
            by_tag = {getattr(cls, tag): (hooks[name], cls) for name, cls in classes.items()}
            return _by_tag(by_tag, tag)
    return _by_member(hooks, classes)


def _by_tag(by_tag: Mapping[str, tuple[Hook, type]], tag: str) -> Hook:
    def structure(value: Any, _: Any) -> Any:
        hook, cls = by_tag[value[tag]]
        return hook(value, cls)

    return structure


_MARKS = {
    "TextResourceContents": "text",
    "BlobResourceContents": "blob",
    "CreateMessageResult": "model",
    "ListRootsResult": "roots",
    "ElicitResult": "action",
    "CallToolResult": "content",
    "ReadResourceResult": "contents",
    "GetPromptResult": "messages",
    "InputRequiredResult": "resultType",
}
"""Member that the other classes of the union lack, by class, in the order of the checks."""


def _by_member(hooks: Mapping[str, Hook], classes: Mapping[str, type]) -> Hook:
    marks = [(mark, hooks[name], classes[name]) for name, mark in _MARKS.items() if name in hooks]

    def structure(value: Any, _: Any) -> Any:
        for mark, hook, cls in marks:
            if mark in value:
                return hook(value, cls)
        message = f"none of {', '.join(classes)}"
        raise ValueError(message)

    return structure


def make(name: str, revision: str) -> StockCattrs:
    return StockCattrs(revision)
