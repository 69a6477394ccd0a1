"""The pages on HTTP name every option that there is, so that none is known to those alone who read the code."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from checkout import ROOT
from mcp_bindings import connect
from mcp_bindings_runtime.client.transport_factories import open_http
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.http_server import HttpServer, make_server
from mcp_bindings_runtime.http.server.options import EndpointOptions
from mcp_bindings_runtime.http.server.store import MemoryStore

OF_EVERY_CLIENT = {"facts", "revisions", "handlers", "options", "url"}
"""Named on the page of all clients, if users give them at all."""


def keywords(function: Any) -> set[str]:
    return {*inspect.signature(function).parameters} - {"self", "servers", "application", *OF_EVERY_CLIENT}


@pytest.mark.parametrize(
    ("page", "function"),
    [
        ("http.md", EndpointOptions),
        ("http.md", HttpServer),
        ("http.md", make_server),
        ("http.md", MemoryStore),
        ("http-client.md", open_http),
        ("http-client.md", connect.http),
    ],
)
def test_every_option_is_on_the_page(page: str, function: Any) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    tables = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    named = "".join(cells[1] for cells in tables) + "".join(cells[2] for cells in tables)
    assert [name for name in keywords(function) if name not in named] == []


def test_the_example_gives_all_that_authorization_takes() -> None:
    text = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    assert [name for name in keywords(Authorization) - {"validate"} if f"{name}=" not in text] == []
