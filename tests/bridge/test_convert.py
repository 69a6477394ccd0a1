"""``mcp_bindings.bridge``: examples of each treatment, errors of use, copies, and what an import loads."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.generate import Bundled, generate
from mcp_bindings import UsageError, bridge

AUDIO = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav", "_meta": {"a": 1}}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "It is a."}
TITLED = {
    "type": "string",
    "title": "Size",
    "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
}


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({"params": params} if params else {})}


def actions(ledger: tuple[bridge.LedgerEntry, ...]) -> list[tuple[str, str]]:
    return [(entry.action, entry.pointer) for entry in ledger]


@pytest.mark.parametrize(
    ("method", "result", "source", "target", "expected", "ledger"),
    [
        pytest.param(
            "tools/call",
            {"content": [AUDIO]},
            "2025-06-18",
            "2024-11-05",
            {
                "content": [
                    {
                        "type": "resource",
                        "resource": {"uri": "bridge:/content/0", "blob": "aGk=", "mimeType": "audio/wav"},
                        "_meta": {"a": 1},
                    }
                ]
            },
            [("kept", "/content/0/_meta"), ("renamed", "/content/0")],
            id="audio becomes a resource",
        ),
        pytest.param(
            "sampling/createMessage",
            {"role": "user", "model": "m", "content": {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}},
            "2025-03-26",
            "2024-11-05",
            {"role": "user", "model": "m", "content": {"type": "text", "text": "[audio, audio/wav]"}},
            [("dropped", "/content")],
            id="audio becomes a note in samples",
        ),
        pytest.param(
            "tools/call",
            {"content": [LINK]},
            "2025-06-18",
            "2025-03-26",
            {"content": [{"type": "text", "text": "A: file:///a\nIt is a."}]},
            [("dropped", "/content/0")],
            id="a link becomes text",
        ),
        pytest.param(
            "tools/call",
            {"content": [], "structuredContent": {"sum": 3}},
            "2025-11-25",
            "2025-03-26",
            {"content": [{"type": "text", "text": '{"sum": 3}'}], "structuredContent": {"sum": 3}},
            [("synthesised", "/content"), ("kept", "/structuredContent")],
            id="structured content is repeated as text",
        ),
        pytest.param(
            "tools/call",
            {"resultType": "complete", "content": [], "structuredContent": [1]},
            "2026-07-28",
            "2025-11-25",
            {"content": [{"type": "text", "text": "[1]"}]},
            [("synthesised", "/content"), ("dropped", "/resultType"), ("dropped", "/structuredContent")],
            id="structured content is an object",
        ),
        pytest.param(
            "tools/list",
            {
                "resultType": "complete",
                "ttlMs": 5,
                "cacheScope": "public",
                "tools": [
                    {"name": "t", "inputSchema": {"type": "object", "properties": {"a": True, "b": False}}},
                    {"name": "u", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}},
                ],
            },
            "2026-07-28",
            "2025-11-25",
            {
                "tools": [
                    {"name": "t", "inputSchema": {"type": "object", "properties": {"a": {}, "b": {"not": {}}}}},
                    {"name": "u", "inputSchema": {"type": "object"}},
                ]
            },
            [
                ("dropped", "/resultType"),
                ("dropped", "/ttlMs"),
                ("dropped", "/cacheScope"),
                ("renamed", "/tools/0/inputSchema/properties"),
                ("dropped", "/tools/1/outputSchema"),
            ],
            id="schemas of properties are objects",
        ),
        pytest.param(
            "sampling/createMessage",
            {"role": "user", "model": "m", "content": [{"type": "text", "text": "a"}]},
            "2025-11-25",
            "2025-06-18",
            {"role": "user", "model": "m", "content": {"type": "text", "text": "a"}},
            [("renamed", "/content")],
            id="one block of a sample",
        ),
        pytest.param(
            "sampling/createMessage",
            {"role": "user", "model": "m", "content": []},
            "2025-11-25",
            "2025-06-18",
            None,
            [("refused", "/content")],
            id="no block of a sample",
        ),
        pytest.param(
            "tools/list",
            {"tools": []},
            "2025-11-25",
            "2026-07-28",
            {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
            [("synthesised", "/resultType"), ("synthesised", "/ttlMs"), ("synthesised", "/cacheScope")],
            id="results of the stateless era",
        ),
    ],
)
def test_results(
    method: str, result: Any, source: str, target: str, expected: Any, ledger: list[tuple[str, str]]
) -> None:
    found = bridge.convert_result(result, method=method, to=target, from_=source)
    assert found.value == expected
    assert sorted(actions(found.ledger)) == sorted(ledger)


def test_titled_options() -> None:
    schema = {"type": "object", "properties": {"size": TITLED}}
    form = request("elicitation/create", mode="form", message="?", requestedSchema=schema)
    found = bridge.convert(form, to="2025-06-18", from_="2025-11-25")
    assert found.message["params"]["requestedSchema"]["properties"]["size"] == {
        "type": "string",
        "title": "Size",
        "enum": ["s", "l"],
        "enumNames": ["Small", "Large"],
    }
    assert ("renamed", "/params/requestedSchema/properties/size") in actions(found.ledger)


def test_an_entry_names_the_message_the_place_and_the_reason() -> None:
    call = request("sampling/createMessage", messages=[], maxTokens=1, tools=[])
    (entry,) = bridge.convert(call, to="2025-06-18", from_="2025-11-25").ledger
    assert entry == bridge.LedgerEntry(
        direction="server->client",
        method="sampling/createMessage",
        id=1,
        pointer="/params/tools",
        action="refused",
        why="the target has no tools in sampling",
        section="client/sampling, Sampling with Tools",
        step="2025-11-25 -> 2025-06-18",
    )
    assert entry.is_loss


def test_an_undeclared_member_that_the_target_declares_with_another_type_is_dropped() -> None:
    result = {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "icons": 5}]}
    found = bridge.convert_result(result, method="tools/list", to="2025-11-25", from_="2025-06-18")
    assert "icons" not in found.value["tools"][0]
    assert actions(found.ledger) == [("dropped", "/tools/0/icons")]


def test_batches_are_split_or_stay() -> None:
    batch = [request("ping"), {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    split = bridge.convert(batch, to="2025-06-18", from_="2025-03-26")
    assert split.messages == tuple(batch)
    assert actions(split.ledger) == [("renamed", "")]
    with pytest.raises(UsageError, match="the batch was split into 2 messages; use `messages`"):
        _ = split.message
    assert bridge.convert(batch, to="2025-03-26", from_="2025-03-26").message == batch


def test_results_in_a_batch_have_the_methods_of_their_ids() -> None:
    batch = [
        {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "audio", "data": "", "mimeType": "a/b"}]}}
        for number in (1, True)
    ]
    one, other = bridge.convert(batch, to="2024-11-05", from_="2025-03-26", answers={1: "tools/call"}).messages
    assert one["result"]["content"][0]["type"] == "resource"
    assert other == batch[1]


@pytest.mark.parametrize(
    ("message", "revision"),
    [
        (request("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={}), "2025-03-26"),
        (request("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}), "2026-07-28"),
    ],
)
def test_the_revision_that_a_message_names(message: dict[str, Any], revision: str) -> None:
    assert bridge.convert(message, to=revision).message == message
    assert bridge.convert(message, to="2025-06-18") == bridge.convert(message, to="2025-06-18", from_=revision)


@pytest.mark.parametrize("message", [request("tools/list"), [], 5, request("initialize", protocolVersion="1999-01-01")])
def test_a_message_that_names_no_revision(message: Any) -> None:
    with pytest.raises(UsageError, match="the message names no known revision; pass `from_`, one of 2024-11-05"):
        bridge.convert(message, to="2025-06-18")


def test_a_revision_without_a_step() -> None:
    with pytest.raises(UsageError, match="there is no step to or from 'acme'; use one of 2024-11-05, "):
        bridge.convert(request("ping"), to="acme", from_="2025-06-18")


def test_codes_of_unknown_resources() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32002, "message": "?", "data": {"uri": "file:///a"}}}
    newer = bridge.convert(error, to="2026-07-28", from_="2025-11-25", answers="resources/read")
    assert newer.message["error"]["code"] == -32602
    older = bridge.convert(newer.message, to="2025-11-25", from_="2026-07-28", answers="resources/read")
    assert older.message == error
    assert bridge.convert(error, to="2026-07-28", from_="2025-11-25", answers="tools/call").message == error


NEEDS_A_CONNECTION = {
    "2025-11-25": [
        *("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"),
        *("elicitation/create", "sampling/createMessage", "roots/list"),
        *("tasks/get", "tasks/result", "tasks/list", "tasks/cancel"),
    ],
    "2026-07-28": ["server/discover", "subscriptions/listen"],
}


@pytest.mark.parametrize(
    ("source", "method"), [(source, method) for source, methods in NEEDS_A_CONNECTION.items() for method in methods]
)
def test_what_needs_a_connection_is_refused_with_its_response(source: str, method: str) -> None:
    target = next(revision for revision in NEEDS_A_CONNECTION if revision != source)
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "?"}}
    for message in (request(method), response, error):
        found = bridge.convert(message, to=target, from_=source, answers=method)
        assert found.messages == ()
        (entry,) = found.ledger
        assert (entry.action, entry.method, entry.pointer) == ("refused", method, "")
        assert entry.why.startswith("needs a connection: ")


def test_progress_of_clients_is_dropped_where_servers_send_no_requests() -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    to = {"to": "2026-07-28", "from_": "2025-11-25"}
    assert bridge.convert(progress, sender="client", **to).messages == ()
    assert bridge.convert(progress, sender="server", **to).message == progress


@pytest.mark.parametrize(
    "message", [5, None, "a", [], {}, {"method": 1}, {"method": "tools/call", "id": 1, "params": 3}]
)
@pytest.mark.parametrize("target", REVISIONS)
def test_invalid_messages_pass(message: Any, target: str) -> None:
    bridge.convert(message, to=target, from_="2025-06-18")


@pytest.mark.parametrize("block", [{"type": "audio"}, {"type": "resource_link"}])
def test_blocks_without_required_members_are_refused(block: dict[str, Any]) -> None:
    found = bridge.convert_result({"content": [block]}, method="tools/call", to="2024-11-05", from_="2025-06-18")
    assert found.value is None
    assert actions(found.ledger) == [("refused", "/content/0")]


def test_only_steps_that_are_needed_are_imported() -> None:
    program = """
import sys
import mcp_bindings.v2025_06_18
assert not [name for name in sys.modules if "bridge" in name]
from mcp_bindings import bridge
bridge.convert({"method": "x"}, to="2025-06-18", from_="2025-11-25")
print(sorted(name for name in sys.modules if name.startswith("mcp_bindings.")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "v2025_06_18_to_v2025_11_25" in done.stdout
    assert "v2025_11_25_to" not in done.stdout
    assert "mcp_bindings.v2025_11_25'" not in done.stdout


def test_a_copy_has_the_steps_that_it_spans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = generate([Bundled("2024-11-05"), Bundled("2025-06-18")]).files
    modules = {name for name in files if name.startswith("bridge/")}
    assert modules == {
        "bridge/__init__.py",
        "bridge/v2024_11_05_to_v2025_03_26.py",
        "bridge/v2025_03_26_to_v2025_06_18.py",
    }
    for name, text in files.items():
        path = tmp_path / "copied_bridge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    copied = importlib.import_module("copied_bridge.bridge")
    assert copied.REVISIONS == ("2024-11-05", "2025-03-26", "2025-06-18")
    value = {"content": [LINK]}
    mine = bridge.convert_result(value, method="tools/call", to="2024-11-05", from_="2025-06-18")
    theirs = copied.convert_result(value, method="tools/call", to="2024-11-05", from_="2025-06-18")
    assert json.dumps(theirs) == json.dumps(mine)


def test_one_revision_has_no_bridge() -> None:
    assert not [name for name in generate([Bundled("2025-06-18")]).files if name.startswith("bridge/")]


@pytest.mark.parametrize("message", [b"{}", bytearray(b"{}"), object(), [b"{}"]])
def test_what_is_not_parsed_json_is_refused(message: Any) -> None:
    with pytest.raises(
        UsageError, match=r"a message must be parsed JSON, such as a dict, got (bytes|bytearray|object)$"
    ):
        bridge.convert(message, to=REVISIONS[0], from_=REVISIONS[-1])


@pytest.mark.parametrize("text", ['{"method": "ping"}', "\n[]"])
def test_a_json_text_is_refused_with_what_to_pass(text: str) -> None:
    with pytest.raises(UsageError, match=r"got a JSON text; pass json\.loads\(message\)$"):
        bridge.convert(text, to=REVISIONS[0], from_=REVISIONS[-1])
