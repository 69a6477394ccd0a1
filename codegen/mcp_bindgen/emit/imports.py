"""Import statements for the names that a piece of code uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mcp_bindgen.emit.layout import LINE, lines, width

_STRING = re.compile(r'(?:\bf)?(?:"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')')
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")

Sources = tuple[tuple[str, tuple[str, ...]], ...]
"""Modules and the names to import from them; an empty module means ``import name``, ``runtime`` the runtime's package."""

INSTALLED_RUNTIME = "mcp_bindings_runtime"
"""Import path of the runtime for the bundled packages, which are installed with it."""
COPIED_RUNTIME = "..runtime"
"""Import path of the runtime for a package in a folder of the user, beside a copy of the runtime."""


def in_runtime(module: str, runtime: str) -> str:
    """Return the import path of a module of `Sources`, where the runtime is imported as ``runtime``."""
    return f"{runtime}{module[7:]}" if module == "runtime" or module.startswith("runtime.") else module


def names_in(code: Iterable[str], offered: Iterable[str]) -> set[str]:
    """Return which of the offered names start an expression in lines of code without docstrings and comments.

    Strings are ignored. A line is parsed only if it has a word that is a name which was not found yet.
    """
    missing, found = set(offered), set[str]()
    # Many emitted lines are equal; each is searched once.
    for line in dict.fromkeys(code):
        words = missing.intersection(_WORD.findall(line))
        if words:
            used = words.intersection(_names_of(line))
            missing -= used
            found |= used
    return found


def _names_of(line: str) -> list[str]:
    return _NAME.findall(_STRING.sub(_expressions, line))


def _expressions(string: re.Match[str]) -> str:
    """Return the code in a string: for an f-string its text without inner strings, else an empty string."""
    found = string[0]
    return _STRING.sub(_expressions, found[2:-1]) if found[0] == "f" else '""'


def bound_name(offered: str) -> str:
    """Return the name that an import binds: ``b`` for ``a as b``."""
    return offered.rpartition(" ")[2]


def imports(used: set[str], groups: tuple[Sources, ...], runtime: str) -> tuple[str, ...]:
    """Return import statements for the offered names in use, with an empty line between groups.

    A runtime with an absolute path forms a group of its own, before the group that it is listed in.
    """
    written: list[str] = []
    for group in _parted(groups, runtime):
        statements: list[str] = []
        for module, offered in group:
            wanted = [name for name in offered if bound_name(name) in used]
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


def _parted(groups: tuple[Sources, ...], runtime: str) -> Iterator[Sources]:
    for group in groups:
        placed = tuple((in_runtime(module, runtime), offered) for module, offered in group)
        yield tuple(sorted(each for each in placed if not each[0].startswith(".")))
        yield tuple(sorted((each for each in placed if each[0].startswith(".")), key=_from_far))


def _from_far(source: tuple[str, tuple[str, ...]]) -> tuple[int, str]:
    """Return the sort key of relative imports: the most dots first."""
    name = source[0].lstrip(".")
    return len(name) - len(source[0]), name
