"""Reading JSON that may be anything: what is not there, or of another kind than wanted, reads as nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from mcp_bindings_runtime.codec.checks import is_array, is_integer, is_number, is_object

from mcp_bindgen.validate.entries import Json

Identity: TypeAlias = tuple[str, str | int]
"""A request id or progress token that can be looked up: ``1`` and ``"1"`` are different ones."""


def member(value: Json, *keys: str) -> Json:
    """What is found by going from key to key, None where that ends early."""
    for key in keys:
        if not is_object(value):
            return None
        value = value.get(key)
    return value


def fields(value: Json) -> dict[str, Json]:
    """An object, or an empty one."""
    return value if is_object(value) else {}


def same(one: Json, other: Json) -> bool:
    """Whether two values are equal; false where they are too deep to tell."""
    try:
        return bool(one == other)
    except RecursionError:
        return False


def items(value: Json) -> list[Json]:
    """An array, or an empty one."""
    return value if is_array(value) else []


def text(value: Json) -> str | None:
    """A string, or None."""
    return value if isinstance(value, str) else None


def number(value: Json) -> int | float | None:
    """A number, or None; ``true`` is none."""
    return value if is_number(value) else None


def identity(value: Json) -> Identity | None:
    """What an id or token is known by; None for what cannot be one."""
    if isinstance(value, str):
        return "string", value
    return ("integer", value) if is_integer(value) else None


def objects(value: Json) -> Iterator[tuple[int, dict[str, Json]]]:
    """The objects of an array, each with its index."""
    for index, item in enumerate(items(value)):
        if is_object(item):
            yield index, item


def blocks(content: Json) -> Iterator[tuple[tuple[int, ...], dict[str, Json]]]:
    """Content blocks, which may be a single one or an array of them, each with where it stands below ``content``."""
    if is_object(content):
        yield (), content
    for index, item in objects(content):
        yield (index,), item
