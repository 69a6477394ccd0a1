"""Servers of other projects with our clients."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.cli.app import run as run_cli
from mcp_bindings_runtime.errors import ResponseError
from support.revisions import HANDSHAKE
from support.scripted_peers import eventually, text_of

PROGRAMS = Path(__file__).parent / "programs"
LEGACY, NEWEST = "2025-11-25", "2026-07-28"
Use = Callable[..., Any]


class Answering:
    """Our client's answers to requests, in every revision."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.logged: list[Any] = []
        self.updated: list[str] = []
        self.handlers = {
            "elicitation/create": self._elicit,
            "sampling/createMessage": self._sample,
            "roots/list": self._roots,
            "notifications/message": lambda params, context: self.logged.append(params.data),
            "notifications/resources/updated": lambda params, context: self.updated.append(params.uri),
        }
        self.roots = ["file:///here"]

    @staticmethod
    def _made(context: Any, name: str, value: Any) -> Any:
        binding = context.peer.binding
        return binding.codec.structure(value, getattr(binding.types, name))

    def _elicit(self, params: Any, context: Any) -> Any:
        form = context.peer.binding.codec.unstructure(params)["requestedSchema"]
        self.asked.append(form)
        content = {
            name: form["properties"][name].get("default", "Ada") for name in form.get("required", form["properties"])
        }
        return self._made(context, "ElicitResult", {"action": "accept", "content": content})

    def _sample(self, params: Any, context: Any) -> Any:
        content = {"type": "text", "text": "Paris"}
        answer = {"role": "assistant", "model": "none", "content": content}
        return self._made(context, "CreateMessageResult", answer)

    def _roots(self, params: Any, context: Any) -> Any:
        return self._made(context, "ListRootsResult", {"roots": [{"uri": uri} for uri in self.roots]})


@pytest.fixture
def answering() -> Answering:
    return Answering()


def made(client: Any, name: str, value: Any) -> Any:
    return client.binding.codec.structure(value, getattr(client.binding.types, name))


# TypeScript: the servers of the Model Context Protocol's own makers.


@pytest.fixture(scope="session")
def everything(node_modules: Path) -> Path:
    return node_modules / ".bin" / "mcp-server-everything"


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_everything_in_each_revision(use: Use, everything: Path, revision: str) -> None:
    client = use(everything, revision=revision)
    assert client.binding.revision == revision
    assert text_of(client.call_tool("echo", {"message": "hello"})) == "Echo: hello"
    assert "3" in text_of(client.call_tool("get-sum", {"a": 1, "b": 2}))


def test_everything_that_everything_does(use: Use, everything: Path, answering: Answering) -> None:
    client = use(everything, handlers=answering.handlers)
    assert client.binding.revision == LEGACY
    client.ping()
    picture = next(block for block in client.call_tool("get-tiny-image").content if block.type == "image")
    assert base64.b64decode(picture.data).startswith(b"\x89PNG")
    weather = client.call_tool("get-structured-content", {"location": "Chicago"})
    assert weather.structured_content == json.loads(text_of(weather))
    links = client.call_tool("get-resource-links", {"count": 2}).content
    assert [block.type for block in links] == ["text", "resource_link", "resource_link"]
    seen: list[float] = []
    client.call_tool(
        "trigger-long-running-operation",
        {"duration": 0.3, "steps": 3},
        on_progress=lambda params: seen.append(params.progress),
    )
    assert seen[-1] == 3
    assert "file:///here" in text_of(client.call_tool("get-roots-list"))
    sampled = client.call_tool("trigger-sampling-request", {"prompt": "Where?", "maxTokens": 10})
    assert "Paris" in text_of(sampled)
    asked = client.call_tool("trigger-elicitation-request")
    assert "Ada" in "".join(block.text for block in asked.content)
    assert {"string", "boolean", "number", "integer", "array"} <= {
        field["type"] for field in answering.asked[0]["properties"].values()
    }


def test_resources_prompts_and_completions_of_everything(use: Use, everything: Path, answering: Answering) -> None:
    client = use(everything, handlers=answering.handlers)
    listed = [resource.uri for resource in client.list_resources()]
    assert "demo://resource/static/document/architecture.md" in listed
    (document,) = client.read_resource(listed[0]).contents
    assert document.text
    assert "demo://resource/dynamic/text/{resourceId}" in [
        template.uri_template for template in client.list_resource_templates()
    ]
    (blob,) = client.read_resource("demo://resource/dynamic/blob/1").contents
    assert base64.b64decode(blob.blob)
    with pytest.raises(ResponseError):
        client.read_resource("demo://nowhere")
    prompts = {prompt.name: prompt for prompt in client.list_prompts()}
    assert [argument.required for argument in prompts["args-prompt"].arguments] == [True, False]
    (message,) = client.get_prompt("args-prompt", {"city": "Rome"}).messages
    assert "Rome" in message.content.text
    reference = made(client, "PromptReference", {"type": "ref/prompt", "name": "completable-prompt"})
    argument = made(client, "CompleteRequestParamsArgument", {"name": "department", "value": "E"})
    assert client.complete(reference, argument).completion.values == ["Engineering"]
    client.subscribe(listed[0])
    client.call_tool("toggle-subscriber-updates")
    eventually(lambda: listed[0] in answering.updated)
    client.unsubscribe(listed[0])


def test_filesystem_keeps_to_the_roots_of_the_client(
    use: Use, node_modules: Path, answering: Answering, tmp_path: Path
) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    answering.roots = [inside.as_uri()]
    client = use(node_modules / ".bin" / "mcp-server-filesystem", str(outside), handlers=answering.handlers)
    eventually(lambda: "inside" in text_of(client.call_tool("list_allowed_directories")))
    client.call_tool("write_file", {"path": str(inside / "a.txt"), "content": "héllo"})
    assert (inside / "a.txt").read_text(encoding="utf-8") == "héllo"
    assert text_of(client.call_tool("read_text_file", {"path": str(inside / "a.txt")})) == "héllo"
    assert client.call_tool("write_file", {"path": str(outside / "a.txt"), "content": "x"}).is_error
    assert not (outside / "a.txt").exists()


def test_memory_remembers(use: Use, node_modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "memory.json"))
    client = use(node_modules / ".bin" / "mcp-server-memory")
    ada = {"name": "Ada", "entityType": "person", "observations": ["writes programs"]}
    client.call_tool("create_entities", {"entities": [ada]})
    graph = client.call_tool("read_graph").structured_content
    assert graph["entities"] == [ada]
    (read,) = client.read_resource("memory://knowledge-graph").contents
    assert json.loads(read.text)["entities"] == [ada]


# Python: the official SDK, a server made with it, and FastMCP.


@pytest.mark.parametrize("revision", REVISIONS)
def test_time_in_each_revision(use: Use, sdk_python: Path, revision: str) -> None:
    client = use(sdk_python, "-m", "mcp_server_time", "--local-timezone", "Europe/Rome", revision=revision)
    assert client.binding.revision == revision
    assert [tool.name for tool in client.list_tools()] == ["get_current_time", "convert_time"]
    zones = {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Etc/UTC"}
    converted = json.loads(text_of(client.call_tool("convert_time", zones)))
    assert converted["target"]["datetime"].endswith("03:00:00+00:00")
    with_fault = client.call_tool("get_current_time", {"timezone": "Nowhere/Here"})
    assert with_fault.is_error


@pytest.mark.parametrize("revision", [LEGACY, NEWEST])
def test_the_official_python_sdk(use: Use, sdk_python: Path, answering: Answering, revision: str) -> None:
    client = use(sdk_python, PROGRAMS / "sdk_server.py", revision=revision, handlers=answering.handlers)
    assert client.instructions == "It is theirs."
    assert client.call_tool("add", {"a": 2}).structured_content == {"value": 3}
    seen: list[float] = []
    assert text_of(client.call_tool("count", on_progress=lambda params: seen.append(params.progress))) == "counted"
    assert seen[-1] == 3
    # In 2026-07-28 both questions are in one result that asks for input.
    assert text_of(client.call_tool("ask")) == "Ada is 3, at file:///here"
    assert client.call_tool("fail").is_error
    assert client.read_resource("note://first").contents[0].text == "The first note."
    assert client.read_resource("note://second").contents[0].text == "A note on second."
    assert client.get_prompt("greet", {"who": "Ada"}).messages[0].content.text == "Say hello to Ada."


@pytest.mark.parametrize("revision", [LEGACY, NEWEST])
def test_fastmcp(use: Use, fastmcp_python: Path, answering: Answering, revision: str) -> None:
    options = {"log_level": "info"} if revision == NEWEST else {}
    client = use(
        fastmcp_python, PROGRAMS / "fastmcp_server.py", revision=revision, handlers=answering.handlers, **options
    )
    painted = client.call_tool("paint", {"colour": "red", "strokes": [1, 2]})
    assert painted.structured_content == {"colour": "red", "strokes": 3}
    assert text_of(client.call_tool("count")) == "counted"
    eventually(lambda: any("counted to three" in str(data) for data in answering.logged))
    failed = client.call_tool("fail")
    assert failed.is_error
    assert "no luck" in text_of(failed)
    assert client.read_resource("note://first").contents[0].text == "The first note."


# From the shell.


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def call(*words: str | Path) -> tuple[int, str]:
        status = run_cli(["call", *map(str, words)])
        return status, capsys.readouterr().out

    return call


def test_the_command_line_with_servers_of_others(
    shell: Any, everything: Path, sdk_python: Path, tmp_path: Path
) -> None:
    assert shell("call", "get-sum", "a=1", "b=2", "--", everything)[0] == 0
    status, out = shell("call", "get-annotated-message", "messageType=oops", "--", everything)
    assert (status, out) == (2, "")
    status, out = shell("call", "get-tiny-image", "--save", tmp_path / "images", "--", everything)
    assert status == 0
    assert [each.suffix for each in (tmp_path / "images").iterdir()] == [".png"]
    status, out = shell("list", "tools", "--json", "--", sdk_python, "-m", "mcp_server_time")
    assert (status, json.loads(out)["revision"]) == (0, NEWEST)
