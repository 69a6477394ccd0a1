"""Griffe extension for the reference: a member without a docstring has that of the member it overrides.

The class of a revision gives members of the runtime narrower types. mkdocstrings leaves out what has no docstring.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe

PACKAGES = "mcp_bindings"
RUNTIME = "mcp_bindings_runtime"
"""Package of the bases of classes in ``PACKAGES``."""


class InheritedDocstrings(griffe.Extension):
    """Gives members the docstrings of those that they override."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **kwargs: Any) -> None:
        """Give them in a package, whose modules are all loaded."""
        if pkg.name == PACKAGES:
            loader.load(RUNTIME)
        for described in _classes(pkg):
            for member in described.members.values():
                if not member.is_alias and member.docstring is None:
                    member.docstring = _inherited(described, member.name)


def _classes(found: griffe.Object) -> Iterator[griffe.Class]:
    """Yield the classes that a module or class contains, at any depth."""
    for member in found.members.values():
        if isinstance(member, griffe.Class):
            yield member
        if isinstance(member, griffe.Module | griffe.Class):
            yield from _classes(member)


def _inherited(described: griffe.Class, name: str) -> griffe.Docstring | None:
    """Return the docstring of a member of the nearest base that has one."""
    for base in described.mro():
        member = base.members.get(name)
        if member is not None and not member.is_alias and member.docstring is not None:
            return member.docstring
    return None
