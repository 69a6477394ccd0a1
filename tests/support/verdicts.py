"""The verdict on one place of a message, in the words of the tables in ``bindings/between_revisions``."""

from __future__ import annotations

import json
from typing import Any

from attrs import frozen
from mcp_bindgen.ir.protocol import AliasOf, ListOf, ObjectOf, Protocol, Type, Union
from mcp_bindings_runtime.codec.record import Record
from mcp_bindings_runtime.errors import DecodeError
from mcp_bindings_runtime.unset import UNSET
from support.differences import alternatives, place
from support.json_equality import same_as, same_message
from support.message_oracle import MessageOracle, Side
from support.oracle import Json, Oracle, Path
from support.packages import Package


@frozen
class Sent:
    """A message or a value of a type, with the information that its receiver has."""

    value: Json
    type: str | None = None
    answers: str | None = None
    sender: Side | None = None

    @property
    def results(self) -> dict[str | int, str]:
        return {} if self.answers is None else {self.value["id"]: self.answers}


def verdict(mcp: Package, sent: Sent, keys: Path) -> str:
    """Return the verdict on a place, and assert that nothing is lost."""
    if sent.type is not None and sent.type not in mcp.protocol.objects:
        return "no such type"
    try:
        typed = _read(mcp, sent)
    except DecodeError as error:
        return "refused" if error.keys == keys else f"refused at {error.path}"
    if (
        sent.type is None
        and "method" in sent.value
        and type(typed).__name__ in {"JSONRPCRequest", "JSONRPCNotification"}
    ):
        return "generic" if keys == ("method",) else standing(mcp, typed, sent.value, keys)
    return standing(mcp, typed, sent.value, keys)


def _read(mcp: Package, sent: Sent) -> Any:
    if sent.type is not None:
        typed = mcp.structure(sent.value, sent.type)
        assert same_as(Oracle(mcp.protocol), ObjectOf(sent.type), sent.value, mcp.unstructure(typed))
        return typed
    results = mcp.results(sent.results)
    typed = mcp.module.decode(json.dumps(sent.value), sender=sent.sender, results=results)
    written = json.loads(mcp.module.encode(typed))
    assert same_message(MessageOracle(mcp.protocol), sent.value, written, sent.sender, sent.results)
    return typed


def standing(mcp: Package, typed: Any, value: Json, keys: Path) -> str:
    """Return where a part of the JSON is in the typed value."""
    if not keys:
        return type(typed).__name__ if isinstance(typed, Record) else "a batch" if _is_batch(typed) else "known"
    key, *below = keys
    if not isinstance(typed, Record):
        return standing(mcp, typed[key], value[key], tuple(below))
    path = mcp.path_of(typed)
    holder: Any = typed
    attribute = mcp.attribute(path, str(key))
    held = None if attribute is None else getattr(holder, attribute)
    if key not in value:
        assert held is None or held is UNSET
        assert not below
        return "absent"
    if attribute is None:
        assert holder.extra[key] == value[key]
        return "opaque" if below else "unknown"
    if below and _is_opaque(mcp.protocol, path, str(key)):
        assert held == value[key]
        return "opaque"
    return standing(mcp, held, value[key], tuple(below))


def _is_batch(typed: Any) -> bool:
    return type(typed) is list and bool(typed) and hasattr(typed[0], "jsonrpc")


def _is_opaque(protocol: Protocol, path: str, member: str) -> bool:
    (kind,) = (field.type for field in protocol.objects[path].fields if field.name == member)
    return bool({"an object", "any JSON"} & alternatives(protocol, kind).keys())


def subject(protocol: Protocol, sent: Sent, keys: Path) -> str:
    """Return the subject that ``support.differences`` uses for a place of a message that is valid except there."""
    if sent.type is not None:
        return _below(Oracle(protocol), ObjectOf(sent.type), sent.value, keys, f"type {sent.type}")
    if type(sent.value) is list and not keys:
        return "batches"
    if keys == ("method",):
        return f"method {sent.value['method']}"
    (reading,) = MessageOracle(protocol).read(sent.value, sent.sender, sent.results)
    if reading.result is not None and keys[:1] == ("result",):
        return _below(Oracle(protocol), reading.result, sent.value["result"], keys[1:], f"result of {sent.answers}")
    assert reading.kind is not None
    return _below(Oracle(protocol), ObjectOf(reading.kind), sent.value, keys, "")


def _below(oracle: Oracle, kind: Type, value: Json, keys: Path, name: str) -> str:
    if not keys:
        return name
    key, *below = keys
    match kind:
        case AliasOf():
            return _below(oracle, oracle.protocol.aliases[kind.name].type, value, keys, name)
        case Union():
            member = oracle.member(kind, value)
            if member is None:
                # The place itself is what is wrong: it is one of the first alternative that has it.
                having = (index for index, each in enumerate(kind.members) if _declares(oracle.protocol, each, key))
                member = next(having)
            return _below(oracle, kind.members[member], value, keys, name)
        case ListOf():
            return _below(oracle, kind.element, value[key], tuple(below), f"{name}[]")
        case ObjectOf():
            declared = oracle.protocol.objects[kind.path]
            types = {field.name: field.type for field in declared.fields}
            if key in types:
                inside = value.get(key) if below else None
                return _below(oracle, types[str(key)], inside, tuple(below), place(kind.path, str(key)))
            if declared.index is not None:
                return _below(oracle, declared.index, value[key], tuple(below), f"{kind.path}[*]")
    return f"{name}: something undeclared"


def _declares(protocol: Protocol, kind: Type, key: str | int) -> bool:
    return isinstance(kind, ObjectOf) and any(field.name == key for field in protocol.objects[kind.path].fields)
