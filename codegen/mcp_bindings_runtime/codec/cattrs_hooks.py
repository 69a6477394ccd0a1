"""A cattrs converter that calls the emitted functions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import UnionType
from typing import Any

from cattrs import Converter

from .record import Record


def make_converter(
    kinds: Collection[Any], structure: Callable[[Any, Any], Any], unstructure: Callable[[Any], Any]
) -> Converter:
    """Return a converter with ``structure`` and ``unstructure`` as hooks for the classes and unions of classes in ``kinds``.

    Aliases of plain types (``str | int``) are not registered: a hook for them would change how they are read everywhere.
    """
    converter = Converter()
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, Record):
            converter.register_structure_hook(kind, structure)
            converter.register_unstructure_hook(kind, unstructure)
        elif isinstance(kind, UnionType) and all(member in kinds for member in kind.__args__):
            converter.register_structure_hook(kind, structure)
    return converter
