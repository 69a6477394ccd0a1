"""Griffe extension for the reference: a default that is a constant is shown by its value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe


class DefaultValues(griffe.Extension):
    """Replaces the names of constants in the defaults of parameters by their values."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Replace them in a package, whose modules are all loaded."""
        for function in _functions(pkg):
            for parameter in function.parameters:
                if isinstance(parameter.default, griffe.ExprName):
                    parameter.default = _value(parameter.default, pkg) or parameter.default


def _functions(found: griffe.Object) -> Iterator[griffe.Function]:
    """Yield the functions and methods that a module or class contains, at any depth."""
    for member in found.members.values():
        if isinstance(member, griffe.Function):
            yield member
        elif isinstance(member, griffe.Module | griffe.Class):
            yield from _functions(member)


def _value(name: griffe.ExprName, package: griffe.Module) -> griffe.Expr | str | None:
    """Return the value of a constant, None if the name stands for something else."""
    try:
        constant = package.modules_collection.get_member(name.canonical_path)
        if constant.is_alias:
            constant = constant.final_target
    except (KeyError, griffe.AliasResolutionError):
        # Of a package that is not loaded, such as the standard library.
        return None
    if not constant.is_attribute or not constant.name.isupper():
        return None
    value: griffe.Expr | str | None = constant.value
    return value
