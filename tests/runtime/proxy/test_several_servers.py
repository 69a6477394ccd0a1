"""Several servers behind a proxy look like one."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.proxy import backend_server
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import break_backend, connection_to, write_backend
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]
WITH_SESSIONS = {(HANDSHAKE[0], LATEST), (LATEST, LATEST), (LATEST, STATELESS[-1])}
WITHOUT = {(STATELESS[-1], STATELESS[-1]), (STATELESS[0], STATELESS[-1])}
PAIRS = sorted(WITH_SESSIONS | WITHOUT)

FRONTS = sorted({HANDSHAKE[0], LATEST, STATELESS[0], STATELESS[-1]})


@pytest.fixture
def join(tmp_path):
    """Starts a proxy before servers: names with their revisions, commands or server objects."""
    made = []

    def make(**servers: Any) -> Any:
        commands = {
            name: write_backend(tmp_path, name, each) if isinstance(each, str) else each
            for name, each in servers.items()
        }
        made.append(
            Proxy([BackendServer(connection_to(each), name=name, timeout=PATIENCE) for name, each in commands.items()])
        )
        return made[-1].server

    yield make
    for each in made:
        each.close()
    eventually(lambda: not threads_of())


@pytest.mark.parametrize("pair", PAIRS, ids="-and-".join)
def test_each_request_goes_to_its_server(pair, join):
    server = join(one=pair[0], two=pair[1])
    for front in FRONTS:
        _use_both(server, package(front))


def _use_both(server: Any, mcp: Any) -> None:
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        assert [each.name for each in client.list_tools() if each.name.endswith("process")] == [
            "one__process",
            "two__process",
        ]
        assert [each.name for each in client.list_prompts()] == ["one__greet", "two__greet"]
        assert [each.uri for each in client.list_resources()] == ["file:///one.txt", "file:///two.txt"]
        processes = [text_of(client.call_tool(f"{name}__process")) for name in ("one", "two")]
        assert processes[0] != processes[1]
        greeting = client.get_prompt("two__greet", {"whom": "you"})
        assert greeting.messages[0].content.text == "two greets you"
        assert client.read_resource("file:///two.txt").contents[0].text == "notes of two"
        wanted = mcp.types.CompleteRequestParamsArgument(name="whom", value="")
        completed = client.complete(mcp.types.PromptReference(name="one__greet"), wanted)
        assert completed.completion.values == ["the friends of one"]


def test_a_uri_that_no_server_lists_belongs_to_the_first_template(join, tmp_path):
    commands = {name: write_backend(tmp_path, name, LATEST, scheme) for name, scheme in SCHEMES.items()}
    server = join(**commands)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        assert client.read_resource("shared://k").contents[0].text == "k of one"
        assert client.read_resource("own://k").contents[0].text == "k of three"
        with pytest.raises(ResponseError) as caught:
            client.read_resource("unknown://k")
        assert caught.value.code == -32002


SCHEMES = {"one": "shared", "two": "shared", "three": "own"}


@each_revision
def test_a_server_that_is_down_does_not_affect_the_others(revision, join, tmp_path):
    commands = {name: write_backend(tmp_path, name, revision) for name in ("one", "two")}
    server = join(**commands)
    break_backend(commands["two"])
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        assert {each.name.partition("__")[0] for each in client.list_tools()} == {"one"}
        with pytest.raises(ResponseError) as caught:
            client.call_tool("two__process")
        assert "the server 'two' cannot be used: " in caught.value.data["reason"]
        assert text_of(client.call_tool("one__process")).isdigit()


def test_changes_of_each_server_reach_the_client(join):
    server = join(one=LATEST, two=LATEST)
    changed = threading.Event()
    client = package(LATEST).Client.in_memory(server, timeout=PATIENCE, on_tools_changed=changed.set)
    with client:
        assert client.read_resource("file:///two.txt").contents[0].text == "notes of two"
        client.call_tool("two__change")
        assert changed.wait(PATIENCE)
        assert "two__process" not in [each.name for each in client.list_tools()]
        with pytest.raises(ResponseError):
            client.read_resource("file:///two.txt")


@pytest.mark.parametrize("pair", PAIRS, ids="-and-".join)
def test_updates_come_from_the_server_of_the_resource(pair, join):
    server = join(one=pair[0], two=pair[1])
    updated: list[str] = []
    client = package(LATEST).Client.in_memory(
        server, timeout=PATIENCE, on_resource_updated=lambda params: updated.append(params.uri)
    )
    with client:
        client.subscribe("file:///two.txt")
        client.call_tool("one__touch", {"uri": "file:///one.txt"})
        client.call_tool("two__touch", {"uri": "file:///two.txt"})
        eventually(lambda: updated)
        assert updated == ["file:///two.txt"]


def test_a_list_without_end_is_cut(join, monkeypatch):
    monkeypatch.setattr(backend_server, "MAX_PAGES", 3)
    mcp = package(LATEST)
    endless = mcp.Server("endless", "1.0", revisions=[LATEST])
    schema = mcp.types.ToolInputSchema()

    @endless.handler(mcp.methods.LIST_TOOLS)
    def tools(params: Any, context: Any) -> Any:
        page = 0 if params is None or params.cursor is None else int(params.cursor)
        tool = mcp.types.Tool(name=f"t{page}", input_schema=schema)
        return mcp.types.ListToolsResult(tools=[tool], next_cursor=str(page + 1))

    server = join(one=endless, two=LATEST)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        names = [each.name for each in client.list_tools() if each.name.startswith("one")]
        assert names == ["one__t0", "one__t1", "one__t2"]


def test_an_unknown_name_is_explained(join):
    server = join(one=LATEST, two=LATEST)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(ResponseError) as caught:
            client.call_tool("process")
        assert caught.value.code == -32602
        assert caught.value.data == {"reason": "'process' has none of the prefixes one__, two__"}


def test_the_instructions_name_the_prefixes(join):
    server = join(one=LATEST, two=LATEST)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        assert client.instructions.splitlines()[:5] == [
            "# one",
            "",
            "The names of its tools and prompts begin with one__",
            "",
            "How to use one.",
        ]


def test_names_that_clash_are_refused(join, tmp_path):
    command = write_backend(tmp_path, "one", LATEST)
    with pytest.raises(UsageError, match="the names 'a b' and 'a_b' of servers clash"):
        join(**{"a b": command, "a_b": command})


def test_resources_that_clash_are_refused(join, tmp_path):
    command = write_backend(tmp_path, "one", LATEST)
    with pytest.raises(UsageError, match="the servers 'a' and 'b' both list the resource file:///one"):
        join(a=command, b=command)
