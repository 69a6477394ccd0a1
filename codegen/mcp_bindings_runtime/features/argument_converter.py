"""A cattrs converter for what is more than JSON in Python: classes, enumerations, sets, dates and the like.

It is given values that fit the schema of their type, so what is left to go wrong is in the values: a date that there is
not, or what a class itself refuses.
"""

from __future__ import annotations

import binascii
import collections.abc
import typing
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from pathlib import Path, PurePath
from typing import Any
from uuid import UUID

from cattrs import BaseValidationError, Converter
from cattrs.errors import AttributeValidationNote, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from ..codec.wording import describe
from .json_validator import Fault, Misfit, fit
from .structures import fields_of, is_attrs, is_dataclass, is_named_tuple
from .type_schema import UNIONS, name_of, schema_of

_ATOMS = (str, int, float, bool, None, type(None), Any, object)
_SETS: Any = collections.abc.Set
_LISTS: Any = collections.abc.Sequence


@cache
def converter() -> Any:
    """The converter, which all servers share."""
    # Hooks are found by predicates, which its stubs do not type.
    made: Any = Converter(
        unstruct_collection_overrides={_SETS: list, _LISTS: list, collections.abc.Iterable: list, tuple: list},
    )
    for kind, (read, write, wanted) in _TEXTS.items():
        made.register_structure_hook(kind, _reader(read, wanted))
        made.register_unstructure_hook(kind, write)
    made.register_structure_hook_func(_ATOMS.__contains__, _as_it_is)
    made.register_structure_hook_factory(_is_abstract, partial(_abstract_reader, made))
    made.register_unstructure_hook_factory(_is_abstract, partial(_abstract_writer, made))
    made.register_structure_hook_factory(_is_class, partial(_class_reader, made))
    made.register_unstructure_hook_factory(_is_class, partial(_class_writer, made))
    made.register_structure_hook_factory(is_named_tuple, partial(_tuple_reader, made))
    made.register_unstructure_hook_factory(is_named_tuple, partial(_tuple_writer, made))
    made.register_structure_hook_factory(_is_union, partial(_union_reader, made))
    made.register_unstructure_hook_factory(_is_union, partial(_union_writer, made))
    return made


def read(value: Any, kind: Any) -> Any:
    """The Python value of a type that a JSON value stands for; raises Misfit."""
    try:
        return converter().structure(value, kind)
    except Misfit:
        raise
    except BaseValidationError as fault:
        raise Misfit(list(_faults(fault))) from fault
    except (ValueError, TypeError, ArithmeticError) as fault:
        raise Misfit([Fault((), str(fault) or fault.__class__.__name__)]) from fault


def write(value: Any, kind: Any) -> Any:
    """What a Python value of a type is in JSON; raises Misfit where it is none."""
    try:
        return converter().unstructure(value, unstructure_as=kind)
    except (AttributeError, TypeError, ValueError, LookupError) as fault:
        found, wanted = _class_of(value), name_of(kind)
        text = f"found {found}, expected {wanted}" if found != wanted else f"is no whole {wanted}: {fault}"
        raise Misfit([Fault((), text)]) from fault


def _class_of(value: Any) -> str:
    return "None" if value is None else value.__class__.__name__


def _faults(fault: BaseException) -> Iterator[Fault]:
    """What cattrs has found, with the places: each level has left a note."""
    if isinstance(fault, Misfit):
        yield from fault.faults
    elif isinstance(fault, BaseValidationError):
        for one in fault.exceptions:
            key = _key(one)
            for inner in _faults(one):
                yield inner if key is None else Fault((key, *inner.keys), inner.text)
    else:
        yield Fault((), str(fault) or fault.__class__.__name__)


def _key(fault: BaseException) -> Any:
    for note in getattr(fault, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return note.name
        if isinstance(note, IterableValidationNote):
            return note.index
    return None


def _as_it_is(value: Any, _: Any) -> Any:
    return value


# Values that are texts or numbers in JSON.


def _base64(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except binascii.Error as fault:
        raise ValueError from fault


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as fault:
        raise ValueError from fault


_TEXTS: dict[Any, tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = {
    bytes: (_base64, lambda value: b64encode(value).decode(), "base64"),
    datetime: (datetime.fromisoformat, datetime.isoformat, "a date and time such as 2025-06-18T12:00:00Z"),
    date: (date.fromisoformat, date.isoformat, "a date such as 2025-06-18"),
    time: (time.fromisoformat, time.isoformat, "a time such as 12:00:00"),
    timedelta: (lambda value: timedelta(seconds=value), timedelta.total_seconds, "a number of seconds"),
    UUID: (UUID, str, "a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
    Decimal: (_decimal, str, "a decimal number"),
    Path: (Path, str, "a path"),
    PurePath: (PurePath, str, "a path"),
}


def _reader(read_one: Callable[[Any], Any], wanted: str) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        try:
            return read_one(value)
        except (ValueError, OverflowError):
            raise Misfit.of(value, wanted) from None

    return structure


# Containers that are annotated by what can be done with them.


_ABSTRACT: dict[Any, Any] = {
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
}


def _is_abstract(kind: Any) -> bool:
    return (typing.get_origin(kind) or kind) in _ABSTRACT


def _abstract_reader(made: Any, kind: Any) -> Callable[[Any, Any], Any]:
    concrete = _ABSTRACT[typing.get_origin(kind) or kind][(*typing.get_args(kind), Any)[0]]

    def structure(value: Any, _: Any) -> Any:
        return made.structure(value, concrete)

    return structure


def _abstract_writer(made: Any, kind: Any) -> Callable[[Any], Any]:
    item = (*typing.get_args(kind), Any)[0]

    def unstructure(value: Any) -> Any:
        return [made.unstructure(each, unstructure_as=None if item is Any else item) for each in value]

    return unstructure


# Classes.


def _is_class(kind: Any) -> bool:
    return is_attrs(kind) or is_dataclass(kind)


def _class_reader(made: Any, cls: Any) -> Any:
    return make_dict_structure_fn(cls, made, _cattrs_use_alias=True)


def _class_writer(made: Any, cls: Any) -> Any:
    return make_dict_unstructure_fn(cls, made, _cattrs_use_alias=True)


def _tuple_reader(made: Any, cls: Any) -> Callable[[Any, Any], Any]:
    kinds = {member.name: member.kind for member in fields_of(cls)}

    def structure(value: Any, _: Any) -> Any:
        given: dict[str, Any] = {}
        faults: list[Fault] = []
        for name, one in value.items():
            try:
                given[name] = made.structure(one, kinds[name])
            except (Misfit, BaseValidationError) as fault:
                faults += [Fault((name, *each.keys), each.text) for each in _faults(fault)]
        if faults:
            raise Misfit(faults)
        return cls(**given)

    return structure


def _tuple_writer(made: Any, cls: Any) -> Callable[[Any], Any]:
    kinds = {member.name: member.kind for member in fields_of(cls)}

    def unstructure(value: Any) -> Any:
        return {name: made.unstructure(getattr(value, name), unstructure_as=kind) for name, kind in kinds.items()}

    return unstructure


# Unions.


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in UNIONS


def _union_writer(made: Any, _: Any) -> Callable[[Any], Any]:
    """What a value is written as is for its class to say."""
    write_any: Callable[[Any], Any] = made.unstructure
    return write_any


def _union_reader(made: Any, kind: Any) -> Callable[[Any, Any], Any]:
    """The first member that the value fits; an int is no float where both are members."""
    members = [(member, fit(schema_of(member))) for member in typing.get_args(kind)]
    numbers: tuple[type, ...] = ()
    if {int, float} <= {member for member, _ in members}:
        numbers = (int, float)
        members = [each for each in members if each[0] not in numbers]

    def structure(value: Any, _: Any) -> Any:
        if value.__class__ in numbers:
            return value
        faults: list[Fault] = []
        for member, fits in members:
            try:
                return made.structure(fits(value), member)
            except (Misfit, BaseValidationError) as fault:
                faults += _faults(fault)
        inside = [fault for fault in faults if fault.keys]
        if inside:
            raise Misfit(inside)
        wanted = dict.fromkeys(fault.text.rpartition("expected ")[2] for fault in faults)
        raise Misfit([Fault((), f"found {describe(value)}, expected {' or '.join(wanted)}")])

    return structure
