"""The two JSON libraries that the runtime supports, for tests that run with both."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from checkout import PACKAGES
from mcp_bindings_runtime.codec.codec import best_backend
from mcp_bindings_runtime.codec.json_text import STANDARD, Backend

NAMES = ("json", "orjson")


def backend(name: str) -> Backend:
    """Return the back end of this name; skip the test if orjson is not installed."""
    if name == "json":
        return STANDARD
    pytest.importorskip("orjson", reason="orjson is not installed (the extra `fast`)")
    found = best_backend()
    assert found.name == "orjson"
    return found


@contextmanager
def using(chosen: Backend) -> Iterator[None]:
    """Let all revisions read and write JSON text with this back end."""
    codecs: list[Any] = [importlib.import_module(f"mcp_bindings.{name}.converter").CODEC for name in PACKAGES]
    for codec in codecs:
        codec.use(chosen)
    try:
        yield
    finally:
        for codec in codecs:
            codec.use(best_backend())
