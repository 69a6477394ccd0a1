"""Fields of the classes that are JSON objects: attrs classes, dataclasses, ``TypedDict`` and ``NamedTuple``."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..codec.record import Record
from ..errors import UsageError


class ClassField(NamedTuple):
    """A field of a class, and a member of its JSON object."""

    name: str
    """Name of the member and of the constructor's parameter."""
    annotation: Any
    required: bool
    """The constructor has no default for it."""
    attribute: str
    always: bool = True
    """Every instance has it."""
    has_default: bool = False
    default: Any = None
    description: str = ""


def class_of(annotation: Any) -> type[Any] | None:
    """Return the class that an annotation is or is made of: ``Box`` of ``Box[int]``; None if it is not a class."""
    cls: Any = typing.get_origin(annotation) or annotation
    return cls if isinstance(cls, type) else None


def has_json_fields(cls: type[Any]) -> bool:
    """Return whether a class is one of those; classes of the protocol are not."""
    return not issubclass(cls, Record) and (typing.is_typeddict(cls) or is_class_with_fields(cls))


def is_class_with_fields(cls: type[Any]) -> bool:
    """Return whether instances of a class have fields: an attrs class, a dataclass or a named tuple."""
    # Without importing attrs and dataclasses, which a program of plain types does not need.
    return _is_named_tuple(cls) or hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__attrs_attrs__")


def _is_named_tuple(cls: type[Any]) -> bool:
    return hasattr(cls, "_fields") and tuple in cls.__mro__


def hints_of(item: Any, name: str) -> dict[str, Any]:
    """Return the type hints of a class or function; raise UsageError, which names it, if one cannot be resolved."""
    try:
        return typing.get_type_hints(item, include_extras=True)
    except NameError as error:
        text = f"{name}: {error}; annotations may only name things that the module defines or imports"
        raise UsageError(text) from error
    except TypeError as error:
        text = f"{name}: its annotations cannot be read: {error}"
        raise UsageError(text) from error


def fields_of(cls: Any, hints: Mapping[str, Any]) -> Iterator[ClassField]:
    """Yield the fields that the constructor accepts, in their order, with their annotations from ``hints``."""
    if typing.is_typeddict(cls):
        return _of_typed_dict(cls, hints)
    if _is_named_tuple(cls):
        return _of_named_tuple(cls, hints)
    return _of_dataclass(cls, hints) if hasattr(cls, "__dataclass_fields__") else _of_attrs(cls, hints)


def _of_typed_dict(cls: Any, hints: Mapping[str, Any]) -> Iterator[ClassField]:
    for name, hint in hints.items():
        annotation, required = hint, name in cls.__required_keys__
        while (qualifier := typing.get_origin(annotation)) in _QUALIFIERS:
            # `__required_keys__` misses qualifiers inside annotations that are strings.
            if qualifier is not _READ_ONLY:
                required = qualifier is typing.Required
            (annotation,) = typing.get_args(annotation)
        yield ClassField(name, annotation, required, name, always=required)


_READ_ONLY: Any = getattr(typing, "ReadOnly", object())
"""From Python 3.13 on."""
_QUALIFIERS: tuple[Any, ...] = (typing.Required, typing.NotRequired, _READ_ONLY)


def _of_named_tuple(cls: Any, hints: Mapping[str, Any]) -> Iterator[ClassField]:
    defaults: Mapping[str, Any] = cls._field_defaults
    for name in cls._fields:
        found = name in defaults
        yield ClassField(name, hints.get(name, Any), not found, name, has_default=found, default=defaults.get(name))


def _of_dataclass(cls: Any, hints: Mapping[str, Any]) -> Iterator[ClassField]:
    import dataclasses

    for each in dataclasses.fields(cls):
        if each.init:
            found = each.default is not dataclasses.MISSING
            required = not found and each.default_factory is dataclasses.MISSING
            yield _with_metadata(each, each.name, hints, required=required, has_default=found)


def _of_attrs(cls: Any, hints: Mapping[str, Any]) -> Iterator[ClassField]:
    import attrs

    for each in attrs.fields(cls):
        if each.init:
            required = each.default is attrs.NOTHING
            found = not required and each.default.__class__ is not attrs.Factory
            yield _with_metadata(each, each.alias, hints, required=required, has_default=found)


def _with_metadata(
    each: Any, argument: str, hints: Mapping[str, Any], *, required: bool, has_default: bool
) -> ClassField:
    """Return a field that has metadata, of a dataclass or an attrs class."""
    return ClassField(
        argument,
        hints.get(each.name, Any),
        required,
        each.name,
        has_default=has_default,
        default=each.default if has_default else None,
        description=str(each.metadata.get("description", "")),
    )
