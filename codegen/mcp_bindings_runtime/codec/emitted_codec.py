"""Make the codec of an emitted package from its modules."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from .codec import Codec, EmittedFunctions
from .method_readers import Envelopes


def codec_of(
    *, decoders: Any, encoders: Any, methods: Any, revision: Any, types: Any, envelopes: Envelopes
) -> Codec[Any]:
    """Return the codec of the package with these modules.

    Its ``_json_writers`` and ``_type_tables`` are imported on first use.
    """
    package = decoders.__name__.rpartition(".")[0]

    def tables() -> Any:
        return import_module(f"{package}._type_tables")

    def load_writers() -> Any:
        return import_module(f"{package}._json_writers").TEXTS

    def error_locator() -> Any:
        from .error_locator import ErrorLocator
        from .type_tables import TypeTables

        return ErrorLocator(TypeTables(tables().OBJECTS, tables().ALIASES), types)

    def result_shapes() -> Mapping[str, Any]:
        results: Mapping[str, Any] = tables().RESULTS
        return results

    def aliases() -> Mapping[str, Any]:
        return {name: getattr(types, name) for name in tables().ALIASES if hasattr(types, name)}

    return Codec(
        revision=revision.REVISION,
        batches=revision.BATCHES,
        functions=EmittedFunctions(decoders.TYPES, decoders.RESULTS, encoders.VALUES, load_writers),
        envelopes=envelopes,
        requests=methods.REQUESTS,
        notifications=methods.NOTIFICATIONS,
        error_locator=error_locator,
        result_shapes=result_shapes,
        aliases=aliases,
    )


def codec_of_types(name: str, *, decoders: Any, encoders: Any, types: Any) -> Codec[Any]:
    """Return the codec of a package without messages, whose results are found by name; errors mention ``name``."""
    return codec_of(
        decoders=decoders,
        encoders=encoders,
        methods=SimpleNamespace(REQUESTS={}, NOTIFICATIONS={}),
        revision=SimpleNamespace(REVISION=name, BATCHES=False),
        types=types,
        envelopes=Envelopes(None, None, None, None),
    )
