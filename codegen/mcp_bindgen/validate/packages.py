"""The generated packages by which messages are checked: those of the bundled revisions, and those of one's own schemas."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Final

from mcp_bindgen import catalog

_own: Final[dict[str, tuple[ModuleType, str]]] = {}
"""By the name under which it was added, each with its label."""


def add(package: ModuleType, label: str) -> str:
    """Make a package of one's own known; return the name under which ``find`` has it, which no other package has."""
    known = next((name for name, own in _own.items() if own == (package, label)), None)
    if known is not None:
        return known
    name, count = label, 1
    while name in catalog.revisions() or name in _own:
        count += 1
        name = f"{label}#{count}"
    _own[name] = package, label
    return name


def find(name: str) -> ModuleType:
    """The package of a bundled revision, or one that was added; raises BindgenError for a name that is none."""
    if name in _own:
        return _own[name][0]
    if name not in catalog.revisions():
        raise catalog.unknown_revision(name)
    return importlib.import_module(f"mcp_bindings.{catalog.package_name(name)}")


def extensions_of(name: str) -> tuple[Any, ...]:
    """The packages of the bundled extensions of a bundled revision; packages of one's own have none."""
    known = () if name in _own else catalog.extensions_of(name)
    return tuple(importlib.import_module(f"mcp_bindings.{catalog.package_name(each)}") for each in known)


def label(name: str) -> str:
    """What to call a package; another one may have the same label."""
    return _own[name][1] if name in _own else name


def is_own(name: str) -> bool:
    """Whether a package was added under a name."""
    return name in _own
