"""Changes of descriptions, titles and annotations: messages stay the same, but models and hosts may choose differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mcp_bindgen.diff.tools.same_places import same_places
from mcp_bindgen.subsumption.json_values import canonical
from mcp_bindgen.syntax.jsonschema.pointers import is_object

_TEXTS = ("title", "description")

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
        yield from _texts(old.get(member), new.get(member), (name,))


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


def _texts(old: Any, new: Any, path: tuple[str, ...]) -> Iterator[Rewording]:
    """Yield changed texts of the schemas that both sides have at the same place."""
    for place in same_places(old, new, path):
        for name in _TEXTS:
            before, after = place.old.get(name), place.new.get(name)
            if before != after and all(isinstance(each, str | None) for each in (before, after)):
                yield Rewording((*place.path, name), "description-changed", before, after)
