"""Parameters of request methods, from the members of params."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, TypeAlias

from attrs import frozen

from mcp_bindgen.emit.annotations import Annotations, default_of, may_be_null, with_absence
from mcp_bindgen.emit.layout import Alternatives
from mcp_bindgen.emit.naming import Names, free_name, is_constant
from mcp_bindgen.emit.prerequisites import REQUEST_META, object_of
from mcp_bindgen.ir.protocol import Field, ObjectOf, ObjectType, Protocol, Type

TASK = "task"
"""The member that requests a task instead of a result."""

_NAMED = frozenset({TASK, "_meta"})
"""Members whose parameters are keyword-only."""

_ROUNDS = frozenset({"inputResponses", "requestState"})
"""Members that the runtime sets when it repeats a request with input."""

MetaForm: TypeAlias = Literal["carried", "object", "map", "undeclared"]
"""Form of additional ``_meta`` entries in params: in the ``_meta`` of every stateless request, as an object, as a map, or
among undeclared members."""


@frozen
class Parameter:
    """A parameter and the member that it sets."""

    name: str
    attribute: str
    """Attribute name of the member."""
    wire: str
    annotation: tuple[str, ...]
    default: str
    """`` = …``; empty for a required parameter."""
    positional: bool
    doc: str

    def written(self) -> Alternatives:
        """Return the parameter as part of a signature."""
        return Alternatives(f"{self.name}: ", self.annotation, self.default)

    def passed(self) -> str:
        """Return the argument for the class of the params."""
        return f"{self.attribute}={self.name}"


class Parameters:
    """Planner of the parameters for members of params.

    Required members come first, in the order of the source, and may be positional. So may an optional member if it is
    the only one that the params themselves declare. All others are keyword-only.
    """

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._annotations = Annotations(protocol, names, "types.")

    def of(self, declared: ObjectType, reserved: Collection[str], without: Collection[str] = ()) -> list[Parameter]:
        """Return the parameters; ``reserved`` are names in use, ``without`` members that are set in another way."""
        members = [member for member in declared.fields if self._is_parameter(declared, member, without)]
        optional = [member for member in members if default_of(self._protocol, member)]
        required = [member for member in members if member not in optional]
        own = [member for member in optional if member.declared_in == declared.path and member.name not in _NAMED]
        natural = own if len(own) == 1 else []
        rest = [member for member in optional if member not in natural]
        names = set(reserved)
        return [
            self._parameter(declared, member, names, positional=member not in rest)
            for member in (*required, *natural, *rest)
        ]

    def _is_parameter(self, declared: ObjectType, member: Field, without: Collection[str]) -> bool:
        if member.name in without or member.name in _ROUNDS or is_constant(member):
            return False
        return member.name != "_meta" or self.meta_form(declared) is None

    def _parameter(self, declared: ObjectType, member: Field, used: set[str], *, positional: bool) -> Parameter:
        attribute = self._names.fields[declared.path][member.name]
        parts = [] if member.raw else self._annotations.alternatives(member.type)
        return Parameter(
            name=free_name(attribute, used),
            attribute=attribute,
            wire=member.name,
            annotation=with_absence(self._protocol, member, parts),
            default=default_of(self._protocol, member),
            positional=positional,
            doc=re.split(r"\n\s*\n", member.about.doc or "")[0],
        )

    def meta_form(self, declared: ObjectType) -> MetaForm | None:
        """Return the form of additional ``_meta`` entries; None if ``_meta`` has an ordinary parameter."""
        member = next((each for each in declared.fields if each.name == "_meta"), None)
        if member is None:
            return "undeclared"
        if member.type == ObjectOf(REQUEST_META) and not member.optional:
            return "carried"
        if not member.optional or may_be_null(self._protocol, member.type):
            return None
        made = object_of(self._protocol, member.type)
        if made is not None:
            return None if any(not default_of(self._protocol, each) for each in made.fields) else "object"
        return "map" if self._is_map(member.type) else None

    def _is_map(self, kind: Type) -> bool:
        return isinstance(kind, ObjectOf) and self._protocol.objects[kind.path].is_map

    def meta_class(self, declared: ObjectType) -> str:
        """Return the annotation of ``_meta``, its class if it is an object."""
        (member,) = (each for each in declared.fields if each.name == "_meta")
        return self._annotations.of(member.type)
