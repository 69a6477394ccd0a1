"""Type tables of a revision (``OBJECTS``, ``ALIASES`` and ``RESULTS``; see ``codec.type_tables``), and the walk by them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Final

from mcp_bindings_runtime.codec.type_tables import Aliases, Objects, Part, Path, Shape, TypeTables, Violation
from mcp_bindings_runtime.errors import Undecidable
from mcp_bindings_runtime.tasks.extension_binding import result_shapes

from mcp_bindgen.validate import packages
from mcp_bindgen.validate.entries import Json

_TASK: Final = "CreateTaskResult"
"""Result with which the tasks extension answers a tool call; revisions with tasks of their own declare it in the
schema."""


class Tables(TypeTables):
    """The ``_type_tables`` of the generated packages of one revision and of its extensions."""

    def __init__(self, objects: Objects, aliases: Aliases, results: Aliases) -> None:
        super().__init__(objects, aliases)
        self.results = results
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
        both, results = joined.extended(added), {**added.results, **joined.results}
        joined = Tables(both.objects, both.aliases, result_shapes(results) if _TASK in added.objects else results)
    return joined


@cache
def own(revision: str) -> Tables:
    """Return the tables without extensions, for values whose type is not named."""
    return _of_package(packages.find(revision))


def _of_package(package: ModuleType) -> Tables:
    module = importlib.import_module(f"{package.__name__}._type_tables")
    return Tables(module.OBJECTS, module.ALIASES, module.RESULTS)


def walk(value: Json, shape: Shape, tables: TypeTables, path: Path = ()) -> Iterator[Part]:
    """Yield the parts below ``value`` in document order, at any depth, and the value itself if it is wrong.

    A part of a wrong type has the kind ``wrong``; the walk goes on beside it.
    """
    waiting = [Part(path, "element", value, shape)]
    while waiting:
        here = waiting.pop()
        try:
            resolved = tables.resolve(here.value, here.shape, here.path)
        except Undecidable:
            resolved = None
        if resolved is None or isinstance(resolved, Violation):
            yield here._replace(kind="wrong")
            continue
        if len(here.path) > len(path):
            yield here
        inside: list[Part] = []
        for part in tables.parts(here.value, resolved, here.path, as_written=True):
            if part.kind in {"member", "element"}:
                inside.append(part)
            else:
                yield part
        waiting += reversed(inside)
