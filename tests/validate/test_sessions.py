"""Messages of a conversation: what each is taken for, whose it is, what it answers, and what is said about mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.validate import Limits, validate, validate_messages
from support.recorded_sessions import failure, notification, opening, request, result, shown

Json = Any

ONE_OF = '"text", "image", "audio", "resource_link", "resource"'


def said(*messages: Json, version: str = "2025-06-18", notes: bool = False, **options: Json) -> list[str]:
    return shown(validate_messages(messages, version=version, **options), notes=notes)


@pytest.mark.parametrize(
    ("message", "finding"),
    [
        (42, "$: found 42, expected an object"),
        ("no json", "$: not JSON: expected value at column 1"),
        ({}, "$: found neither method nor result nor error, expected one of them"),
        ({"jsonrpc": "2.0", "id": 1}, "$: found neither method nor result nor error, expected one of them"),
        ({**result(), "error": {}}, "$: found both result and error, expected one of them"),
        ({"id": 1, "method": "ping"}, '$.jsonrpc: missing, expected "2.0"'),
        ({**request("ping"), "jsonrpc": "1.0"}, '$.jsonrpc: "1.0" is not "2.0"'),
        ({**request("ping"), "jsonrpc": 2.0}, '$.jsonrpc: 2.0 is not "2.0"'),
        (request("ping", None), "$.id: found null, expected a string or an integer"),
        (request("ping", 1.0), "$.id: found 1.0, expected a string or an integer"),
        (request("ping", True), "$.id: found true, expected a string or an integer"),
        ({**request("ping"), "method": 5}, "$.method: found 5, expected a string"),
        (request("notifications/initialized"), "$.id: found an id, expected none, as notifications/initialized is a notification"),
        (notification("tools/list"), "$.id: missing, expected an id, as tools/list is a request"),
        (request("tools/call", nme="add"), "$.params.name: missing, expected a string"),
        (request("tools/call", name="add", arguments=[]), "$.params.arguments: found an array, expected an object"),
        ({**request("ping"), "params": []}, "$.params: found an array, expected an object"),
        (request("logging/setLevel", level="loud"), '$.params.level: "loud" is not one of "debug", "info", "notice", "warning", "error", "critical", …'),
        (request("tasks/list"), "$.method: tasks/list exists only in 2025-11-25"),
        (failure(code="x"), '$.error.code: found "x", expected an integer'),
        ([request("ping")], "$: found a batch, but only 2025-03-26 has batches"),
        (request("resources/read", uri="no uri"), None),
    ],
)  # fmt: skip
def test_a_mistake_has_an_answer(message: Json, finding: str | None) -> None:
    found = said(message)
    if finding is None:
        assert len(found) == 1
        assert found[0].startswith('1: $.params.uri: found "no uri", expected a URI')
    else:
        assert found == [f"1: {finding}"]


def test_a_result_is_checked_as_that_of_the_request_it_answers() -> None:
    video = {"type": "video", "url": "x"}
    found = said(
        request("tools/call", 7, name="add"),
        request("tools/list", "7"),
        result("7", content=[video]),
        result(7, content=[{"type": "text", "text": ""}, video]),
    )
    assert found == [
        "3: $.result.tools: missing, expected an array",
        f'4: $.result.content[1].type: "video" is not one of {ONE_OF}',
    ]


def test_all_that_is_wrong_with_a_message_is_said() -> None:
    found = said(request("completion/complete", ref={"type": "ref/prompt"}, argument={"name": 1, "value": "x"}))
    assert found == ["1: $.params.ref.name: missing, expected a string", "1: $.params.argument.name: found 1, expected a string"]  # fmt: skip


def test_an_answer_to_what_was_not_recorded_is_not_checked() -> None:
    assert said(result(5, content=3)) == []
    note = "1: $.result: not checked: the request of this result is unknown"
    assert said(result(5, content=3), notes=True) == [note]


def test_an_id_that_both_sides_use_is_told_by_who_answers() -> None:
    client, server = "client", "server"
    found = said(
        {"from": client, "message": request("tools/call", 1, name="add")},
        {"from": server, "message": request("roots/list", 1)},
        {"from": client, "message": result(1, roots=3)},
        {"from": server, "message": result(1, content=3)},
    )
    assert found == ["3: $.result.roots: found 3, expected an array", "4: $.result.content: found 3, expected an array"]


def test_without_a_word_about_the_sender_what_fits_decides() -> None:
    asked = request("tools/call", 1, name="add"), request("roots/list", 1)
    assert said(*asked, result(1, roots=[]), result(1, content=[])) == []
    assert said(*asked, result(1, content=[]), result(1, roots=[])) == []
    assert said(*asked, result(1, roots=[]), result(1, content=3)) == [
        "4: $.result.content: found 3, expected an array"
    ]


def test_an_error_is_an_answer_too() -> None:
    found = said(request("tools/call", 1, name="a"), failure(1), request("tools/list", 1), result(1, tools=[]))
    assert found == []


@pytest.mark.parametrize("key", ["direction", "dir", "from", "sender"])
@pytest.mark.parametrize("held", ["message", "payload", "raw", "json", "data"])
def test_a_message_from_the_wrong_side(key: str, held: str) -> None:
    found = said({key: "server", held: request("tools/list")}, {key: "client", held: request("roots/list")})
    assert found == [
        "1: $.method: tools/list must be sent by the client, not by the server",
        "2: $.method: roots/list must be sent by the server, not by the client",
    ]


@pytest.mark.parametrize(("ours", "theirs"), [("in", "out"), ("out", "in"), ("send", "recv"), (">>", "<<"), ("→", "←")])
def test_words_that_depend_on_who_wrote_the_log_are_learned(ours: str, theirs: str) -> None:
    words = [ours, theirs, ours]
    talk = [{"dir": word, "raw": message} for word, message in zip(words, opening(), strict=True)]
    assert said(*talk, {"dir": theirs, "raw": request("ping")}, {"dir": ours, "raw": request("ping")}) == []
    found = said(*talk, {"dir": theirs, "raw": request("tools/list")})
    assert found == ["4: $.method: tools/list must be sent by the client, not by the server"]


def test_batches_are_checked_message_by_message_where_there_are_any() -> None:
    batch = [request("tools/list", 1), notification("notifications/progress", progressToken=1)]
    found = said(batch, [result(1, tools=[{}])], [], version="2025-03-26")
    assert found == [
        "1: $[1].params.progress: missing, expected a number",
        "2: $[0].result.tools[0].name: missing, expected a string",
        "2: $[0].result.tools[0].inputSchema: missing, expected an object",
        "3: $: found an empty array, expected at least one message",
    ]


@pytest.mark.parametrize(
    ("method", "note"),
    [
        ("tools/lst", '"tools/lst" is not a request of the protocol; did you mean tools/list?'),
        ("acme/price", '"acme/price" is not a request of the protocol'),
    ],
)
def test_a_method_of_no_revision_may_be_an_extension(method: str, note: str) -> None:
    assert said(request(method, x=1)) == []
    assert said(request(method, x=1), notes=True) == [f"1: $.method: {note}"]
    unchecked = f'2: $.result: not checked: no type describes the result of "{method}"'
    assert said(request(method, x=1), result(), notes=True)[1:] == [unchecked]


def test_its_envelope_is_checked_all_the_same() -> None:
    assert said(request("acme/price", {})) == ["1: $.id: found an object, expected a string or an integer"]


def test_a_client_may_find_out_which_revisions_a_server_speaks() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    probe = request("server/discover", "probe", _meta=meta)
    assert said(probe, failure("probe", -32601), *opening(), version="2025-06-18") == []


def test_a_part_of_another_message_is_no_message() -> None:
    found = said(request("sampling/createMessage", messages=[], maxTokens=1), version="2026-07-28")
    assert found == [
        "1: $.method: sampling/createMessage is not a message in 2026-07-28: it is part of a result that requests input"
    ]


def test_a_conversation_by_another_revision_than_the_one_told() -> None:
    found = said(*opening("2025-03-26"), version="2025-06-18", notes=True)
    assert found == ['2: $: the conversation agreed on "2025-03-26", but is checked against 2025-06-18']


def test_members_that_come_twice() -> None:
    found = said(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b","_meta":{"x":[{"é":1,"é":2}]}}}'
    )
    twice = "the object has this member several times; the last one counts"
    assert found == [f"1: $.params.name: {twice}", f"1: $.params._meta.x[0].é: {twice}"]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ('{"a":NaN}', "not JSON: NaN is not a JSON number"),
        ('{"a":-Infinity}', "not JSON: -Infinity is not a JSON number"),
        ('{"a":1e999}', "not valid JSON for most parsers: 1e999 is too large a number"),
        ('{"a":"\\ud800"}', "a string with an unpaired surrogate, which is not a character"),
        ('{"a":' + "1" * 5000 + "}", "not valid JSON for most parsers: an integer of thousands of digits"),
        ("[" * 100_000, "JSON is nested too deeply"),
        ('{"a":1} {"b":2}', "not JSON: extra text after the value at column 9"),
        ('{"a":1', "not JSON: unexpected end at column 7"),
        ('{"a":"b', "not JSON: unexpected end at column 8"),
        ("{'a':1}", "not JSON: expected property name enclosed in double quotes at column 2"),
        (b'{"a":"\xff"}', "byte 0xff at column 7 is not UTF-8"),
        (b'\xef\xbb\xbf{"a":"\xff"}', None),
    ],
)
def test_what_is_no_json(text: str | bytes, finding: str | None) -> None:
    found = said(text)
    assert found
    assert finding is None or found == [f"1: $: {finding}"]


def test_requests_beyond_the_limit_are_forgotten_and_this_is_said_once() -> None:
    asked = [request("tools/list", number) for number in range(5)]
    found = said(*asked, result(0, tools=3), result(4, tools=3), notes=True, limits=Limits(open_requests=2))
    assert found == [
        "3: $: more than 2 requests are unanswered; the oldest are no longer tracked",
        "6: $.result: not checked: the request of this result is unknown",
        "7: $.result.tools: found 3, expected an array",
    ]


def test_rules_are_only_held_against_a_conversation_if_asked_for() -> None:
    talk = [*opening(), notification("notifications/progress", progressToken=1, progress=1)]
    talk += [request("tools/list", 5), request("tools/list", 5)]
    assert said(*talk) == []
    levels = {finding.level for finding in validate_messages(talk, version="2025-06-18", rules=True)}
    assert "rule" in levels


def test_a_recording_that_is_complete_starts_with_the_handshake() -> None:
    assert said(request("tools/list"), rules=True) == []
    assert len(said(request("tools/list"), rules=True, complete=True)) >= 1


def test_rules_know_a_batch_from_a_recording_that_is_an_array(tmp_path: Path) -> None:
    talk = opening("2025-03-26")
    again = request(
        "initialize", 9, protocolVersion="2025-03-26", capabilities={}, clientInfo={"name": "c", "version": "1"}
    )
    batched = validate_messages([*talk, [again]], version="2025-03-26", rules=True)
    assert [finding.code for finding in batched] == ["initialize-in-batch"]
    (tmp_path / "talk.json").write_text(json.dumps(talk), encoding="utf-8")
    assert [*validate(tmp_path / "talk.json", version="2025-03-26", rules=True)] == []


PAGE = """\
Examples on this page leave out the required `_meta` for brevity.

```json
{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}
```

```json
{"jsonrpc": "2.0", "id": 1, "result": RESULT}
```
"""
CALLED = {"resultType": "complete", "content": []}
FOUND = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "supportedVersions": [], "capabilities": {}}


@pytest.mark.parametrize(
    ("result", "finding"),
    [
        (CALLED, None),
        ({**CALLED, "content": 3}, "$.result.content: found 3, expected an array"),
        (FOUND, None),
        ({"resultType": "complete", "isError": True}, "$.result.content: missing, expected an array"),
    ],
)
def test_examples_leave_out_what_their_page_says_and_answer_what_they_can_answer(
    tmp_path: Path, result: Json, finding: str | None
) -> None:
    page = tmp_path / "2026-07-28" / "page.md"
    page.parent.mkdir()
    page.write_text(PAGE.replace("RESULT", json.dumps(result)), encoding="utf-8")
    report = validate(page)
    found = [f"{each.path}: {each.message}" for each in report if each.level == "error"]
    assert found == ([] if finding is None else [finding])
    assert report.remarks["elided"] == 1
