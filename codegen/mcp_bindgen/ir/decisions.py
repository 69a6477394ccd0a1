"""The decision tree by which the member of a union is chosen from a JSON value.

Leaves are indices into ``Union.members``. A tree selects a member and does not validate: the decoder of that member
does, so a fault in one member never yields the errors of another.

The root of a union's tree, and of the tree for the first element of an array, is ``ByKind`` or ``Undecidable``. Below
``ByKind`` the JSON kind is known.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.types import exactly

JsonKind: TypeAlias = Literal["string", "number", "boolean", "null", "array", "object"]


@frozen
class Member:
    """Leaf: decode the value as this member."""

    index: int


@frozen
class ByKind:
    """Branch on the JSON kind; refuse a kind without a branch."""

    branches: tuple[tuple[JsonKind, Decision], ...]


@frozen
class ByTag:
    """Branch on the literal under ``key`` of an object; without the key, continue with ``absent`` (None: refuse).

    Refuse a literal without a branch; the branches name the accepted ones.
    """

    key: str
    branches: tuple[tuple[str | int | bool, Decision], ...] = field(eq=exactly)
    absent: Decision | None = None


@frozen
class ByKey:
    """Branch on whether an object has ``key``; ``absent`` is None if one of the keys is required."""

    key: str
    present: Decision
    absent: Decision | None


@frozen
class ByNested:
    """Decide by the object under ``key``; the leaves are members of the outer union.

    Refuse any other value under ``key``.
    """

    key: str
    inner: Decision


@frozen
class ByFirst:
    """Decide by the first element of an array; continue with ``empty`` for an empty one."""

    inner: Decision
    empty: Decision


@frozen
class Undecidable:
    """The value itself does not decide; ``reason`` names what does."""

    reason: str


Decision: TypeAlias = Member | ByKind | ByTag | ByKey | ByNested | ByFirst | Undecidable
