"""The members of a request's params as parameters of a method."""

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
"""The member that asks for a task instead of a result."""

_NAMED = frozenset({TASK, "_meta"})
"""Members that are always given by name."""

_ROUNDS = frozenset({"inputResponses", "requestState"})
"""What a request carries from round to round is the runtime's business."""

MetaForm: TypeAlias = Literal["carried", "object", "map", "undeclared"]
"""How further entries of ``_meta`` get into params: through what each request of a stateless revision carries, as an
object, as a map, or among the undeclared members."""


@frozen
class Parameter:
    """A parameter, and the member that it gives."""

    name: str
    attribute: str
    """The member's name in Python."""
    wire: str
    annotation: tuple[str, ...]
    default: str
    """`` = …``; empty for a parameter that has to be given."""
    positional: bool
    doc: str

    def written(self) -> Alternatives:
        """As it stands in a signature."""
        return Alternatives(f"{self.name}: ", self.annotation, self.default)

    def passed(self) -> str:
        """As it is given to the class of the params."""
        return f"{self.attribute}={self.name}"


class Parameters:
    """Makes parameters of the members of params.

    Required members come first, in the order of the source, and may be given by position. So may an optional member
    that is the only one which the params themselves declare. All others are given by name.
    """

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._annotations = Annotations(protocol, names, "types.")

    def of(self, declared: ObjectType, taken: Collection[str], without: Collection[str] = ()) -> list[Parameter]:
        """The parameters; ``taken`` are names with a meaning of their own, ``without`` members that are given otherwise."""
        members = [member for member in declared.fields if self._is_given(declared, member, without)]
        optional = [member for member in members if default_of(self._protocol, member)]
        required = [member for member in members if member not in optional]
        own = [member for member in optional if member.declared_in == declared.path and member.name not in _NAMED]
        natural = own if len(own) == 1 else []
        rest = [member for member in optional if member not in natural]
        names = set(taken)
        return [
            self._parameter(declared, member, names, positional=member not in rest)
            for member in (*required, *natural, *rest)
        ]

    def _is_given(self, declared: ObjectType, member: Field, without: Collection[str]) -> bool:
        if member.name in without or member.name in _ROUNDS or is_constant(member):
            return False
        return member.name != "_meta" or self.meta_form(declared) is None

    def _parameter(self, declared: ObjectType, member: Field, taken: set[str], *, positional: bool) -> Parameter:
        attribute = self._names.fields[declared.path][member.name]
        parts = [] if member.raw else self._annotations.alternatives(member.type)
        return Parameter(
            name=free_name(attribute, taken),
            attribute=attribute,
            wire=member.name,
            annotation=with_absence(self._protocol, member, parts),
            default=default_of(self._protocol, member),
            positional=positional,
            doc=re.split(r"\n\s*\n", member.about.doc or "")[0],
        )

    def meta_form(self, declared: ObjectType) -> MetaForm | None:
        """How entries of ``_meta`` are put into params; None where ``_meta`` is a member like others."""
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
        """The annotation of ``_meta``, which is the class to make where it is an object."""
        (member,) = (each for each in declared.fields if each.name == "_meta")
        return self._annotations.of(member.type)
