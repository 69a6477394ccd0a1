"""Whole messages: which class a text becomes, what is refused and where, and that nothing is lost on the way back."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from checkout import PACKAGES
from mcp_bindings import v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28
from mcp_bindings_runtime.errors import DecodeError, EncodeError, Undecidable, UsageError

pytestmark = pytest.mark.usefixtures("both_backends")

ALL: list[Any] = [importlib.import_module(f"mcp_bindings.{name}") for name in PACKAGES]
BEFORE_2026 = [mcp for mcp in ALL if mcp.revision.HANDSHAKE]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def text(value: Any) -> str:
    return json.dumps(value)


def message(**members: Any) -> str:
    return text({"jsonrpc": "2.0", **members})


def same_json(left: Any, right: Any) -> bool:
    """Equal, integers and floats told apart."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def call(revision: Any, **params: Any) -> str:
    meta = {} if revision in BEFORE_2026 else {"_meta": META}
    return message(id=1, method="tools/call", params={"name": "add", **params, **meta})


@pytest.mark.parametrize("mcp", ALL)
def test_a_request_becomes_the_class_of_its_method(mcp: Any) -> None:
    made = mcp.decode(call(mcp, arguments={"a": 1}))
    assert type(made) is mcp.CallToolRequest
    assert (made.id, made.method, made.jsonrpc) == (1, "tools/call", "2.0")
    assert (made.params.name, made.params.arguments) == ("add", {"a": 1})


@pytest.mark.parametrize("mcp", ALL)
def test_bytes_and_text_give_the_same(mcp: Any) -> None:
    assert mcp.decode(call(mcp).encode()) == mcp.decode(call(mcp))


@pytest.mark.parametrize("mcp", ALL)
def test_an_unknown_method_gives_the_generic_class_and_keeps_all(mcp: Any) -> None:
    request = message(id="x", method="acme/do", params={"a": [1.0, None]}, more=1)
    made = mcp.decode(request)
    assert type(made) is mcp.JSONRPCRequest
    assert made.method == "acme/do"
    assert same_json(json.loads(mcp.encode(made)), json.loads(request))
    assert type(mcp.decode(message(method="acme/note"))) is mcp.JSONRPCNotification


def test_a_sender_may_only_send_its_own_methods() -> None:
    mcp = v2025_06_18
    request = message(id=1, method="roots/list")
    assert type(mcp.decode(request)) is mcp.ListRootsRequest
    assert type(mcp.decode(request, sender="server")) is mcp.ListRootsRequest
    assert type(mcp.decode(request, sender="client")) is mcp.JSONRPCRequest
    with pytest.raises(UsageError, match="'client', 'server' or None"):
        mcp.decode(request, sender="proxy")  # type: ignore[call-overload]  # the wrong word on purpose


def test_embedded_requests_are_no_messages_of_their_own() -> None:
    mcp = v2026_07_28
    assert type(mcp.decode(message(id=1, method="roots/list"))) is mcp.JSONRPCRequest
    made = mcp.converter.structure({"method": "roots/list"}, mcp.types.InputRequest)
    assert type(made) is mcp.ListRootsRequest
    assert mcp.converter.unstructure(made) == {"method": "roots/list"}


@pytest.mark.parametrize("mcp", ALL)
def test_a_request_needs_its_id_and_a_notification_has_none(mcp: Any) -> None:
    with pytest.raises(DecodeError, match=r"\$\.id: found nothing, expected an id, as tools/call is a request"):
        mcp.decode(message(method="tools/call", params={"name": "x"}))
    with pytest.raises(DecodeError, match=r"\$\.id: found 7, expected no id, as notifications/progress is a notif"):
        mcp.decode(message(id=7, method="notifications/progress", params={"progressToken": 1, "progress": 1}))


@pytest.mark.parametrize("mcp", ALL)
def test_an_id_is_a_string_or_an_integer_and_kept_as_it_is(mcp: Any) -> None:
    for good in (1, "1", 0, "", -5, 2**70):
        made = mcp.decode(message(id=good, method="x/y"))
        assert made.id == good
        assert type(made.id) is type(good)
    for bad in (True, 1.0, 1.5, None, [], {}):
        with pytest.raises(DecodeError) as caught:
            mcp.decode(message(id=bad, method="x/y"))
        assert caught.value.path == "$.id"
        assert caught.value.expected == "a string or an integer"


@pytest.mark.parametrize("mcp", ALL)
def test_a_result_gets_its_type_from_the_request_it_answers(mcp: Any) -> None:
    result = {"content": [{"type": "text", "text": "3"}]}
    response = message(id=5, result=result)
    raw = mcp.decode(response)
    assert raw.result == result
    assert isinstance(mcp.decode_result(mcp.methods.CALL_TOOL, raw.result), mcp.CallToolResult)
    typed = mcp.decode(response, results={5: mcp.methods.CALL_TOOL})
    assert typed.result == mcp.decode_result(mcp.methods.CALL_TOOL, result)
    assert json.loads(mcp.encode(typed)) == json.loads(response)
    assert mcp.decode(response, results={"5": mcp.methods.CALL_TOOL}).result == result


@pytest.mark.parametrize("mcp", ALL)
def test_a_wrong_result_is_refused_with_the_path_from_the_top(mcp: Any) -> None:
    response = message(id=5, result={"content": [{"type": "text", "text": "3"}, {"type": "video"}]})
    with pytest.raises(DecodeError) as caught:
        mcp.decode(response, results={5: mcp.methods.CALL_TOOL})
    assert caught.value.path == "$.result.content[1].type"
    assert caught.value.pointer == "/result/content/1/type"
    assert caught.value.found == '"video"'
    assert caught.value.expected.startswith('one of "text", "image"')
    assert caught.value.revision == mcp.revision.REVISION


@pytest.mark.parametrize("mcp", ALL)
def test_a_response_has_a_result_or_an_error(mcp: Any) -> None:
    error = {"code": -32601, "message": "no"}
    made = mcp.decode(message(id=1, error=error))
    assert (made.error.code, made.error.message) == (-32601, "no")
    for wrong in ({"id": 1}, {"id": 1, "result": {}, "error": error}):
        with pytest.raises(DecodeError, match=r"\$: found (both|neither) .* expected one of them"):
            mcp.decode(message(**wrong))
    with pytest.raises(DecodeError, match=r"\$\.result: found \[|\$\.result: found an array, expected an object"):
        mcp.decode(message(id=1, result=[]))


@pytest.mark.parametrize("mcp", ALL)
@pytest.mark.parametrize("id_member", [{}, {"id": None}, {"id": 3}], ids=["absent", "null", "number"])
def test_an_error_response_may_lack_its_id(mcp: Any, id_member: dict[str, Any]) -> None:
    response = message(error={"code": -32700, "message": "what?"}, **id_member)
    made = mcp.decode(response)
    assert made.id == id_member.get("id", mcp.UNSET)
    assert json.loads(mcp.encode(made)) == json.loads(response)


def test_batches_are_messages_in_2025_03_26_only() -> None:
    batch = "[" + call(v2025_03_26) + "," + message(method="notifications/initialized") + "]"
    mcp = v2025_03_26
    made = mcp.decode(batch)
    assert isinstance(made, list)
    assert [type(each) for each in made] == [mcp.CallToolRequest, mcp.InitializedNotification]
    assert json.loads(mcp.encode(made)) == json.loads(batch)
    with pytest.raises(DecodeError, match=r"\$: found an empty array, expected at least one message"):
        mcp.decode("[]")
    with pytest.raises(DecodeError, match=r"\$\[1\]\.id: found 1\.5"):
        mcp.decode("[" + call(mcp) + ',{"jsonrpc":"2.0","id":1.5,"method":"ping"}]')
    with pytest.raises(EncodeError, match=r"\$: found an empty list, expected at least one message"):
        mcp.encode([])
    with pytest.raises(EncodeError, match=r"\$\[1\]: found 5, expected an object of this revision"):
        mcp.encode([mcp.InitializedNotification(), 5])  # type: ignore[list-item]  # the wrong type on purpose
    for other in (each for each in ALL if not each.revision.BATCHES):
        with pytest.raises(DecodeError, match=r"\$: found an array, expected an object"):
            other.decode(batch)
        for messages in ([other.ToolListChangedNotification()], []):
            with pytest.raises(EncodeError, match=r"\$: found a list, expected an object of this revision"):
                other.encode(messages)


def test_a_result_type_that_is_absent_means_complete_and_stays_absent() -> None:
    mcp = v2026_07_28
    old = mcp.decode_result(mcp.methods.CALL_TOOL, {"content": []})
    assert isinstance(old, mcp.CallToolResult)
    assert old.result_type is None
    assert mcp.converter.unstructure(old) == {"content": []}
    assert mcp.converter.unstructure(mcp.CallToolResult(content=[])) == {"content": [], "resultType": "complete"}


def test_the_result_type_tells_input_required_from_the_rest() -> None:
    mcp = v2026_07_28
    asked = mcp.decode_result(mcp.methods.CALL_TOOL, {"resultType": "input_required", "requestState": "s"})
    assert isinstance(asked, mcp.InputRequiredResult)
    assert mcp.converter.unstructure(mcp.InputRequiredResult(request_state="s"))["resultType"] == "input_required"
    with pytest.raises(
        DecodeError, match=r'\$\.resultType: found "other", expected one of "complete", "input_required"'
    ):
        mcp.decode_result(mcp.methods.CALL_TOOL, {"resultType": "other", "content": []})


@pytest.mark.parametrize("mcp", BEFORE_2026)
def test_a_payload_does_not_tell_which_result_it_is(mcp: Any) -> None:
    with pytest.raises(Undecidable, match="request with the same id"):
        mcp.converter.structure({}, mcp.types.ServerResult)


def test_lenient_decoding_gives_the_value_and_all_that_is_wrong() -> None:
    mcp = v2025_06_18
    value, violations = mcp.decode(
        message(id=1.5, method="tools/call", params={"name": 5, "arguments": [], "other": 1}), mode="lenient"
    )
    assert [str(each) for each in violations] == [
        "$.id: found 1.5, expected a string or an integer (2025-06-18)",
        "$.params.name: found 5, expected a string (2025-06-18)",
        "$.params.arguments: found an array, expected an object (2025-06-18)",
    ]
    assert type(value) is mcp.CallToolRequest
    assert (value.id, value.params.name, value.params.arguments, value.params.extra) == (1.5, 5, [], {"other": 1})
    good = mcp.decode(call(mcp), mode="lenient")
    assert (good.value, list(good.violations)) == (mcp.decode(call(mcp)), [])


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        (b"\xff", "bytes that are not UTF-8 (at byte 0)"),
        (b"", "text that is not JSON (expecting value, line 1 column 1)"),
        (b"{} x", "text that is not JSON (extra data, line 1 column 4)"),
        (b"\xef\xbb\xbf{}", "a byte order mark"),
        (b'{"a": NaN}', "NaN, which is not JSON"),
        (b'{"a": -Infinity}', "-Infinity, which is not JSON"),
        (b'{"a": 1e999}', "a number too large to be finite"),
        (b"[" * 100_000, "JSON nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", "an integer of too many digits"),
        (b'{"a": "\\ud800"}', "a string with half a surrogate pair"),
        ('{"a": "\ud800"}', "a string with half a surrogate pair"),
    ],
    ids=lambda each: repr(each)[:24],
)
@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_what_is_no_json_is_refused(bad: bytes | str, found: str, mode: Any) -> None:
    if mode == "strict":
        with pytest.raises(DecodeError) as caught:
            v2025_06_18.decode(bad)
        error = caught.value
    else:
        (error,) = v2025_06_18.decode(bad, mode="lenient").violations
    assert error.path == "$"
    assert error.found.startswith(found)


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize("mcp", ALL)
@pytest.mark.parametrize("data", [{"method": "ping"}, None, 5, ["{}"]], ids=str)
def test_what_is_no_text_is_misuse(mcp: Any, data: Any, mode: str) -> None:
    expected = rf"must be a str or UTF-8 bytes, got {type(data).__name__};.* pass json\.dumps\(value\)"
    with pytest.raises(UsageError, match=expected):
        mcp.decode(data, mode=mode)


def test_a_surrogate_pair_is_a_character() -> None:
    made = v2025_06_18.decode('{"jsonrpc":"2.0","id":"\\ud83d\\ude00","method":"ping"}')
    assert made.id == "\N{GRINNING FACE}"  # type: ignore[union-attr]  # a request


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        (v2025_06_18.TextContent(text=5), "$.text", "5"),  # type: ignore[arg-type]
        (v2025_06_18.TextContent(text="a", meta=[]), "$._meta", "a list"),  # type: ignore[arg-type]
        (v2025_06_18.TextContent(text="a", meta={"x": {1}}), "$._meta.x", "a set"),
        (v2025_06_18.TextContent(text="a", meta={"x": [float("nan")]}), "$._meta.x[0]", "nan"),
        (v2025_06_18.TextContent(text="\ud800"), "$.text", "a string with half a surrogate pair"),
        (v2025_06_18.TextContent(text="a", extra={"text": "b"}), "$.text", "a declared member in extra"),
        (v2025_06_18.TextContent(text="a", extra={5: "b"}), "$", "the key 5"),  # type: ignore[dict-item]
        (v2025_06_18.TextContent(text="a", extra=["b"]), "$", "a list in extra"),  # type: ignore[arg-type]
        (v2025_06_18.TextContent(text="a", meta={"x": [{1: 2}]}), "$._meta.x[0]", "the key 1"),
        (v2025_06_18.Root(uri=None), "$.uri", "None"),  # type: ignore[arg-type]
        (v2025_06_18.Annotations(priority=True), "$.priority", "True"),
        (v2025_06_18.Annotations(audience=["user", "nobody"]), "$.audience[1]", '"nobody"'),  # type: ignore[list-item]
        (
            v2025_06_18.PromptMessage(role="user", content=v2025_06_18.Root(uri="x")),  # type: ignore[arg-type]
            "$.content",
            "a Root",
        ),
        (
            v2025_06_18.CallToolResult(content=[v2025_06_18.ImageContent(data=b"x", mime_type="a")]),  # type: ignore[arg-type]
            "$.content[0].data",
            "a bytes",
        ),
        ([v2025_06_18.Root(uri="a")], "$", "a list"),
        ({"jsonrpc": "2.0", "method": "x"}, "$", "a dict"),
        (v2025_06_18.JSONRPCResponse(id=1, result={"_meta": None}), "$.result._meta", "null"),
        (v2025_06_18.JSONRPCResponse(id=1, result=[]), "$.result", "a list"),
        (v2025_06_18.JSONRPCResponse(id=1, result={"a": {1}}), "$.result.a", "a set"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_encoding_a_wrong_value_says_where(value: Any, path: str, found: str) -> None:
    with pytest.raises(EncodeError) as caught:
        v2025_06_18.encode(value)
    assert (caught.value.path, caught.value.found) == (path, found)


def test_unstructure_takes_lists_and_dicts_of_objects_too() -> None:
    mcp = v2026_07_28
    asked = mcp.converter.structure({"a": {"method": "roots/list"}}, mcp.types.InputRequests)
    assert mcp.converter.unstructure(asked) == {"a": {"method": "roots/list"}}
    assert mcp.converter.unstructure([{"x": mcp.Root(uri="a")}, 1.5, None]) == [{"x": {"uri": "a"}}, 1.5, None]
    with pytest.raises(EncodeError, match=r"\$\[0\]\.x\.uri: found 5, expected a string"):
        mcp.converter.unstructure([{"x": mcp.Root(uri=5)}])  # type: ignore[arg-type]  # the wrong type on purpose
    with pytest.raises(EncodeError, match=r"\$\[0\]: found the key 1, expected strings as keys"):
        mcp.converter.unstructure([{1: 2}])


def test_encode_writes_one_line_of_utf_8_without_what_is_absent() -> None:
    mcp = v2025_06_18
    made = mcp.CallToolRequest(id=1, params=mcp.CallToolRequestParams(name="é\n", arguments={}))
    expected = '{"jsonrpc":"2.0","method":"tools/call","id":1,"params":{"name":"é\\n","arguments":{}}}'
    assert mcp.encode(made) == expected.encode()


@pytest.mark.parametrize("mcp", ALL)
def test_the_text_of_an_error_is_one_sentence_with_its_revision(mcp: Any) -> None:
    with pytest.raises(DecodeError) as caught:
        mcp.decode(message(id=[], method="x"))
    assert str(caught.value) == f"$.id: found an array, expected a string or an integer ({mcp.revision.REVISION})"


def test_odd_keys_are_quoted_in_paths_and_escaped_in_pointers() -> None:
    error = DecodeError(("a b", 'q"', "$schema", "x/y~z", 3), "x", "y", "r")
    assert error.path == '$["a b"]["q\\""].$schema["x/y~z"][3]'
    assert error.pointer == '/a b/q"/$schema/x~1y~0z/3'


def test_errors_survive_pickling() -> None:
    import pickle

    error = DecodeError(("a", 1), "x", "y", "r")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.pointer) == (str(error), error.pointer)


@pytest.mark.parametrize("mcp", ALL)
def test_every_method_has_a_key_that_knows_its_message(mcp: Any) -> None:
    for name, key in {**mcp.methods.REQUESTS, **mcp.methods.NOTIFICATIONS}.items():
        assert key.name == name == key.message.method
        assert set(key.sent_by) <= {"client", "server"}
        assert key.sent_by


def test_keys_know_which_capability_they_need_and_of_whom() -> None:
    methods = v2025_11_25.methods
    assert methods.SUBSCRIBE.capability == "resources.subscribe"
    assert (methods.TOOL_LIST_CHANGED.capability, methods.TOOL_LIST_CHANGED.capability_of) == (
        "tools.listChanged",
        "sender",
    )
    complete = methods.ELICITATION_COMPLETE
    assert (complete.capability, complete.capability_of) == ("elicitation.url", "receiver")
    assert v2024_11_05.methods.COMPLETE.capability is None


def test_a_result_of_another_revisions_method_is_misuse() -> None:
    with pytest.raises(UsageError, match="'tasks/list' is not a request of 2025-06-18"):
        v2025_06_18.decode_result(v2025_11_25.methods.LIST_TASKS, {})


def test_structure_takes_aliases_and_types_made_of_the_revisions_own() -> None:
    mcp = v2025_06_18
    structure: Any = mcp.converter.structure
    block = {"type": "text", "text": "a"}
    assert structure(block, mcp.types.ContentBlock) == mcp.TextContent(text="a")
    assert structure("user", mcp.types.Role) == "user"
    assert structure([block], list[mcp.types.ContentBlock]) == [mcp.TextContent(text="a")]
    assert structure({"x": {"uri": "a"}}, dict[str, mcp.Root]) == {"x": mcp.Root(uri="a")}
    with pytest.raises(DecodeError, match=r'\$: found "nobody", expected one of "user", "assistant"'):
        structure("nobody", mcp.types.Role)


def test_a_cattrs_converter_reads_the_types_inside_other_classes() -> None:
    import attrs

    @attrs.define
    class Page:
        tools: list[v2025_06_18.Tool]
        block: v2025_06_18.types.ContentBlock
        owner: str

    tool = {"name": "add", "inputSchema": {"type": "object"}, "x-acme": 1}
    converter = v2025_06_18.converter.get_converter()
    made = converter.structure({"tools": [tool], "block": {"type": "text", "text": "a"}, "owner": "me"}, Page)
    assert made.tools[0].input_schema == v2025_06_18.types.ToolInputSchema()
    assert converter.unstructure(made) == {"tools": [tool], "block": {"type": "text", "text": "a"}, "owner": "me"}


@pytest.mark.parametrize("package", ["v2024_11_05", "v2026_07_28"])
def test_public_names_are_those_of_all_types(package: str) -> None:
    mcp = importlib.import_module(f"mcp_bindings.{package}")
    for name in mcp.types.__all__:
        assert getattr(mcp, name) is getattr(mcp.types, name)
