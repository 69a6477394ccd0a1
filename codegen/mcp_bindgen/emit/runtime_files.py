"""The copy of the runtime: all of it, or the modules that a copy for one purpose imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal, TypeAlias

import mcp_bindings_runtime

from mcp_bindgen.emit.header import runtime_header

Purpose: TypeAlias = Literal["all", "codec", "client", "server"]
"""The part of a package that is generated: all of it, only the codec, or the codec with the client or the server."""

_BY_NAME: Mapping[str, tuple[str, ...]] = {
    "server/server.py": tuple(f"features/{name}.py" for name in ("completion", "prompts", "resources", "tools")),
}
"""Modules to those that they import by a computed name."""


def runtime_files(users: Iterable[str] | None = None) -> dict[str, str]:
    """Return the files of the runtime, copied byte for byte under a header.

    ``users`` are the texts of the modules that import it, for a copy of what they need; None for all of it.
    """
    sources = _sources()
    header = runtime_header()
    needed = sources if users is None else _reached(_roots(users))
    return {f"runtime/{path}": header + sources[path] for path in sources if path in needed}


@cache
def _sources() -> Mapping[str, str]:
    folder = Path(mcp_bindings_runtime.__file__).parent
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))
    }


def _roots(users: Iterable[str]) -> Iterator[str]:
    """Yield the modules of the runtime that some modules beside it import."""
    for text in users:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.level and (node.module or "").split(".")[0] == "runtime":
                yield from _found(PurePosixPath(*(node.module or "").split(".")[1:]), node)


def _reached(roots: Iterable[str]) -> frozenset[str]:
    """Return the modules that are imported from the roots on, at their top, in functions and for type checkers."""
    waiting, seen = [*roots, "__init__.py"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        waiting += [*_imported(path), *_BY_NAME.get(path, ())]
        waiting += [f"{above}/__init__.py" for above in PurePosixPath(path).parents if above.name]
    return frozenset(seen)


@cache
def _imported(path: str) -> tuple[str, ...]:
    found: list[str] = []
    for node in ast.walk(ast.parse(_sources()[path])):
        if isinstance(node, ast.ImportFrom) and node.level:
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
