"""Type nodes of annotations.

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

``Annotated[T, "description", Keywords(minimum=1)]`` adds a description and keywords of JSON Schema.
"""

from __future__ import annotations

import collections.abc
import types
import typing
from collections import deque
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Literal

from ..errors import UsageError
from .class_fields import ClassField, class_of, fields_of, has_json_fields, hints_of
from .keywords import CONSTRAINTS, Keywords, python_name
from .schema_writer import Mode, Schema
from .text_types import text_type_of
from .type_nodes import Anything, Array, Map, Scalar, Structure, Text, TypeNode, Union, Values

ACCEPTED: Final = (
    "str, int, float, bool, None, Any, list, tuple, set, dict with str keys, Literal, Enum, unions, attrs classes, "
    "dataclasses, TypedDict, NamedTuple, datetime, date, time, timedelta, UUID, Path, Decimal, bytes, and Annotated ones"
)
"""The types that have a schema, for messages."""

_ATOMS: Mapping[Any, TypeNode] = {
    Any: Anything(),
    object: Anything(),
    None: Scalar({"type": "null"}),
    types.NoneType: Scalar({"type": "null"}),
    str: Scalar({"type": "string"}),
    int: Scalar({"type": "integer"}),
    float: Scalar({"type": "number"}),
    bool: Scalar({"type": "boolean"}),
}
_LISTS = frozenset(
    {
        *(list, deque, collections.abc.Sequence, collections.abc.MutableSequence),
        *(collections.abc.Iterable, collections.abc.Collection),
    }
)
_SETS = frozenset({set, frozenset, collections.abc.Set, collections.abc.MutableSet})
_MAPS = frozenset({dict, collections.abc.Mapping, collections.abc.MutableMapping})
UNIONS: Final = (typing.Union, types.UnionType)


class NoSchema(UsageError):
    """A Python type has no JSON Schema; the message names it and the types that have one."""

    def __init__(self, annotation: Any, reason: str = "") -> None:
        super().__init__(annotation, reason)
        self.annotation = annotation
        self.reason = reason

    @property
    def remark(self) -> str:
        """The reason in parentheses, after a blank; empty without a reason."""
        return f" ({self.reason})" if self.reason else ""

    def __str__(self) -> str:
        return f"{name_of(self.annotation)} has no JSON Schema{self.remark}; use one of {ACCEPTED}"


def parse_type(annotation: Any, *, ignore_unknown: bool = False) -> TypeNode:
    """Return the node of an annotation; raise NoSchema if it has no JSON Schema.

    Objects of a class must not have unknown members, unless these are to be ignored.
    """
    return TypeParser(ignore_unknown=ignore_unknown).parse(annotation)


def schema_of(annotation: Any, mode: Mode = "input") -> Schema:
    """Return the JSON Schema of an annotation; raise NoSchema if it has none."""
    return parse_type(annotation).complete_schema(mode)


class TypeParser:
    """Parses annotations that share their classes, as those of one function do."""

    def __init__(self, *, ignore_unknown: bool = False) -> None:
        self._ignore_unknown = ignore_unknown
        self._structures: dict[Any, Structure] = {}
        self._variables: Mapping[Any, Any] = {}
        """Arguments of the generic class that is being read, by type variable."""

    def parse(self, annotation: Any) -> TypeNode:
        """Return the node of an annotation; raise NoSchema if it has no JSON Schema."""
        try:
            atom = _ATOMS.get(annotation)
        except TypeError:
            raise NoSchema(annotation) from None
        if atom is not None:
            return atom
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            return self._annotated(annotation)
        if origin is Literal:
            return _values(annotation, arguments)
        if origin in UNIONS:
            return self._union(arguments)
        if isinstance(annotation, typing.NewType):
            return self.parse(annotation.__supertype__)
        if isinstance(annotation, typing.TypeVar):
            return self.parse(_substitute(annotation, self._variables))
        if type(annotation).__name__ == "TypeAliasType":
            return self.parse(annotation.__value__)
        cls = class_of(annotation)
        if cls is None:
            raise NoSchema(annotation)
        if any(base.__module__ == "pydantic.main" for base in cls.__mro__):
            raise NoSchema(annotation, "pydantic models are not supported; make it a dataclass")
        return self._class(annotation, cls, arguments)

    def _class(self, annotation: Any, cls: type[Any], arguments: tuple[Any, ...]) -> TypeNode:
        text_type = text_type_of(cls) if annotation is cls else None
        if text_type is not None:
            return Text(cls, text_type)
        if issubclass(cls, Enum):
            return _values(annotation, tuple(cls), cls.__name__)
        if cls is tuple:
            return self._tuple(annotation, arguments)
        if cls in _LISTS or cls in _SETS:
            return self._array(cls, arguments)
        if cls in _MAPS:
            if arguments and arguments[0] not in (str, Any):
                raise NoSchema(annotation, "keys of JSON objects are str")
            return Map(self.parse((*arguments, Any, Any)[1]), same_in_python=cls is dict)
        if has_json_fields(cls):
            return self._structure(annotation, cls, arguments)
        raise NoSchema(annotation)

    def _annotated(self, annotation: Any) -> TypeNode:
        node = self.parse(annotation.__origin__)
        for note in annotation.__metadata__:
            if isinstance(note, str):
                node = node.annotated({"description": note})
            elif isinstance(note, Keywords):
                misplaced = node.misplaced(note.schema)
                if misplaced is not None:
                    raise _misplaced(misplaced, annotation.__origin__, node)
                node = node.annotated(note.schema)
            else:
                refuse_foreign_field(note)
        return node

    def _union(self, arguments: tuple[Any, ...]) -> TypeNode:
        members: list[TypeNode] = []
        for argument in arguments:
            node = self.parse(argument)
            members += node.parts if isinstance(node, Union) and not node.keywords else [node]
        return Union(parts=members)

    def _tuple(self, annotation: Any, arguments: tuple[Any, ...]) -> TypeNode:
        if annotation is tuple or arguments[1:] == (Ellipsis,):
            return self._array(tuple, arguments[:1])
        if not arguments:
            return Array(tuple, _ATOMS[Any], keywords={"maxItems": 0})
        items = [self.parse(argument) for argument in arguments]
        return Array(tuple, _ATOMS[Any], items, keywords={"minItems": len(items), "maxItems": len(items)})

    def _array(self, cls: type, arguments: tuple[Any, ...]) -> TypeNode:
        item = self.parse((*arguments, Any)[0])
        if cls in _SETS:
            return Array(frozenset if cls is frozenset else set, item, keywords={"uniqueItems": True})
        return Array(cls if cls in (tuple, deque) else list, item, same_in_python=cls is list)

    # Classes.

    def _structure(self, annotation: Any, cls: Any, arguments: tuple[Any, ...]) -> TypeNode:
        arguments = tuple(_substitute(each, self._variables) for each in arguments)
        key = (cls, arguments)
        node = self._structures.get(key)
        if node is None:
            name = name_of(cls[arguments] if arguments else annotation)
            node = self._structures[key] = Structure(cls, name, _description(cls), ignore_unknown=self._ignore_unknown)
            hints = hints_of(cls, cls.__qualname__)
            outer, self._variables = self._variables, _variables_of(cls, arguments)
            for field in fields_of(cls, hints):
                node.add(field, self._field(field, name))
            self._variables = outer
        return node

    def _field(self, field: ClassField, owner: str) -> TypeNode:
        """Return the node of a field; raise UsageError, which names it, for a description or bound that would be lost."""
        try:
            if field.has_default:
                refuse_foreign_field(field.default)
            return self.parse(field.annotation)
        except NoSchema:
            # It names the type.
            raise
        except UsageError as error:
            text = f"field {field.name} of {owner}: {error}"
            raise UsageError(text) from None


_OF_PYDANTIC: Final = frozenset({"pydantic", "annotated_types"})
"""Libraries whose objects in annotations and defaults hold descriptions and bounds."""


def refuse_foreign_field(value: Any) -> None:
    """Raise ``UsageError`` for a ``Field(…)`` of pydantic or one of its bounds, which would be lost."""
    library = type(value).__module__.partition(".")[0]
    if library in _OF_PYDANTIC:
        name = type(value).__name__
        found = "pydantic's Field" if name == "FieldInfo" else f"{name} of {library}"
        text = (
            f"{found} is not supported, in an annotation or as a default; write "
            "Annotated[int, 'the description', mcp.Keywords(minimum=1)]"
        )
        raise UsageError(text)


def _misplaced(keyword: str, annotation: Any, node: TypeNode) -> UsageError:
    """Return the error for a keyword that does not apply to a type, with those that do."""
    if isinstance(node, Union):
        hint = "; annotate the member of the union that it is for"
    else:
        names = [python_name(each) for each, kind in CONSTRAINTS.items() if kind == node.constraint]
        hint = f"; use {', '.join(names[:-1])} or {names[-1]}" if names else ""
    return UsageError(f"{python_name(keyword)} does not apply to {name_of(annotation)}{hint}")


def _variables_of(cls: Any, arguments: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the arguments of a generic class and of its bases, by type variable."""
    found: dict[Any, Any] = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    for base in getattr(cls, "__orig_bases__", ()):
        if isinstance(origin := typing.get_origin(base), type):
            inherited = tuple(_substitute(each, found) for each in typing.get_args(base))
            found = {**_variables_of(origin, inherited), **found}
    return found


def _substitute(annotation: Any, variables: Mapping[Any, Any]) -> Any:
    """Replace the type variables in an annotation; those without a value by their bound, constraints or Any."""
    if isinstance(annotation, typing.TypeVar):
        if annotation in variables:
            return variables[annotation]
        if annotation.__constraints__:
            return typing.Union[annotation.__constraints__]  # noqa: UP007  # of a tuple
        return Any if annotation.__bound__ is None else annotation.__bound__
    generic: Any = annotation
    parameters = () if isinstance(annotation, type) else getattr(annotation, "__parameters__", ())
    return generic[tuple(_substitute(each, variables) for each in parameters)] if parameters else annotation


def _values(annotation: Any, members: tuple[Any, ...], name: str = "") -> Values:
    try:
        return Values(members, name)
    except KeyError:
        raise NoSchema(annotation, "its values must be strings, numbers, true, false or null") from None


def _description(cls: Any) -> str:
    """Return the first paragraph of a class's docstring, unless dataclasses or named tuples have written it."""
    text = cls.__dict__.get("__doc__")
    if not text or text.startswith(f"{cls.__name__}("):
        return ""
    return " ".join(text.strip().partition("\n\n")[0].split())


def name_of(annotation: Any) -> str:
    """Return a type as it is written in code."""
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return annotation.__qualname__.rpartition("<locals>.")[2]
    if isinstance(annotation, str):
        return annotation
    return str(annotation).replace("typing.", "").replace("collections.abc.", "")
