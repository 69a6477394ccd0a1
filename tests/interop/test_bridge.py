"""Servers of other projects that know one era, with our clients of the other: the client converts, or a bridge process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from interop.conftest import LONG, PROGRAMS, installed
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import environment, package, text_of

NEW = STATELESS[-1]
FIRST = HANDSHAKE[0]
Connect = Callable[..., Any]


@pytest.fixture(scope="session")
def first_sdk_python() -> Path:
    """The interpreter with release 1 of the official Python SDK."""
    return installed("MCP_INTEROP_FIRST_SDK")


@pytest.fixture(params=["client", "program"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Connects a client of a revision to a command; with ``program`` a bridge process stands between."""
    opened: list[Any] = []

    def connect(own: str, *command: str | Path) -> Any:
        words = [str(word) for word in command]
        if request.param == "program":
            words = [sys.executable, "-m", "mcp_bindgen", "bridge", "--", *words]
        options: dict[str, Any] = {"env": environment(), "stderr": "capture", "timeout": LONG}
        if own in STATELESS:
            options["probe"] = LONG
        client = package(own).Client.stdio(words, **options)
        opened.append(client)
        handlers = {
            "elicitation/create": ("ElicitResult", {"action": "accept", "content": {"name": "Ada"}}),
            "roots/list": ("ListRootsResult", {"roots": [{"uri": "file:///here"}]}),
            "sampling/createMessage": (
                "CreateMessageResult",
                {"role": "assistant", "model": "none", "content": {"type": "text", "text": "Paris"}},
            ),
        }
        for name, (cls, value) in handlers.items():
            if name in client.binding.requests:
                answer = client.binding.codec.structure(value, getattr(client.binding.types, cls))
                client.handles(client.binding.requests[name], lambda *_, answer=answer: answer)
        client.connect()
        return client

    yield connect
    for each in opened:
        each.close()


def test_everything_with_a_client_without_handshake(connect: Connect, node_modules: Path) -> None:
    client = connect(NEW, node_modules / ".bin" / "mcp-server-everything")
    assert text_of(client.call_tool("echo", {"message": "hello"})) == "Echo: hello"
    weather = client.call_tool("get-structured-content", {"location": "Chicago"})
    assert weather.structured_content["temperature"]
    seen: list[float] = []
    client.call_tool(
        "trigger-long-running-operation",
        {"duration": 0.3, "steps": 3},
        on_progress=lambda params: seen.append(params.progress),
    )
    assert seen[-1] == 3
    sampled = client.call_tool("trigger-sampling-request", {"prompt": "Where?", "maxTokens": 10})
    assert "Paris" in text_of(sampled)
    asked = client.call_tool("trigger-elicitation-request")
    assert "Ada" in "".join(block.text for block in asked.content)
    resources = [resource.uri for resource in client.list_resources()]
    assert client.read_resource(resources[0]).contents[0].text
    assert {"args-prompt", "completable-prompt"} <= {prompt.name for prompt in client.list_prompts()}


@pytest.mark.parametrize("own", [FIRST, NEW])
def test_the_first_release_of_the_official_python_sdk(connect: Connect, first_sdk_python: Path, own: str) -> None:
    client = connect(own, first_sdk_python, PROGRAMS / "first_sdk_server.py")
    added = client.call_tool("add", {"a": 2})
    assert client.binding.codec.unstructure(added)["structuredContent"] == {"value": 3}
    seen: list[float] = []
    assert text_of(client.call_tool("count", on_progress=lambda params: seen.append(params.progress))) == "counted"
    assert seen[-1] == 3
    failed = client.call_tool("fail")
    assert failed.is_error
    assert "no luck" in text_of(failed)
    if own == NEW:
        # Three questions, one after the other: the tool runs once, and is answered in three rounds.
        assert text_of(client.call_tool("ask")) == "Ada, at file:///here, in Paris"
    assert client.read_resource("note://first").contents[0].text == "A note on first."
    assert client.get_prompt("greet", {"who": "Ada"}).messages[0].content.text == "Say hello to Ada."
