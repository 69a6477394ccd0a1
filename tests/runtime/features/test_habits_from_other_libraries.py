"""Users of other libraries write what these have; the errors say what to write here."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.connection import foreign_attributes
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.server import missing_attributes
from mcp_bindings_runtime.server.runnable import RunnableServer
from support.scripted_peers import package

every_revision = pytest.mark.parametrize("revision", REVISIONS)

_WITHIN = "from within"


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def new_server(revision: str = REVISIONS[-1]) -> Any:
    return package(revision).Server("demo", "1.0")


@every_revision
def test_run_says_how_servers_run(revision: str) -> None:
    expected = (
        r"^servers have no 'run'; over stdio, write server\.run_stdio\(\); over HTTP, server\.run_http\(port=8000\)$"
    )
    with pytest.raises(AttributeError, match=expected):
        new_server(revision).run(transport="stdio")


@pytest.mark.parametrize("name", sorted(missing_attributes._INSTEAD))
def test_names_of_other_libraries_are_neither_attributes_nor_completed(name: str) -> None:
    server = new_server()
    assert not hasattr(server, name)
    assert name not in dir(server)


def test_other_missing_attributes_have_the_usual_error() -> None:
    server = new_server()
    with pytest.raises(AttributeError, match=r"^'Server' object has no attribute 'rn_http'$") as caught:
        server.rn_http()
    # With these the interpreter suggests similar names.
    assert (caught.value.name, caught.value.obj) == ("rn_http", server)


def test_an_error_from_within_a_property_keeps_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: object) -> None:
        raise AttributeError(_WITHIN)

    monkeypatch.setattr(RunnableServer, "paginator", property(failing))
    with pytest.raises(AttributeError, match=f"^{_WITHIN}$"):
        _ = new_server().paginator


@every_revision
def test_arguments_of_calls_are_one_dict(revision: str) -> None:
    server = new_server(revision)
    server.tool(add)
    with package(revision).Client.in_memory(server) as client:
        for passed, options, found in [
            (("add",), {"a": 1, "b": 2}, "call_tool: got an unexpected keyword argument 'a'"),
            (("add", 1, 2), {}, "call_tool: too many positional arguments"),
            (("add",), {"time_out": 2}, r"unexpected keyword argument 'time_out' \(did you mean 'timeout'\?\)"),
        ]:
            with pytest.raises(UsageError, match=rf"{found}; pass the arguments as one dict: call_tool\('name', {{"):
                client.call_tool(*passed, **options)
        with pytest.raises(UsageError, match=r"multiple values for argument 'name'; .*: get_prompt\('name', {"):
            client.get_prompt("hello", name="Ada")
        assert client.call_tool("add", {"a": 1, "b": 2}).text == "3"


def test_a_type_error_from_within_a_call_stays_as_it_is() -> None:
    server = new_server()
    server.tool(add)

    def fail(*_: object, **__: object) -> None:
        raise TypeError(_WITHIN)

    with package(REVISIONS[-1]).Client.in_memory(server) as client:
        client.request = fail
        with pytest.raises(TypeError, match=f"^{_WITHIN}$"):
            client.call_tool("add", {"a": 1, "b": 2})


def test_signatures_show_the_parameters() -> None:
    assert list(inspect.signature(package(REVISIONS[-1]).Client.call_tool).parameters)[:3] == [
        "self",
        "name",
        "arguments",
    ]


def answer_of(function: Any, **options: Any) -> str:
    """Return the text of the result of a tool that calls a function with its context."""
    mcp = package(REVISIONS[-1])
    server = mcp.Server("demo", "1.0")

    @server.tool
    def use(context: Any) -> str:
        return str(function(context))

    with mcp.Client.in_memory(server, **options) as client:
        return str(client.call_tool("use").text)


@pytest.mark.parametrize("name", sorted(foreign_attributes._INSTEAD))
def test_a_context_says_what_to_write_for_names_of_other_libraries(name: str) -> None:
    assert answer_of(lambda context: getattr(context, name)).startswith(f"a context has no {name!r}; ")


def test_other_missing_attributes_of_a_context_have_the_usual_error() -> None:
    assert answer_of(lambda context: context.progres) == "'Context' object has no attribute 'progres'"


def test_a_class_as_the_schema_of_a_form_names_the_method_for_classes() -> None:
    @dataclass
    class Who:
        name: str

    found = answer_of(lambda context: context.elicit("Who?", Who), elicitation=lambda params, context: None)
    assert found == "the schema of elicitation/create is the class Who; write context.elicit_form(message, Who)"


@pytest.mark.parametrize("option", ["lifespan", "auth", "token_verifier", "middleware"])
def test_options_of_servers_of_other_libraries_say_what_to_write(option: str) -> None:
    mcp = package(REVISIONS[-1])
    with pytest.raises(UsageError, match=rf"^unknown option '{option}'; (open|pass|wrap) "):
        mcp.Server("demo", "1.0", **{option: None})


@every_revision
def test_options_of_clients_of_other_libraries_say_what_to_write(revision: str) -> None:
    client = package(revision).Client
    for option, text in {
        "sampling_callback": "sampling=",
        "read_timeout_seconds": "timeout=",
        "user": "caller='ada' in Client.in_memory; over HTTP, write headers=",
        "token": "headers={'Authorization': ",
        "api_key": "headers={'X-API-Key': ",
        "cookies": "headers={'Cookie': ",
        "verify": "tls=",
    }.items():
        with pytest.raises(UsageError, match=rf"have no option '{option}'; write {text}"):
            client.in_memory(new_server(), **{option: None})
    with pytest.raises(UsageError, match=r"to connect to a server object, write Client\.in_memory\(server\)"):
        client(new_server())


def test_an_unknown_option_names_those_of_its_transport() -> None:
    client = package(REVISIONS[-1]).Client
    with pytest.raises(UsageError, match=r"'zzz'; use approve_request, .*, caller, "):
        client.in_memory(new_server(), zzz=1)
    with pytest.raises(UsageError, match=r"'zzz'; use approve_request, .*, headers, "):
        client.http("http://127.0.0.1:1/mcp", zzz=1)


def test_a_callback_whose_first_parameter_is_the_context_is_refused() -> None:
    def fill_in(context: object, params: object) -> None:
        raise AssertionError

    expected = r"elicitation is called with \(params, context\), but the first parameter of .*fill_in is the context"
    with pytest.raises(UsageError, match=expected):
        package(REVISIONS[-1]).Client.in_memory(new_server(), elicitation=fill_in)


@pytest.mark.parametrize("file", ["a.png", Path("a.png")])
def test_an_image_needs_bytes_and_says_how_to_read_a_file(file: Any) -> None:
    with pytest.raises(
        UsageError, match=r"Image needs bytes, got .*; for a file, pass Path\('a\.png'\)\.read_bytes\(\)"
    ):
        package(REVISIONS[-1]).Image(file)
