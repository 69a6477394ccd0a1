"""The page on clients over HTTP shows the table of the retry policy."""

from __future__ import annotations

from checkout import ROOT
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from mcp_bindings_runtime.http.client.retry import COLUMNS, FLOOR, RETRIES, TABLE, RetryPolicy, Row


def test_the_page_shows_the_table() -> None:
    lines = [
        "| failure |" + "".join(f" {row} |" for row in Row),
        "|---" * (len(Row) + 1) + "|",
        *(f"| {each} |" + "".join(f" {TABLE[row][each]} |" for row in Row) for each in COLUMNS),
    ]
    assert "\n".join(lines) in page()


def test_the_page_names_the_defaults() -> None:
    policy = RetryPolicy()
    assert HttpClientOptions.retries == RETRIES
    assert (RETRIES, policy.retries, policy.pause, policy.longest, FLOOR) == (3, 3, 0.5, 60.0, 0.1)
    text = " ".join(page().split())
    for part in (
        "up to three times",
        "0.5 s, and each further pause is twice as long",
        "up to 60 s",
        "shorter than 0.1 s",
    ):
        assert part in text


def page() -> str:
    return (ROOT / "docs" / "http-client.md").read_text(encoding="utf-8")
