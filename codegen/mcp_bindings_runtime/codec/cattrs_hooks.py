"""The emitted functions as hooks of a cattrs converter."""

from __future__ import annotations

from collections.abc import Callable
from types import UnionType
from typing import TYPE_CHECKING, Any

from cattrs import Converter

from .record import Record

if TYPE_CHECKING:
    from .codec import Codec, Decoders


def make_converter(decoders: Decoders, codec: Codec[Any]) -> Converter:
    """A converter that reads and writes classes and unions of classes by the emitted functions.

    Aliases of plain types (``str | int``) are not registered: a hook for them would change how they are read everywhere.
    """
    converter = Converter()
    for kind in decoders:
        if isinstance(kind, type) and issubclass(kind, Record):
            converter.register_structure_hook(kind, _reader(codec))
            converter.register_unstructure_hook(kind, codec.unstructure)
        elif isinstance(kind, UnionType) and all(member in decoders for member in kind.__args__):
            converter.register_structure_hook(kind, _reader(codec))
    return converter


def _reader(codec: Codec[Any]) -> Callable[[Any, Any], Any]:
    def structure(value: Any, kind: Any) -> Any:
        return codec.structure(value, kind)

    return structure
