"""Packages that are rendered and imported in memory."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from attrs import frozen
from mcp_bindgen.emit.render import render_package, root_files
from mcp_bindgen.emit.runtime_files import runtime_files
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

REVISION = "2001-01-01"
PACKAGE = "v2001_01_01"
_PARENT = "emitted_in_memory"
_numbers = itertools.count()


@frozen
class Emitted:
    """The package of one schema."""

    text: str
    protocol: Protocol
    files: Mapping[str, str]
    """Texts of the modules by file name: ``types.py`` ..."""


def emit(text: str, *, revision: str = REVISION) -> Emitted:
    """Return the package of a schema text; raise SchemaError for an invalid one."""
    return rendered(resolve_protocol(read_schema(text.encode(), "schema.ts"), revision=revision), text)


def rendered(protocol: Protocol, text: str = "") -> Emitted:
    """Return the package of a protocol."""
    files = render_package(protocol, package=PACKAGE)
    return Emitted(text, protocol, {path.removeprefix(f"{PACKAGE}/"): code for path, code in files.items()})


def load(emitted: Emitted) -> ModuleType:
    """Import the package under a name of its own, with one copy of the runtime for all packages."""
    finder = _finder()
    package = f"p{next(_numbers)}"
    finder.add({f"{package}/{path}": code for path, code in emitted.files.items()})
    return import_module(f"{_PARENT}.{package}")


def unload(package: ModuleType) -> None:
    """Remove a package from memory: random tests create thousands."""
    _finder().remove(package.__name__)


@cache
def _finder() -> _Finder:
    finder = _Finder()
    finder.add({**root_files(), **runtime_files()})
    sys.meta_path.insert(0, finder)
    return finder


class _Finder(MetaPathFinder, InspectLoader):
    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._packages: set[str] = set()

    def add(self, files: Mapping[str, str]) -> None:
        for path, code in files.items():
            if path.endswith(".py"):
                name = f"{_PARENT}/{path}".removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                self._sources[name] = code
                if path.endswith("__init__.py"):
                    self._packages.add(name)

    def remove(self, package: str) -> None:
        for name in [name for name in self._sources if f"{name}.".startswith(f"{package}.")]:
            del self._sources[name]
            self._packages.discard(name)
            sys.modules.pop(name, None)
        parent = sys.modules[_PARENT]
        delattr(parent, package.rpartition(".")[2])

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        return ModuleSpec(fullname, self, is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        return fullname in self._packages

    def get_source(self, fullname: str) -> str:
        return self._sources[fullname]
