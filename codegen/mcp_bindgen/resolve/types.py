"""Types from type expressions. Unions stay as written; ``settle`` works out their members afterwards."""

from __future__ import annotations

from typing import Literal

from attrs import define, frozen

from mcp_bindgen.ir.decisions import Undecidable
from mcp_bindgen.ir.declarations import Alias, Interface
from mcp_bindgen.ir.documentation import Doc
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Scalar, Type, Union
from mcp_bindgen.ir.types import (
    ArrayType,
    IntersectionType,
    Keyword,
    LiteralType,
    LookupType,
    ObjectLiteral,
    Position,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
)
from mcp_bindgen.resolve import overrides
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.inherit import Flattener, branded
from mcp_bindgen.resolve.inline import Paths, makes_inline
from mcp_bindgen.resolve.number_rule import NumberRule
from mcp_bindgen.resolve.overrides import Applied
from mcp_bindgen.resolve.scope import Scope
from mcp_bindgen.resolve.shapes import Shape, Written, WrittenIndex, is_never, without_never

PENDING = Undecidable("")
"""Placeholder for the decision of a union until every object is known."""

MAX_PARTS = 100_000
"""Maximum alternatives of one union, with those in its arrays; chains of ``X["key"]`` can multiply them."""

MAX_NESTED = 5
"""Maximum nesting of unions in arrays in unions; each level is expanded twice, as written and as members."""

MAX_LOOKUPS = 50
"""Maximum length of a chain of ``X["key"]``."""

_JSON = Scalar("json", "unknown")


@define(eq=False)
class Draft:
    """An object type whose properties are not resolved yet."""

    path: str
    kind: Literal["interface", "alias", "inline"]
    shape: Shape
    doc: Doc
    position: Position


@frozen
class _Site:
    """Place of an expression: the path for its inline objects, and whether its numbers are floats."""

    path: str
    floats: bool = False


class Types:
    """The types of one scope: of properties, index signatures and aliases, and the objects found in them."""

    def __init__(
        self, scope: Scope, flattener: Flattener, applied: Applied, faults: Faults, numbers: NumberRule
    ) -> None:
        self._numbers = numbers
        self._scope = scope
        self._flattener = flattener
        self._applied = applied
        self._faults = faults
        self._paths = Paths(scope.declarations)
        self._of: dict[Written, Type] = {}
        self._of_index: dict[WrittenIndex, Type] = {}
        self._open: list[Written] = []
        self._lookups = 0
        self.declared = tuple(scope.types)
        self.drafts: dict[str, Draft] = {}
        self.aliases: dict[str, Type] = {}
        for declared in scope.types.values():
            self._declare(declared)

    def of(self, written: Written) -> Type:
        """Return the type of a property."""
        if written not in self._of:
            self._of[written] = self._property(written, floats=self._numbers.is_float(written.owner))
        return self._of[written]

    def of_index(self, written: WrittenIndex) -> Type:
        """Return the type of the values under an index signature."""
        if written not in self._of_index:
            self._of_index[written] = self._values(written, _Site(written.owner, self._numbers.is_float(written.owner)))
        return self._of_index[written]

    def is_object(self, name: str) -> bool:
        """Return whether the declared type of that name is an object, not an alias."""
        declared = self._scope.types[name]
        return isinstance(declared, Interface) or self._flattener.builds_object(declared.type)

    def _declare(self, declared: Interface | Alias) -> None:
        name = declared.name
        if self.is_object(name):
            kind: Literal["interface", "alias"] = "interface" if isinstance(declared, Interface) else "alias"
            shape = self._flattener.shapes.get(name)
            if shape is not None:
                draft = Draft(name, kind, self._possible(shape), declared.doc, declared.position)
                self._draft(draft, floats=self._numbers.is_float(name))
        elif isinstance(declared, Alias):
            floats = self._floats(declared.doc, declared.position, name, default=self._numbers.is_float(name))
            self.aliases[name] = self._convert(declared.type, _Site(name, floats))

    def _possible(self, shape: Shape) -> Shape:
        """Return the shape without properties that no object can have; a required one is a fault."""
        for name, slot in shape.slots.items():
            if slot.forbidden and not slot.optional:
                self._faults.add(slot.position, f"{name} is required, but no value has its type (never)")
        return without_never(shape)

    def _draft(self, draft: Draft, *, floats: bool) -> None:
        """Register an object, then the inline objects in its own text."""
        self.drafts[draft.path] = draft
        for slot in draft.shape.slots.values():
            for written in slot.candidates:
                if written.owner == draft.path and written not in self._of:
                    self._of[written] = self._property(written, floats=floats)
        for index in draft.shape.index:
            if index.owner == draft.path and index not in self._of_index:
                self._of_index[index] = self._values(index, _Site(draft.path, floats))

    def _property(self, written: Written, *, floats: bool) -> Type:
        each = written.property
        if written in self._open:
            self._faults.add(each.position, f"the type of {written.path()} contains itself")
            return _JSON
        self._open.append(written)
        expression = each.type
        if isinstance(expression, UnionType):
            # Where undefined is an alternative, the property is optional instead.
            members = [each for each in expression.members if not _is_undefined(each)]
            if members:
                expression = UnionType(tuple(members), expression.position)
        floats = self._floats(each.doc, each.position, written.path(), default=floats)
        kind = self._convert(expression, _Site(written.path(), floats))
        if self._applied.about(overrides.Nullable, written.path()):
            kind = Union((kind, Scalar("null", "null")), (), PENDING, each.position)
        self._open.pop()
        return kind

    def _values(self, index: WrittenIndex, site: _Site) -> Type:
        signature = index.signature
        floats = self._floats(signature.doc, signature.position, None, default=site.floats)
        return self._convert(signature.value, _Site(site.path, floats))

    def _floats(self, doc: Doc, position: Position, site: str | None, *, default: bool) -> bool:
        tag = doc.tag("TJS-type") if doc.tags else None
        if tag is not None:
            if tag.strip() not in {"number", "integer"}:
                self._faults.add(position, f"@TJS-type must be number or integer, got {tag.strip()!r}")
            default = tag.strip() == "number"
        override = site is not None and self._applied.about(overrides.Float, site) is not None
        return override or default

    def _convert(self, expression: TypeExpression, site: _Site) -> Type:
        match expression:
            case Keyword():
                kind = self._keyword(expression, site)
            case LiteralType():
                kind = Enum((expression.value,))
            case TypeQuery():
                kind = Enum((self._flattener.constant(expression.name),))
            case ArrayType():
                kind = ListOf(self._convert(expression.element, site))
            case UnionType():
                kind = self._union(expression, site)
            case LookupType():
                kind = self._lookup(expression)
            case Reference():
                kind = self._reference(expression, site)
            case IntersectionType() if (primitive := branded(expression)) is not None:
                kind = self._keyword(primitive, site)
            case IntersectionType() | ObjectLiteral():
                kind = self._inline(expression, site)
        return kind

    def _keyword(self, keyword: Keyword, site: _Site) -> Type:
        match keyword.name:
            case "number":
                return Scalar("float" if site.floats else "integer", "number")
            case "unknown" | "any":
                return Scalar("json", keyword.name)
            case "undefined":
                self._faults.add(keyword.position, "undefined can only be an alternative in the type of a property")
                return _JSON
            case "never":
                self._faults.add(
                    keyword.position,
                    "no value has the type never; it can only be the type of an optional property or of an index "
                    "signature, or an alternative",
                )
                return _JSON
            case "string" | "boolean" | "null" | "object":
                return Scalar(keyword.name, keyword.name)

    def _reference(self, reference: Reference, site: _Site) -> Type:
        generic = self._scope.generic(reference)
        if generic == "Array":
            return ListOf(self._convert(reference.arguments[0], site))
        if generic is not None:
            return self._inline(reference, site)
        return ObjectOf(reference.name) if self.is_object(reference.name) else AliasOf(reference.name)

    def _union(self, union: UnionType, site: _Site) -> Type:
        found: dict[Type, None] = {}
        for member in union.members:
            if self._is_impossible(member, site):
                continue
            kind = self._convert(member, site)
            found |= dict.fromkeys(kind.written if isinstance(kind, Union) else (kind,))
        members = tuple(found)
        if len(members) == 1:
            return members[0]
        if not members:
            self._faults.add(union.position, "no value matches any of these alternatives")
            return _JSON
        if (fault := _oversize(members)) is not None:
            self._faults.add(union.position, fault)
            return _JSON
        return Union(members, (), PENDING, union.position)

    def _is_impossible(self, member: TypeExpression, site: _Site) -> bool:
        """Return whether no value has that type: ``never``, or an intersection whose parts contradict each other."""
        if isinstance(member, IntersectionType) and branded(member) is None:
            return self._flattener.contradicts_itself(member, site.path)
        return is_never(member)

    def _lookup(self, expression: LookupType) -> Type:
        slot = self._flattener.look_up(expression)
        if slot is None:
            return _JSON
        if self._lookups >= MAX_LOOKUPS:
            self._faults.add(expression.position, f"this chain of look-ups is too long; the limit is {MAX_LOOKUPS}")
            return _JSON
        self._lookups += 1
        kinds = dict.fromkeys(self.of(written) for written in slot.candidates)
        self._lookups -= 1
        if len(kinds) > 1:
            self._faults.add(expression.position, f"{expression.key!r} has several types here; write the intended one")
        return next(iter(kinds))

    def _inline(self, expression: TypeExpression, site: _Site) -> Type:
        label = expression.label if isinstance(expression, IntersectionType) else None
        path = self._paths.claim(f"{site.path}#{label}" if label else site.path)
        shape = self._flattener.shape(expression, path)
        if shape is None:
            return _JSON
        shape = self._possible(shape)
        if not shape.slots and len(shape.index) == 1 and makes_inline(shape.index[0].signature.value, self._flattener):
            # The values are what deserves the plain name.
            self._paths.release(path)
            path = self._paths.claim(f"{site.path}#map")
            self.drafts[path] = Draft(path, "inline", shape, Doc(""), expression.position)
            (index,) = shape.index
            if index not in self._of_index:
                self._of_index[index] = self._values(index, site)
        else:
            self._draft(Draft(path, "inline", shape, Doc(""), expression.position), floats=site.floats)
        return ObjectOf(path)


def _oversize(alternatives: tuple[Type, ...]) -> str | None:
    """Return the fault of a union that is too large or nested too deep, or None."""
    parts = 0
    waiting = [(each, 1) for each in alternatives]
    while waiting:
        kind, nested = waiting.pop()
        parts += 1
        if parts > MAX_PARTS:
            return f"this union has more than {MAX_PARTS} alternatives, including those in arrays"
        if isinstance(kind, ListOf):
            waiting.append((kind.element, nested))
        elif isinstance(kind, Union):
            if nested == MAX_NESTED:
                return f"unions in arrays are nested more than {MAX_NESTED} levels deep; declare an inner one as a type"
            waiting.extend((each, nested + 1) for each in kind.written)
    return None


def _is_undefined(expression: TypeExpression) -> bool:
    return isinstance(expression, Keyword) and expression.name == "undefined"
