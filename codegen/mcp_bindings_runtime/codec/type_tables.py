"""Walk values by tables of their types, to find what is wrong with them and where.

Emitted functions only raise that a value is wrong; the walks then run over the same value. They also collect all
violations on request. A shape is

    "string" "integer" "float" "boolean" "null" "json" "object"     a scalar, any JSON, any object
    ("enum", value, …)                                             one of the literals
    ("list", shape)   ("map", shape)                               an array, an object with values of one shape
    ("class", name)   ("alias", name)                              an entry of ``OBJECTS`` or ``ALIASES``
    ("raw", shape)                                                 checked, then kept as JSON
    ("union", decision, (shape, …))                                alternatives

and a decision leads to the index of one alternative, or to None:

    ("kind", ((JSON kind, decision), …))           ("tag", key, ((literal, decision), …), decision when absent)
    ("key", key, decision, decision when absent)   ("nested", key, decision)   ("first", decision, decision when empty)
    ("undecidable", reason)

A member of a class is ``(wire name, attribute or None for a class constant, presence, shape, value when absent,
constraints)``, the last one optional; presence is ``required``, ``optional`` or ``tolerated`` (required of senders only).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

from ..errors import Undecidable
from ..unset import UNSET
from .checks import is_array, is_integer, is_number, is_object, is_string
from .wording import any_of, article, describe, describe_python, one_of

Shape: TypeAlias = Any
Objects: TypeAlias = Mapping[str, tuple[tuple[Any, ...], Shape]]
Aliases: TypeAlias = Mapping[str, Shape]
Path: TypeAlias = tuple[str | int, ...]

_WANTED = {
    "string": "a string",
    "integer": "an integer",
    "float": "a number",
    "boolean": "true or false",
    "null": "null",
    "object": "an object",
}


class Violation(NamedTuple):
    """A mistake in a value: its place (keys and indices from the top), the value found, the values accepted."""

    path: Path
    found: str
    expected: str


class UnknownTag(Violation):
    """A tag that no member of a union has; the whole object stays JSON."""

    __slots__ = ()


class TypeTables:
    """The type tables of one revision, and the walks over them."""

    def __init__(self, objects: Objects, aliases: Aliases, classes: Any) -> None:
        self._objects = objects
        self._aliases = aliases
        self._classes = classes

    def extended(self, other: TypeTables) -> TypeTables:
        """Return the tables of both; this one's win."""
        both = SimpleNamespace(**{**vars(other._classes), **vars(self._classes)})
        return TypeTables({**other._objects, **self._objects}, {**other._aliases, **self._aliases}, both)

    def read(self, value: Any, shape: Shape, path: Path, faults: list[Violation]) -> Any:
        """Return the typed value as far as it can be made; add violations to ``faults`` and keep those parts as JSON."""
        if isinstance(shape, str):
            if not is_scalar(value, shape):
                faults.append(Violation(path, describe(value), _WANTED[shape]))
            return value
        kind = shape[0]
        if kind == "enum":
            if not _is_one_of(value, shape[1:]):
                faults.append(Violation(path, describe(value), one_of(shape[1:])))
            return value
        if kind == "raw":
            self.read(value, shape[1], path, faults)
            return value
        if kind == "alias":
            return self.read(value, self._aliases[shape[1]], path, faults)
        if kind == "list":
            if value.__class__ is not list:
                faults.append(Violation(path, describe(value), "an array"))
                return value
            return [self.read(item, shape[1], (*path, place), faults) for place, item in enumerate(value)]
        if kind == "union":
            return self._read_union(value, shape, path, faults)
        if value.__class__ is not dict:
            faults.append(Violation(path, describe(value), "an object"))
            return value
        if kind == "map":
            return {key: self.read(item, shape[1], (*path, key), faults) for key, item in value.items()}
        return self._read_class(value, shape[1], path, faults)

    def _read_union(self, value: Any, shape: Shape, path: Path, faults: list[Violation]) -> Any:
        member = self._decide(value, shape[1], shape[2], path, faults)
        if member is None:
            return value
        chosen = shape[2][member]
        if isinstance(chosen, str) and not is_scalar(value, chosen):
            # The decision only looked at the kind: 1.5 is a number, but not an integer.
            faults.append(Violation(path, describe(value), self._wanted(shape)))
            return value
        return self.read(value, chosen, path, faults)

    def _read_class(self, value: dict[str, Any], name: str, path: Path, faults: list[Violation]) -> Any:
        members, index = self._objects[name]
        cls = getattr(self._classes, name)
        made = object.__new__(cls)
        held: set[str] = set()
        for wire, attribute, presence, shape, absent, *_ in members:
            held.add(wire)
            if wire in value:
                before = len(faults)
                read = self.read(value[wire], shape, (*path, wire), faults)
                if attribute is not None:
                    setattr(made, attribute, read)
                if len(faults) > before and (attribute is None or (presence != "required" and read is absent)):
                    # A wrong constant has no attribute, and a wrong null would look absent.
                    held.remove(wire)
                continue
            if presence == "required":
                faults.append(Violation((*path, wire), "nothing", self._wanted(shape)))
            if attribute is not None:
                setattr(made, attribute, absent)
        extra = {key: item for key, item in value.items() if key not in held}
        if index is not None:
            declared = {member[0] for member in members}
            for key in [key for key in extra if key not in declared]:
                extra[key] = self.read(extra[key], index, (*path, key), faults)
        made.extra = extra or None
        return made

    def _decide(
        self,
        value: Any,
        decision: Any,
        members: tuple[Shape, ...],
        path: Path,
        faults: list[Violation],
        missed: tuple[str, ...] = (),
    ) -> int | None:
        """Return the index of the member that a value is read as; add a violation and return None if there is none.

        ``missed`` are the keys that were not found in this value so far, in the order of the search.
        """
        if decision is None or isinstance(decision, int):
            return decision
        kind, *parts = decision
        if kind == "undecidable":
            raise Undecidable(parts[0])
        if kind == "kind":
            found = json_kind(value)
            for each, branch in parts[0]:
                if each == found:
                    return self._decide(value, branch, members, path, faults)
            faults.append(Violation(path, describe(value), any_of([self._wanted(member) for member in members])))
            return None
        if kind == "first":
            if not value:
                return self._decide(value, parts[1], members, path, faults)
            return self._decide(value[0], parts[0], members, (*path, 0), faults)
        if value.__class__ is not dict:
            faults.append(Violation(path, describe(value), "an object"))
            return None
        key = parts[0]
        if kind == "nested":
            if key not in value:
                faults.append(_missing(path, (*missed, key), "an object"))
                return None
            return self._decide(value[key], parts[1], members, (*path, key), faults)
        if kind == "key":
            if key in value:
                return self._decide(value, parts[1], members, path, faults)
            if parts[2] is None:
                faults.append(_missing(path, (*missed, key), "this member"))
                return None
            return self._decide(value, parts[2], members, path, faults, (*missed, key))
        if key not in value and parts[2] is not None:
            return self._decide(value, parts[2], members, path, faults, missed)
        for literal, branch in parts[1]:
            if key in value and _is_one_of(value[key], (literal,)):
                return self._decide(value, branch, members, path, faults)
        wanted = one_of([literal for literal, _ in parts[1]])
        if key in value:
            kind = UnknownTag if value[key].__class__ is str else Violation
            faults.append(kind((*path, key), describe(value[key]), wanted))
        else:
            faults.append(_missing(path, (*missed, key), wanted))
        return None

    def write(self, value: Any, shape: Shape, path: Path) -> Violation | None:
        """Return the first violation that keeps a Python value from being written as ``shape``; None without one."""
        if isinstance(shape, str):
            return self._write_scalar(value, shape, path)
        kind = shape[0]
        if kind == "enum":
            # Members of string enumerations equal their texts.
            if _is_one_of(value, shape[1:]) or any(value == text for text in shape[1:] if isinstance(text, str)):
                return None
            return Violation(path, describe_python(value), one_of(shape[1:]))
        if kind == "alias":
            return self.write(value, self._aliases[shape[1]], path)
        if kind == "raw":
            return self._write_raw(value, shape[1], path)
        if kind == "list":
            if not is_array(value):
                return Violation(path, describe_python(value), "a list")
            return _first(self.write(item, shape[1], (*path, place)) for place, item in enumerate(value))
        if kind == "map":
            if not is_object(value):
                return Violation(path, describe_python(value), "a dict")
            return _not_a_key(value, path) or _first(
                self.write(item, shape[1], (*path, key)) for key, item in value.items()
            )
        if kind == "union":
            return self._write_union(value, shape[2], path)
        return self._write_class(value, shape[1], path)

    def write_message(self, value: Any, path: Path) -> Violation | None:
        """Return the first violation in an object of the revision."""
        name = self._class_name(value)
        if name is None:
            return Violation(path, describe_python(value), "an object of this revision")
        return self._write_class(value, name, path)

    def write_any(self, value: Any, path: Path) -> Violation | None:
        """Return the first violation in an object of the revision, or in JSON that may contain such objects."""
        name = self._class_name(value)
        if name is not None:
            return self._write_class(value, name, path)
        if is_array(value):
            return _first(self.write_any(value[place], (*path, place)) for place in range(len(value)))
        if is_object(value):
            return _not_a_key(value, path) or _first(self.write_any(value[key], (*path, key)) for key in value)
        return _not_json(value, path)

    def _write_raw(self, value: Any, shape: Shape, path: Path) -> Violation | None:
        name = self._class_name(value)
        if name is not None:
            return self._write_class(value, name, path)
        if not is_object(value):
            return Violation(path, describe_python(value), "an object of this revision or a dict")
        faults: list[Violation] = []
        self.read(value, shape, path, faults)
        return _not_json(value, path) or _first(faults)

    def _class_name(self, value: object) -> str | None:
        for cls in type(value).__mro__:
            name = cls.__name__
            if name in self._objects and getattr(self._classes, name) is cls:
                return name
        return None

    def _write_scalar(self, value: Any, shape: str, path: Path) -> Violation | None:
        if shape == "json":
            return _not_json(value, path)
        if shape == "object":
            return _not_json(value, path) if is_object(value) else Violation(path, describe_python(value), "a dict")
        fits: Mapping[str, Callable[[object], bool]] = {
            "string": is_string,
            "integer": is_integer,
            "float": is_number,
            "boolean": lambda each: each.__class__ is bool,
            "null": lambda each: each is None,
        }
        if not fits[shape](value):
            return Violation(path, describe_python(value), _WANTED[shape])
        return _not_json(value, path)

    def _write_union(self, value: Any, members: tuple[Shape, ...], path: Path) -> Violation | None:
        """Return None if a member matches, else the violation in the only member of its kind, else one of the whole."""
        name = self._class_name(value)
        near: list[Violation] = []
        for member in members:
            if member[0] == "class" and name != member[1]:
                continue
            fault = self.write(value, member, path)
            if fault is None:
                return None
            if len(fault.path) > len(path):
                near.append(fault)
        if len(near) == 1:
            return near[0]
        return Violation(path, describe_python(value), any_of([self._wanted(member) for member in members]))

    def _write_class(self, value: Any, name: str, path: Path) -> Violation | None:
        members, index = self._objects[name]
        if not isinstance(value, getattr(self._classes, name)):
            return Violation(path, describe_python(value), f"{article(name)} {name}")
        for wire, attribute, presence, shape, absent, *_ in members:
            if attribute is None:
                continue
            member = getattr(value, attribute, _MISSING)
            if presence != "required" and member is absent:
                continue
            if member is UNSET or member is _MISSING:
                return Violation((*path, wire), "nothing", self._wanted(shape))
            fault = self.write(member, shape, (*path, wire))
            if fault is not None:
                return fault
        extra: Any = getattr(value, "extra", _MISSING)
        if extra is _MISSING:
            return Violation(path, "no attribute extra", "a dict or None")
        if not extra:
            return None
        if not is_object(extra):
            return Violation(path, f"{describe_python(extra)} in extra", "a dict or None")
        declared = {member[0]: member for member in members}
        for key, item in extra.items():
            if key in declared:
                _, attribute, _, shape, *_ = declared[key]
                if attribute is None:
                    expected = f"nothing there, as {self._wanted(shape)} is always written"
                    return Violation((*path, key), f"{describe_python(item)} in extra", expected)
                return Violation((*path, key), "a declared member in extra", "its own attribute to hold it")
            fault = _not_a_key({key: None}, path) or self.write(item, "json" if index is None else index, (*path, key))
            if fault is not None:
                return fault
        return None

    def _wanted(self, shape: Shape) -> str:
        """Return a description of the values that a shape accepts."""
        if isinstance(shape, str):
            return _WANTED.get(shape, "a JSON value")
        kind = shape[0]
        if kind == "enum":
            return one_of(shape[1:])
        if kind == "alias":
            return self._wanted(self._aliases[shape[1]])
        if kind == "raw":
            return self._wanted(shape[1])
        if kind == "union":
            return any_of([self._wanted(member) for member in shape[2]])
        if kind == "list":
            return "an array"
        return "an object"


_MISSING = object()
"""Stands for an attribute that was never set, or was deleted."""


def json_kind(value: Any) -> str | None:
    """Return the kind of a JSON value, one of six; None for other values."""
    if value is None:
        return "null"
    return _JSON_KINDS.get(value.__class__)


_JSON_KINDS: Mapping[type, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


def is_scalar(value: Any, shape: str) -> bool:
    """Return whether a value is of a scalar type; a bool is not a number."""
    match shape:
        case "json":
            return True
        case "float":
            return value.__class__ is int or value.__class__ is float
        case "null":
            return value is None
        case _:
            return value.__class__ is {"string": str, "integer": int, "boolean": bool, "object": dict}[shape]


def _is_one_of(value: Any, literals: tuple[Any, ...]) -> bool:
    return any(value.__class__ is literal.__class__ and value == literal for literal in literals)


def _missing(path: Path, keys: tuple[str, ...], wanted: str) -> Violation:
    """Return the violation for missing keys, of which one is required; ``wanted`` describes a key without alternatives."""
    first, *others = keys
    return Violation((*path, first), "nothing", f"this member, or {one_of(others)} instead" if others else wanted)


def _first(faults: Any) -> Violation | None:
    return next((fault for fault in faults if fault is not None), None)


def _not_a_key(value: dict[Any, Any], path: Path) -> Violation | None:
    for key in value:
        if not isinstance(key, str):
            return Violation(path, f"the key {key!r}", "strings as keys")
        if not _is_text(key):
            return Violation(path, "a key with half a surrogate pair", "Unicode text")
    return None


def _not_json(value: Any, path: Path) -> Violation | None:
    """Return the first violation in a value that must be JSON; cycles and endless depth are violations."""
    stack: list[tuple[Any, Path]] = [(value, path)]
    while stack:
        each, where = stack.pop()
        if len(where) - len(path) > _DEEPEST:
            return Violation(path, "a value nested without end", f"at most {_DEEPEST} levels")
        if is_string(each):
            if not _is_text(each):
                return Violation(where, "a string with half a surrogate pair", "Unicode text")
        elif is_array(each):
            stack.extend((each[place], (*where, place)) for place in reversed(range(len(each))))
        elif is_object(each):
            wrong = _not_a_key(each, where)
            if wrong is not None:
                return wrong
            stack.extend((item, (*where, key)) for key, item in reversed(tuple(each.items())))
        elif is_number(each) or each is None or each.__class__ is bool:
            continue
        else:
            expected = "a finite number" if each.__class__ is float else "a JSON value"
            return Violation(where, describe_python(each), expected)
    return None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


_DEEPEST = 900
"""Levels of nesting that the standard library can print within the default recursion limit."""
