"""How the members of a union are told apart on the wire: a small decision tree over the JSON value.

Leaves are indices into ``Union.members``. A tree only looks; whether the value is then valid as the member it leads to
is for the member's own decoder to say, so a fault in one member never yields the errors of another.

The decision of a union, and that of the first element of an array, begins with ``ByKind`` (or is ``Undecidable``): so
below it the kind is known, and a value of another kind has been refused.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.types import exactly

JsonKind: TypeAlias = Literal["string", "number", "boolean", "null", "array", "object"]


@frozen
class Member:
    """The value is to be read as this member."""

    index: int


@frozen
class ByKind:
    """Look at the JSON kind; a kind without a branch is refused."""

    branches: tuple[tuple[JsonKind, Decision], ...]


@frozen
class ByTag:
    """Look at the literal under ``key`` of an object; ``absent`` is taken where the key is missing (None: refused).

    A value without a branch is refused, and the branches name what would have been accepted.
    """

    key: str
    branches: tuple[tuple[str | int | bool, Decision], ...] = field(eq=exactly)
    absent: Decision | None = None


@frozen
class ByKey:
    """Look whether an object has ``key``; ``absent`` None means that one of the keys had to be there."""

    key: str
    present: Decision
    absent: Decision | None


@frozen
class ByNested:
    """Look into the object under ``key``, and decide there; the leaves are members of the outer union.

    Anything but an object under ``key`` is refused.
    """

    key: str
    inner: Decision


@frozen
class ByFirst:
    """Look at the first element of an array; ``empty`` is taken for an empty one."""

    inner: Decision
    empty: Decision


@frozen
class Undecidable:
    """The payload does not say; ``reason`` does, and names what to look at instead."""

    reason: str


Decision: TypeAlias = Member | ByKind | ByTag | ByKey | ByNested | ByFirst | Undecidable
