"""Laws that the two halves of a codec obey: emitted functions, which reject, and walks over tables, which explain."""

from __future__ import annotations

import copy
import enum
import importlib
import json
import math
from random import Random
from types import ModuleType
from typing import Any

from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Protocol, Type
from strategies.faults import Faults
from strategies.values import Json, NoValueError, Values


class Subject:
    """One emitted package."""

    def __init__(self, package: ModuleType, protocol: Protocol) -> None:
        def module(name: str) -> Any:
            return importlib.import_module(f"{package.__name__}.{name}")

        # The installed runtime, or the copy beside the package.
        runtime = module("converter").Codec.__module__.removesuffix(".codec.codec")
        checks: Any = importlib.import_module(f"{runtime}.codec.checks")
        errors: Any = importlib.import_module(f"{runtime}.errors")
        text: Any = importlib.import_module(f"{runtime}.codec.json_text")
        record: Any = importlib.import_module(f"{runtime}.codec.record")
        self.unset = importlib.import_module(f"{runtime}.unset")
        self.faults = checks.FAULTS
        self.undecidable = errors.Undecidable
        self.decode_error = errors.DecodeError
        self.encode_error = errors.EncodeError
        self.record = record.Record
        self.write = text.write
        self.types = module("types")
        self.converter = module("converter")
        self.tables = module("_type_tables")
        self.decoders = module("_decoders")
        self.texts = module("_json_writers").TEXTS
        self.locator = self.converter.CODEC._error_locator()
        self.protocol = protocol
        self.kinds = self._kinds()

    def _kinds(self) -> list[tuple[Type, Any, Any]]:
        """Return types of the protocol with their Python types and their shapes."""
        found: list[tuple[Type, Any, Any]] = []
        for path, declared in self.protocol.objects.items():
            # Names are not this test's business: they are found by what they became.
            name = next((name for name in self._names(path) if hasattr(self.types, name)), None)
            if name is not None:
                spelled = "alias" if declared.is_map else "class"
                found.append((ObjectOf(path), getattr(self.types, name), (spelled, name)))
        for path in self.protocol.aliases:
            name = next(name for name in self._names(path) if hasattr(self.types, name))
            found.append((AliasOf(path), getattr(self.types, name), ("alias", name)))
        return found

    def _names(self, path: str) -> list[str]:
        from mcp_bindgen.emit.naming import Names

        name = Names(self.protocol).types.get(path)
        return [] if name is None else [name]


def check_reading(subject: Subject, kind: Any, shape: Any, value: Json) -> Any:
    """Assert that decoder and walk agree on whether a value is valid and on the result; return the result."""
    before = copy.deepcopy(value)
    faults: list[Any] = []
    try:
        slow = subject.locator.read(value, shape, (), faults)
    except subject.undecidable:
        slow = subject.undecidable
    try:
        fast: Any = subject.decoders.TYPES[kind](value)
    except subject.faults:
        assert faults, f"the decoder of {kind} refuses {value!r}, of which the walk makes {slow!r}"
        _check_violation(value, faults[0])
        return None
    except subject.undecidable:
        assert slow is subject.undecidable, f"{kind} is undecidable for the decoder only"
        return None
    assert not faults, f"the decoder of {kind} takes {value!r}, in which the walk finds {faults}"
    assert fast == slow, f"{value!r} as {kind}"
    # Equality does not tell 1 from True.
    assert repr(fast) == repr(slow), f"{value!r} as {kind}"
    assert _same(before, value), "decoding changed its input"
    return fast


def _check_violation(value: Json, violation: Any) -> None:
    """Assert that the path leads to the found value, or to the place of a missing one."""
    *way, last = violation.path or (None,)
    at = value
    for key in way:
        at = at[key]
    if last is None:
        return
    if violation.found == "nothing":
        assert isinstance(at, dict), violation
        assert last not in at, violation
    else:
        assert at[last] is not at, violation


def check_round_trip(subject: Subject, kind: Any, value: Json, made: Any) -> None:
    """Assert that a decoded value is encoded as its source."""
    if isinstance(made, subject.record):
        written = subject.converter.unstructure(made)
        assert _same(written, value), f"{value!r} as {kind} became {written!r}"


def check_writing(subject: Subject, value: Any) -> bool:
    """Assert that encoder and walk agree on whether an object is valid, and that the written JSON has its type."""
    found = subject.locator.write_any(value, ())
    _check_text(subject, value, found)
    try:
        text = subject.write(subject.converter.CODEC._encode_value(value))
    except (*subject.faults, ValueError, RecursionError):
        assert found is not None, f"the encoder refuses {_shown(value)}, in which the walk finds nothing"
        return False
    assert found is None, f"the encoder writes {_shown(value)} as {text!r}, in which the walk finds {found}"
    try:
        again = subject.converter.structure(json.loads(text), value.__class__)
    except subject.decode_error:
        # A key in `extra` may make it look like another member of a union; and what is raw is not looked into.
        return True
    assert _same(subject.converter.unstructure(again), json.loads(text)), _shown(value)
    return True


def _check_text(subject: Subject, value: Any, found: Any) -> None:
    """Assert that the writer of text and the writer of JSON values accept the same objects, with the same content."""
    if not isinstance(value, subject.record):
        return
    try:
        text: str = subject.texts[value.__class__](value)
        text.encode()
    except (*subject.faults, ValueError):
        assert found is not None, f"the writer refuses {_shown(value)}, in which the walk finds nothing"
        return
    assert found is None, f"the writer makes {text!r} of {_shown(value)}, in which the walk finds {found}"
    values = subject.converter.CODEC._encode_value(value)
    assert _same(json.loads(text), json.loads(subject.write(values))), f"{_shown(value)} became {text!r}"
    assert list(json.loads(text)) == list(values), "the order of members differs"


def _shown(value: Any) -> str:
    """Return a text for the object, which may be too broken for its own ``repr``."""
    try:
        return repr(value)
    except AttributeError:
        return repr({name: getattr(value, name, "nothing") for name in value.__slots__})


def check_reading_all(subject: Subject, random: Random, rounds: int) -> int:
    """Check values of every type and mutations of them; return the number of accepted ones."""
    taken = 0
    values, faults = Values(subject.protocol), Faults(subject.protocol)
    for kind, python, shape in subject.kinds:
        for _ in range(rounds):
            try:
                value = values.drawn(kind, random)
            except NoValueError:
                break
            made = check_reading(subject, python, shape, value)
            assert made is not None or value is None or shape[0] == "alias", f"{value!r} is no {python}"
            check_round_trip(subject, python, value, made)
            taken += 1
            for _ in range(3):
                wrong = faults.one(value, random).applied(value)
                made = check_reading(subject, python, shape, wrong)
                check_round_trip(subject, python, wrong, made)
    return taken


def check_writing_all(subject: Subject, random: Random, rounds: int) -> tuple[int, int]:
    """Check objects of every class with wrong or unusual attributes; return the numbers of written and refused ones."""
    written = refused = 0
    values = Values(subject.protocol)
    strangers = _strangers(subject)
    for kind, python, shape in subject.kinds:
        if shape[0] != "class":
            continue
        for _ in range(rounds):
            try:
                made = subject.converter.structure(values.drawn(kind, random), python)
            except NoValueError:
                break
            assert check_writing(subject, made)
            _spoil(made, random, strangers, subject.record)
            if check_writing(subject, made):
                written += 1
            else:
                refused += 1
    return written, refused


class _Text(str):
    __slots__ = ()


class _Word(enum.StrEnum):
    TEXT = "text"


class _Number(enum.IntEnum):
    ONE = 1


def _strangers(subject: Subject) -> list[Any]:
    unset = subject.unset
    plain: list[Any] = [
        None,
        True,
        0,
        1,
        1.0,
        2**70,
        "",
        "text",
        "a",
        [],
        [None],
        ["a"],
        {},
        {"a": 1},
        {1: 2},
        {"a": {2: 3}},
    ]
    plain += [math.nan, math.inf, b"bytes", object(), {1, 2}, (), ("a",), (1,), _Text("text"), _Word.TEXT, _Number.ONE]
    plain += [unset.UNSET, int, {"type": "text"}, [[1]], {"a": object()}, [object()], "\ud800", {"\ud800": 1}]
    classes = [python for _, python, shape in subject.kinds if shape[0] == "class"]
    return [*plain, *(object.__new__(cls) for cls in classes[:3])]


def _spoil(made: Any, random: Random, strangers: list[Any], record: type) -> None:
    """Put a strange value into the object."""
    records = [made]
    for each in records:
        for name in each.__slots__:
            _collect(getattr(each, name), records, record)
    chosen = random.choice(records)
    name = random.choice(chosen.__slots__)
    stranger = copy.copy(random.choice(strangers))
    current = getattr(chosen, name)
    what = random.random()
    if what < 0.05:
        delattr(chosen, name)
    elif what < 0.3 and isinstance(current, (list, dict)) and current:
        if isinstance(current, list):
            current[random.randrange(len(current))] = stranger
        else:
            current[random.choice([*current, "new"])] = stranger
    elif what < 0.4 and name == "extra":
        chosen.extra = {random.choice(["type", "method", "a", "_meta", "x"]): stranger}
    else:
        setattr(chosen, name, stranger)


def _collect(value: Any, records: list[Any], record: type) -> None:
    if isinstance(value, record):
        records.append(value)
    elif isinstance(value, list):
        for item in value:
            _collect(item, records, record)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, records, record)


def _same(one: Json, other: Json) -> bool:
    """Return whether two values are equal as JSON, with numbers of the same kind, in any order of members."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
