"""Servers with features, and clients connected to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ResponseError
from support.scripted_peers import PATIENCE, package


def serving(revision: str, **options: Any) -> Any:
    """Return a server of a revision."""
    return package(revision).Server("s", "1", **options)


@contextmanager
def asking(server: Any, **options: Any) -> Iterator[Any]:
    """Yield a client that is connected to a server object of the same revision."""
    with package(server.binding.revision).Client.in_memory(server, timeout=PATIENCE, **options) as client:
        yield client


def refused(code: int, ask: Any, *arguments: Any, **options: Any) -> Any:
    """Return the data of the error with this code that a call raises."""
    with pytest.raises(ResponseError) as caught:
        ask(*arguments, **options)
    assert caught.value.code == code
    return caught.value.data
