"""Changes of descriptions, titles and annotations: messages stay the same, but models and hosts may choose differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mcp_bindgen.subsumption.json_values import canonical
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object

_TEXTS = ("title", "description")
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_DATA = frozenset({"enum", "const", "default", "examples", "required"})
_MAX_DEPTH = 64

_HINTS: Mapping[str, tuple[bool, str]] = {
    "readOnlyHint": (False, "read-only-ended"),
    "destructiveHint": (True, "destructive-began"),
}
"""Annotations whose change is a warning: the new value, and the rule. Defaults: `readOnlyHint` false, `destructiveHint` true
unless `readOnlyHint` is true (schema.ts, ToolAnnotations)."""


class Rewording(NamedTuple):
    """A change that no message shows."""

    path: tuple[str, ...]
    rule: str
    old: Any
    new: Any


def rewordings(old: Mapping[str, Any], new: Mapping[str, Any], schemas: Mapping[str, str]) -> Iterator[Rewording]:
    """Yield the changes between two items. ``schemas``: members that hold schemas, with their names in subjects."""
    for name in _TEXTS:
        if old.get(name) != new.get(name):
            yield Rewording((name,), "description-changed", old.get(name), new.get(name))
    yield from _annotations(old.get("annotations"), new.get("annotations"))
    for member, name in schemas.items():
        yield from _texts(old.get(member), new.get(member), (name,), 0)


def _annotations(old: Any, new: Any) -> Iterator[Rewording]:
    before: Mapping[str, Any] = old if is_object(old) else {}
    after: Mapping[str, Any] = new if is_object(new) else {}
    judged: set[str] = set()
    for name, (bad, rule) in _HINTS.items():
        if _hint(before, name) != _hint(after, name) and _hint(after, name) is bad:
            judged.add(name)
            yield Rewording(("annotations", name), rule, before.get(name), after.get(name))
    for name in dict.fromkeys([*before, *after]):
        if name not in judged and canonical(before.get(name)) != canonical(after.get(name)):
            rule = "description-changed" if name == "title" else "annotations-changed"
            yield Rewording(("annotations", str(name)), rule, before.get(name), after.get(name))


def _hint(annotations: Mapping[str, Any], name: str) -> bool:
    read_only = annotations.get("readOnlyHint") is True
    return read_only if name == "readOnlyHint" else annotations.get(name, True) is True and not read_only


def _texts(old: Any, new: Any, path: tuple[str, ...], depth: int) -> Iterator[Rewording]:
    """Yield changed texts of the schemas that both sides have at the same place."""
    if not is_object(old) or not is_object(new) or old == new or depth > _MAX_DEPTH:
        return
    for name in _TEXTS:
        before, after = old.get(name), new.get(name)
        if before != after and all(isinstance(each, str | None) for each in (before, after)):
            yield Rewording((*path, name), "description-changed", before, after)
    for name in old.keys() & new.keys() - _DATA:
        before, after = old[name], new[name]
        if name in _MAPS and is_object(before) and is_object(after):
            for key in sorted(before.keys() & after.keys()):
                yield from _texts(
                    before[key], after[key], (*path, *(() if name == "properties" else (name,)), key), depth + 1
                )
        elif is_array(before) and is_array(after):
            for place, (one, other) in enumerate(zip(before, after, strict=False)):
                yield from _texts(one, other, (*path, name, str(place)), depth + 1)
        else:
            yield from _texts(before, after, (*path, name), depth + 1)
