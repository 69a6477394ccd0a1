"""The types of a revision as one table: ``OBJECTS``, ``ALIASES`` and ``RESULTS``; see ``codec.type_tables``."""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType
from typing import Final

from attrs import frozen
from mcp_bindings_runtime.client.extending import result_shapes
from mcp_bindings_runtime.codec.type_tables import Aliases, Objects

from mcp_bindgen.validate import packages

_TASK: Final = "CreateTaskResult"
"""What the extension of tasks answers a tool call with; revisions that have tasks themselves say so in their schema."""


@frozen(eq=False)
class Tables:
    """What the generated packages of one revision and of its extensions hold in their ``_type_tables``."""

    objects: Objects
    """Class name to members and index signature."""
    aliases: Aliases
    """Alias name to shape."""
    results: Aliases
    """Method to the shape of its result."""


@cache
def load(revision: str) -> Tables:
    """The tables of a bundled revision and of its extensions, or of a package of one's own.

    Raises BindgenError for a name that is none.
    """
    joined = own(revision)
    for package in packages.extensions_of(revision):
        added = _of_package(package)
        # What an extension has under the same name is a part of the revision's.
        objects, aliases = {**added.objects, **joined.objects}, {**added.aliases, **joined.aliases}
        results = {**added.results, **joined.results}
        joined = Tables(objects, aliases, result_shapes(results) if _TASK in added.objects else results)
    return joined


@cache
def own(revision: str) -> Tables:
    """The same without the extensions: what a value that nothing names is compared with."""
    return _of_package(packages.find(revision))


def _of_package(package: ModuleType) -> Tables:
    module = importlib.import_module(f"{package.__name__}._type_tables")
    return Tables(module.OBJECTS, module.ALIASES, module.RESULTS)
