"""JSON values: equality as JSON Schema defines it, and an order by size."""

from __future__ import annotations

import json
from typing import Any

from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object


def canonical(value: Any) -> str:
    """Return a text that values have in common if and only if they are equal by JSON Schema."""
    # The frequent kinds, in enumerations of thousands of values; no other text begins with a quote.
    if value.__class__ is str:
        return f'"{value}'
    if value.__class__ is int:
        return str(value)
    return _encode(_whole(value))


_encode = json.JSONEncoder(sort_keys=True).encode


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_array(value):
        return [_whole(each) for each in value]
    if is_object(value):
        return {name: _whole(each) for name, each in value.items()}
    return value


def size_of(value: Any) -> tuple[int, str]:
    """Return the order of values: shorter ones first."""
    text = _encode(value)
    return len(text), text
