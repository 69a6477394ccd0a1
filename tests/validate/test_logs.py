"""What loggers, proxies and clients write around a message, and what is no message at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.validate import logs
from support.recorded_sessions import opening, recorded, request, result, shown

Json = Any

WRONG = request("tools/list")
"""From the server, it is."""
TEXT = json.dumps(WRONG)
FROM_THE_SERVER = "$.method: tools/list must be sent by the client, not by the server"


@pytest.mark.parametrize(
    "line",
    [
        {"direction": "server->client", "message": WRONG},
        {"timestamp": "2025-06-13T14:44:29Z", "direction": "server-to-client", "payload": WRONG},
        {"ts": 1.5, "from": "server", "to": "client", "data": TEXT},
        {"dir": "s2c", "raw": TEXT},
        {"type": "stdout", "data": TEXT},
        {"direction": "Server → Client", "message": WRONG},
    ],
)
@pytest.mark.parametrize("name", ["session.jsonl", "session.log"])
def test_an_object_around_it(tmp_path: Path, line: Json, name: str) -> None:
    assert shown(recorded(tmp_path, line, name=name, version="2025-06-18")) == [f"1: {FROM_THE_SERVER}"]


@pytest.mark.parametrize(
    "line",
    [
        f"2025-06-13T14:44:29.818Z [info] [weather] Message from server: {TEXT}",
        f"2025-06-13T14:44:29.818Z [weather] [info] Message from server: {TEXT} {{ metadata: undefined }}",
        f"2025-06-13 14:44:29.818 [debug] [server -> editor] {TEXT}",
        f"[server → client] {TEXT}",
        f"SERVER --> CLIENT: {TEXT}",
        f"data: {TEXT}",
        f"data:{TEXT}",
    ],
)
@pytest.mark.parametrize("name", ["session.jsonl", "session.log"])
def test_text_before_it(tmp_path: Path, line: str, name: str) -> None:
    assert shown(recorded(tmp_path, line, name=name, version="2025-06-18")) == [f"1: {FROM_THE_SERVER}"]


def test_a_log_may_have_any_text_before_a_message(tmp_path: Path) -> None:
    line = "12:00:01 INFO got: " + json.dumps(request("tools/call", nme="x"))
    name = "$.params.name: missing, expected a string"
    assert shown(recorded(tmp_path, line, name="a.log", version="2025-06-18")) == [f"1: {name}"]
    # Where each line is to be a message, a server that prints anything else breaks the connection.
    assert shown(recorded(tmp_path, line, version="2025-06-18")) == [
        "1: $: not JSON: extra text after the value at column 3"
    ]


REMARKS = [
    "2025-06-13T14:44:29.818Z [info] Initializing server...",
    'Error: {"code": 3}',
    "[2025-01-01 10:00:00] [INFO] up",
    '[INFO] started {"port": 3}',
    "{ half an object",
]


def test_lines_of_a_log_without_a_message_are_counted(tmp_path: Path) -> None:
    report = recorded(tmp_path, *REMARKS[:4], *opening(), name="a.log")
    assert report.ok
    assert report.messages == 3
    assert report.remarks == {"no-message": 4}


@pytest.mark.parametrize("line", REMARKS)
def test_where_each_line_is_a_message_such_lines_are_errors(tmp_path: Path, line: str) -> None:
    report = recorded(tmp_path, line, *opening())
    assert [finding.code for finding in report] == ["json"]


def test_lines_that_a_recorder_writes_for_itself_are_no_messages(tmp_path: Path) -> None:
    meta = {"v": 1, "type": "meta", "startedAt": "2026-05-12T23:00:00.000Z", "command": ["x"]}
    end = {"t": "2026-05-12T23:00:30.000Z", "type": "end", "exitCode": 0}
    stderr = {"direction": "stderr", "data": "Server started"}
    talk = [{"t": "1", "dir": word, "raw": each} for word, each in zip(["in", "out", "in"], opening(), strict=True)]
    report = recorded(tmp_path, meta, talk[0], stderr, *talk[1:], end)
    assert (report.ok, report.messages, report.remarks) == (True, 3, {"no-message": 3})


def test_an_event_stream(tmp_path: Path) -> None:
    lines = [": hello", "event: message", f"data: {json.dumps(result(1, tools=3))}", "", "id: 4", "retry: 10"]
    report = recorded(tmp_path, request("tools/list"), *lines, version="2025-06-18")
    assert shown(report) == ["4: $.result.tools: found 3, expected an array"]


def test_a_message_that_the_log_cuts_short(tmp_path: Path) -> None:
    cut = 'x [weather] Message from server: {"jsonrpc":"2.0","id":1,"result":{"a":"b...[2142 chars truncated by X]'
    report = recorded(tmp_path, cut, name="a.log")
    assert (report.ok, report.remarks) == (True, {"cut": 1})
    broken = recorded(tmp_path, cut.partition("...")[0], name="a.log")
    assert shown(broken) == ["1: $: not JSON: unexpected end at column 74"]


@pytest.mark.parametrize("before", ["", "12:00:01 INFO got: "])
@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ('{"x": NaN}', "not JSON: NaN is not a JSON number"),
        ('{"x": 1e999}', "not valid JSON for most parsers: 1e999 is too large a number"),
        (r'{"x": "\ud800"}', "a string with an unpaired surrogate, which is not a character"),
    ],
)
def test_a_message_with_a_value_that_json_lacks(tmp_path: Path, before: str, params: str, reason: str) -> None:
    line = f'{before}{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}'
    assert shown(recorded(tmp_path, line, name="a.log")) == [f"1: $: {reason}"]


def test_a_message_in_a_string_of_an_entry_that_is_not_json(tmp_path: Path) -> None:
    line = r'{"dir": "c2s", "x": NaN, "raw": "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}"}'
    assert shown(recorded(tmp_path, line, name="a.log")) == ["1: $: not JSON: NaN is not a JSON number"]


def test_a_message_without_its_end_is_a_part_of_a_message(tmp_path: Path) -> None:
    report = recorded(tmp_path, '12:00:01 INFO got: {"jsonrpc":"2.0","id":1,"met', name="a.log")
    assert (report.ok, report.remarks) == (True, {"cut": 1})


def test_a_message_in_a_string_that_is_broken(tmp_path: Path) -> None:
    line = {"from": "client", "message": '{"jsonrpc":"2.0"'}
    assert shown(recorded(tmp_path, line)) == ["1: $: the wrapped message is not JSON: unexpected end at column 17"]


def test_conversations_of_one_log_are_kept_apart(tmp_path: Path) -> None:
    lines = [
        f"x [{name}] [info] Message from {side}: {json.dumps(message)}"
        for step, side in enumerate(["client", "server"])
        for name, revision in [("weather", "2025-06-18"), ("files", "2025-03-26")]
        for message in [opening(revision)[step]]
    ]
    asked = [f"x [{name}] Message from client: {json.dumps(request('tools/list', 5))}" for name in ("weather", "files")]
    answered = f"x [files] Message from server: {json.dumps(result(5, tools=3))}"
    report = recorded(tmp_path, *lines, *asked, answered, name="mcp.log")
    (finding,) = [each for each in report if each.level == "error"]
    assert (finding.place.line, finding.path, finding.revision) == (7, "$.result.tools", "2025-03-26")
    assert report.revisions == ("2025-03-26", "2025-06-18")


def test_a_message_is_not_unwrapped_for_what_it_holds() -> None:
    message = {"jsonrpc": "2.0", "method": "x", "message": {"jsonrpc": "2.0"}, "from": "client"}
    assert logs.unwrap(message) is None
    assert logs.unwrap({"message": {"a": 1}}) is None
    assert logs.unwrap({"message": request("ping")}) == logs.Wrapped(request("ping"), None, None, None)


@pytest.mark.parametrize(
    ("word", "side"),
    [
        ("client", "client"),
        ("Client -> Server", "client"),
        ("client_to_server", "client"),
        ("c->s", "client"),
        ("from-client", "client"),
        ("stdin", "client"),
        ("server", "server"),
        ("SERVER_TO_CLIENT", "server"),
        ("client-client", None),
        ("send", None),
        ("", None),
        (3, None),
        ("client" * 9, None),
    ],
)
def test_words_for_sides(word: Json, side: str | None) -> None:
    assert logs.side_of(word) == side


@pytest.mark.parametrize("word", ["request", "message", "client", "", None, 3, "x" * 99])
def test_words_that_are_none_for_directions(word: Json) -> None:
    assert logs.word_of(word) is None
