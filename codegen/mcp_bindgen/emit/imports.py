"""Which of the names that a module could import its code uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mcp_bindgen.emit.layout import LINE, lines, width

_STRING = re.compile(r'(?:\bf)?(?:"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')')
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")

Sources = tuple[tuple[str, tuple[str, ...]], ...]
"""Modules and what they offer; an empty module name stands for ``import name``."""


def names_in(code: Iterable[str]) -> set[str]:
    """The names that lines of code (no docstrings, no comments) begin an expression with; strings do not count."""
    # Emitted lines repeat a lot, so that each is looked at once.
    return set(_NAME.findall(_STRING.sub(_expressions, "\n".join(set(code)))))


def _expressions(string: re.Match[str]) -> str:
    """What of a string is code: all that is not in quotes again, where it has an ``f`` before it, else nothing."""
    found = string[0]
    return _STRING.sub(_expressions, found[2:-1]) if found[0] == "f" else '""'


def imports(used: set[str], groups: tuple[Sources, ...]) -> tuple[str, ...]:
    """Import statements for the offered names in use, groups apart by an empty line."""
    written: list[str] = []
    for group in groups:
        statements: list[str] = []
        for module, offered in group:
            wanted = [name for name in offered if name in used]
            if not wanted:
                continue
            if not module:
                statements += [f"import {name}" for name in wanted]
                continue
            line = f"from {module} import {', '.join(wanted)}"
            statements += [line] if width(line) <= LINE else lines(f"from {module} import ", ("(", wanted, ")"))
        if statements:
            written += [*([""] if written else []), *statements]
    return tuple(written)
