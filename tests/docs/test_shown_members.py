"""The build of the site warns about listed members that a page of the reference does not show."""

from __future__ import annotations

import runpy

from checkout import ROOT

missing = runpy.run_path(str(ROOT / "docs" / "shown_members.py"))["missing"]

SOURCE = """
# Client

::: mcp.client.Client
    options:
      heading_level: 3
      inherited_members: [close, server_info]

::: mcp.client.connect

::: mcp.codec.Codec
    options:
      members: [decode]
"""


def shown(*paths: str) -> str:
    return "".join(f'<h3 id="{path}">…</h3>' for path in paths)


def test_a_listed_member_without_a_heading_is_missing():
    assert missing(SOURCE, shown("mcp.client.Client.close")) == [
        "mcp.client.Client.server_info",
        "mcp.codec.Codec.decode",
    ]


def test_nothing_is_missing_if_all_are_shown():
    page = shown("mcp.client.Client.close", "mcp.client.Client.server_info", "mcp.codec.Codec.decode")
    assert missing(SOURCE, page) == []
