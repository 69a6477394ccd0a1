"""The types of a revision as tables: what ``runtime.shapes`` describes, ``OBJECTS``, ``ALIASES`` and ``RESULTS`` in one."""

from __future__ import annotations

import importlib
from functools import cache

from attrs import frozen
from mcp_bindings_runtime.shapes import Aliases, Objects

from mcp_bindgen import catalog


@frozen(eq=False)
class Tables:
    """What the generated package of one revision holds in its ``_shapes``."""

    objects: Objects
    """Class name to members and index signature."""
    aliases: Aliases
    """Alias name to shape."""
    results: Aliases
    """Method to the shape of its result."""


@cache
def load(revision: str) -> Tables:
    """The tables of a bundled revision; raises BindgenError for a name that is none."""
    if revision not in catalog.revisions():
        raise catalog.unknown_revision(revision)
    module = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}._shapes")
    return Tables(module.OBJECTS, module.ALIASES, module.RESULTS)
