"""The generated packages that messages are checked against: bundled revisions and packages of user schemas."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Final

from mcp_bindings_runtime.facts import Facts

from mcp_bindgen import catalog

_own: Final[dict[str, tuple[ModuleType, str]]] = {}
"""Added packages by name, each with its label."""


def add(package: ModuleType, label: str) -> str:
    """Register a user's package; return the unique name under which ``find`` returns it."""
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
    """Return the package of a bundled revision or an added one; raise `BindgenError` for an unknown name."""
    if name in _own:
        return _own[name][0]
    if name not in catalog.revisions():
        raise catalog.unknown_revision(name)
    return importlib.import_module(f"mcp_bindings.{catalog.package_name(name)}")


def extensions_of(name: str) -> tuple[Any, ...]:
    """Return the packages of the bundled extensions of a bundled revision; none for a user's package."""
    known = () if name in _own else catalog.extensions_of(name)
    return tuple(importlib.import_module(f"mcp_bindings.{catalog.package_name(each)}") for each in known)


def facts(name: str) -> Facts:
    """Return the facts of a bundled revision or an added package."""
    declared: Facts = find(name).revision.FACTS
    return declared


def label(name: str) -> str:
    """Return the label of a package, which need not be unique."""
    return _own[name][1] if name in _own else name


def is_own(name: str) -> bool:
    """Return whether a package was added under a name."""
    return name in _own
