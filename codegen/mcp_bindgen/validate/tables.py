"""The types of a revision as tables: what ``runtime.shapes`` describes, ``OBJECTS``, ``ALIASES`` and ``RESULTS`` in one."""

from __future__ import annotations

import importlib
from functools import cache

from attrs import frozen
from mcp_bindings_runtime.shapes import Aliases, Objects

from mcp_bindgen.validate import packages


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
    """The tables of a bundled revision or a package of one's own; raises BindgenError for a name that is none."""
    module = importlib.import_module(f"{packages.find(revision).__name__}._shapes")
    return Tables(module.OBJECTS, module.ALIASES, module.RESULTS)
