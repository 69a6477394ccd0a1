"""Types from JSON Schema: every object becomes a class, every enumeration literals, every recursion a name.

A type accepts every valid value, within these limits: an integer has no fraction part, not even ``.0``; a schema with
keywords for objects or arrays and no ``type`` means an object or an array; of an object that fits several alternatives the
type is decided by its tag or its required members. Keywords that only limit values (bounds, patterns, ``not``, ``if`` …) are
documented where they are short, and not enforced.

What cannot be typed is any JSON value, with its reason in the documentation and among ``notes``. Unions are left undecided.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from mcp_bindgen.errors import JsonFault
from mcp_bindgen.ir.decisions import Undecidable
from mcp_bindgen.ir.protocol import (
    AliasOf,
    AliasType,
    Enum,
    Field,
    ListOf,
    ObjectOf,
    ObjectType,
    Scalar,
    Type,
    Union,
)
from mcp_bindgen.syntax.jsonschema.conjunction import (
    MAX_CASES,
    MAX_PARTS,
    Conjunction,
    besides_null,
    cases,
    conjunction,
)
from mcp_bindgen.syntax.jsonschema.constraints import about_of, constraints_of, default_of
from mcp_bindgen.syntax.jsonschema.document import SchemaDocument, Unresolved
from mcp_bindgen.syntax.jsonschema.pointers import tokens_of
from mcp_bindgen.syntax.jsonschema.schema import JSON_TYPES, JsonType, Schema, same_json, type_of
from mcp_bindgen.syntax.jsonschema.type_names import TypeNames

MAX_VALUES = 500
"""Maximum number of literals of one type; a longer enumeration is typed by the kinds of its values."""

MAX_NESTED = 12
"""Maximum levels of arrays, maps and alternatives of one type; classes start anew."""

MAX_TYPES = 50_000
"""Maximum number of types read from one document."""

JSON = Scalar("json", "unknown")
ANY_OBJECT = Scalar("object", "object")
_PENDING = Undecidable("")

_OBJECT_KEYWORDS = frozenset({"properties", "required", "additionalProperties", "patternProperties"})
_ARRAY_KEYWORDS = frozenset({"items", "prefixItems"})


@frozen
class _Place:
    """The place of a type: the words of its name, the levels around it, and the reasons found there."""

    words: tuple[str, ...]
    reasons: list[str]
    level: int = 0

    def inner(self, word: str = "") -> _Place:
        return evolve(self, words=(*self.words, word) if word else self.words, level=self.level + 1)


class TypeReader:
    """Reader of the types of several documents, which share their names."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self.names = TypeNames(reserved)
        self.objects: dict[str, ObjectType] = {}
        self.aliases: dict[str, AliasType] = {}
        self.notes: list[JsonFault] = []
        """The places that could not be typed, each with the reason."""

    def read(self, document: SchemaDocument, *words: str, defaults: bool = False) -> Type:
        """Return the type of a document, named by the words; with ``defaults``, constructors have the schema's."""
        return _DocumentReader(self, document, words, defaults=defaults).read(document.root)


class _DocumentReader:
    def __init__(self, reader: TypeReader, document: SchemaDocument, words: tuple[str, ...], *, defaults: bool) -> None:
        self._reader = reader
        self._document = document
        self._stem = words[0]
        self._words = words
        self._defaults = defaults
        self._classes: dict[frozenset[str], str] = {}
        self._open: dict[frozenset[str], str | None] = {}
        """The types being read, each with its name if it contains itself."""
        self._waiting: deque[tuple[str, Conjunction]] = deque()
        """Classes whose members have not been read."""
        self._count = 0

    def read(self, root: Schema) -> Type:
        kind = self._of([root], _Place(self._words, []))
        # A queue, since classes may refer to each other in chains of thousands.
        while self._waiting:
            self._read_class(*self._waiting.popleft())
        return kind

    def _of(self, schemas: Sequence[Schema], place: _Place) -> Type:
        """Return the type of a value to which all the schemas apply."""
        self._count += 1
        if self._count > MAX_TYPES:
            return self._untyped(place, schemas, f"the schema has more than {MAX_TYPES} types")
        if place.level > MAX_NESTED:
            return self._untyped(
                place, schemas, f"arrays and alternatives are nested more than {MAX_NESTED} levels deep"
            )
        whole = conjunction(self._document, schemas)
        if whole.key in self._open:
            name = self._open[whole.key] or self._reader.names.claim(*self._named(whole, place).words)
            self._open[whole.key] = name
            return AliasOf(name)
        self._open[whole.key] = None
        kind = self._alternatives(whole, self._named(whole, place))
        own = self._open.pop(whole.key)
        if own is None:
            return kind
        self._reader.aliases[own] = AliasType(own, kind, recursive=True, about=about_of(whole.essence))
        return AliasOf(own)

    def _alternatives(self, whole: Conjunction, place: _Place) -> Type:
        if whole.too_many:
            return self._untyped(place, whole.schemas, f"more than {MAX_PARTS} schemas apply together")
        self._note_unresolved(whole.unresolved, whole.schemas, place)
        found = cases(self._document, whole)
        if found is None:
            return self._untyped(place, whole.schemas, f"there are more than {MAX_CASES} cases")
        kinds: dict[Type, None] = {}
        for number, case in enumerate(found, 1):
            inside = place if len(found) == 1 else self._case(case, whole, place, number)
            added = [each for each in case.unresolved if each not in whole.unresolved]
            self._note_unresolved(added, case.without(whole), inside)
            kinds |= dict.fromkeys(self._plain(case, inside))
        if not kinds:
            return self._untyped(place, whole.schemas, "no value is valid")
        if any(schema.nullable for schema in whole.schemas):
            kinds[Scalar("null", "null")] = None
        members = tuple(kinds)
        if JSON in kinds:
            return JSON
        return members[0] if len(members) == 1 else Union(members, (), _PENDING)

    def _case(self, case: Conjunction, whole: Conjunction, place: _Place, number: int) -> _Place:
        """Return the place of an alternative, named by its definition, its title or its tag, else by its number."""
        added = case.without(whole)
        for schema in added:
            definition = _definition(schema)
            if definition is not None:
                return evolve(place, words=(self._stem, definition), level=place.level + 1)
        titles = [schema.title for schema in added if schema.title]
        tags = [
            each.values[0]
            for schema in added
            for each in schema.properties.values()
            if each.values is not None and len(each.values) == 1 and isinstance(each.values[0], str)
        ]
        return place.inner([*titles, *tags, f"Option{number}"][0])

    def _plain(self, case: Conjunction, place: _Place) -> list[Type]:
        """Return the types of a case without alternatives; several for several JSON types."""
        schemas = case.schemas
        if any(schema.nothing for schema in schemas):
            return []
        values = _common_values(schemas)
        types = _common_types(schemas)
        if values is not None:
            return self._enumerated([each for each in values if _has_type(each, types)], schemas, place)
        if types is None:
            return [self._untyped(place, schemas, "the schema names no type")] if not case.unresolved else [JSON]
        return [self._typed(name, case, place) for name in JSON_TYPES if name in types]

    def _typed(self, name: JsonType, case: Conjunction, place: _Place) -> Type:
        match name:
            case "null" | "boolean" | "string":
                return Scalar(name, name)
            case "integer":
                return Scalar("integer", "number")
            case "number":
                return Scalar("float", "number")
            case "array":
                return self._array(case.schemas, place)
            case "object":
                return self._object(case, place)

    def _enumerated(self, values: list[object], schemas: Sequence[Schema], place: _Place) -> list[Type]:
        found: dict[str, list[str | int | float | bool]] = {}
        kinds: dict[Type, None] = {}
        for value in values:
            if isinstance(value, str | bool | int | float):
                found.setdefault(type_of(value).replace("integer", "number"), []).append(value)
            elif value is None:
                kinds[Scalar("null", "null")] = None
            else:
                self._note(place, schemas, "an enumerated array or object is typed by its kind")
                kinds[ANY_OBJECT if isinstance(value, dict) else ListOf(JSON)] = None
        literals: dict[Type, None] = {}
        for kind, each in found.items():
            if len(each) <= MAX_VALUES:
                literals[Enum(tuple({(value.__class__, value): value for value in each}.values()))] = None
                continue
            self._note(place, schemas, f"an enumeration of {len(each)} values is typed by their kind")
            fractions = any(isinstance(value, float) for value in each)
            literals[_SCALARS["float" if kind == "number" and fractions else kind]] = None
        return [*literals, *kinds]

    def _array(self, schemas: Sequence[Schema], place: _Place) -> Type:
        inside = place.inner("Item")
        tuples = [schema for schema in schemas if schema.prefix_items]
        if not tuples:
            items = [schema.items for schema in schemas if schema.items is not None]
            return ListOf(self._of(items, inside) if items else JSON)
        if len(tuples) > 1 or any(schema.items is not None for schema in schemas if schema is not tuples[0]):
            self._note(place, schemas, "several lists of `prefixItems` apply together")
            return ListOf(JSON)
        kinds = dict.fromkeys(self._of([item], inside) for item in tuples[0].prefix_items)
        rest = tuples[0].items
        limits = [schema.max_items for schema in schemas if schema.max_items is not None]
        is_closed = bool(limits) and min(limits) <= len(tuples[0].prefix_items)
        if not is_closed and (rest is None or not rest.nothing):
            kinds[JSON if rest is None else self._of([rest], inside)] = None
        members = tuple(kinds)
        if JSON in kinds:
            self._note(place, schemas, "items after `prefixItems` have no type")
            return ListOf(JSON)
        return ListOf(members[0] if len(members) == 1 else Union(members, (), _PENDING))

    def _object(self, case: Conjunction, place: _Place) -> Type:
        if case.key in self._classes:
            return ObjectOf(self._classes[case.key])
        if not any(schema.properties or schema.required for schema in case.schemas):
            return self._map(case.schemas, place)
        name = self._reader.names.claim(*place.words)
        self._classes[case.key] = name
        # Registered at once, so that classes are in the order of the document.
        self._reader.objects[name] = ObjectType(name, "interface", (), None)
        self._waiting.append((name, case))
        return ObjectOf(name)

    def _map(self, schemas: Sequence[Schema], place: _Place) -> Type:
        values = _values_of_maps(schemas)
        if not values:
            return ANY_OBJECT
        kind = self._of(values, place.inner("Value"))
        if kind == JSON:
            return ANY_OBJECT
        path = f"{self._reader.names.claim(*place.words, 'Map')}.values"
        self._reader.objects[path] = ObjectType(path, "inline", (), kind)
        return ObjectOf(path)

    def _read_class(self, name: str, case: Conjunction) -> None:
        schemas = case.schemas
        required = dict.fromkeys(member for schema in schemas for member in schema.required)
        declared = dict.fromkeys(member for schema in schemas for member in schema.properties)
        fields: list[Field] = []
        for member in [*declared, *(each for each in required if each not in declared)]:
            texts = [schema.properties[member] for schema in schemas if member in schema.properties]
            texts += _additional([schema for schema in schemas if member not in schema.properties])
            if any(each.nothing for each in texts) and member not in required:
                # No object has this member.
                continue
            fields.append(self._field(name, member, texts, optional=member not in required))
        index = None
        additional = _additional(schemas)
        if additional:
            kind = self._of(additional, _Place((name, "Extra"), []))
            index = None if kind == JSON else kind
        self._reader.objects[name] = ObjectType(name, "interface", tuple(fields), index, about=about_of(case.essence))

    def _field(self, owner: str, member: str, texts: list[Schema], *, optional: bool) -> Field:
        reasons: list[str] = []
        place = _Place((owner, member), reasons)
        if texts:
            kind = self._of(texts, place)
            every = besides_null(self._document, conjunction(self._document, texts)).schemas
        else:
            kind, every = JSON, ()
            reasons.append("the member is required, and has no schema")
        return Field(
            name=member,
            type=kind,
            optional=optional,
            declared_in=owner,
            about=about_of(every, reasons if kind == JSON or reasons else ()),
            constraints=constraints_of(every),
            default=self._default(every, kind) if optional and self._defaults else None,
        )

    def _default(self, schemas: Sequence[Schema], kind: Type) -> str | int | float | bool | None:
        """Return the default if it is a scalar of the type."""
        value, _ = default_of(schemas)
        if not isinstance(value, str | int | float):
            return None
        members = kind.members or kind.written if isinstance(kind, Union) else (kind,)
        return value if any(_is_of(value, member) for member in members) else None

    def _named(self, whole: Conjunction, place: _Place) -> _Place:
        """Return the place with the name of the definition, if the type is that of one definition."""
        definition = _definition(whole.essence[0]) if len(whole.essence) == 1 else None
        return place if definition is None else evolve(place, words=(self._stem, definition))

    def _untyped(self, place: _Place, schemas: Sequence[Schema], reason: str) -> Type:
        self._note(place, schemas, reason)
        return JSON

    def _note_unresolved(self, references: Iterable[Unresolved], schemas: Sequence[Schema], place: _Place) -> None:
        for missing in references:
            self._note(place, schemas, f"`{missing.reference}` is not resolved: {missing.reason}")

    def _note(self, place: _Place, schemas: Sequence[Schema], reason: str) -> None:
        if reason not in place.reasons:
            place.reasons.append(reason)
        fault = JsonFault(self._document.source, schemas[0].pointer if schemas else "", f"any JSON value: {reason}")
        if fault not in self._reader.notes[-50:]:
            self._reader.notes.append(fault)


_SCALARS: dict[str, Type] = {
    "string": Scalar("string", "string"),
    "boolean": Scalar("boolean", "boolean"),
    "number": Scalar("integer", "number"),
    "float": Scalar("float", "number"),
}


def _is_of(value: str | float | bool, kind: Type) -> bool:
    match kind:
        case Enum():
            return any(value.__class__ is each.__class__ and value == each for each in kind.values)
        case Scalar(kind="string"):
            return isinstance(value, str)
        case Scalar(kind="boolean"):
            return isinstance(value, bool)
        case Scalar(kind="integer"):
            return value.__class__ is int
        case Scalar(kind="float"):
            return value.__class__ in {int, float}
        case _:
            return False


def _definition(schema: Schema) -> str | None:
    """Return the name of a definition; None for a schema elsewhere."""
    tokens = tokens_of(schema.pointer)
    return tokens[-1] if len(tokens) > 1 and tokens[-2] in {"$defs", "definitions"} else None


def _common_values(schemas: Sequence[Schema]) -> list[object] | None:
    """Return the values that all enumerations have in common; None without any."""
    lists = [schema.values for schema in schemas if schema.values is not None]
    if not lists:
        return None
    first, *others = lists
    return [value for value in first if all(any(same_json(value, one) for one in other) for other in others)]


def _common_types(schemas: Sequence[Schema]) -> frozenset[JsonType] | None:
    """Return the types that all schemas allow; None if none of them limits the type."""
    common: frozenset[JsonType] | None = None
    for schema in schemas:
        if schema.types is None:
            continue
        if common is None:
            common = schema.types
            continue
        both: set[JsonType] = {each for each in common if each in schema.types}
        if ("integer" in common and "number" in schema.types) or ("integer" in schema.types and "number" in common):
            both.add("integer")
        common = frozenset(both)
    if common is not None:
        return common
    keywords = {keyword for schema in schemas for keyword in schema.keywords}
    objects, arrays = bool(keywords & _OBJECT_KEYWORDS), bool(keywords & _ARRAY_KEYWORDS)
    if objects == arrays:
        return None
    return frozenset({"object"} if objects else {"array"})


def _has_type(value: object, types: frozenset[JsonType] | None) -> bool:
    kind = type_of(value)
    return types is None or kind in types or (kind == "integer" and "number" in types)


def _values_of_maps(schemas: Sequence[Schema]) -> list[Schema]:
    """Return the schemas that together hold for each value of an object without declared members."""
    found: list[Schema] = []
    for schema in schemas:
        additional = schema.additional_properties
        if additional is None or (not additional.nothing and not additional.keywords):
            continue
        patterns = list(schema.pattern_properties.values())
        if not patterns and not additional.nothing:
            found.append(additional)
        elif len(patterns) == 1 and additional.nothing:
            found += patterns
    return found


def _additional(schemas: Sequence[Schema]) -> list[Schema]:
    """Return the schemas that together hold for each member that none of ``schemas`` declares."""
    return [
        each.additional_properties
        for each in schemas
        if each.additional_properties is not None
        and each.additional_properties.keywords
        and not each.additional_properties.nothing
        and not each.pattern_properties
    ]
