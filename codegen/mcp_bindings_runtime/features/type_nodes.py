"""Type nodes: the tree that an annotation becomes, from which follow its JSON Schema and its converters.

A converter checks and converts in one pass: it returns the value or raises MismatchError with all places that are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from enum import Enum
from typing import Any, Literal, Self, TypeAlias, is_typeddict

from ..codec.error_wording import one_of
from ..logs import exception_text
from .class_fields import ClassField
from .converters import array_converter, either_number, members_converter, scalar_converter, unchanged
from .json_values import by_class, default_of, to_json
from .keywords import CONSTRAINTS
from .mismatch import Converter, Mismatch, MismatchError, closest
from .schema_writer import Mode, Schema, SchemaWriter
from .text_types import TextType

Direction: TypeAlias = Literal["check", "read", "write"]
"""Check: a JSON value stays one. Read: it becomes a Python value. Write: a Python value becomes a JSON value."""


class TypeNode:
    """A type of values, in JSON and in Python."""

    def __init__(
        self,
        keywords: Mapping[str, Any] | None = None,
        *,
        constraint: str = "",
        parts: Iterable[TypeNode] = (),
        same_in_python: bool = True,
    ) -> None:
        self.keywords = keywords or {}
        """Further members of the schema."""
        self.constraint = constraint
        """Kind of values whose constraint keywords apply to the type; see ``CONSTRAINTS``."""
        self.parts = list(parts)
        """Types of items, members or alternatives."""
        self.same_in_python = same_in_python
        """Values are the same in JSON and in Python, those of the parts aside."""
        self._converters: dict[str, Converter] = {}

    def _schema(self, writer: SchemaWriter) -> Schema:
        """Return the schema without the keywords."""
        return {}

    def _make_converter(self, direction: Direction) -> Converter:
        return unchanged

    def schema(self, writer: SchemaWriter) -> Schema:
        """Return the schema, in which classes are references to definitions of the writer."""
        return {**self._schema(writer), **self.keywords}

    def complete_schema(self, mode: Mode = "input") -> Schema:
        """Return the schema with its definitions."""
        writer = SchemaWriter(mode)
        return writer.complete(self.schema(writer))

    def annotated(self, keywords: Mapping[str, Any]) -> Self:
        """Return the type with further keywords."""
        node = copy(self)
        vars(node).update(keywords={**self.keywords, **keywords}, _converters={})
        return node

    def misplaced(self, keywords: Mapping[str, Any]) -> str | None:
        """Return a keyword that does not apply to values of the type; None if there is none."""
        return next((key for key in keywords if CONSTRAINTS.get(key, self.constraint) != self.constraint), None)

    def walk(self) -> Iterator[TypeNode]:
        """Yield the type and all types inside, each once."""
        found, waiting = {id(self)}, [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [part for part in reversed(node.parts) if id(part) not in found]
            found.update(map(id, node.parts))

    @property
    def plain(self) -> bool:
        """JSON values of the type are Python values of it."""
        return all(node.same_in_python for node in self.walk())

    def converter(self, direction: Direction) -> Converter:
        """Return the converter of one direction."""
        found = self._converters.get(direction)
        if found is None:
            found = self._converters[direction] = self._make_converter(direction)
        return found

    @property
    def check(self) -> Converter:
        """Checks a JSON value; a whole number becomes an int for integers and a float for numbers."""
        return self.converter("check")

    @property
    def read(self) -> Converter:
        """Converts a JSON value to Python."""
        return self.converter("read")

    @property
    def write(self) -> Converter:
        """Converts a Python value to JSON. Values of a plain type are only checked: a tuple is not a list there."""
        found = self._converters.get("write plain")
        if found is None:
            found = self._converters["write plain"] = self._write_plain() if self.plain else self.converter("write")
        return found

    def _write_plain(self) -> Converter:
        check = self.check
        vague = any(isinstance(node, Anything) for node in self.walk())
        return (lambda value: to_json(check(value))) if vague else check


class Anything(TypeNode):
    """Any JSON value; Python values are written by their class."""

    def _make_converter(self, direction: Direction) -> Converter:
        return to_json if direction == "write" else unchanged


class Scalar(TypeNode):
    """A string, a number, a boolean or null, whose whole schema is ``keywords``."""

    def __init__(self, keywords: Mapping[str, Any]) -> None:
        super().__init__(keywords, constraint="number" if keywords["type"] == "integer" else keywords["type"])

    def _make_converter(self, direction: Direction) -> Converter:
        return scalar_converter(self.keywords)


class Values(TypeNode):
    """One of a set of values: those of a ``Literal``, or of an ``Enum``, whose class name is ``name``."""

    def __init__(self, members: Sequence[Any], name: str = "") -> None:
        values = [member.value if isinstance(member, Enum) else member for member in members]
        kinds = {_JSON_TYPES[value.__class__] for value in values}
        keywords = {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}
        super().__init__(keywords, same_in_python=not any(isinstance(member, Enum) for member in members))
        self._name = name
        self._members = members

    @property
    def titles(self) -> dict[str, str]:
        """Titles of the values of an ``Enum`` by its names: ``Dark red`` for ``DARK_RED``; empty for a ``Literal``."""
        if not self._name:
            return {}
        return {member.value: member.name.replace("_", " ").capitalize() for member in self._members}

    def _make_converter(self, direction: Direction) -> Converter:
        values, name = self.keywords["enum"], self._name
        target = self._members if direction == "read" else values
        source = self._members if direction == "write" and name else values
        # 1, 1.0 and true are equal in Python, and only the first two in JSON.
        known = [(value.__class__ is bool, value) for value in source]

        def convert(value: Any) -> Any:
            if direction == "write" and not name and isinstance(value, Enum):
                value = value.value
            key = (value.__class__ is bool, value)
            if key in known:
                return target[known.index(key)]
            if direction == "write" and name:
                raise _wrong_class(value, name)
            raise MismatchError.of_json(value, one_of(values))

        return convert


_JSON_TYPES: Mapping[type, str] = {
    str: "string",
    int: "integer",
    bool: "boolean",
    float: "number",
    type(None): "null",
}


class Text(TypeNode):
    """A class that is written as a text or number."""

    def __init__(self, cls: type, text_type: TextType) -> None:
        super().__init__(text_type.schema, constraint=text_type.schema["type"], same_in_python=False)
        self._class = cls
        self._text_type = text_type

    def _make_converter(self, direction: Direction) -> Converter:
        check = scalar_converter(self.keywords)
        cls, text_type = self._class, self._text_type

        def read(value: Any) -> Any:
            text = check(value)
            try:
                return text_type.parse(cls, text)
            except (ValueError, ArithmeticError):
                raise MismatchError.of_json(value, text_type.expected) from None

        def write(value: Any) -> Any:
            try:
                text = text_type.write(cls, value)
            except (AttributeError, TypeError, ValueError) as error:
                raise _wrong_class(value, cls.__name__) from error
            return check(text)

        return {"check": check, "read": read, "write": write}[direction]


class Array(TypeNode):
    """An array: of items of one type, or with a type for each of its ``first`` items, as a tuple has.

    ``build`` makes a Python value of the list of its items.
    """

    def __init__(
        self,
        build: Callable[[list[Any]], Any],
        item: TypeNode,
        first: Sequence[TypeNode] = (),
        *,
        keywords: Mapping[str, Any] | None = None,
        same_in_python: bool = False,
    ) -> None:
        super().__init__(keywords, constraint="array", parts=(item, *first), same_in_python=same_in_python)
        self._build = build
        self._item = item
        self._first = first

    def _schema(self, writer: SchemaWriter) -> Schema:
        schema: Schema = {"type": "array"}
        item = self._item.schema(writer)
        if item:
            schema["items"] = item
        if self._first:
            schema["prefixItems"] = [each.schema(writer) for each in self._first]
        return schema

    def _make_converter(self, direction: Direction) -> Converter:
        first = [each.converter(direction) for each in self._first]
        convert = array_converter(self._item.converter(direction), first, self.keywords)
        if direction == "write":
            return lambda value: convert(_built(list, value, "an array"))
        return convert if direction == "check" or self._build is list else _then(convert, self._build)


def _built(build: Callable[[Any], Any], value: Any, expected: str) -> Any:
    try:
        return build(value)
    except TypeError:
        raise MismatchError.of_json(value, expected) from None


def _then(convert: Converter, build: Callable[[Any], Any]) -> Converter:
    """Return a converter that builds an object of a converted value; what the class raises becomes a mismatch."""

    def convert_and_build(value: Any) -> Any:
        converted = convert(value)
        try:
            return build(converted)
        except RecursionError:
            raise
        except Exception as error:
            raise MismatchError([Mismatch((), exception_text(error))]) from error

    return convert_and_build


def _wrong_class(value: Any, expected: str) -> MismatchError:
    return MismatchError.of("None" if value is None else value.__class__.__name__, expected)


class Map(TypeNode):
    """An object whose members all have one type."""

    def __init__(self, values: TypeNode, *, same_in_python: bool) -> None:
        super().__init__(constraint="object", parts=[values], same_in_python=same_in_python)
        self._values = values

    def _schema(self, writer: SchemaWriter) -> Schema:
        values = self._values.schema(writer)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}

    def _make_converter(self, direction: Direction) -> Converter:
        convert = members_converter({}, {}, self._values.converter(direction), self.keywords)
        return convert if direction != "write" else lambda value: convert(_built(_members_of, value, "an object"))


def _members_of(value: Any) -> dict[str, Any]:
    members = {**value}
    for key in members:
        if key.__class__ is not str:
            raise MismatchError([Mismatch((), f"found the key {key!r}, expected a str")])
    return members


class Structure(TypeNode):
    """A class whose instances are objects with fields; these are added later, as a class may contain itself."""

    def __init__(self, cls: Any, name: str, description: str, *, ignore_unknown: bool = False) -> None:
        super().__init__(same_in_python=is_typeddict(cls))
        self._ignore_unknown = ignore_unknown
        self._class = cls
        self._name = name
        self._description = description
        self.fields: dict[str, tuple[ClassField, TypeNode]] = {}

    def add(self, field: ClassField, node: TypeNode) -> None:
        """Add a field of a type."""
        self.fields[field.name] = (field, node)
        self.parts.append(node)

    def _schema(self, writer: SchemaWriter) -> Schema:
        # A copy with further keywords shares the fields, and so the definition.
        return writer.reference(id(self.fields), self._name, lambda: self._definition(writer))

    def _definition(self, writer: SchemaWriter) -> Schema:
        schema: Schema = {"type": "object"}
        if self._description:
            schema["description"] = self._description
        properties: Schema = {}
        required: list[str] = []
        for name, (field, node) in self.fields.items():
            properties[name] = node.schema(writer)
            if field.description:
                properties[name]["description"] = field.description
            if field.has_default and writer.mode == "input":
                properties[name] |= default_of(field.default)
            if field.required if writer.mode == "input" else field.always:
                required.append(name)
        schema["properties"] = properties
        if required:
            schema["required"] = required
        if writer.mode == "input":
            schema["additionalProperties"] = False
        return schema

    def _make_converter(self, direction: Direction) -> Converter:
        made: list[Converter] = []

        def convert(value: Any) -> Any:
            # Made at the first use, as the class may contain itself.
            if not made:
                made.append(self._make(direction))
            return made[0](value)

        return convert

    def _make(self, direction: Direction) -> Converter:
        reads = direction == "read"
        members = {name: node.converter(direction) for name, (_, node) in self.fields.items()}
        fields = self.fields.items()
        required = {
            name: node.complete_schema for name, (field, node) in fields if (field.required if reads else field.always)
        }
        convert = members_converter(members, required, None if reads and not self._ignore_unknown else unchanged)
        if direction == "check" or is_typeddict(self._class):
            return convert
        if reads:
            return _then(convert, self._build_known if self._ignore_unknown else self._build)
        attributes = [(field.name, field.attribute) for field, _ in self.fields.values()]

        def write(value: Any) -> Any:
            try:
                values = {name: getattr(value, attribute) for name, attribute in attributes}
            except AttributeError as error:
                if not isinstance(value, self._class):
                    raise _wrong_class(value, self._name) from error
                raise MismatchError([Mismatch((), f"found an incomplete {self._name}: {error}")]) from error
            return convert(values)

        return write

    def _build(self, values: Mapping[str, Any]) -> Any:
        return self._class(**values)

    def _build_known(self, values: Mapping[str, Any]) -> Any:
        return self._class(**{name: value for name, value in values.items() if name in self.fields})


_ANY_NUMBER = ({"type": "integer"}, {"type": "number"})


class Union(TypeNode):
    """One of several types: the first that a JSON value matches; Python values are written by their class."""

    def _schema(self, writer: SchemaWriter) -> Schema:
        schemas: list[Schema] = []
        for part in self.parts:
            schema = part.schema(writer)
            if schema not in schemas:
                schemas.append(schema)
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def _make_converter(self, direction: Direction) -> Converter:
        if direction == "write":
            check = self.check
            return lambda value: to_json(check(by_class(value)))
        converters = [part.converter(direction) for part in self.parts]
        numbers = [place for place, part in enumerate(self.parts) if part.keywords in _ANY_NUMBER]
        if len(numbers) == 2:
            # An int is not read as a float if both are accepted.
            for place in numbers:
                converters[place] = either_number

        def convert(value: Any) -> Any:
            errors: list[MismatchError] = []
            for each in converters:
                try:
                    return each(value)
                except MismatchError as error:
                    errors.append(error)
            raise closest(value, errors)

        return convert
