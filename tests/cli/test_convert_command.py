"""``mcp-codegen convert``: messages on standard output, the ledger in a file, pairs of request and response, and the status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

AUDIO = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
SESSION: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {}},
            "clientInfo": {"name": "c", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sing"}},
    {"jsonrpc": "2.0", "id": 1, "result": {"content": [AUDIO]}},
    {"jsonrpc": "2.0", "id": 2, "method": "ping"},
    {"jsonrpc": "2.0", "id": 2, "result": {}},
]


def recording(messages: list[Any]) -> str:
    Path("session.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in messages), encoding="utf-8")
    return "session.jsonl"


def convert(cli: Any, target: str, *options: str, messages: list[Any] = SESSION) -> tuple[int, list[Any], str]:
    status, out, err = cli("convert", "--from", "2025-11-25", "--to", target, recording(messages), *options)
    return status, [json.loads(line) for line in out.splitlines()], err


def ledger(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


@pytest.mark.usefixtures("elsewhere")
def test_results_are_converted_by_the_method_of_their_request(cli: Any) -> None:
    status, out, err = convert(cli, "2024-11-05", "--report", "ledger.jsonl")
    assert status == 0
    assert len(out) == len(SESSION)
    assert out[2]["result"]["content"] == [
        {"type": "resource", "resource": {"uri": "bridge:/result/content/0", "blob": "aGk=", "mimeType": "audio/wav"}}
    ]
    assert err == "5 messages read, 5 written; 4 renamed -> ledger.jsonl\n"
    audio = next(each for each in ledger("ledger.jsonl") if each["method"] == "tools/call")
    assert audio == {
        "line": 3,
        "direction": "server->client",
        "method": "tools/call",
        "id": 1,
        "pointer": "/result/content/0",
        "action": "renamed",
        "why": "the target has no audio; an embedded resource has the same bytes",
        "section": "server/tools, Tool Result",
        "step": "2025-03-26 -> 2024-11-05",
    }


@pytest.mark.usefixtures("elsewhere")
def test_the_response_of_a_refused_request_is_refused(cli: Any) -> None:
    status, out, _ = convert(cli, "2026-07-28", "--report", "ledger.jsonl", "--fail-on", "loss")
    assert status == 1
    assert [each.get("method") for each in out] == ["tools/call", None]
    refused = [(each["line"], each["method"]) for each in ledger("ledger.jsonl") if each["action"] == "refused"]
    assert refused == [(1, "initialize"), (4, "ping"), (5, "ping")]


@pytest.mark.usefixtures("elsewhere")
def test_stateless_requests_repeat_the_client_of_initialize(cli: Any) -> None:
    _, out, _ = convert(cli, "2026-07-28")
    assert out[0]["params"]["_meta"] == {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
    }


@pytest.mark.usefixtures("elsewhere")
def test_ids_of_both_sides_are_apart_if_the_recording_names_the_senders(cli: Any) -> None:
    def sent(sender: str, message: dict[str, Any]) -> dict[str, Any]:
        other = "server" if sender == "client" else "client"
        return {"direction": f"{sender}->{other}", "message": {"jsonrpc": "2.0", "id": 1, **message}}

    messages = [
        sent("client", {"method": "tools/call", "params": {"name": "sing"}}),
        sent("server", {"method": "ping"}),
        sent("server", {"result": {"content": [AUDIO]}}),
        sent("client", {"result": {}}),
    ]
    _, out, _ = convert(cli, "2024-11-05", messages=messages)
    assert [each["direction"] for each in out] == [each["direction"] for each in messages]
    assert out[2]["message"]["result"]["content"][0]["type"] == "resource"
    assert out[3] == messages[3]


@pytest.mark.usefixtures("elsewhere")
def test_strict_drops_undeclared_members(cli: Any) -> None:
    tools = {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "title": "T"}]}
    messages = [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0", "id": 1, "result": tools}]
    _, mild, err = convert(cli, "2025-03-26", messages=messages)
    assert (mild, err) == (messages, "2 messages read, 2 written; 1 kept\n")
    _, strict, err = convert(cli, "2025-03-26", "--strict", messages=messages)
    assert "title" not in strict[1]["result"]["tools"][0]
    assert err == "2 messages read, 2 written; 1 dropped\n"


@pytest.mark.usefixtures("elsewhere")
def test_a_file(cli: Any) -> None:
    printed = convert(cli, "2024-11-05")[1]
    status, out, _ = convert(cli, "2024-11-05", "-o", "old.jsonl")
    assert (status, out, ledger("old.jsonl")) == (0, [], printed)


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("to_file", [False, True])
def test_all_is_printed_as_one_document(cli: Any, to_file: bool) -> None:
    plain, printed, _ = convert(cli, "2025-03-26", "--report", "ledger.jsonl")
    options = ("-o", "out.jsonl") if to_file else ()
    words = ("--from", "2025-11-25", "--to", "2025-03-26", recording(SESSION), *options, "--json")
    status, out, err = cli("convert", *words)
    assert (status, err) == (plain, "")
    document = json.loads(out)
    assert document["ledger"] == ledger("ledger.jsonl")
    assert (document["from"], document["to"], document["read"]) == ("2025-11-25", "2025-03-26", len(SESSION))
    assert document["written"] == len(printed)
    if to_file:
        assert "messages" not in document
        assert ledger("out.jsonl") == printed
    else:
        assert document["messages"] == printed


def test_lines_that_are_not_json_are_errors(cli: Any) -> None:
    Path("session.jsonl").write_text('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n{"jsonrpc": \n', encoding="utf-8")
    status, out, err = cli("convert", "--from", "2025-06-18", "--to", "2024-11-05", "session.jsonl")
    assert (status, out) == (2, '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    assert "error: session.jsonl:2: not JSON" in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--to", "2024-11-05", "x"], "--from missing; run: mcp-codegen convert --from OLD --to 2024-11-05 x"),
        (
            ["2025-11-25", "2026-07-28", "x"],
            "--from and --to missing; run: mcp-codegen convert --from 2025-11-25 --to 2026-07-28 x",
        ),
        ([], "--from, --to and FILE missing; run: mcp-codegen convert --from OLD --to NEW FILE"),
        (["--from", "2025-06-18", "--to", "2024-11-05", "x", "y"], "convert reads one FILE, got 2: x y"),
        (["--from", "2025-06-17", "--to", "2024-11-05", "x"], "--from: '2025-06-17' is not a bundled revision"),
        (["--from", "2025-06-18", "--to", "draft", "x"], "--to: 'draft' is not a bundled revision"),
        (["--from", "2025-06-18", "--to", "2024-11-05", "nosuch.jsonl"], "cannot read nosuch.jsonl"),
    ],
)
def test_bad_use(cli: Any, arguments: list[str], expected: str) -> None:
    status, out, err = cli("convert", *arguments)
    assert (status, out) == (2, "")
    assert expected in err


@pytest.mark.usefixtures("elsewhere")
def test_a_recording_of_another_revision_is_noticed(cli: Any) -> None:
    path = recording(SESSION)
    err = cli("convert", "--from", "2026-07-28", "--to", "2025-11-25", path).err
    assert err.endswith("warning: session.jsonl:1: the conversation names 2025-11-25, but --from is 2026-07-28\n")
    agreed = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    path = recording([SESSION[0], {"jsonrpc": "2.0", "id": 0, "result": agreed}])
    assert "warning" not in cli("convert", "--from", "2025-06-18", "--to", "2024-11-05", path).err
    err = cli("convert", "--from", "2025-11-25", "--to", "2024-11-05", path).err
    assert "warning: session.jsonl:2: the conversation names 2025-06-18, but --from is 2025-11-25\n" in err


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "session.jsonl"), "-o session.jsonl would overwrite another file of the command; pass another name"),
        (("--report", "./session.jsonl"), "--report session.jsonl would overwrite another file of the command"),
        (
            ("-o", "new.jsonl", "--report", "new.jsonl"),
            "--report new.jsonl would overwrite another file of the command",
        ),
        (("-o", "."), "cannot write .: it is a folder; pass the name of a file to -o"),
        (("--report", "."), "cannot write .: it is a folder; pass the name of a file to --report"),
        (("-o", "new.html"), "-o writes one message per line, and new.html has the ending of html; write .jsonl"),
        (("-o", "new.json"), "-o writes one message per line, and new.json has the ending of json; write .jsonl"),
        (("--report", "a.md"), "--report writes one entry per line, and a.md has the ending of markdown; write .jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_files_are_checked_before_anything_is_written(cli: Any, options: tuple[str, ...], message: str) -> None:
    status, out, err = convert(cli, "2024-11-05", *options)
    assert (status, out) == (2, [])
    assert f"error: {message}" in err
    assert [each.name for each in Path().iterdir()] == ["session.jsonl"]


@pytest.mark.usefixtures("elsewhere")
def test_the_summary_names_the_files(cli: Any) -> None:
    err = convert(cli, "2024-11-05", "-o", "made/old.ndjson", "--report", "ledger.jsonl")[2]
    assert err == "5 messages read, 5 written; 4 renamed -> made/old.ndjson and ledger.jsonl\n"
