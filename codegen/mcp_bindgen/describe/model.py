"""The resolved model as JSON, before any Python name is chosen: ``mcp-codegen model --format json``."""

from __future__ import annotations

from typing import Any

from mcp_bindgen.describe.canonical import Canonical, object_of, schema_type
from mcp_bindgen.ir.protocol import AliasOf, AliasType, Constraints, Field, Method, ObjectOf, ObjectType, Protocol, Type
from mcp_bindgen.ir.types import Position

FORMAT = "mcp-model/1"

Json = dict[str, Any]


def describe_model(protocol: Protocol) -> Json:
    """Return the document; its keys are in source order."""
    return _Model(protocol).document()


class _Model:
    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._canonical = Canonical(protocol)

    def document(self) -> Json:
        protocol = self._protocol
        return {
            "format": FORMAT,
            "revision": protocol.revision,
            "source": protocol.source,
            "sha256": protocol.sha256,
            "constants": {name: constant.value for name, constant in protocol.constants.items()},
            "types": {name: self._type(name) for name in protocol.order if name not in protocol.constants},
            "inline": {
                path: {"open": declared.index is not None, **self._line(declared.position), **self._members(declared)}
                for path, declared in protocol.objects.items()
                if declared.kind == "inline"
            },
            "methods": {name: self._method(method) for name, method in protocol.methods.items()},
        }

    def _type(self, name: str) -> Json:
        declared = self._protocol.objects.get(name)
        if declared is None:
            alias = self._protocol.aliases[name]
            target = object_of(self._protocol, alias)
            if target is not None:
                members = {"open": target.index is not None, **self._about(alias), **self._members(target)}
                return {"kind": "alias", **members}
            # The resolved type of any JSON value has lost its text, which is shown here.
            return {"kind": "alias", **self._about(alias), **self._text(alias.written or alias.type)}
        return {
            "kind": declared.kind,
            "open": declared.index is not None,
            **self._about(declared),
            **self._members(declared),
        }

    def _about(self, declared: ObjectType | AliasType) -> Json:
        about = declared.about
        return {**self._line(declared.position), "doc": about.doc, "deprecated": about.deprecated}

    def _line(self, position: Position | None) -> Json:
        if position is None:
            return {"line": None}
        # A line number of an imported file would mislead without its name.
        elsewhere = {} if position.file == self._protocol.source else {"file": position.file}
        return {"line": position.line, **elsewhere}

    def _members(self, declared: ObjectType) -> Json:
        return {"properties": {member.name: self._property(member) for member in self._canonical.properties(declared)}}

    def _property(self, member: Field) -> Json:
        return {
            "optional": member.optional,
            **self._text(schema_type(member)),
            "declared_in": member.declared_in,
            "doc": member.about.doc,
            "deprecated": member.about.deprecated,
            "constraints": _constraints(member.constraints),
        }

    def _text(self, kind: Type) -> Json:
        known = self._canonical.known(kind)
        return {"type": self._canonical.text(kind), **({"known": known} if known else {})}

    def _method(self, method: Method) -> Json:
        entry: Json = {
            "kind": method.kind,
            "sent_by": list(method.sent_by),
            "interface": method.interface,
            "params": None if method.params is None else self._canonical.text(method.params),
            "params_required": method.params_required,
        }
        if method.kind == "request":
            entry["results"] = [self._name(result) for result in method.results]
        if method.kind == "request" or method.capability is not None:
            entry["capability"] = method.capability
        if method.embedded:
            entry["embedded"] = True
        if method.envelope:
            entry["envelope"] = list(method.envelope)
        return entry

    def _name(self, kind: Type) -> str:
        match kind:
            case ObjectOf():
                return kind.path
            case AliasOf():
                return kind.name
            case _:
                return self._canonical.text(kind)


def _constraints(constraints: Constraints) -> Json:
    found = {
        "minimum": constraints.minimum,
        "maximum": constraints.maximum,
        "maxItems": constraints.max_items,
        "format": constraints.format,
        "number": constraints.number,
    }
    return {name: value for name, value in found.items() if value is not None}
