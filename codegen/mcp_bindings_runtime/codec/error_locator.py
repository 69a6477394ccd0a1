"""Find what is wrong with a message that the codec could not read, or with an object that it could not write, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from ..methods import RequestMethod
from ..unset import UNSET
from .checks import Invalid, Json, is_array, is_integer, is_number, is_object, is_string
from .error_wording import NOTHING, any_of, article, describe, describe_python, one_of
from .method_readers import Envelopes, MethodReaders
from .type_tables import EXPECTED, Part, Path, Shape, TypeTables, Violation, is_one_of


class ErrorLocator:
    """Slow twin of the emitted functions of one revision, which finds violations, and reads wrong values as far as it can.

    ``classes`` has the classes of the revision as attributes.
    """

    def __init__(self, tables: TypeTables, classes: Any) -> None:
        self.tables = tables
        self._classes = classes

    def extended(self, other: ErrorLocator) -> ErrorLocator:
        """Return the locator for the types of both; this one's win."""
        both = SimpleNamespace(**{**vars(other._classes), **vars(self._classes)})
        return ErrorLocator(self.tables.extended(other.tables), both)

    def read(self, value: Any, shape: Shape, path: Path, violations: list[Violation]) -> Any:
        """Return the typed value as far as it can be made; add to ``violations`` and keep those parts as JSON."""
        resolved = self.tables.resolve(value, shape, path)
        if isinstance(resolved, Violation):
            violations.append(resolved)
            return value
        parts = self.tables.parts(value, resolved, path)
        if resolved[0] == "class":
            made = self._read_class(value, resolved[1], parts, violations)
        elif resolved[0] == "list":
            made = [self.read(part.value, part.shape, part.path, violations) for part in parts]
        elif resolved[0] == "map":
            made = {part.path[-1]: self.read(part.value, part.shape, part.path, violations) for part in parts}
        else:
            return value
        return value if shape[0] == "raw" else made

    def _read_class(self, value: dict[str, Any], name: str, parts: Iterator[Part], violations: list[Violation]) -> Any:
        made = object.__new__(getattr(self._classes, name))
        for _, attribute, _, _, absent, *_ in self.tables.objects[name][0]:
            if attribute is not None:
                setattr(made, attribute, absent)
        extra = dict(value)
        for part in parts:
            key: Any = part.path[-1]
            if part.kind == "missing":
                violations.append(Violation(part.path, NOTHING, self.tables.expected(part.shape)))
                continue
            before = len(violations)
            read = self.read(part.value, part.shape, part.path, violations)
            if part.member is None:
                extra[key] = read
                continue
            _, attribute, presence, _, absent, *_ = part.member
            if attribute is not None:
                setattr(made, attribute, read)
            is_lost = attribute is None or (presence != "required" and read is absent)
            if len(violations) == before or not is_lost:
                # A wrong constant has no attribute, and a wrong null would look absent: these stay in ``extra``.
                del extra[key]
        made.extra = extra or None
        return made

    def write(self, value: Any, shape: Shape, path: Path) -> Violation | None:
        """Return the first violation that keeps a Python value from being written as ``shape``; None without one."""
        if isinstance(shape, str):
            return self._write_scalar(value, shape, path)
        kind = shape[0]
        if kind == "enum":
            # Members of string enumerations equal their texts.
            if is_one_of(value, shape[1:]) or any(value == text for text in shape[1:] if isinstance(text, str)):
                return None
            return Violation(path, describe_python(value), one_of(shape[1:]))
        if kind == "alias":
            return self.write(value, self.tables.aliases[shape[1]], path)
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

    def write_batch(self, messages: list[Any]) -> Violation | None:
        """Return the first violation in a list of messages."""
        if not messages:
            return Violation((), "an empty list", "at least one message")
        return _first(self.write_message(each, (index,)) for index, each in enumerate(messages))

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
            if name in self.tables.objects and getattr(self._classes, name) is cls:
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
            return Violation(path, describe_python(value), EXPECTED[shape])
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
        return Violation(path, describe_python(value), any_of([self.tables.expected(member) for member in members]))

    def _write_class(self, value: Any, name: str, path: Path) -> Violation | None:
        members, index = self.tables.objects[name]
        if not isinstance(value, getattr(self._classes, name)):
            return Violation(path, describe_python(value), f"{article(name)} {name}")
        for wire, attribute, presence, shape, absent, *_ in members:
            if attribute is None:
                continue
            member = getattr(value, attribute, _MISSING)
            if presence != "required" and member is absent:
                continue
            if member is UNSET or member is _MISSING:
                return Violation((*path, wire), NOTHING, self.tables.expected(shape))
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
                    expected = f"nothing there, as {self.tables.expected(shape)} is always written"
                    return Violation((*path, key), f"{describe_python(item)} in extra", expected)
                return Violation((*path, key), "a declared member in extra", "its own attribute to hold it")
            fault = _not_a_key({key: None}, path) or self.write(item, "json" if index is None else index, (*path, key))
            if fault is not None:
                return fault
        return None


class MessageErrorLocator:
    """Slow reader of messages that decides as ``Codec.read`` does and adds what is wrong to ``violations``.

    ``readers`` are those of requests and of notifications. ``results`` maps ids of requests to their method keys.
    """

    def __init__(
        self,
        locator: ErrorLocator,
        result_shapes: Callable[[], Mapping[str, Shape]],
        envelopes: Envelopes,
        readers: tuple[MethodReaders, MethodReaders],
        violations: list[Violation],
        *,
        results: Mapping[str | int, RequestMethod[Any, Any]] | None,
        batches: bool,
    ) -> None:
        self._locator = locator
        self._result_shapes = result_shapes
        self._envelopes = envelopes
        self._requests, self._notifications = readers
        self._violations = violations
        self._results = results
        self._batches = batches

    def read(self, value: Json) -> Any:
        """Return a message, or those of an array, as far as it can be made."""
        if value.__class__ is list and self._batches:
            if not value:
                self._add((), "an empty array", "at least one message")
            return [self._read_message(item, (index,)) for index, item in enumerate(value)]
        return self._read_message(value, ())

    def _read_message(self, value: Json, path: Path) -> Any:
        if value.__class__ is not dict:
            self._add(path, describe(value), "an object")
            return value
        if "method" in value:
            return self._read_call(value, path)
        if "result" in value and "error" in value:
            self._add(path, "both result and error", "one of them")
            return value
        if "result" not in value and "error" not in value:
            self._add(path, "neither method nor result nor error", "one of them")
            return value
        return self._read_response(value, path)

    def _read_call(self, value: dict[str, Any], path: Path) -> Any:
        method = value["method"]
        if method.__class__ is not str:
            self._add((*path, "method"), describe(method), "a string")
            return value
        try:
            cls = (self._requests if "id" in value else self._notifications).class_of(method)
        except Invalid:
            if "id" in value:
                self._add((*path, "id"), describe(value["id"]), f"no id, as {method} is a notification")
            else:
                self._add((*path, "id"), NOTHING, f"an id, as {method} is a request")
            return value
        return self._locator.read(value, ("class", cls.__name__), path, self._violations)

    def _read_response(self, value: dict[str, Any], path: Path) -> Any:
        cls = self._envelopes.error if "error" in value else self._envelopes.response
        if cls is None:
            self._add(path, "a response", "a request or a notification")
            return value
        key = None
        if self._results is not None and "result" in value and value.get("id").__class__ in {str, int}:
            key = self._results.get(value["id"])
        if key is None:
            return self._locator.read(value, ("class", cls.__name__), path, self._violations)
        # The type of the result checks all that the envelope would check of it.
        found: list[Violation] = []
        response = self._locator.read(value, ("class", cls.__name__), path, found)
        inside = (*path, "result")
        self._violations += [each for each in found if each.path[: len(inside)] != inside]
        response.result = self._locator.read(
            value["result"], self._result_shapes().get(key.name, "object"), inside, self._violations
        )
        return response

    def _add(self, path: Path, found: str, expected: str) -> None:
        self._violations.append(Violation(path, found, expected))


_MISSING = object()
"""Stands for an attribute that was never set, or was deleted."""


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
