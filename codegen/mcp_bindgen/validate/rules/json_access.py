"""Access to JSON of any content: missing or wrongly typed parts read as empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from mcp_bindings_runtime.codec.checks import is_array, is_integer, is_number, is_object

from mcp_bindgen.validate.entries import Json

Identity: TypeAlias = tuple[str, str | int]
"""A request id or progress token as a key: ``1`` and ``"1"`` differ."""


def member(value: Json, *keys: str) -> Json:
    """Return the member at a path of keys; None if there is none."""
    for key in keys:
        if not is_object(value):
            return None
        value = value.get(key)
    return value


def fields(value: Json) -> dict[str, Json]:
    """Return an object, or an empty one."""
    return value if is_object(value) else {}


def same(one: Json, other: Json) -> bool:
    """Return whether two values are equal; false if they are nested too deeply to compare."""
    try:
        return bool(one == other)
    except RecursionError:
        return False


def items(value: Json) -> list[Json]:
    """Return an array, or an empty one."""
    return value if is_array(value) else []


def text(value: Json) -> str | None:
    """Return a string, or None."""
    return value if isinstance(value, str) else None


def number(value: Json) -> int | float | None:
    """Return a number, or None; ``true`` is not a number."""
    return value if is_number(value) else None


def identity(value: Json) -> Identity | None:
    """Return the key of an id or token; None for other values."""
    if isinstance(value, str):
        return "string", value
    return ("integer", value) if is_integer(value) else None


def objects(value: Json) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield the objects of an array with their indices."""
    for index, item in enumerate(items(value)):
        if is_object(item):
            yield index, item


def blocks(content: Json) -> Iterator[tuple[tuple[int, ...], dict[str, Json]]]:
    """Yield content blocks, of which ``content`` is one or an array, with their paths below it."""
    if is_object(content):
        yield (), content
    for index, item in objects(content):
        yield (index,), item
