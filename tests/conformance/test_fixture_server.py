"""Expectations of the conformance suite of its fixture, in every revision, with our own clients: in memory, stdio, HTTP."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance import server as fixture
from mcp_bindgen.validate import validate
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.transports.child import Child
from support.raw_http_client import endpoint
from support.scripted_peers import PATIENCE, environment, eventually, package

REVISIONS = fixture.REVISIONS
FORMS = [each for each in REVISIONS if each >= fixture.FORMS]
CHOICES = [each for each in REVISIONS if each >= fixture.CHOICES]
HANDSHAKE = [each for each in REVISIONS if each < fixture.STATELESS]
STATELESS = [each for each in REVISIONS if each >= fixture.STATELESS]
SERVER = [sys.executable, fixture.__file__, "--stdio"]


class Peer:
    """A client of the fixture that answers requests and records notifications."""

    def __init__(self, revision: str, way: str, record: Path) -> None:
        self.mcp = mcp = package(revision)
        self.revision = revision
        self.logged: list[Any] = []
        self.asked: list[Any] = []
        self.told: list[str] = []
        options = {"timeout": PATIENCE, "record": record}
        if revision in STATELESS:
            options["log_level"] = "info"
        if way.startswith("http"):
            path = "sse" if revision == REVISIONS[0] else "mcp"
            self.client = mcp.Client.http(f"{way}/{path}", **options)
        elif way == "memory":
            self.client = mcp.Client.in_memory(*fixture.build(revision), **options)
        else:
            self.client = mcp.Client(lambda: Child(SERVER, env=environment()), **options)
        methods = mcp.methods
        self.client.handles(methods.CREATE_MESSAGE, self._sample)
        self.client.handles(methods.LIST_ROOTS, self._roots)
        self.client.handles(methods.LOGGING_MESSAGE, lambda params, context: self.logged.append(params.data))
        if revision in FORMS:
            self.client.handles(methods.ELICIT, self._elicit)

    def _made(self, value: Any, name: str) -> Any:
        return self.mcp.converter.structure(value, getattr(self.mcp.types, name))

    def _sample(self, params: Any, context: Any) -> Any:
        self.asked.append(params)
        answer = {"role": "assistant", "model": "none", "content": {"type": "text", "text": "Paris"}}
        return self._made(answer, "CreateMessageResult")

    def _roots(self, params: Any, context: Any) -> Any:
        return self._made({"roots": [{"uri": "file:///here"}]}, "ListRootsResult")

    def _elicit(self, params: Any, context: Any) -> Any:
        self.asked.append(self.mcp.converter.unstructure(params))
        fields = self.asked[-1]["requestedSchema"]["properties"]
        content = {name: self._choose(field) for name, field in fields.items() if field["type"] != "array"}
        return self._made({"action": "accept", "content": content}, "ElicitResult")

    @staticmethod
    def _choose(field: Any) -> Any:
        """Return the default of a field, its first choice, or any value of its type."""
        if "default" in field:
            return field["default"]
        if "enum" in field:
            return field["enum"][0]
        if "oneOf" in field:
            return field["oneOf"][0]["const"]
        return field["type"] == "boolean" or "blue"

    def call(self, name: str, arguments: Any = None, **options: Any) -> Any:
        """Return the result of a tool as JSON."""
        return self.mcp.converter.unstructure(self.client.call_tool(name, arguments, **options))

    def text(self, name: str, arguments: Any = None) -> str:
        (block,) = self.call(name, arguments)["content"]
        text: str = block["text"]
        return text

    def json(self, value: Any) -> Any:
        return self.mcp.converter.unstructure(value)


@pytest.fixture(scope="module", params=["memory", "stdio", "http"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Transport to the fixture: over HTTP, one endpoint has all revisions."""
    if request.param != "http":
        yield request.param
        return
    with endpoint(*fixture.build()) as wire:
        yield f"http://127.0.0.1:{wire.port}"


@pytest.fixture(scope="module")
def peers(way: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Peer]]:
    """Return one client for each revision; at the end all messages are checked against the rules of the revision."""
    folder = tmp_path_factory.mktemp("recorded")
    made: dict[str, Peer] = {}

    class Made(dict[str, Peer]):
        def __missing__(self, revision: str) -> Peer:
            peer = made[revision] = self[revision] = Peer(revision, way, folder / f"{revision}.jsonl")
            peer.client.connect()
            return peer

    yield Made()
    for revision, peer in made.items():
        peer.client.close()
        report = validate(str(folder / f"{revision}.jsonl"), version=revision, rules=True)
        assert [str(finding) for finding in report if finding.level != "note"] == []


@pytest.fixture(params=REVISIONS)
def peer(request: pytest.FixtureRequest, peers: dict[str, Peer]) -> Peer:
    """Return a client of each revision, or of those that the test names."""
    return peers[request.param]


def only(*revisions: str) -> Any:
    return pytest.mark.parametrize("peer", revisions, indirect=True)


def test_every_tool_is_described(peer: Peer) -> None:
    tools = [peer.json(tool) for tool in peer.client.list_tools()]
    assert all(tool["description"] and tool["inputSchema"]["type"] == "object" for tool in tools)
    names = [tool["name"] for tool in tools]
    assert len(set(names)) == len(names)
    assert ("test_audio_content" in names) is (peer.revision >= fixture.AUDIO)
    assert ("test_elicitation" in names) is (peer.revision in FORMS)
    assert "test_logging_tool" in names


def test_content_of_each_kind(peer: Peer) -> None:
    assert peer.text("test_simple_text") == "This is a simple text response for testing."
    (picture,) = peer.call("test_image_content")["content"]
    assert base64.b64decode(picture["data"], validate=True).startswith(b"\x89PNG")
    (resource,) = peer.call("test_embedded_resource")["content"]
    assert resource["resource"] == {
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    }
    first, second, third = peer.call("test_multiple_content_types")["content"]
    assert (first["text"], second["mimeType"]) == ("Multiple content types test:", "image/png")
    assert json.loads(third["resource"]["text"]) == {"test": "data", "value": 123}


@only(*[each for each in REVISIONS if each >= fixture.AUDIO])
def test_sound(peer: Peer) -> None:
    (sound,) = peer.call("test_audio_content")["content"]
    assert base64.b64decode(sound["data"], validate=True)[8:12] == b"WAVE"
    assert sound["mimeType"] == "audio/wav"


def test_a_tool_that_fails_has_a_result(peer: Peer) -> None:
    result = peer.call("test_error_handling")
    assert result["isError"] is True
    assert result["content"][0]["text"] == "This tool intentionally returns an error for testing"


def test_progress_comes_before_the_result(peer: Peer) -> None:
    seen: list[Any] = []
    peer.call("test_tool_with_progress", on_progress=lambda params: seen.append((params.progress, params.total)))
    assert seen[-1] == (100, 100)
    assert seen == sorted(seen)


def test_a_schema_comes_back_as_it_was_written(peer: Peer) -> None:
    (tool,) = (tool for tool in peer.client.list_tools() if tool.name == "json_schema_2020_12_tool")
    assert peer.json(tool)["inputSchema"] == fixture.ADDRESS_SCHEMA


def test_an_unknown_tool_is_an_error(peer: Peer) -> None:
    with pytest.raises(ResponseError) as caught:
        peer.call("no_such_tool")
    assert caught.value.code == -32602


@only(*HANDSHAKE)
def test_log_messages_come_at_the_level_that_is_set(peer: Peer) -> None:
    peer.logged.clear()
    peer.client.set_level("warning")
    peer.text("test_tool_with_logging")
    peer.client.set_level("debug")
    peer.text("test_tool_with_logging")
    eventually(lambda: len(peer.logged) >= 3)
    assert peer.logged == ["Tool execution started", "Tool processing data", "Tool execution completed"]


def test_a_tool_samples_while_it_runs(peer: Peer) -> None:
    assert peer.text("test_sampling", {"prompt": "What is the capital?"}) == "LLM response: Paris"
    assert peer.asked[-1].max_tokens == 100


@only(*FORMS)
def test_a_tool_asks_while_it_runs(peer: Peer) -> None:
    said = peer.text("test_elicitation", {"message": "Well?"})
    assert said == 'User response: action=accept, content={"username": "blue", "email": "blue"}'
    assert peer.asked[-1]["message"] == "Well?"


@only(*CHOICES)
def test_forms_have_defaults_and_choices(peer: Peer) -> None:
    assert "John Doe" in peer.text("test_elicitation_sep1034_defaults")
    assert peer.asked[-1]["requestedSchema"]["properties"] == fixture.DEFAULTS
    peer.text("test_elicitation_sep1330_enums")
    assert peer.asked[-1]["requestedSchema"]["properties"] == fixture.ENUMS


def test_resources(peer: Peer) -> None:
    listed = {each.uri: each for each in peer.client.list_resources()}
    assert set(listed) == {"test://static-text", "test://static-binary", "test://watched-resource"}
    assert all(each.name and each.description for each in listed.values())
    (words,) = peer.client.read_resource("test://static-text").contents
    assert words.text == "This is the content of the static text resource."
    (picture,) = peer.client.read_resource("test://static-binary").contents
    assert picture.blob == fixture.PNG
    (template,) = peer.client.list_resource_templates()
    assert template.uri_template == "test://template/{id}/data"
    (data,) = peer.client.read_resource("test://template/123/data").contents
    assert json.loads(data.text) == {"id": "123", "templateTest": True, "data": "Data for ID: 123"}


@pytest.mark.parametrize(
    "uri", ["test://nowhere", "test://template/1/2/data", "test://template//data", "test://template/"]
)
def test_an_unknown_resource_is_an_error(peer: Peer, uri: str) -> None:
    with pytest.raises(ResponseError) as caught:
        peer.client.read_resource(uri)
    assert caught.value.code == (-32602 if peer.revision in STATELESS else -32002)
    assert caught.value.data == {"uri": uri}


@only(*HANDSHAKE)
def test_a_resource_can_be_subscribed_to(peer: Peer) -> None:
    assert peer.json(peer.client.subscribe("test://watched-resource")) == {}
    assert peer.json(peer.client.unsubscribe("test://watched-resource")) == {}


def test_prompts(peer: Peer) -> None:
    listed = list(peer.client.list_prompts())
    assert all(each.name and each.description for each in listed)

    def blocks(name: str, **arguments: str) -> list[Any]:
        messages = peer.json(peer.client.get_prompt(name, arguments or None))["messages"]
        assert {message["role"] for message in messages} == {"user"}
        return [message["content"] for message in messages]

    assert blocks("test_simple_prompt")[0]["text"] == "This is a simple prompt for testing."
    (words,) = blocks("test_prompt_with_arguments", arg1="hello", arg2="world")
    assert words["text"] == "Prompt with arguments: arg1='hello', arg2='world'"
    resource, words = blocks("test_prompt_with_embedded_resource", resourceUri="test://x")
    assert (resource["resource"]["uri"], words["type"]) == ("test://x", "text")
    assert [block["type"] for block in blocks("test_prompt_with_image")] == ["image", "text"]
    for name, arguments in (("no_such_prompt", None), ("test_prompt_with_arguments", {"arg1": "hello"})):
        with pytest.raises(ResponseError) as caught:
            peer.client.get_prompt(name, arguments)
        assert caught.value.code == -32602


def test_completion(peer: Peer) -> None:
    reference = peer.mcp.converter.structure(
        {"type": "ref/prompt", "name": "test_prompt_with_arguments"}, peer.mcp.types.PromptReference
    )
    argument = peer.mcp.converter.structure(
        {"name": "arg1", "value": "h"}, peer.mcp.types.CompleteRequestParamsArgument
    )
    assert peer.json(peer.client.complete(reference, argument))["completion"]["values"] == []


# Revisions without a handshake.


@only(*STATELESS)
def test_results_say_how_long_they_keep(peer: Peer) -> None:
    for page in (
        peer.client.list_tools_page(),
        peer.client.list_resources_page(),
        peer.client.list_resource_templates_page(),
        peer.client.list_prompts_page(),
        peer.client.read_resource("test://static-text"),
    ):
        assert page.ttl_ms >= 0
        assert page.cache_scope in {"public", "private"}


ROUNDS = {
    "elicitation": "Hello, blue!",
    "sampling": "Paris",
    "list_roots": "The roots: file:///here",
    "request_state": "state-ok",
    "multiple_inputs": "Answered: client_roots, greeting, user_name",
    "multi_round": "Answered: step1, step2",
    "tampered_state": "Answered: confirm",
    "capabilities": "Answered: client_roots, greeting, user_name",
}


@only(*FORMS)
@pytest.mark.parametrize("name", ROUNDS)
def test_input_is_asked_for_in_rounds(peer: Peer, name: str) -> None:
    assert peer.text(f"test_input_required_result_{name}") == ROUNDS[name]


@only(*FORMS)
def test_a_prompt_may_ask_too(peer: Peer) -> None:
    prompt = peer.json(peer.client.get_prompt("test_input_required_result_prompt"))
    assert prompt["messages"][0]["content"]["text"] == "The context: blue"


@only(*FORMS)
def test_a_handler_may_ask_by_its_context(peer: Peer) -> None:
    assert peer.text("test_streaming_elicitation") == 'User response: action=accept, content={"ok": true}'


@only(*STATELESS)
def test_a_log_message_is_sent_where_the_request_wants_it(peer: Peer) -> None:
    peer.logged.clear()
    peer.text("test_logging_tool")
    eventually(lambda: peer.logged == ["Tool execution started"])


@only(*STATELESS)
def test_what_takes_a_capability_says_so(peer: Peer) -> None:
    assert peer.text("test_missing_capability") == "The client declares sampling."
    with peer.mcp.Client.in_memory(*fixture.build(peer.revision)) as poor, pytest.raises(ResponseError) as caught:
        poor.call_tool("test_missing_capability")
    assert caught.value.code == -32021
    assert caught.value.data["requiredCapabilities"] == {"sampling": {}}


@only(*STATELESS)
def test_changes_reach_who_listens(peer: Peer) -> None:
    with peer.client.listen(tools=True) as changes:
        peer.text("test_trigger_prompt_change")
        peer.text("test_trigger_tool_change")
        first = next(iter(changes))
        assert first.key.name == "notifications/tools/list_changed"
    names = {tool.name for tool in peer.client.list_tools()}
    assert "test_dynamic_tool" in names
    peer.text("test_trigger_tool_change")
    assert names - {tool.name for tool in peer.client.list_tools()} == {"test_dynamic_tool"}
