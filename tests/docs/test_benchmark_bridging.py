"""Bridged calls that are measured: they do what they are called, and figures are ratios of what took part."""

from __future__ import annotations

import json
from typing import Any

import pytest
from benchmarks import bridging
from benchmarks.bridging import ACROSS, DIRECT, HANDSHAKE, SERVING_ALL, STATELESS, WITHIN, Effort
from mcp_bindings import bridge

BRIEF = Effort(rounds=1, seconds=0.01, counted=3)


@pytest.mark.parametrize("connection", [*DIRECT, SERVING_ALL, *WITHIN, *ACROSS])
def test_the_wire_has_the_revision_of_the_side_that_does_not_bridge(connection: bridging.Connection) -> None:
    with bridging.connect(connection) as client:
        assert client.binding.revision == connection.client
        bridges = connection.bridge == "client"
        assert client.peer_revision == connection.wire
        assert (client.ledger.peer_revision != connection.client) == bridges
        assert client.call_tool("echo", {"text": "hello"}).text == "hello"


def test_figures_are_ratios_to_the_direct_call_in_the_revision_on_the_wire() -> None:
    bridged = ACROSS[0]
    direct = next(each for each in DIRECT if each.wire == bridged.wire)
    assert bridging._cost({bridged: 0.3, direct: 0.2}, bridged) == pytest.approx(1.5)


def test_bytecodes_are_those_of_both_sides() -> None:
    counts = bridging.count_bytecodes(BRIEF)
    assert set(counts) == {*DIRECT, SERVING_ALL, *WITHIN, *ACROSS}
    assert min(counts.values()) > 1000


def test_convert_is_measured_with_messages_that_it_converts() -> None:
    found = list(bridging.convertible(HANDSHAKE, STATELESS))
    assert {length > 100_000 for *_, length in found} == {True, False}
    for value, arguments, length in found:
        assert bridge.convert(value, **arguments).messages
        assert length == len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_without_mcp_proxy_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(*_: Any) -> Any:
        return dict.fromkeys((*DIRECT, SERVING_ALL, *WITHIN, *ACROSS), 0.001)

    monkeypatch.setattr(bridging, "time_calls", same)
    monkeypatch.setattr(bridging, "count_bytecodes", same)
    table = bridging.measure(BRIEF)
    assert "mcp-proxy was not measured" in table.about
    assert [row.name for row in table.rows if "mcp-proxy" in row.name] == []
    assert [row.value for row in table.rows if row.goal] == [1.0] * 9


def test_the_process_that_is_compared_serves_the_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bridging.time_processes(BRIEF, None)["bridge"] > 0
    monkeypatch.setattr(bridging, "TEXT", "something else")
    with pytest.raises(ValueError, match="'something else' was said, and 'hello' came back"):
        bridging.time_processes(BRIEF, None)
