"""Type tables of a revision: ``OBJECTS``, ``ALIASES`` and ``RESULTS``; see ``codec.type_tables``."""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType
from typing import Final

from attrs import frozen
from mcp_bindings_runtime.codec.type_tables import Aliases, Objects
from mcp_bindings_runtime.tasks.extension_binding import result_shapes

from mcp_bindgen.validate import packages

_TASK: Final = "CreateTaskResult"
"""Result with which the tasks extension answers a tool call; revisions with tasks of their own declare it in the
schema."""


@frozen(eq=False)
class Tables:
    """The ``_type_tables`` of the generated packages of one revision and of its extensions."""

    objects: Objects
    """Members and index signature by class name."""
    aliases: Aliases
    """Shape by alias name."""
    results: Aliases
    """Shape of the result by method."""


@cache
def load(revision: str) -> Tables:
    """Return the tables of a bundled revision with its extensions, or of a user's package.

    Raise `BindgenError` for an unknown name.
    """
    joined = own(revision)
    for package in packages.extensions_of(revision):
        added = _of_package(package)
        # A name of the revision overrides the same name of an extension.
        objects, aliases = {**added.objects, **joined.objects}, {**added.aliases, **joined.aliases}
        results = {**added.results, **joined.results}
        joined = Tables(objects, aliases, result_shapes(results) if _TASK in added.objects else results)
    return joined


@cache
def own(revision: str) -> Tables:
    """Return the tables without extensions, for values whose type is not named."""
    return _of_package(packages.find(revision))


def _of_package(package: ModuleType) -> Tables:
    module = importlib.import_module(f"{package.__name__}._type_tables")
    return Tables(module.OBJECTS, module.ALIASES, module.RESULTS)
