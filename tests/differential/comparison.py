"""What a resolved protocol and the official ``schema.json`` of its revision do not agree on.

Both are read into the same small form, a ``Choice``, and walked together. Order is not compared, since the JSON sorts
properties and literals, nor which names a type is made of where these are only other words for it: the JSON writes some
aliases out. Documentation is not compared at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from attrs import field, frozen
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union
from support.official_schemas import definitions

Json: TypeAlias = dict[str, Any]


@frozen
class Difference:
    """One thing that one side says and the other does not."""

    revision: str
    place: str
    """A type, or a property of one: ``Tool.inputSchema.type``."""
    aspect: str
    ours: object
    theirs: object
    field: Field | None = None
    """The property, where it is one of ours."""

    def __str__(self) -> str:
        return f"{self.revision} {self.place}: {self.aspect}: {self.ours!r} in ours, {self.theirs!r} in schema.json"


@frozen
class Choice:
    """The values that a type has, by kind. ``integer`` and ``number`` are different kinds; ``any`` is any JSON."""

    kinds: frozenset[str] = frozenset()
    literals: frozenset[tuple[str, object]] = frozenset()
    """With the name of their class: ``1`` is not ``True``."""
    known: frozenset[object] = frozenset()
    """Literals of an open union, beside which any other string is legal."""
    names: frozenset[str] = frozenset()
    """Objects that have a name."""
    arrays: tuple[Any, ...] = ()
    """What the elements are."""
    objects: tuple[Any, ...] = ()
    """Objects without a name."""

    def __or__(self, other: Choice) -> Choice:
        return Choice(
            self.kinds | other.kinds,
            self.literals | other.literals,
            self.known | other.known,
            self.names | other.names,
            self.arrays + other.arrays,
            self.objects + other.objects,
        )


@frozen
class Comparison:
    """The differences of one revision, and how much was compared."""

    differences: list[Difference] = field(factory=list)
    compared: Counter[str] = field(factory=Counter)


def compare(protocol: Protocol, document: Json) -> Comparison:
    """Walk both."""
    walk = _Walk(protocol, definitions(document))
    walk.all()
    return Comparison(walk.differences, walk.compared)


_KEYWORDS = {
    "$ref", "type", "const", "enum", "anyOf", "allOf", "items", "properties", "required", "additionalProperties",
    "format", "minimum", "maximum", "maxItems", "description",
}  # fmt: skip

_CONSTRAINTS = {"format": "format", "minimum": "minimum", "maximum": "maximum", "max_items": "maxItems"}

_OBJECT_KEYWORD = {"type": "object", "properties": {}, "additionalProperties": True}
"""What the JSON makes of TypeScript's ``object``."""

_SCALARS = {"float": "number", "json": "any"}


class _Walk:
    def __init__(self, protocol: Protocol, types: Mapping[str, Json]) -> None:
        self._protocol = protocol
        self._types = types
        self.differences: list[Difference] = []
        self.compared: Counter[str] = Counter()

    def all(self) -> None:
        """Every declared type, and the constants."""
        protocol = self._protocol
        named = {path for path, declared in protocol.objects.items() if declared.kind != "inline"}
        for name in sorted(named | protocol.aliases.keys() | self._types.keys()):
            mine, theirs = name in named or name in protocol.aliases, name in self._types
            self._note(name, "type", mine, theirs)
            if mine and theirs:
                self.compared["types"] += 1
                if name in named:
                    self._object(protocol.objects[name], self._types[name], name)
                else:
                    alias = protocol.aliases[name]
                    self._alias(alias.written or alias.type, self._types[name], name)
        shown = set(self._constants(list(self._types.values())))
        for constant in protocol.constants.values():
            self.compared["constants"] += 1
            found = (type(constant.value).__name__, constant.value) in shown
            self._note(constant.name, "constant", constant.value, constant.value if found else None)

    def _note(self, place: str, aspect: str, mine: object, theirs: object, declared: Field | None = None) -> None:
        if mine != theirs:
            self.differences.append(Difference(self._protocol.revision, place, aspect, mine, theirs, declared))

    # Each side in the common form.

    def _mine(self, kind: Type) -> Choice:
        match kind:
            case Scalar():
                return Choice(kinds=frozenset({_SCALARS.get(kind.kind, kind.kind)}))
            case Enum(open=True):
                return Choice(kinds=frozenset({"string"}), known=frozenset(kind.values))
            case Enum():
                return Choice(literals=frozenset((type(value).__name__, value) for value in kind.values))
            case ListOf():
                return Choice(arrays=(kind.element,))
            case ObjectOf():
                declared = self._protocol.objects[kind.path]
                return (
                    Choice(objects=(declared,)) if declared.kind == "inline" else Choice(names=frozenset({kind.path}))
                )
            case AliasOf():
                alias = self._protocol.aliases[kind.name]
                return self._mine(alias.written or alias.type)
            case Union():
                found = Choice()
                for each in kind.members:
                    found |= self._mine(each)
                return found

    def _theirs(self, schema: Json) -> Choice:
        unknown = schema.keys() - _KEYWORDS
        assert not unknown, f"the comparison does not know {sorted(unknown)}"
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            target = self._types[name]
            is_object = target.get("type") == "object" or "allOf" in target
            return Choice(names=frozenset({name})) if is_object else self._theirs(target)
        if "anyOf" in schema:
            found = Choice()
            for each in schema["anyOf"]:
                found |= self._theirs(each)
            return found
        for literals in ([schema["const"]] if "const" in schema else None, schema.get("enum")):
            if literals is not None:
                return Choice(literals=frozenset((type(value).__name__, value) for value in literals))
        if "allOf" in schema:
            return Choice(objects=(schema,))
        found = Choice()
        kinds = schema.get("type", "any")
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            if kind == "array":
                found |= Choice(arrays=(schema["items"],))
            elif kind == "object" and {key: schema[key] for key in schema if key != "description"} != _OBJECT_KEYWORD:
                found |= Choice(objects=(schema,))
            else:
                found |= Choice(kinds=frozenset({kind}))
        return found

    def _constants(self, schema: object) -> Iterator[tuple[str, object]]:
        """Literals that stand alone, as a constant used for a type does."""
        if isinstance(schema, dict):
            if not isinstance(schema.get("const", {}), dict):
                yield type(schema["const"]).__name__, schema["const"]
            schema = list(schema.values())
        if isinstance(schema, list):
            for each in schema:
                yield from self._constants(each)

    # The walk.

    def _alias(self, mine: Type, theirs: Json, place: str) -> None:
        one, other = self._mine(mine), self._theirs(theirs)
        if len(one.names) == 1 and other == Choice(objects=(theirs,)):
            name = min(one.names)
            self._note(place, "name", name, None)
            self._object(self._protocol.objects[name], theirs, place)
        else:
            self._type(mine, theirs, place)

    def _type(self, mine: Type, theirs: Json, place: str, declared: Field | None = None) -> None:
        if isinstance(mine, AliasOf) and theirs.get("$ref", "").rpartition("/")[2] == mine.name:
            return
        one, other = self._mine(mine), self._theirs(theirs)
        for aspect in ("kinds", "literals", "known", "names"):
            self._note(place, aspect, getattr(one, aspect), getattr(other, aspect), declared)
        self.compared["literals"] += len(one.literals)
        self.compared["members of unions"] += len(one.names) if isinstance(mine, Union) else 0
        self._note(place, "number of arrays", len(one.arrays), len(other.arrays), declared)
        self._note(place, "number of inline objects", len(one.objects), len(other.objects), declared)
        # Several arrays in one union hold different objects.
        arrays = sorted(one.arrays, key=lambda each: sorted(self._mine(each).names))
        others = sorted(other.arrays, key=lambda each: sorted(self._theirs(each).names))
        for element, item in zip(arrays, others, strict=False):
            self._type(element, item, place)
        for inline, schema in zip(one.objects, other.objects, strict=False):
            self._object(inline, schema, place)

    def _object(self, mine: ObjectType, theirs: Json, place: str) -> None:
        self.compared["objects"] += 1
        whole = self._merged(theirs)
        properties, required = whole["properties"], whole["required"]
        fields = {each.name: each for each in mine.fields}
        for name in sorted(fields.keys() | properties.keys()):
            declared = fields.get(name)
            self._note(f"{place}.{name}", "property", declared is not None, name in properties, declared)
            if declared is None or name not in properties:
                continue
            self.compared["properties"] += 1
            self._note(f"{place}.{name}", "required", not declared.optional, name in required, declared)
            self._type(declared.type, properties[name], f"{place}.{name}", declared)
            for attribute, keyword in _CONSTRAINTS.items():
                constraint = getattr(declared.constraints, attribute)
                self.compared["constraints"] += constraint is not None
                self._note(f"{place}.{name}", keyword, constraint, properties[name].get(keyword), declared)
        rest = whole["additionalProperties"]
        self._note(place, "open", mine.index is not None, rest is not None)
        if mine.index is not None and rest is not None:
            self._type(mine.index, {} if rest is True else rest, f"{place}[string]")

    def _merged(self, schema: Json) -> Json:
        """An object with what all its parts say; a later part narrows what an earlier one says of a property."""
        if "$ref" in schema:
            return self._merged(self._types[schema["$ref"].rpartition("/")[2]])
        merged: Json = {
            "properties": dict(schema.get("properties", {})),
            "required": set(schema.get("required", ())),
            "additionalProperties": schema.get("additionalProperties"),
        }
        for part in map(self._merged, schema.get("allOf", ())):
            merged["properties"] |= part["properties"]
            merged["required"] |= part["required"]
            if part["additionalProperties"] is not None:
                merged["additionalProperties"] = part["additionalProperties"]
        return merged
