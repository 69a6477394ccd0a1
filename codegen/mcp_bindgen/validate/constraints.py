"""Checks of constraints that JSDoc tags add to types: formats, bounds and lengths."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, NamedTuple

from mcp_bindings_runtime.codec.error_wording import describe
from mcp_bindings_runtime.codec.type_tables import Path, Shape

from mcp_bindgen.validate import formats
from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.tables import Tables, walk


class Violation(NamedTuple):
    """A violated constraint."""

    path: Path
    """Keys and indices from the top of the checked value."""
    code: str
    """Id of the constraint: ``format``, ``minimum``, ``maximum`` or ``max-items``. In examples also ``placeholder``, a text
    that violates its format and only describes the value: ``base64-encoded-data``."""
    found: str
    expected: str


def check(value: Json, shape: Shape, tables: Tables, path: Path = (), *, examples: bool = False) -> Iterator[Violation]:
    """Yield the violated constraints in ``value``, read as ``shape``; their paths begin with ``path``.

    Values of a wrong type are skipped. With ``examples``, placeholders in a document are told apart from errors.
    """
    for part in walk(value, _cut(shape, tables), _reduced(tables), path):
        if part.kind == "member":
            for name, bound in part.constraints:
                yield from _violation(part.path, part.value, name, bound, examples=examples)


def _violation(path: Path, value: Json, name: str, bound: Any, *, examples: bool) -> Iterator[Violation]:
    if isinstance(value, str):
        expected = formats.fault(bound, value) if name == "format" else None
        if expected is not None:
            code = "placeholder" if examples and formats.is_placeholder(value) else name
            yield Violation(path, code, describe(value), expected)
    elif value.__class__ is list:
        if name == "maxItems" and len(value) > bound:
            yield Violation(path, "max-items", f"{len(value)} items", f"at most {bound}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if name == "minimum" and value < bound:
            yield Violation(path, name, describe(value), f"at least {bound}")
        elif name == "maximum" and value > bound:
            yield Violation(path, name, describe(value), f"at most {bound}")


@cache
def _reduced(tables: Tables) -> Tables:
    """Return the tables without the parts that lead to no constraint: most of a message is then skipped."""
    named = _leading(tables)
    objects = {
        name: (
            tuple(
                (wire, attribute, presence, _without(shape, named), *rest)
                for wire, attribute, presence, shape, *rest in members
                if len(rest) > 1 or _leads(shape, named) or _leads(index, named)
            ),
            None if index is None else _without(index, named),
        )
        for name, (members, index) in tables.objects.items()
    }
    aliases = {name: _without(shape, named) for name, shape in tables.aliases.items()}
    return Tables(objects, aliases, tables.results)


@cache
def _cut(shape: Shape, tables: Tables) -> Shape:
    return _without(shape, _leading(tables))


@cache
def _leading(tables: Tables) -> frozenset[str]:
    """Return the classes and aliases that contain a constraint."""
    found: set[str] = set()
    size = -1
    while len(found) > size:
        size = len(found)
        for name, (members, index) in tables.objects.items():
            parts = [index, *(member[3] for member in members)]
            if any(len(member) > 5 for member in members) or any(_leads(part, found) for part in parts):
                found.add(name)
        found.update(name for name, shape in tables.aliases.items() if _leads(shape, found))
    return frozenset(found)


def _leads(shape: Shape, named: Collection[str]) -> bool:
    if shape is None or isinstance(shape, str) or shape[0] == "enum":
        return False
    if shape[0] in {"class", "alias"}:
        return shape[1] in named
    if shape[0] == "union":
        return any(_leads(member, named) for member in shape[2])
    return _leads(shape[1], named)


def _without(shape: Shape, named: Collection[str]) -> Shape:
    if not _leads(shape, named):
        return "json"
    if shape[0] == "union":
        return ("union", shape[1], tuple(_without(member, named) for member in shape[2]))
    if shape[0] in {"list", "map", "raw"}:
        return (shape[0], _without(shape[1], named))
    return shape
