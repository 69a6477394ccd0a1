"""Sampling: approving, editing and refusing; hints; tools and their results, on both sides."""

from __future__ import annotations

import pickle
from queue import Queue

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import ProtocolError, ResponseError, UsageError
from mcp_bindings_runtime.features.sampling import Refused, find_imbalance, match_model
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package, scripted_server, text_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
in_sessions = pytest.mark.parametrize("revision", HANDSHAKE)
WITH_TOOLS = [each for each in REVISIONS if hasattr(package(each).types, "ToolUseContent")]
with_tools = pytest.mark.parametrize("revision", WITH_TOOLS)


def answering(mcp, text="{}"):
    """A function that answers with the text of the last message."""

    def sample(params, context):
        said = params.messages[-1].content.text
        content = mcp.types.TextContent(text=text.format(said))
        return mcp.types.CreateMessageResult(role="assistant", model="m", content=content)

    return sample


def sampling_server(mcp, ask):
    """A server whose tool gives what ``ask`` makes of its context, or says what that raises."""
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        try:
            found = ask(context)
        except (UsageError, ProtocolError) as fault:
            found = f"{type(fault).__name__}: {fault}"
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=found)])

    return server


def called(revision, ask, **options):
    mcp = package(revision)
    with mcp.Client.in_memory(sampling_server(mcp, ask), timeout=PATIENCE, **options) as client:
        return text_of(client.call_tool("x"))


@each_revision
def test_a_prompt_becomes_a_text(revision):
    mcp = package(revision)
    asked = []

    def sample(params, context):
        asked.append(params)
        return answering(mcp, "re:{}")(params, context)

    def ask(context):
        return context.sample("hi", max_tokens=7, system_prompt="be brief", temperature=0.5, hints=["a", "b"])

    assert called(revision, ask, sampling=sample) == "re:hi"
    params = asked[0]
    assert (params.max_tokens, params.system_prompt, params.temperature) == (7, "be brief", 0.5)
    assert [hint.name for hint in params.model_preferences.hints] == ["a", "b"]


@in_sessions
@pytest.mark.parametrize(("given", "found"), [(None, "None"), ("hello", "a str")])
def test_a_callback_that_returns_no_result_is_named_in_one_line(revision, given, found, caplog):
    said = called(revision, lambda context: context.sample("hi").text, sampling=lambda params, context: given)
    assert "Internal error" in said
    start = f'the handler of sampling/createMessage returned {found}; return CreateMessageResult(role="assistant", '
    (logged,) = [each for each in caplog.records if "sampling/" in each.message]
    assert logged.message.startswith(start)
    assert logged.exc_info is None


@each_revision
def test_no_context_is_asked_for_unless_the_author_does(revision):
    mcp = package(revision)
    asked = []

    def sample(params, context):
        asked.append(context.peer.binding.codec.unstructure(params))
        return answering(mcp)(params, context)

    more = {"sampling_context": True} if revision in WITH_TOOLS else {}
    called(revision, lambda context: context.sample("hi"), sampling=sample, **more)
    assert "messages" in asked[0]
    assert "includeContext" not in asked[0]


@each_revision
def test_a_message_of_another_role_is_not_sent(revision):
    mcp = package(revision)
    asked = []
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        message = mcp.types.SamplingMessage(role="system", content=mcp.types.TextContent(text="t"))
        context.create_message([message], 9)

    with (
        mcp.Client.in_memory(server, timeout=PATIENCE, sampling=lambda params, context: asked.append(params)) as client,
        pytest.raises(ResponseError) as caught,
    ):
        client.call_tool("x")
    assert caught.value.code == -32603
    assert asked == []


@each_revision
def test_a_message_without_text_is_no_text(revision):
    mcp = package(revision)

    def sample(params, context):
        picture = mcp.types.ImageContent(data="AA==", mime_type="image/png")
        return mcp.types.CreateMessageResult(role="assistant", model="m", content=picture)

    found = called(revision, lambda context: context.sample("hi"), sampling=sample)
    assert found.startswith("ProtocolError: the message of m has no text")


@each_revision
def test_a_user_may_edit_before_and_after(revision):
    mcp = package(revision)

    def edit(params):
        message = mcp.types.SamplingMessage(role="user", content=mcp.types.TextContent(text="edited"))
        return params.__replace__(messages=[message])

    def review(params, result):
        assert params.messages[0].content.text == "edited"
        return result.__replace__(content=mcp.types.TextContent(text=f"<{result.content.text}>"))

    options = {"sampling": answering(mcp, "re:{}"), "approve_request": edit, "approve_result": review}
    assert called(revision, lambda context: context.sample("hi"), **options) == "<re:edited>"


def refuse(*_):
    raise Refused


@each_revision
@pytest.mark.parametrize("where", ["sampling", "approve_request", "approve_result"])
def test_a_user_may_refuse_before_and_after(revision, where):
    mcp = package(revision)
    asked = []

    def sample(params, context):
        asked.append(params)
        return answering(mcp)(params, context)

    options = {"sampling": sample, where: refuse}
    with pytest.raises(ResponseError) as caught:
        (
            called(revision, lambda context: context.sample("hi"), **options)
            if revision in STATELESS
            else told(revision, **options)
        )
    assert (caught.value.code, caught.value.message) == (-1, "User rejected sampling request")
    assert len(asked) == (where == "approve_result")
    assert isinstance(caught.value, Refused) == (revision in STATELESS), "without sessions, nobody is told"


def told(revision, **options):
    """Raises, on the client, the error that the server's handler was given."""
    errors = []

    def ask(context):
        try:
            return context.sample("hi")
        except ResponseError as error:
            errors.append(error)
            return ""

    called(revision, ask, **options)
    raise errors[0]


def test_a_refusal_can_be_pickled():
    again = pickle.loads(pickle.dumps(Refused("no", {"a": 1})))
    assert (type(again), again.code, again.message, again.data) == (Refused, -1, "no", {"a": 1})


@pytest.mark.parametrize(
    ("hints", "chosen"),
    [
        (["sonnet", "claude"], "claude-3-sonnet"),
        (["gpt", "claude"], "claude-3-opus"),
        (["SONNET"], "claude-3-sonnet"),
        (["gemini", "llama"], None),
        (["", "sonnet"], "claude-3-sonnet"),
        ([], None),
        (None, None),
    ],
)
def test_the_first_hint_that_any_model_has_in_its_name_decides(hints, chosen):
    assert match_model(hints, ["claude-3-opus", "claude-3-sonnet"]) == chosen


@each_revision
def test_hints_of_a_request_are_hints(revision):
    types = package(revision).types
    assert match_model([types.ModelHint(), types.ModelHint(name="b")], ["a", "b-1"]) == "b-1"


@given(st.lists(st.text("ab", max_size=2)), st.lists(st.text("ab", max_size=4)))
def test_a_match_has_a_hint_in_it_and_no_earlier_hint_has_any(hints, models):
    chosen = match_model(hints, models)
    fitting = [[model for model in models if hint and hint in model] for hint in hints]
    assert chosen == next((found[0] for found in fitting if found), None)


# Tools and their results.


def content(types, text):
    """``t`` is a text, ``uX`` the use X of a tool, ``rX`` its result."""
    if text == "t":
        return types.TextContent(text="t")
    if text[0] == "u":
        return types.ToolUseContent(id=text[1:], name="tool", input={})
    return types.ToolResultContent(tool_use_id=text[1:], content=[])


def conversation(types, text):
    """The messages of ``user: t | assistant: uA uB | user: rA rB``."""
    messages = []
    for part in text.split(" | "):
        role, _, blocks = part.partition(": ")
        messages.append(types.SamplingMessage(role=role, content=[content(types, each) for each in blocks.split()]))
    return messages


GOOD = [
    "user: t",
    "user: t | assistant: uA | user: rA",
    "user: t | assistant: t uA uB | user: rB rA | assistant: t",
    "user: t | assistant: uA | user: rA | assistant: uA | user: rA",
]
BAD = [
    ("assistant: uA | user: rA t", "tool results mixed"),
    ("assistant: uA | user: t rA", "tool results mixed"),
    ("assistant: uA | assistant: rA", "tool results mixed"),
    ("user: uA | user: rA", "tool results mixed"),
    ("assistant: uA", "tool results incomplete"),
    ("assistant: uA | user: t", "tool results incomplete"),
    ("assistant: uA uB | user: rA", "tool results incomplete"),
    ("assistant: uA | user: t | user: rA", "tool results incomplete"),
    ("user: rA", "tool results incomplete"),
    ("assistant: uA | user: rA rB", "tool results incomplete"),
    ("assistant: uA | user: rA rA", "tool results incomplete"),
]


@pytest.mark.parametrize("text", GOOD)
def test_each_use_of_a_tool_has_its_result_in_the_next_message(text):
    assert find_imbalance(conversation(package(WITH_TOOLS[0]).types, text)) is None


@pytest.mark.parametrize(("text", "situation"), BAD)
def test_results_that_are_mixed_missing_or_nobodys_are_told(text, situation):
    found = find_imbalance(conversation(package(WITH_TOOLS[0]).types, text))
    assert found is not None
    assert found[0] == situation


@with_tools
def test_a_server_does_not_send_what_is_out_of_balance(revision):
    types = package(revision).types
    messages = conversation(types, "assistant: uA | user: t")
    options = {"sampling": refuse, "sampling_tools": True}
    assert "no result of the tool use A" in called(revision, lambda each: each.create_message(messages, 9), **options)


@with_tools
def test_a_server_sends_tools_only_to_clients_that_take_them(revision):
    types = package(revision).types
    tool = types.Tool(name="t", input_schema=types.ToolInputSchema())
    messages = conversation(types, "user: t")

    def ask(context):
        try:
            return context.create_message(messages, 9, tools=[tool]).model
        except ResponseError as error:
            return f"{error.code} {error.data['requiredCapabilities']}"

    def sample(params, context):
        return types.CreateMessageResult(role="assistant", model="m", content=content(types, "t"))

    missing = {"sampling": {"tools": {}}}
    wanted = (
        f"-32021 {missing}" if revision in STATELESS else "NotDeclared: sampling/createMessage needs the capability "
    )
    assert called(revision, ask, sampling=sample).startswith(wanted)
    assert called(revision, ask, sampling=sample, sampling_tools=True) == "m"


@with_tools
def test_a_server_asks_for_context_only_where_it_is_added(revision):
    types = package(revision).types
    messages = conversation(types, "user: t")

    def ask(context):
        try:
            return context.create_message(messages, 9, include_context="allServers").model
        except ResponseError as error:
            return f"{error.code}"

    def sample(params, context):
        return types.CreateMessageResult(role="assistant", model="m", content=content(types, "t"))

    assert called(revision, ask, sampling=sample) != "m"
    assert called(revision, ask, sampling=sample, sampling_context=True) == "m"


@pytest.mark.parametrize("revision", [each for each in WITH_TOOLS if each in HANDSHAKE])
@pytest.mark.parametrize(
    ("params", "options", "message"),
    [
        ({"tools": []}, {}, "Invalid params"),
        ({"toolChoice": {"mode": "auto"}}, {}, "Invalid params"),
        ({"messages": ["use", "text"]}, {"sampling_tools": True}, "Tool result missing in request"),
        ({"messages": ["use", "mixed"]}, {"sampling_tools": True}, "Tool results mixed with other content"),
    ],
)
def test_a_client_refuses_what_it_may_not_be_asked(revision, params, options, message):
    answers = Queue()
    text = {"type": "text", "text": "t"}
    said = {
        "text": {"role": "user", "content": text},
        "use": {"role": "assistant", "content": {"type": "tool_use", "id": "A", "name": "n", "input": {}}},
        "mixed": {"role": "user", "content": [{"type": "tool_result", "toolUseId": "A", "content": []}, text]},
    }
    asked = {"maxTokens": 1, **params, "messages": [said[each] for each in params.get("messages", ["text"])]}

    def play(peer):
        peer.welcome(revision)
        peer.request("sampling/createMessage", 1, asked)
        answers.put(peer.hear())

    with scripted_server(package(revision).Client, play, sampling=refuse, **options) as (client, _):
        client.connect()
        error = answers.get(timeout=PATIENCE)["error"]
    assert (error["code"], error["message"]) == (-32602, message)
    assert error["data"]["reason"]
