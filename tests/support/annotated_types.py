"""Types of every kind that annotations of tools may have, with values."""

from __future__ import annotations

import dataclasses
import enum
from collections import deque
from collections.abc import Collection, Iterable, Mapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, TypedDict, TypeVar
from uuid import UUID

import attrs
from mcp_bindings_runtime.features.keywords import Keywords

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@attrs.define
class Item:
    """One thing.

    And more of it.
    """

    name: str
    price: Annotated[float, "in euros", Keywords(minimum=0)]
    tags: frozenset[str] = attrs.field(factory=frozenset, metadata={"description": "free words"})
    _secret: int = 3
    made: int = attrs.field(default=0, init=False, eq=False)


@dataclasses.dataclass
class Order:
    items: list[Item]
    color: Color = Color.RED
    parent: Order | None = None


class Options(TypedDict):
    deep: bool
    limit: NotRequired[int]


class Point(NamedTuple):
    x: int
    y: float = 1.5


@dataclasses.dataclass
class Box(Generic[T]):
    inner: T


UserId = NewType("UserId", int)

KINDS: list[Any] = [
    str,
    int,
    float,
    bool,
    None,
    Any,
    UserId,
    int | float,
    str | None,
    int | str | list[int] | None,
    list[int],
    Sequence[str],
    dict[str, int | bool],
    Mapping[str, list[float]],
    Literal["a", 1, True] | None,
    Annotated[int, "percent", Keywords(minimum=0, exclusive_maximum=3)],
    Annotated[float, Keywords(exclusive_minimum=0, maximum=1.5, multiple_of=0.5)],
    Annotated[str, Keywords(min_length=1, max_length=3, pattern="^[a-z]*$")],
    Annotated[list[int], Keywords(min_items=1, max_items=2, unique_items=True)],
    Annotated[dict[str, int], Keywords(min_properties=1, max_properties=2)],
    tuple[int, str],
    tuple[int, ...],
    tuple[()],
    set[int],
    Color,
    Level,
    Item,
    Order,
    Options,
    Point,
    Box[int],
    Box[list[Point]],
    list[Item | Point | Color | int],
]
"""Types whose schema accepts exactly their values."""

IN_WORDS: list[tuple[Any, Any, Any]] = [
    (bytes, b"hi", "aGk="),
    (datetime, datetime(2025, 6, 18, 12, 30, tzinfo=UTC), "2025-06-18T12:30:00+00:00"),
    (date, date(2025, 6, 18), "2025-06-18"),
    (time, time(12, 30), "12:30:00"),
    (timedelta, timedelta(minutes=1), 60.0),
    (UUID, UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    (Path, Path("/a/b"), "/a/b"),
    (Decimal, Decimal("1.50"), "1.50"),
    (datetime | None, None, None),
    (deque[int], deque([1]), [1]),
    (Collection[int], [1], [1]),
    (Iterable[int], [1], [1]),
    (MutableSequence[Color], [Color.RED], ["red"]),
    (AbstractSet[int], {1}, [1]),
    (Iterable, [1], [1]),
    (AbstractSet, {1}, [1]),
    (set, {1}, [1]),
    (tuple, (1,), [1]),
    (Sequence[Point], [Point(1, 2.0)], [{"x": 1, "y": 2.0}]),
    (list[Any], [1, "x"], [1, "x"]),
    (Mapping[str, Point], {"a": Point(1, 2.0)}, {"a": {"x": 1, "y": 2.0}}),
    (dict[str, date], {"a": date(2025, 1, 1)}, {"a": "2025-01-01"}),
    (Box[bytes | None], Box(b"x"), {"inner": "eA=="}),
]
"""Types, a value of each, and its JSON."""
