"""Classes that are JSON objects: attrs classes, dataclasses, ``TypedDict`` and ``NamedTuple``, and their fields."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..codec.record import Record
from ..errors import UsageError


class Member(NamedTuple):
    """A member of the object."""

    name: str
    kind: Any
    required: bool
    """Whether it has to be given."""
    always: bool = True
    """Whether every instance has it."""
    has_default: bool = False
    """Whether ``default`` is what it is otherwise."""
    default: Any = None
    about: str = ""


def class_of(kind: Any) -> type[Any] | None:
    """The class that a type is, or is made of: ``Box`` of ``Box[int]``; None for what is no class."""
    cls: Any = typing.get_origin(kind) or kind
    return cls if isinstance(cls, type) else None


def is_structure(kind: Any) -> bool:
    """Whether a type is one of those; the classes of the protocol itself are not meant."""
    cls = class_of(kind)
    if cls is None or issubclass(cls, Record):
        return False
    return typing.is_typeddict(cls) or is_named_tuple(cls) or is_dataclass(cls) or is_attrs(cls)


def is_named_tuple(kind: Any) -> bool:
    """Whether a type is a NamedTuple."""
    cls = class_of(kind)
    return cls is not None and hasattr(cls, "_fields") and tuple in cls.__mro__


def is_dataclass(kind: Any) -> bool:
    """Whether a type is a dataclass; without importing dataclasses, and what they need."""
    cls = class_of(kind)
    return cls is not None and hasattr(cls, "__dataclass_fields__")


def is_attrs(kind: Any) -> bool:
    """Whether attrs has made a class; without importing attrs."""
    cls = class_of(kind)
    return cls is not None and "__attrs_attrs__" in vars(cls)


def fields_of(cls: Any) -> Iterator[Member]:
    """The members, in their order; those that the constructor does not take are left out.

    Raises UsageError where an annotation cannot be resolved.
    """
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError as fault:
        text = f"{cls.__qualname__}: {fault}; its annotations have to name things that its module defines or imports"
        raise UsageError(text) from fault
    if typing.is_typeddict(cls):
        yield from _of_typed_dict(cls, hints)
    elif is_named_tuple(cls):
        for name in cls._fields:
            given = name in cls._field_defaults
            default = cls._field_defaults.get(name)
            yield Member(name, hints.get(name, Any), required=not given, has_default=given, default=default)
    elif is_dataclass(cls):
        yield from _of_dataclass(cls, hints)
    else:
        yield from _of_attrs(cls, hints)


def _of_typed_dict(cls: Any, hints: dict[str, Any]) -> Iterator[Member]:
    for name, hint in hints.items():
        kind, required = hint, name in cls.__required_keys__
        while (qualifier := typing.get_origin(kind)) in _QUALIFIERS:
            # Looked at again, as a class whose annotations are strings does not know these of its keys.
            if qualifier is not _READ_ONLY:
                required = qualifier is typing.Required
            (kind,) = typing.get_args(kind)
        yield Member(name, kind, required, required)


_READ_ONLY: Any = getattr(typing, "ReadOnly", object())
"""From Python 3.13 on."""
_QUALIFIERS: tuple[Any, ...] = (typing.Required, typing.NotRequired, _READ_ONLY)


def _of_dataclass(cls: Any, hints: dict[str, Any]) -> Iterator[Member]:
    import dataclasses

    for each in dataclasses.fields(cls):
        if not each.init:
            continue
        has_default = each.default is not dataclasses.MISSING
        made = each.default_factory is not dataclasses.MISSING
        about = str(each.metadata.get("description", ""))
        default = each.default if has_default else None
        yield Member(
            each.name,
            hints.get(each.name, Any),
            required=not (has_default or made),
            has_default=has_default,
            default=default,
            about=about,
        )


def _of_attrs(cls: Any, hints: dict[str, Any]) -> Iterator[Member]:
    import attrs

    for each in attrs.fields(cls):
        if not each.init:
            continue
        bare = each.default is attrs.NOTHING
        has_default = not bare and each.default.__class__ is not attrs.Factory
        about = str(each.metadata.get("description", ""))
        default = each.default if has_default else None
        yield Member(
            each.alias,
            hints.get(each.name, Any),
            required=bare,
            has_default=has_default,
            default=default,
            about=about,
        )
