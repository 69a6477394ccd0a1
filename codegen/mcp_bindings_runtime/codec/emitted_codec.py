"""The codec of an emitted package, put together from its modules."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .codec import Codec, Envelopes, Tables


def codec_of(
    *, decoders: Any, encoders: Any, methods: Any, revision: Any, types: Any, envelopes: Envelopes
) -> Codec[Any]:
    """Return the codec of the package with these modules.

    Its ``_json_writers`` and ``_type_tables`` are imported when they are first needed.
    """
    package = decoders.__name__.rpartition(".")[0]

    def tables() -> Any:
        return import_module(f"{package}._type_tables")

    def texts() -> Any:
        return import_module(f"{package}._json_writers").TEXTS

    def shapes() -> Any:
        from .type_tables import Shapes

        return Shapes(tables().OBJECTS, tables().ALIASES, types)

    def result_shapes() -> Mapping[str, Any]:
        results: Mapping[str, Any] = tables().RESULTS
        return results

    def alias_names() -> Mapping[str, Any]:
        return {name: getattr(types, name) for name in tables().ALIASES if hasattr(types, name)}

    return Codec(
        revision=revision.REVISION,
        batches=revision.BATCHES,
        tables=Tables(decoders.TYPES, decoders.RESULTS, encoders.VALUES, texts),
        envelopes=envelopes,
        requests=methods.REQUESTS,
        notifications=methods.NOTIFICATIONS,
        shapes=shapes,
        result_shapes=result_shapes,
        alias_names=alias_names,
    )
