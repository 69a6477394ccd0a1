"""The copy of the runtime: the modules that the packages in a copy need."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple, TypeAlias

import mcp_bindings_runtime

from mcp_bindgen.emit.header import runtime_header

Purpose: TypeAlias = Literal["all", "codec", "client", "server"]
"""The part of a package that is generated: all of it, only the codec, or the codec with the client or the server."""

_IMPORT = re.compile(r"^[ \t]*(from \.+[\w.]* import (?:\([^)]*\)|[^(\n]+))", re.MULTILINE)
_TASKS = "tasks/store.py"
"""The module that a package imports if its revision has tasks."""
_STEPS = "bridge/step_tables.py"
"""The module that the conversions between several revisions import."""


class _ByName(NamedTuple):
    """The modules that a module imports by name, in a copy whose packages import ``used``, if it is set."""

    importer: str
    modules: tuple[str, ...]
    used: str | None = None


_BY_NAME = (
    _ByName(
        "server/server.py", tuple(f"features/{name}.py" for name in ("completion", "prompts", "resources", "tools"))
    ),
    _ByName("server/served_revisions.py", ("bridge/server_twin.py",), _STEPS),
    _ByName("server/handshake.py", ("tasks/core_tasks.py",), _TASKS),
    _ByName("client/handshake.py", ("tasks/core_tasks.py", "tasks/tool_support.py"), _TASKS),
    _ByName("bridge/server_twin.py", ("bridge/twin_tasks.py",), _TASKS),
    _ByName("bridge/client_negotiation.py", ("bridge/client_tasks.py", "bridge/twin_tasks.py"), _TASKS),
    # Programs on Windows import it themselves.
    _ByName("transports/child.py", ("transports/windows.py",)),
    _ByName("transports/stdio.py", ("transports/windows.py",)),
)


def runtime_files(users: Iterable[str] | None = None) -> dict[str, str]:
    """Return the files of the runtime, copied byte for byte under a header.

    ``users`` are the texts of the modules that import it, for a copy of what they need; None for all of it.
    """
    sources = _sources()
    header = runtime_header()
    needed = sources if users is None else _reached({*_roots(users)})
    return {f"runtime/{path}": header + sources[path] for path in sources if path in needed}


def uses_tasks(users: Iterable[str]) -> bool:
    """Return whether one of some packages has tasks; ``users`` are the texts of their modules."""
    return _TASKS in _roots(users)


@cache
def _sources() -> Mapping[str, str]:
    folder = Path(mcp_bindings_runtime.__file__).parent
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))
    }


def _roots(users: Iterable[str]) -> Iterator[str]:
    """Yield the modules of the runtime that some modules outside it import."""
    for node in relative_imports(users):
        _, runtime, below = f".{node.module}.".partition(".runtime.")
        if runtime:
            yield from _found(PurePosixPath(*filter(None, below.split("."))), node)


def relative_imports(texts: Iterable[str]) -> Iterator[ast.ImportFrom]:
    """Yield the relative imports in the texts of modules, each once.

    A package can have a hundred thousand lines, and the runtime has hundreds of modules, so only the imports are parsed.
    """
    for statement in {each for text in texts for each in _IMPORT.findall(text)}:
        try:
            (node,) = ast.parse(statement).body
        except SyntaxError:
            # A sentence in a docstring.
            continue
        if isinstance(node, ast.ImportFrom):
            yield node


def _reached(roots: Collection[str]) -> frozenset[str]:
    """Return the modules that are imported from the roots on: at their top, in functions, for type checkers, by name."""
    waiting, seen = [*roots, "__init__.py"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        waiting += _imported(path)
        waiting += [
            module
            for importer, modules, used in _BY_NAME
            if importer == path and (used is None or used in roots)
            for module in modules
        ]
        waiting += [f"{above}/__init__.py" for above in PurePosixPath(path).parents if above.name]
    return frozenset(seen)


@cache
def _imported(path: str) -> tuple[str, ...]:
    found: list[str] = []
    for node in relative_imports([_sources()[path]]):
        folder = PurePosixPath(path)
        for _ in range(node.level):
            folder = folder.parent
        found += _found(folder.joinpath(*(node.module or "").split(".")) if node.module else folder, node)
    return tuple(found)


def _found(module: PurePosixPath, node: ast.ImportFrom) -> Iterator[str]:
    """Yield the modules that ``from module import names`` imports."""
    sources = _sources()
    for place in (module, *(module / name.name for name in node.names)):
        for path in (f"{place}.py", f"{place}/__init__.py"):
            if path in sources:
                yield path
