"""Schemas that both sides have at the same place of two schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_DATA = frozenset({"enum", "const", "default", "examples", "required"})
_MAX_DEPTH = 64


class SamePlace(NamedTuple):
    """Two schemas that differ, and their place."""

    path: tuple[str, ...]
    """Keywords, names and indexes from the top; a property has only its name."""
    old: Mapping[str, Any]
    new: Mapping[str, Any]


def same_places(old: Any, new: Any, path: tuple[str, ...] = (), depth: int = 0) -> Iterator[SamePlace]:
    """Yield the place of two schemas and those below it, down to 64 levels."""
    if not is_object(old) or not is_object(new) or old == new or depth > _MAX_DEPTH:
        return
    yield SamePlace(path, old, new)
    for name, before in old.items():
        if name not in new or name in _DATA:
            continue
        after = new[name]
        if name in _MAPS and is_object(before) and is_object(after):
            above = path if name == "properties" else (*path, name)
            for key in sorted(before.keys() & after.keys()):
                yield from same_places(before[key], after[key], (*above, key), depth + 1)
        elif is_array(before) and is_array(after):
            for place, (one, other) in enumerate(zip(before, after, strict=False)):
                yield from same_places(one, other, (*path, name, str(place)), depth + 1)
        else:
            yield from same_places(before, after, (*path, name), depth + 1)
