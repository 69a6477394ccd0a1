"""Flattening of objects: ``extends``, intersections, ``Omit`` and its kin, ``Record``, aliases of objects, ``X["key"]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import evolve

from mcp_bindgen.ir.declarations import Alias, Interface
from mcp_bindgen.ir.types import (
    IndexSignature,
    IntersectionType,
    Keyword,
    LiteralType,
    LookupType,
    ObjectLiteral,
    Position,
    Property,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
    exactly,
)
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.graphs import components, cycle
from mcp_bindgen.resolve.scope import Scope
from mcp_bindgen.resolve.shapes import Shape, Slot, Written, combined, named, overridden, own_shape
from mcp_bindgen.resolve.value_kinds import value_kinds

MAX_DEPTH = 200
"""Maximum levels of bases and aliases below a declaration; more could flatten to millions of properties."""

_SHOWN = 8
"""Number of names of a cycle that a message shows."""

_MAPPED = frozenset({"Omit", "Partial", "Pick", "Required"})
_NO_OBJECT = "not an object type, so it cannot be extended or combined"

Literals: TypeAlias = dict[object, str | int | float | bool]
"""Values by their key of equality."""


class Flattener:
    """The shapes of one scope; a faulty part is recorded and left out."""

    def __init__(self, scope: Scope, faults: Faults) -> None:
        self._scope = scope
        self._faults = faults
        self._made: dict[tuple[str, int], tuple[TypeExpression, Shape]] = {}
        self._depths: dict[str | LookupType, int] = {}
        self._faulty: set[str | LookupType] = set()
        self.warnings: list[str] = []
        self.shapes: dict[str, Shape] = {}
        """By declared name: interfaces, aliases of objects, and second names for either."""
        self._flatten()

    def builds_object(self, expression: TypeExpression) -> bool:
        """Return whether a type builds an object rather than naming one."""
        match expression:
            case ObjectLiteral():
                return True
            case IntersectionType():
                return branded(expression) is None
            case Reference():
                return self._scope.generic(expression) in _MAPPED | {"Record"}
            case _:
                return False

    def shape(self, expression: TypeExpression, path: str) -> Shape | None:
        """Return the shape of an object type; the properties that it declares itself belong to ``path``.

        Shapes are cached by type and path, since ``X["key"]`` leads to the same type many times.
        """
        key = path, id(expression)
        if key in self._made:
            return self._made[key][1]
        found = self._shape(expression, path)
        if found is not None:
            # With the expression, so that no other one gets its id.
            self._made[key] = expression, found
        return found

    def _shape(self, expression: TypeExpression, path: str) -> Shape | None:
        match expression:
            case ObjectLiteral():
                found: Shape | None = self._written(expression, path)
            case IntersectionType():
                found = self._all([(member, path) for member in expression.members], expression)
            case Reference():
                found = self._reference(expression, path)
            case LookupType():
                slot = self.look_up(expression)
                if slot is None:
                    return None
                written = slot.candidates[0]
                found = self.shape(written.property.type, written.path())
            case UnionType(members=(single,)):
                found = self.shape(single, path)
            case _:
                found = None
                self._faults.add(expression.position, f"this is {_NO_OBJECT}")
        return found

    def look_up(self, expression: LookupType) -> Slot | None:
        """Return the property that ``X["key"]`` means."""
        target = expression.target
        if not isinstance(target, LookupType) and not (
            isinstance(target, Reference) and target.name in self._scope.types
        ):
            self._faults.add(target.position, 'only properties of a named type can be looked up, as in Tool["name"]')
            return None
        shape = self.shape(target, "")
        if shape is None:
            return None
        if expression.key not in shape.slots:
            self._faults.add(expression.position, f"{_text(target)} has no property {expression.key!r}")
            return None
        return shape.slots[expression.key]

    def contradicts_itself(self, expression: IntersectionType, path: str) -> bool:
        """Return whether no object can have all the properties that the parts of an intersection require."""
        shape = self.shape(expression, path)
        if shape is None:
            return False
        required = [slot for slot in shape.slots.values() if not slot.optional]
        return any(slot.forbidden or literals_of(slot, self._scope) == {} for slot in required)

    def constant(self, name: str) -> str | int | float | bool:
        """Return the value of a constant: its own, or the one literal that its type resolves to."""
        declared = self._scope.constants[name]
        if declared.type is None:
            assert declared.value is not None, "the reader takes no constant without either"
            return declared.value
        slot = self.look_up(declared.type)
        values = literals_of(slot, self._scope) if slot is not None else None
        if declared.value is not None:
            if values is not None and exactly(declared.value) not in values:
                self._faults.add(declared.position, f"the value of {name} differs from the literal in its type")
            return declared.value
        if values is None or len(values) != 1:
            if slot is not None:
                self._faults.add(
                    declared.type.position,
                    f"{_text(declared.type)} is not a single literal, so the value of {name} is unknown",
                )
            return ""
        return next(iter(values.values()))

    def _flatten(self) -> None:
        nodes: list[str | LookupType] = list(self._scope.types)
        for group in components(nodes, self._edges):
            node = min(group, key=self._place)
            way = cycle([node, *group], self._edges)
            if way is not None:
                self._refuse_cycle(way)
                self._faulty.update(group)
            elif not self._within_depth(node):
                self._faulty.add(node)
            elif isinstance(node, str):
                self._declared(self._scope.types[node])

    def _declared(self, declared: Interface | Alias) -> None:
        if isinstance(declared, Interface):
            shape: Shape | None = self._interface(declared)
        elif self.builds_object(declared.type) or self._names_object(declared.type):
            shape = self.shape(declared.type, declared.name)
        else:
            return
        if shape is None:
            self._faulty.add(declared.name)
        else:
            self.shapes[declared.name] = shape

    def _names_object(self, expression: TypeExpression) -> bool:
        if isinstance(expression, LookupType):
            slot = self.look_up(expression)
            if slot is None:
                return False
            found = slot.candidates[0].property.type
            return self.builds_object(found) or self._names_object(found)
        return isinstance(expression, Reference) and expression.name in self.shapes

    def _interface(self, declared: Interface) -> Shape:
        own = own_shape(declared.name, declared.properties, declared.index, declared.position)
        if not declared.bases:
            return own
        base = self._all([(base, declared.name) for base in declared.bases], declared)
        if base is None:
            return own
        for name in own.slots:
            if name in base.slots:
                self._warn_of_override(own.slots[name].candidates[0], base.slots[name])
        return overridden(base, own)

    def _warn_of_override(self, own: Written, base: Slot) -> None:
        """Warn of a property whose values cannot be those of the same property of a base, which TypeScript refuses."""
        for inherited in base.candidates:
            found, allowed = (value_kinds(each.property.type, self._scope) for each in (own, inherited))
            if found is not None and allowed is not None and not found <= allowed:
                position = own.property.position
                self.warnings.append(
                    f"{position.file}:{position.line}: {own.path()} may be {_one_of(found - allowed)}, but "
                    f"{inherited.path()}, which it overrides, is {_one_of(allowed)}"
                )

    def _all(self, parts: list[tuple[TypeExpression, str]], whole: Interface | IntersectionType) -> Shape | None:
        shapes = [shape for part, path in parts if (shape := self.shape(part, path)) is not None]
        return combined(shapes, whole.position) if shapes else None

    def _reference(self, expression: Reference, path: str) -> Shape | None:
        generic = self._scope.generic(expression)
        if generic == "Record":
            return self._written(expression, path)
        if generic in _MAPPED:
            return self._mapped(expression, path)
        if expression.name in self.shapes:
            return named(expression.name, self.shapes[expression.name])
        if expression.name in self._scope.types and expression.name not in self._faulty:
            self._faults.add(expression.position, f"{expression.name} is {_NO_OBJECT}")
        return None

    def _written(self, expression: ObjectLiteral | Reference, path: str) -> Shape:
        """Return the shape of an object literal or of a ``Record``."""
        braces = expression if isinstance(expression, ObjectLiteral) else self._record(expression)
        return own_shape(path, braces.properties, braces.index, expression.position)

    def _record(self, expression: Reference) -> ObjectLiteral:
        keys, value = expression.arguments
        names = self._keys(keys, any_string=True)
        if not names:
            return ObjectLiteral((), IndexSignature(value, position=value.position), expression.position)
        written = tuple(Property(name, value, optional=False, position=keys.position) for name in names)
        return ObjectLiteral(written, None, expression.position)

    def _mapped(self, expression: Reference, path: str) -> Shape | None:
        shape = self.shape(expression.arguments[0], path)
        if shape is None:
            return None
        if expression.name in {"Omit", "Pick"}:
            names = self._keys(expression.arguments[1])
            for name in names:
                if name not in shape.slots:
                    target = _text(expression.arguments[0])
                    self._faults.add(expression.arguments[1].position, f"{target} has no property {name!r}")
            # TypeScript's Omit forgets every property of a type with an index signature. Nobody means that.
            kept = {name: slot for name, slot in shape.slots.items() if (name in names) == (expression.name == "Pick")}
            return evolve(shape, slots=kept)
        optional = expression.name == "Partial"
        return evolve(shape, slots={name: evolve(slot, optional=optional) for name, slot in shape.slots.items()})

    def _keys(self, expression: TypeExpression, *, any_string: bool = False) -> list[str]:
        """Return the strings that a type of keys lists; none for ``string`` itself, if that is allowed."""
        names: list[str] = []
        waiting: list[TypeExpression] = [expression]
        seen: set[str] = set()
        while waiting:
            part = waiting.pop()
            match part:
                case LiteralType(value=str(name)):
                    names.append(name)
                case TypeQuery() if (constant := self._scope.constants.get(part.name)) and isinstance(
                    constant.value, str
                ):
                    names.append(constant.value)
                case UnionType():
                    waiting.extend(part.members[::-1])
                case Reference() if isinstance(declared := self._scope.types.get(part.name), Alias):
                    if part.name not in self._faulty and part.name not in seen:
                        seen.add(part.name)
                        waiting.append(declared.type)
                case Keyword(name="string") if any_string:
                    return []
                case _:
                    wanted = "string or string literals" if any_string else "string literals"
                    self._faults.add(part.position, f"keys must be {wanted} joined by |")
        return list(dict.fromkeys(names))

    def _edges(self, node: str | LookupType) -> Iterator[str | LookupType]:
        """Yield what must be flattened before a declaration, or before the property that is looked up."""
        if isinstance(node, LookupType):
            target = node.target
            if isinstance(target, Reference) and target.name not in self.shapes:
                return
            slot = self.look_up(node)
            if slot is not None:
                yield from self._leading(slot.candidates[0].property.type)
            return
        declared = self._scope.types[node]
        for expression in declared.bases if isinstance(declared, Interface) else (declared.type,):
            yield from self._leading(expression)

    def _leading(self, expression: TypeExpression) -> Iterator[str | LookupType]:
        match expression:
            case Reference():
                generic = self._scope.generic(expression)
                if expression.name in self._scope.types:
                    yield expression.name
                elif generic == "Record":
                    yield from self._leading(expression.arguments[0])
                elif generic in _MAPPED:
                    for argument in expression.arguments:
                        yield from self._leading(argument)
            case UnionType() | IntersectionType():
                for member in expression.members:
                    yield from self._leading(member)
            case LookupType():
                yield from self._leading(expression.target)
                yield expression
            case _:
                pass

    def _within_depth(self, node: str | LookupType) -> bool:
        depth = 1 + max((self._depths.get(each, 0) for each in self._edges(node)), default=-1)
        self._depths[node] = depth
        if depth == MAX_DEPTH + 1:
            self._faults.add(
                self._position(node),
                f"{_name(node)} has more than {MAX_DEPTH} levels of bases or aliases, which is the limit",
            )
        return depth <= MAX_DEPTH

    def _position(self, node: str | LookupType) -> Position:
        return node.position if isinstance(node, LookupType) else self._scope.types[node].position

    def _place(self, node: str | LookupType) -> tuple[str, int, int]:
        position = self._position(node)
        return position.file, position.line, position.column

    def _refuse_cycle(self, way: list[str | LookupType]) -> None:
        names = [_name(node) for node in way]
        if len(names) > _SHOWN:
            names[_SHOWN - 2 : -1] = [f"({len(names) - _SHOWN + 1} more)"]
        self._faults.add(self._position(way[0]), f"{names[0]} contains itself: {' -> '.join(names)}")


def branded(expression: IntersectionType) -> Keyword | None:
    """Return the primitive of ``string & {}``, by which TypeScript keeps literals beside ``string``."""
    keywords = [each for each in expression.members if isinstance(each, Keyword)]
    empty = [
        each
        for each in expression.members
        if isinstance(each, ObjectLiteral) and not each.properties and not each.index
    ]
    return keywords[0] if len(keywords) == 1 and len(keywords) + len(empty) == len(expression.members) else None


def _one_of(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))


def _name(node: str | LookupType) -> str:
    return node if isinstance(node, str) else _text(node)


def _text(expression: TypeExpression) -> str:
    match expression:
        case Reference():
            return expression.name
        case LookupType():
            return f'{_text(expression.target)}["{expression.key}"]'
        case _:
            return "the type"


def literals_of(slot: Slot, scope: Scope) -> Literals | None:
    """Return the values that all texts of a property list; None if none of them lists literals."""
    first, *others = [_literals(each.property.type, scope) for each in slot.candidates]
    for other in others:
        if first is None or other is None:
            first = first if other is None else other
        else:
            first = {key: value for key, value in first.items() if key in other}
    return first


def _literals(expression: TypeExpression, scope: Scope) -> Literals | None:
    """Return the values of a type that lists literals; None for any other type."""
    found: Literals = {}
    waiting = [expression]
    seen: set[str] = set()
    while waiting:
        match waiting.pop():
            case LiteralType() as part:
                found[exactly(part.value)] = part.value
            case UnionType() as part:
                waiting.extend(part.members[::-1])
            case TypeQuery(name=name) if (value := scope.constants[name].value) is not None:
                found[exactly(value)] = value
            case Reference(name=name) if isinstance(declared := scope.types.get(name), Alias):
                if name not in seen:
                    seen.add(name)
                    waiting.append(declared.type)
            case _:
                return None
    return found
