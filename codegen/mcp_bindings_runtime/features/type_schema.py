"""JSON Schema of Python types: what a tool takes, and what it gives.

The schemas use only keywords of JSON Schema 2020-12 that ``json_validator`` checks. Classes get a name in ``$defs`` only if
they contain themselves or are needed more than once.

| Python | JSON |
|---|---|
| ``str``, ``int``, ``float``, ``bool``, ``None``, ``Any`` | the same; any value |
| ``list``, ``Sequence``, ``tuple``, ``set`` and their like | an array |
| ``dict[str, …]``, ``Mapping`` | an object |
| ``Literal``, ``Enum`` (by value) | one of the values |
| ``X \\| Y``, ``Optional`` | ``anyOf`` |
| attrs classes, dataclasses, ``TypedDict``, ``NamedTuple`` | an object |
| ``datetime``, ``date``, ``time``, ``UUID``, ``Path``, ``Decimal`` | a string (ISO 8601 for times) |
| ``timedelta`` | a number of seconds |
| ``bytes`` | a string in base64 |

``Annotated[T, "what it is", Keywords(minimum=1)]`` adds a description, and keywords of JSON Schema.
"""

from __future__ import annotations

import collections.abc
import types
import typing
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from ..errors import UsageError
from .keywords import Keywords, misplaced
from .structures import class_of, fields_of, is_structure

Schema: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["input", "output"]

ACCEPTED: Final = (
    "str, int, float, bool, None, Any, list, tuple, set, dict with str keys, Literal, Enum, unions, attrs classes, "
    "dataclasses, TypedDict, NamedTuple, datetime, date, time, timedelta, UUID, Path, Decimal, bytes, and Annotated ones"
)
"""The types that have a schema, for messages."""

DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"

_ATOMS: Mapping[Any, Schema] = {
    Any: {},
    object: {},
    None: {"type": "null"},
    types.NoneType: {"type": "null"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_TEXTS: Mapping[tuple[str, str], Schema] = {
    ("builtins", "bytes"): {"type": "string", "contentEncoding": "base64"},
    ("datetime", "datetime"): {"type": "string", "format": "date-time"},
    ("datetime", "date"): {"type": "string", "format": "date"},
    ("datetime", "time"): {"type": "string", "format": "time"},
    ("datetime", "timedelta"): {"type": "number", "description": "seconds"},
    ("uuid", "UUID"): {"type": "string", "format": "uuid"},
    ("decimal", "Decimal"): {"type": "string", "pattern": DECIMAL},
    ("pathlib", "Path"): {"type": "string"},
    ("pathlib", "PurePath"): {"type": "string"},
}
"""By module and name, so that none of these is imported for those who have no use for it."""
_LISTS = frozenset(
    {
        *(list, deque, collections.abc.Sequence, collections.abc.MutableSequence),
        *(collections.abc.Iterable, collections.abc.Collection),
    }
)
_SETS = frozenset({set, frozenset, collections.abc.Set, collections.abc.MutableSet})
_MAPS = frozenset({dict, collections.abc.Mapping, collections.abc.MutableMapping})
_PLAIN = frozenset({list, dict})
"""Containers that JSON values are already."""
UNIONS: Final = (typing.Union, types.UnionType)


class NoSchema(UsageError):
    """A Python type has no JSON Schema; the message says which, and what does."""

    def __init__(self, kind: Any, why: str = "") -> None:
        super().__init__(kind, why)
        self.kind = kind
        self.why = why

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"{name_of(self.kind)} has no JSON Schema{why}; accepted are {ACCEPTED}"


class Schemas:
    """The schemas of the types of one tool, which share their definitions.

    ``mode`` says whether values are taken or given: what has a default may be left out of the first only, which has no
    other members than the declared ones.
    """

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._names: dict[Any, str] = {}
        self._definitions: dict[str, Schema] = {}
        self._uses: dict[str, int] = {}
        self._open: list[Any] = []
        self._recursive: set[str] = set()
        self._arguments: list[Mapping[Any, Any]] = []
        self.plain = True
        """Whether all types so far are those that JSON values have in Python anyway."""
        self.vague = False
        """Whether there was one that says nothing of its values, or of what is in them."""

    def of(self, kind: Any) -> Schema:
        """The schema of a type, in which classes are references; raises NoSchema."""
        try:
            atom = _ATOMS.get(kind)
        except TypeError:
            raise NoSchema(kind) from None
        if atom is not None:
            self.vague = self.vague or not atom
            return dict(atom)
        text = _TEXTS.get(_origin_of(kind)) if isinstance(kind, type) else None
        if text is not None:
            self.plain = False
            return dict(text)
        return self._composed(kind)

    def _composed(self, kind: Any) -> Schema:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Annotated:
            return self._annotated(kind)
        if origin is Literal:
            return self._values(kind, arguments)
        if origin in UNIONS:
            return self._union(arguments)
        if isinstance(kind, typing.NewType):
            return self.of(kind.__supertype__)
        if isinstance(kind, typing.TypeVar):
            return self._variable(kind)
        if type(kind).__name__ == "TypeAliasType":
            return self.of(kind.__value__)
        cls = class_of(kind)
        if cls is not None and issubclass(cls, Enum):
            self.plain = False
            return self._values(kind, tuple(cls))
        if cls is tuple:
            return self._tuple(arguments)
        if cls in _LISTS or cls in _SETS:
            self.plain = self.plain and cls in _PLAIN
            return self._array(arguments, unique=cls in _SETS)
        if cls in _MAPS:
            self.plain = self.plain and cls in _PLAIN
            return self._map(kind, arguments)
        if cls is not None and is_structure(cls):
            return self._reference(kind, cls, arguments)
        raise NoSchema(kind)

    def whole(self, schema: Schema) -> Schema:
        """The schema with the definitions that it needs; those that are needed once stand where they are needed."""
        named = {name for name, uses in self._uses.items() if uses > 1 or name in self._recursive}
        definitions = {
            name: self._inlined(self._definitions[name], named) for name in self._names.values() if name in named
        }
        written: Schema = self._inlined(schema, named)
        if "$ref" in written:
            # The type of the whole is said at the top, as the revisions want it of the schemas of tools.
            name = written.pop("$ref").removeprefix("#/$defs/")
            written = {**definitions[name], **written}
        return {**written, "$defs": definitions} if definitions else written

    def _inlined(self, value: Any, named: set[str]) -> Any:
        if value.__class__ is list:
            return [self._inlined(item, named) for item in value]
        if value.__class__ is not dict:
            return value
        name = value.get("$ref", "").removeprefix("#/$defs/") if value.get("$ref").__class__ is str else ""
        if name and name not in named:
            beside = {key: item for key, item in value.items() if key != "$ref"}
            value = {**self._definitions[name], **beside}
        # What is quoted is no schema.
        return {key: item if key in _QUOTED else self._inlined(item, named) for key, item in value.items()}

    # Parts.

    def _annotated(self, kind: Any) -> Schema:
        schema = self.of(kind.__origin__)
        for note in kind.__metadata__:
            if isinstance(note, str):
                schema["description"] = note
            elif isinstance(note, Keywords):
                wrong = misplaced(schema, note)
                if wrong is not None:
                    raise NoSchema(kind.__origin__, f"the keyword {wrong} says nothing of its values")
                schema.update(note.schema)
        return schema

    @staticmethod
    def _values(kind: Any, members: tuple[Any, ...]) -> Schema:
        values = [member.value if isinstance(member, Enum) else member for member in members]
        for value in values:
            if value is not None and value.__class__ not in (str, int, bool, float):
                raise NoSchema(kind, "its values have to be strings, numbers, true, false or null")
        names = {_TYPES[value.__class__] for value in values}
        return {"type": names.pop(), "enum": values} if len(names) == 1 else {"enum": values}

    def _union(self, members: tuple[Any, ...]) -> Schema:
        made: list[Schema] = []
        for member in members:
            schema = self.of(member)
            for one in schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]:
                if one not in made:
                    made.append(one)
        return made[0] if len(made) == 1 else {"anyOf": made}

    def _variable(self, kind: typing.TypeVar) -> Schema:
        for given in reversed(self._arguments):
            if kind in given:
                return self.of(given[kind])
        if kind.__constraints__:
            return self._union(kind.__constraints__)
        return self.of(Any if kind.__bound__ is None else kind.__bound__)

    def _tuple(self, arguments: tuple[Any, ...]) -> Schema:
        self.plain = False
        if not arguments:
            self.vague = True
            return {"type": "array"}
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return self._array(arguments[:1], unique=False)
        if arguments == ((),):
            return {"type": "array", "maxItems": 0}
        items = [self.of(argument) for argument in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}

    def _array(self, arguments: tuple[Any, ...], *, unique: bool) -> Schema:
        schema: Schema = {"type": "array"}
        self.vague = self.vague or not arguments
        if arguments:
            items = self.of(arguments[0])
            if items:
                schema["items"] = items
        if unique:
            schema["uniqueItems"] = True
        return schema

    def _map(self, kind: Any, arguments: tuple[Any, ...]) -> Schema:
        if not arguments:
            self.vague = True
            return {"type": "object"}
        if arguments[0] not in (str, Any):
            raise NoSchema(kind, "keys of JSON objects are str")
        values = self.of(arguments[1])
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}

    # Classes.

    def _reference(self, kind: Any, cls: Any, arguments: tuple[Any, ...]) -> Schema:
        self.plain = self.plain and typing.is_typeddict(cls)
        name = self._names.get(kind)
        if name is None:
            name = self._names[kind] = self._free(kind)
            parameters = getattr(cls, "__parameters__", ())
            with self._inside(kind, dict(zip(parameters, arguments, strict=False))):
                self._definitions[name] = self._structure(cls)
        elif kind in self._open:
            self._recursive.add(name)
        self._uses[name] = self._uses.get(name, 0) + 1
        return {"$ref": f"#/$defs/{name}"}

    @contextmanager
    def _inside(self, kind: Any, arguments: Mapping[Any, Any]) -> Generator[None]:
        self._open.append(kind)
        self._arguments.append(arguments)
        try:
            yield
        finally:
            self._open.pop()
            self._arguments.pop()

    def _free(self, kind: Any) -> str:
        name = base = "".join(char if char.isalnum() else "_" for char in name_of(kind)).strip("_")
        number = 1
        while name in self._names.values():
            number += 1
            name = f"{base}_{number}"
        return name

    def _structure(self, cls: Any) -> Schema:
        schema: Schema = {"type": "object"}
        about = summary(cls.__dict__.get("__doc__"), cls.__name__)
        if about:
            schema["description"] = about
        properties: Schema = {}
        required: list[str] = []
        for member in fields_of(cls):
            one = self.of(member.kind)
            if member.about:
                one["description"] = member.about
            if member.has_default and self._mode == "input":
                one |= default_of(member.default)
            if member.required if self._mode == "input" else member.always:
                required.append(member.name)
            properties[member.name] = one
        schema["properties"] = properties
        if required:
            schema["required"] = required
        if self._mode == "input":
            schema["additionalProperties"] = False
        return schema


_QUOTED = frozenset({"enum", "const", "default", "examples"})
_TYPES = {str: "string", int: "integer", bool: "boolean", float: "number", types.NoneType: "null"}


def schema_of(kind: Any, mode: Mode = "input") -> Schema:
    """The JSON Schema of a Python type; raises NoSchema."""
    schemas = Schemas(mode)
    return schemas.whole(schemas.of(kind))


def name_of(kind: Any) -> str:
    """A type as it is written."""
    if isinstance(kind, type) and typing.get_origin(kind) is None:
        return kind.__qualname__.rpartition("<locals>.")[2]
    if isinstance(kind, str):
        return kind
    return str(kind).replace("typing.", "").replace("collections.abc.", "")


def summary(text: str | None, name: str = "") -> str:
    """The first paragraph of a docstring, on one line; nothing of what dataclasses and named tuples write themselves."""
    if not text or text.startswith(f"{name}("):
        return ""
    return " ".join(text.strip().partition("\n\n")[0].split())


def default_of(value: Any) -> Schema:
    """``default`` with what a value is in JSON; nothing where it is not in JSON."""
    try:
        return {"default": _as_json(value)}
    except TypeError:
        return {}


def _as_json(value: Any) -> Any:
    if isinstance(value, Enum):
        return _as_json(value.value)
    if value is None or value.__class__ in (str, int, bool) or (value.__class__ is float and value - value == 0):
        return value
    if value.__class__ in (list, tuple):
        return [_as_json(item) for item in value]
    if value.__class__ is dict and all(key.__class__ is str for key in value):
        return {key: _as_json(item) for key, item in value.items()}
    write = _WRITTEN.get(_origin_of(value.__class__))
    if write is None:
        raise TypeError(value.__class__)
    return write(value)


def _origin_of(cls: type) -> tuple[str, str]:
    # Python 3.13 has made a package of pathlib.
    return cls.__module__.partition(".")[0], cls.__qualname__


def _iso(value: Any) -> Any:
    return value.isoformat()


_WRITTEN: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("datetime", "datetime"): _iso,
    ("datetime", "date"): _iso,
    ("datetime", "time"): _iso,
    ("datetime", "timedelta"): lambda value: value.total_seconds(),
    ("uuid", "UUID"): str,
    ("decimal", "Decimal"): str,
    ("pathlib", "PosixPath"): str,
    ("pathlib", "WindowsPath"): str,
}
