"""Writes the tables of reference/options.md from the classes that declare the options; run it as ``nox -s options``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from mcp_bindgen.emit.declared_options import DeclaredOption, declared_options
from mcp_bindings_runtime.binding import Binding
from mcp_bindings_runtime.installed_revisions import client_class, installed_revisions
from mcp_bindings_runtime.options import Options
from mcp_bindings_runtime.server.options import ServerOptions, StatelessServerOptions
from mcp_bindings_runtime.session.log_levels import Level
from mcp_bindings_runtime.transports.child import Stderr

PAGE = Path(__file__).resolve().parent / "reference" / "options.md"
_TABLE = re.compile(r"<!-- options: (?P<path>[\w.]+) -->\n(?:\|.*\n|\n)*<!-- end of options -->")
_ALIASES = {"Level": str(Level).removeprefix("typing."), "Stderr": str(Stderr)}
"""Types that tables write out."""
_UNITS = {"Seconds": "s", "Milliseconds": "ms"}
_ESCAPED = r"\|"
"""A vertical bar within a cell, also in code."""
_SIZES = {"MiB": 1024 * 1024, "KiB": 1024, "bytes": 1}


def page_text() -> str:
    """Return the text of the page with its tables as they should be."""
    return _TABLE.sub(_filled, PAGE.read_text(encoding="utf-8"))


def classes_in(text: str) -> list[type[Options]]:
    """Return the classes whose tables a text has."""
    return [_class(found["path"]) for found in _TABLE.finditer(text)]


def _filled(found: re.Match[str]) -> str:
    rows = "\n".join(_rows(_class(found["path"])))
    return f"<!-- options: {found['path']} -->\n\n{rows}\n\n<!-- end of options -->"


def _class(path: str) -> type[Options]:
    module, _, name = path.rpartition(".")
    cls: type[Options] = getattr(import_module(f"mcp_bindings_runtime.{module}"), name)
    return cls


def _rows(cls: type[Options]) -> Iterator[str]:
    """Yield the rows of the options that a class adds to those of its base, or whose default it changes."""
    yield "| option | type | default | meaning |\n|---|---|---|---|"
    base: type[Options] = cls.__mro__[1]
    inherited = declared_options(base)
    for option in declared_options(cls):
        if option not in inherited:
            cells = (f"`{option.name}`", _types(option), default(option), f"{option.doc}{_revisions(cls, option)}")
            yield f"| {' | '.join(each.replace('|', _ESCAPED) for each in cells)} |"


def default(option: DeclaredOption) -> str:
    """Return the default of an option with its unit."""
    value = option.default
    if value is None or value == ():
        return "none"
    unit = option.annotation.partition(" ")[0]
    if unit == "Bytes":
        name, size = next((name, size) for name, size in _SIZES.items() if value % size == 0)
        return f"{value // size} {name}"
    if unit in _UNITS:
        return f"{value:g} {_UNITS[unit]}"
    if value.__class__ in {int, float}:
        return f"{value:,}"
    values: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"`{each}`" for each in values)


def _types(option: DeclaredOption) -> str:
    """Return the types that an option may have, without their units; the values if it has a choice of values."""
    annotation = option.plain_annotation
    *others, last = _members(ast.parse(annotation, mode="eval").body, annotation)
    return f"{', '.join(others)} or {last}" if others else last


def _members(node: ast.expr, text: str) -> Iterator[str]:
    """Yield the members of a union, and the values of a ``Literal``."""
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            yield from _members(left, text)
            yield from _members(right, text)
        case ast.Subscript(ast.Name("Literal"), ast.Tuple(values)):
            yield from (f'`"{ast.literal_eval(each)}"`' for each in values)
        case ast.Name(name) if name in _ALIASES:
            yield from _members(ast.parse(_ALIASES[name], mode="eval").body, _ALIASES[name])
        case _:
            yield f"`{ast.get_source_segment(text, node)}`"


def _revisions(cls: type[Options], option: DeclaredOption) -> str:
    """Return a note on the revisions that have an option; empty if all have it."""
    if option.name not in cls.prerequisites:
        return ""
    every = sorted(installed_revisions())
    having = [each for each in every if option.name not in _lacking(cls, client_class(each).binding)]
    if having == every:
        return ""
    if having == every[-len(having) :]:
        return f" Since {having[0]}."
    return f" Until {having[-1]}." if having == every[: len(having)] else f" In {', '.join(having)}."


def _lacking(cls: type[Options], binding: Binding) -> frozenset[str]:
    chosen = StatelessServerOptions if cls is ServerOptions and binding.era == "stateless" else cls
    methods = {*binding.requests, *binding.notifications}
    return chosen.lacking(binding.facts, methods, binding.capabilities["client"])


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
