"""Clients and contexts have a method for each request: what it takes, what it sends, what it gives, and what it says."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import subprocess
import sys
import typing
from collections.abc import Iterator
from random import Random
from types import UnionType
from typing import Any, TypeVar

import pytest
from checkout import PACKAGES
from mcp_bindings import v2025_11_25, v2026_07_28
from mcp_bindings_runtime.errors import ProtocolError
from mcp_bindings_runtime.methods import RequestMethod
from strategies.values import Values
from support.official_schemas import ours

ALL: list[Any] = [importlib.import_module(f"mcp_bindings.{name}") for name in PACKAGES]
NOT_SENT = {"client": {"initialize", "subscriptions/listen"}, "server": {"ping"}}
"""Requests that the runtime sends by itself or offers in another form."""
OF_THE_RUNTIME = {"meta", "input_responses", "request_state", "extra"}
"""Members of params that nobody gives."""
OPTIONS = ["meta", "timeout", "on_progress"]
CONVERTED = {"tools/call"}
"""Requests with the option ``returns``, whose result a client can convert into a type of its own."""
T = TypeVar("T")
"""That type."""

Row = tuple[Any, str, str, Any]
"""The package, a side, the name of the method, and the key of the request."""


def asker(mcp: Any, side: str) -> type:
    """The class that sends the requests of a side."""
    return mcp.Client if side == "client" else mcp.Context


def keys(mcp: Any, side: str) -> dict[str, RequestMethod[Any, Any]]:
    """The requests that a side's code sends, by the name of their key in small letters."""
    return {
        name.lower(): key
        for name, key in vars(mcp.methods).items()
        if isinstance(key, RequestMethod) and side in key.sent_by and key.name not in NOT_SENT[side]
    }


def params_classes(key: RequestMethod[Any, Any]) -> tuple[Any, ...]:
    return typing.get_args(key.params) if isinstance(key.params, UnionType) else (key.params,)


def is_paged(key: RequestMethod[Any, Any]) -> bool:
    return isinstance(key.result, type) and "next_cursor" in key.result.__slots__


def rows() -> Iterator[Row]:
    """A row for each request whose params have one class; those of several are listed in tests of their own."""
    for mcp in ALL:
        for side in ("client", "server"):
            for name, key in keys(mcp, side).items():
                if len(params_classes(key)) == 1:
                    yield mcp, side, f"{name}_page" if is_paged(key) else name, key


ROWS = list(rows())
each_request = pytest.mark.parametrize(
    ("mcp", "side", "name", "key"), ROWS, ids=[f"{row[0].__name__[-10:]}-{row[1]}-{row[2]}" for row in ROWS]
)
each_revision = pytest.mark.parametrize("mcp", ALL, ids=PACKAGES)


_ASKING = {"roots", "within_roots", "sample"}
CONVENIENCES = {
    "client": {
        "2024-11-05": {"set_roots"},
        "2025-03-26": {"set_roots"},
        "2025-06-18": {"set_roots"},
        "2025-11-25": {"set_roots", "wait_for_page", "call_tool_as_task"},
        "2026-07-28": {"set_roots", "call_tool_as_task"},
    },
    "server": {
        "2024-11-05": {*_ASKING, "ping"},
        "2025-03-26": {*_ASKING, "ping"},
        "2025-06-18": {*_ASKING, "ping", "elicit_form"},
        "2025-11-25": {*_ASKING, "ping", "elicit_form", "elicit_page", "page_done"},
        "2026-07-28": {*_ASKING, "elicit_form"},
    },
}
"""What is emitted besides, by side and revision; later ones have what 2026-07-28 has."""


@each_revision
@pytest.mark.parametrize("side", ["client", "server"])
def test_there_is_a_method_for_each_request_and_no_other(mcp: Any, side: str) -> None:
    expected = {name for name, key in keys(mcp, side).items()}
    expected |= {f"{name}_page" for name, key in keys(mcp, side).items() if is_paged(key)}
    expected |= {"elicit_url"} if side == "server" and hasattr(mcp, "ElicitRequestURLParams") else set()
    expected |= CONVENIENCES[side].get(mcp.revision.REVISION, CONVENIENCES[side]["2026-07-28"])
    written = {name for name, value in vars(asker(mcp, side)).items() if inspect.isfunction(value)}
    assert written == expected


def test_what_is_called_by_name_is_there() -> None:
    everywhere = {
        "list_tools",
        "call_tool",
        "list_prompts",
        "get_prompt",
        "list_resources",
        "read_resource",
        "complete",
    }
    for mcp in ALL:
        assert everywhere <= set(dir(mcp.Client))
        assert {"create_message", "list_roots"} <= set(dir(mcp.Context))
        assert hasattr(mcp.Client, "ping") == hasattr(mcp.Client, "set_level") == (mcp.revision.HANDSHAKE)
        assert hasattr(mcp.Client, "discover") == (not mcp.revision.HANDSHAKE)


def hints(function: Any) -> dict[str, Any]:
    names = {"Callable": typing.Callable, "T": T}
    return typing.get_type_hints(inspect.unwrap(function), {**vars(inspect.getmodule(function)), **names})


@each_request
def test_parameters_are_the_members_of_the_params(mcp: Any, side: str, name: str, key: Any) -> None:
    method = getattr(asker(mcp, side), name)
    found = inspect.signature(method).parameters
    members = {
        each.name: each
        for each in list(inspect.signature(key.params).parameters.values())
        if each.name not in OF_THE_RUNTIME
    }
    required = [each.name for each in members.values() if each.default is each.empty]
    options = OPTIONS if not key.embedded else [option for option in ["meta"] if "meta" in key.params.__slots__]
    options = ["returns", *options] if key.name in CONVERTED else options
    positional = [each.name for each in found.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert positional[: 1 + len(required)] == ["self", *required]
    assert list(found)[len(found) - len(options) :] == options
    assert found.keys() == {"self", *members, *options}
    types, wanted = hints(method), hints(key.params.__init__)
    for each, member in members.items():
        assert types[each] == wanted[each]
        assert each in required or found[each].default is member.default
    assert all(found[option].default is None for option in options)


@each_request
def test_results_are_those_of_the_key_that_are_final(mcp: Any, side: str, name: str, key: Any) -> None:
    returned = hints(getattr(asker(mcp, side), name))["return"]
    possible = typing.get_args(key.result) if isinstance(key.result, UnionType) else (key.result,)
    final = [each for each in possible if each is not getattr(mcp, "InputRequiredResult", None)]
    converted = [T] if key.name in CONVERTED else []
    is_union = typing.get_origin(returned) in {UnionType, typing.Union}
    assert (typing.get_args(returned) if is_union else (returned,)) == (*final, *converted)


def test_natural_calls() -> None:
    def positional(method: Any) -> list[str]:
        each = inspect.signature(method).parameters.values()
        return [parameter.name for parameter in each if parameter.kind is parameter.POSITIONAL_OR_KEYWORD][1:]

    for mcp in ALL:
        assert positional(mcp.Client.call_tool) == ["name", "arguments"]
        assert positional(mcp.Client.get_prompt) == ["name", "arguments"]
        assert positional(mcp.Client.list_tools) == []
        assert positional(mcp.Client.list_tools_page) == ["cursor"]
        assert positional(mcp.Context.create_message) == ["messages", "max_tokens"]
    for mcp in (v2025_11_25, v2026_07_28):
        assert positional(mcp.Context.elicit) == ["message", "requested_schema"]
    assert positional(v2025_11_25.Context.elicit_url) == ["message", "elicitation_id", "url"]


class Sent(Exception):
    """What a method was about to send."""

    def __init__(self, key: Any, params: Any, options: dict[str, Any]) -> None:
        super().__init__(key)
        self.key, self.params, self.options = key, params, options


def sent(mcp: Any, side: str, name: str, /, *arguments: Any, **named: Any) -> Sent:
    """What a method sends, and how."""

    class Quiet(asker(mcp, side)):  # type: ignore[misc]  # one class or the other
        def __init__(self) -> None:
            pass

        def request(self, key: Any, params: Any = None, **options: Any) -> Any:
            raise Sent(key, params, options)

        if side == "client" and not mcp.revision.HANDSHAKE:

            def meta(self, entries: Any = None) -> Any:
                return mcp.RequestMetaObject(
                    protocol_version="2026-07-28",
                    client_capabilities=mcp.ClientCapabilities(),
                    extra=dict(entries) if entries else None,
                )

    with pytest.raises(Sent) as caught:
        getattr(Quiet(), name)(*arguments, **named)
    return caught.value


def on_the_wire(mcp: Any, one: Sent) -> dict[str, Any]:
    """The message that is sent."""
    identified = {} if one.key.embedded else {"id": 1}
    value: dict[str, Any] = mcp.converter.unstructure(one.key.message(params=one.params, **identified))
    return value


@each_request
def test_what_is_given_is_what_is_sent(mcp: Any, side: str, name: str, key: Any) -> None:
    protocol = ours(mcp.revision.REVISION)
    values, random = Values(protocol), Random(name)
    for _ in range(20):
        params = values.drawn(protocol.methods[key.name].params, random)  # type: ignore[arg-type]  # there are params
        params = {
            wire: value for wire, value in params.items() if wire not in {"_meta", "inputResponses", "requestState"}
        }
        meta = {
            "_meta": (
                {**META, "acme/trace": "t"} if not mcp.revision.HANDSHAKE and side == "client" else {"acme/trace": "t"}
            )
        }
        if "meta" not in inspect.signature(getattr(asker(mcp, side), name)).parameters:
            meta = {}
        made = mcp.converter.structure(params | meta, key.params)
        given = {slot: getattr(made, slot) for slot in made.__slots__ if slot not in OF_THE_RUNTIME}
        one = sent(mcp, side, name, **given, **({"meta": {"acme/trace": "t"}} if meta else {}))
        undeclared = {wire: value for wire, value in (made.extra or {}).items() if wire != "_meta"}
        assert one.key is key
        assert on_the_wire(mcp, one)["params"] == {
            wire: value for wire, value in (params | meta).items() if wire not in undeclared
        }


META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


@each_revision
def test_a_request_without_anything_to_say_has_no_params(mcp: Any) -> None:
    for side in ("client", "server"):
        for name in ("ping", "list_tools", "list_tools_page", "list_roots"):
            if hasattr(asker(mcp, side), name):
                value = on_the_wire(mcp, sent(mcp, side, name))
                assert value.get("params") == (
                    {"_meta": META} if not mcp.revision.HANDSHAKE and side == "client" else None
                )


@each_revision
def test_options_are_passed_on(mcp: Any) -> None:
    def listener(params: Any) -> None: ...

    for name, given in (("call_tool", ["add", {"a": 1}]), ("list_tools", []), ("list_tools_page", ["c"])):
        one = sent(mcp, "client", name, *given, timeout=1.5, on_progress=listener)
        assert one.options == {"timeout": 1.5, "on_progress": listener}


@pytest.mark.parametrize("mcp", [v2025_11_25, v2026_07_28])
def test_each_kind_of_elicitation_has_a_method(mcp: Any) -> None:
    schema = mcp.ElicitRequestFormParamsRequestedSchema(properties={"name": mcp.StringSchema()})
    form = on_the_wire(mcp, sent(mcp, "server", "elicit", "Who?", schema))
    assert form["params"] == {
        "message": "Who?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    }
    more = {"elicitation_id": "e"} if mcp is v2025_11_25 else {}
    page = on_the_wire(mcp, sent(mcp, "server", "elicit_url", message="Look", url="https://a.example", **more))
    ids = {"elicitationId": "e"} if mcp is v2025_11_25 else {}
    assert page["params"] == {"mode": "url", "message": "Look", "url": "https://a.example", **ids}


def answered(mcp: Any, result: Any) -> Any:
    """A client whose every request has one answer."""

    class Answered(mcp.Client):  # type: ignore[misc]  # which one is a parameter
        def __init__(self) -> None:
            pass

        def meta(self, entries: Any = None) -> Any:
            return entries

        def request(self, key: Any, params: Any = None, **options: Any) -> Any:
            return result

    return Answered()


def test_params_that_ask_for_a_task_get_one_and_others_do_not() -> None:
    mcp = v2025_11_25
    now, wanted = "2025-11-25T00:00:00Z", mcp.TaskMetadata()
    task = mcp.Task(task_id="t", status="working", created_at=now, last_updated_at=now, ttl=None)
    usual, lasting = mcp.CallToolResult(content=[]), mcp.CreateTaskResult(task=task)
    assert answered(mcp, usual).call_tool("add") is usual
    assert answered(mcp, lasting).call_tool("add", task=wanted) is lasting
    with pytest.raises(ProtocolError, match=r"tools/call: the answer is a CreateTaskResult, .* a CallToolResult"):
        answered(mcp, lasting).call_tool("add")
    with pytest.raises(ProtocolError, match=r"tools/call: the answer is a CallToolResult, .* a CreateTaskResult"):
        answered(mcp, usual).call_tool("add", task=wanted)


def test_a_result_that_asks_for_more_is_not_given_out() -> None:
    with pytest.raises(ProtocolError, match="InputRequiredResult"):
        answered(v2026_07_28, v2026_07_28.InputRequiredResult()).call_tool("add")


class Paged:
    """Stands for a list in three pages of two."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []

    def client(self, mcp: Any) -> Any:
        asked = self.asked

        class Listing(mcp.Client):  # type: ignore[misc]  # which one is a parameter
            def __init__(self) -> None:
                pass

            def meta(self, entries: Any = None) -> Any:
                return entries

            def request(self, key: Any, params: Any = None, **options: Any) -> Any:
                cursor = None if params is None else params.cursor
                asked.append(cursor)
                page = int(cursor or 0)
                needed = {"ttl_ms": 0, "cache_scope": "private"} if not mcp.revision.HANDSHAKE else {}
                prompts = [mcp.Prompt(name=f"{page}.{each}") for each in range(2)]
                return key.result(prompts=prompts, next_cursor=str(page + 1) if page < 2 else None, **needed)

        return Listing()


@each_revision
def test_lists_go_on_over_pages_of_which_the_first_is_asked_for_at_once(mcp: Any) -> None:
    paged = Paged()
    prompts = paged.client(mcp).list_prompts()
    assert paged.asked == [None]
    assert [next(prompts).name, next(prompts).name] == ["0.0", "0.1"]
    assert paged.asked == [None]
    assert [prompt.name for prompt in prompts] == ["1.0", "1.1", "2.0", "2.1"]
    assert paged.asked == [None, "1", "2"]


@each_revision
def test_lists_may_start_at_a_cursor_or_be_had_by_the_page(mcp: Any) -> None:
    paged = Paged()
    client = paged.client(mcp)
    assert [prompt.name for prompt in client.list_prompts(cursor="1")] == ["1.0", "1.1", "2.0", "2.1"]
    assert client.list_prompts_page("1").next_cursor == "2"
    assert client.list_prompts_page().next_cursor == "1"
    assert paged.asked == ["1", "2", "1", None]


@each_request
def test_help_says_what_the_request_is_for_and_what_it_takes(mcp: Any, side: str, name: str, key: Any) -> None:
    method = getattr(asker(mcp, side), name)
    text = pydoc.plain(pydoc.render_doc(method))
    protocol = ours(mcp.revision.REVISION)
    interface = protocol.objects[protocol.methods[key.name].interface].about
    assert " ".join((interface.doc or "").split()) in " ".join(text.split())
    for parameter in inspect.signature(method).parameters:
        assert parameter == "self" or f"`{parameter}`" in text
    assert max(map(len, inspect.getdoc(method).splitlines())) <= 80  # type: ignore[union-attr]  # it has one
    assert ("Deprecated" in text) == (interface.deprecated is not None)


@each_revision
def test_clients_and_servers_are_loaded_when_asked_for(mcp: Any) -> None:
    heavy = {"asyncio", "attr", "attrs", "cattrs", "inspect", "logging", "subprocess"}
    program = f"""
import sys
import {mcp.__name__} as mcp
before = set(sys.modules)
kept = [name for name in before if name.endswith((".binding", ".client", ".server", ".connection"))]
assert not kept, kept
assert {{"Client", "Context", "Server"}} <= set(dir(mcp))
for name in ("Client", "Context", "Server"):
    assert getattr(mcp, name).__name__ == name
assert not hasattr(mcp, "Klient")
# Some of them may have come with orjson.
print(sorted((set(sys.modules) - before) & {heavy}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
