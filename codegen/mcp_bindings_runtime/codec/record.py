"""The base of the emitted classes: the methods that attrs would add, without attrs' work at import.

An emitted class has its own ``__slots__`` and ``__init__``; ``Record`` adds ``eq``, ``repr``, copy and pickle. The metadata
that attrs and cattrs read (``__attrs_attrs__``) is made on first use: decorating all classes of a revision would take
several times as long as the rest of its import.
"""

from __future__ import annotations

from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar

from ..foreign_names import OF_RECORDS, explain_attributes
from ..unset import UNSET

__all__ = ["Record", "attrs_for_type_checkers"]

if TYPE_CHECKING:
    from typing import Self

    from attrs import define as attrs_for_type_checkers
else:

    def attrs_for_type_checkers(**_options: Any) -> Any:
        """Return a decorator that changes nothing: only type checkers see ``attrs.define``, the class is complete."""
        return lambda cls: cls


_twins: dict[type, type] = {}


class _Metadata:
    """An attribute of attrs classes, taken from a twin class that attrs makes on first use."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type[Record]) -> Any:
        cls = _emitted(owner)
        if cls is None:
            return ()
        if cls not in _twins:
            _twins[cls] = _make_twin(cls)
        return getattr(_twins[cls], self._name)


@explain_attributes(OF_RECORDS)
class Record:
    """An object of the protocol: keyword-only, mutable, compared by value, not hashable, not validated.

    Each subclass has ``extra``, which holds undeclared members by wire name; they are written back.
    """

    __slots__ = ("__weakref__",)
    __match_args__ = ()
    __attrs_attrs__: ClassVar[Any] = _Metadata("__attrs_attrs__")
    __attrs_props__: ClassVar[Any] = _Metadata("__attrs_props__")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # mutable, compared by value

    @recursive_repr("...")
    def __repr__(self) -> str:
        # Absent members are left out, as most objects have many. None may mean null, too.
        cls = _emitted(self.__class__)
        absent = _defaults(cls) if cls else {}
        members = ((name, getattr(self, name)) for name in self.__slots__)
        shown = ", ".join(
            f"{name}={value!r}"
            for name, value in members
            if (value is not None and value is not UNSET) or absent.get(name, _REQUIRED) is not value
        )
        return f"{self.__class__.__qualname__}({shown})"

    def __replace__(self, /, **changes: Any) -> Self:
        return self.__class__(**{name: getattr(self, name) for name in self.__slots__} | changes)


_REQUIRED = object()


def field_names(cls: type[Record]) -> tuple[str, ...]:
    """Return the attributes of a generated class, in their order."""
    names: tuple[str, ...] = cls.__slots__
    return names


def _emitted(owner: type[Record]) -> type | None:
    """Return the emitted class that a class is or derives from; None for ``Record``."""
    return next(
        (cls for cls in owner.__mro__ if cls is not Record and {"__slots__", "__init__"} <= vars(cls).keys()), None
    )


def _defaults(cls: type) -> dict[str, Any]:
    """Return the default values of an emitted class."""
    init: Any = vars(cls)["__init__"]
    defaults: dict[str, Any] = init.__kwdefaults__ or {}
    return defaults


def _make_twin(cls: type) -> type:
    """Return an attrs class with the fields, types and defaults of an emitted class."""
    from typing import get_type_hints

    import attrs

    hints = get_type_hints(cls)
    nothing: Any = attrs.NOTHING
    defaults = _defaults(cls)
    slots: tuple[str, ...] = vars(cls)["__slots__"]
    members = {name: attrs.field(type=hints[name], default=defaults.get(name, nothing)) for name in slots}
    return attrs.make_class(cls.__name__, members, kw_only=True, repr=False, eq=False)
