"""Users of other libraries write what these have; the errors say what to write here."""

from __future__ import annotations

import inspect
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime import foreign_names
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.server.options import EndpointOptions, HttpServerOptions
from mcp_bindings_runtime.server.options import OF_ENDPOINTS, OF_HTTP_SERVERS, ServerOptions
from mcp_bindings_runtime.server.runnable import RunnableServer
from mcp_bindings_runtime.tasks.context import InStatelessTask
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
        r"^Server has no 'run'; over stdio, write server\.run_stdio\(\); over HTTP, server\.run_http\(port=8000\)$"
    )
    with pytest.raises(AttributeError, match=expected):
        new_server(revision).run(transport="stdio")


@pytest.mark.parametrize("name", sorted(foreign_names.OF_SERVERS))
def test_names_of_other_libraries_are_neither_attributes_nor_completed(name: str) -> None:
    server = new_server()
    assert not hasattr(server, name)
    assert name not in dir(server)


def test_an_error_with_what_to_write_has_no_suggestion_of_the_interpreter() -> None:
    def read() -> None:
        new_server().list_tools  # noqa: B018

    with pytest.raises(AttributeError) as caught:
        read()
    assert "Did you mean" not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(AttributeError, match=r"^Server has no 'list_tools'; decorate each tool") as caught:
        read()
    assert (caught.value.name, caught.value.obj) == ("list_tools", None)


def test_a_class_of_the_user_may_have_such_a_name() -> None:
    class Mine(package(REVISIONS[-1]).Server):  # type: ignore[misc]
        def run(self) -> str:
            return "mine"

    server = Mine("demo", "1.0")
    server.add_tool = "set"
    assert (server.run(), server.add_tool) == ("mine", "set")
    assert "run" in dir(server)


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


@pytest.mark.parametrize("name", sorted(foreign_names.OF_CONTEXTS))
def test_a_context_says_what_to_write_for_names_of_other_libraries(name: str) -> None:
    assert answer_of(lambda context: getattr(context, name)).startswith(f"Context has no {name!r}; ")


@pytest.mark.parametrize("name", sorted(foreign_names.ARGUMENTS_OF_LOG))
def test_a_log_message_says_what_to_write_for_arguments_of_other_libraries(name: str) -> None:
    expected = f"log: got an unexpected keyword argument {name!r}; {foreign_names.ARGUMENTS_OF_LOG[name]}"
    assert answer_of(lambda context: context.log("info", "text", **{name: "x"})) == expected
    with pytest.raises(UsageError) as caught:
        InStatelessTask.log(object(), "info", "text", **{name: "x"})  # type: ignore[arg-type]
    assert str(caught.value) == expected


def test_a_log_message_with_a_similar_argument_names_the_right_one() -> None:
    found = answer_of(lambda context: context.log("info", "text", loger="x"))
    assert found == "log: got an unexpected keyword argument 'loger' (did you mean 'logger'?)"


def test_a_context_with_a_type_argument_says_where_to_keep_the_state() -> None:
    mcp = package(REVISIONS[-1])
    with pytest.raises(TypeError, match=r"^a context has no type argument; .* mcp\.Context, and keep the state"):
        mcp.Context[int]


def test_other_missing_attributes_of_a_context_have_the_usual_error() -> None:
    assert answer_of(lambda context: context.progres) == "'Context' object has no attribute 'progres'"


def test_a_class_as_the_schema_of_a_form_names_the_method_for_classes() -> None:
    @dataclass
    class Who:
        name: str

    found = answer_of(lambda context: context.elicit("Who?", Who), elicitation=lambda params, context: None)
    assert found == "the schema of elicitation/create is the class Who; write context.elicit_form(message, Who)"


@pytest.mark.parametrize("outcome", ["Accepted", "Declined", "Cancelled"])
def test_the_outcome_of_a_form_says_how_to_read_it(outcome: str) -> None:
    cls = getattr(package(REVISIONS[-1]), outcome)
    answer = cls("Ada") if outcome == "Accepted" else cls()
    with pytest.raises(AttributeError, match=rf"^{outcome} has no 'action'; write isinstance\(answer, mcp\.Accepted\)"):
        _ = answer.action
    with pytest.raises(AttributeError, match=rf"^{outcome} has no 'data'; write answer\.value"):
        _ = answer.data


@pytest.mark.parametrize("option", ["lifespan", "auth", "token_verifier", "middleware"])
def test_options_of_servers_of_other_libraries_say_what_to_write(option: str) -> None:
    mcp = package(REVISIONS[-1])
    with pytest.raises(UsageError, match=rf"^unknown option '{option}'; (open|pass|wrap) "):
        mcp.Server("demo", "1.0", **{option: None})


@every_revision
def test_a_server_without_a_version_says_how_to_make_one(revision: str) -> None:
    with pytest.raises(
        UsageError, match=r"^Server: missing a required argument: 'version'; write mcp\.Server\(\"demo\""
    ):
        package(revision).Server("demo")


@pytest.mark.parametrize("option", sorted(HttpServerOptions.names() | HttpServerOptions.parameters))
def test_an_option_of_an_endpoint_says_which_methods_have_it(option: str) -> None:
    if option in ServerOptions.names():
        return
    methods = "server.run_http()"
    if option in EndpointOptions.names():
        methods += " or server.wsgi_app()"
    with pytest.raises(UsageError) as caught:
        package(REVISIONS[-1]).Server("demo", "1.0", **{option: None})
    assert str(caught.value) == f"unknown option '{option}'; pass it to {methods}"


def test_the_options_of_endpoints_are_known_by_name() -> None:
    listening = HttpServerOptions.names() | HttpServerOptions.parameters
    assert EndpointOptions.names() == OF_ENDPOINTS
    assert listening - EndpointOptions.names() - ServerOptions.names() == OF_HTTP_SERVERS


@pytest.mark.parametrize("option", sorted(foreign_names.OPTIONS_OF_ENDPOINTS))
def test_options_of_endpoints_of_other_libraries_say_what_to_write(option: str) -> None:
    # Without a similar name of another option.
    with pytest.raises(UsageError, match=rf"^unknown option '{option}'; [^(]") as caught:
        new_server().run_http(**{option: 1})
    assert str(caught.value).endswith(foreign_names.OPTIONS_OF_ENDPOINTS[option])


@every_revision
def test_arguments_of_decorators_of_other_libraries_say_what_to_write(revision: str) -> None:
    server = new_server(revision)
    with pytest.raises(
        UsageError,
        match=r"^tool: got an unexpected keyword argument 'structured_output'; annotate `-> mcp\.CallToolResult`",
    ):
        server.tool(structured_output=False)
    with pytest.raises(UsageError, match=r"^prompt: .* 'nme' \(did you mean 'name'\?\)$"):
        server.prompt(nme="x")
    with pytest.raises(
        UsageError, match=r"^completion: missing a required argument.*; write @server\.completion\(prompt="
    ):
        server.completion()


def test_a_dict_in_the_place_of_an_object_says_how_to_make_the_object() -> None:
    server = new_server()
    expected = r"expected a ToolAnnotations .*; write mcp\.ToolAnnotations\(read_only_hint=True\)$"
    with pytest.raises(UsageError, match=expected):
        server.tool(annotations={"readOnlyHint": True})(add)
    with pytest.raises(UsageError, match=r"expected an Icon .*; write mcp\.Icon\(src='a\.png'\)$"):
        server.prompt(name="it", icons=[{"src": "a.png"}])(lambda: "x")
    with pytest.raises(UsageError, match=r"expected an Annotations .*; write mcp\.Annotations\(\.\.\.\)$"):
        server.resource("demo://it", annotations={"nothing": 1})(lambda: "x")


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
    with pytest.raises(UsageError, match=r"write the arguments after the program, .* stdio\(\[command, \*args\]\)"):
        client.stdio(["python"], args=["server.py"])
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


@every_revision
def test_attributes_of_clients_of_other_libraries_say_what_to_write(revision: str) -> None:
    client = package(revision).Client.in_memory(new_server(revision))
    for name in sorted(foreign_names.OF_CLIENTS.keys() - {"ping"}):
        with pytest.raises(AttributeError, match=rf"^Client has no '{name}'; write |^Client has no '{name}'; "):
            getattr(client, name)
        assert name not in dir(client)


def test_a_client_in_async_with_says_how_to_enter_it() -> None:
    async def enter() -> None:
        async with package(REVISIONS[-1]).Client.in_memory(new_server()):
            raise AssertionError

    with pytest.raises(AttributeError, match="write `with client:` without async"):
        enter().send(None)


def test_arguments_of_calls_of_other_libraries_say_what_to_write() -> None:
    server = new_server()
    server.tool(add)
    with package(REVISIONS[-1]).Client.in_memory(server) as client:
        for name, text in foreign_names.ARGUMENTS_OF_CALLS.items():
            with pytest.raises(UsageError) as caught:
                client.call_tool("add", {"a": 1, "b": 2}, **{name: print})
            assert str(caught.value) == f"call_tool: got an unexpected keyword argument {name!r}; {text}"


@every_revision
def test_the_iterator_over_a_list_says_how_to_make_a_list(revision: str) -> None:
    server = new_server(revision)
    server.tool(add)
    with package(revision).Client.in_memory(server) as client:
        for use in (len, lambda items: items[0]):
            with pytest.raises(TypeError, match=r"write list\(client\.list_tools\(\)\)"):
                use(client.list_tools())
        with pytest.raises(AttributeError, match=r"^Items has no 'tools'; write list\(client\.list_tools\(\)\)"):
            _ = client.list_tools().tools
        items = client.list_tools()
        assert items
        assert next(items).name == "add"
        assert list(items) == []
        assert (
            [each.name for each in client.list_tools()] == [each.name for each in list(client.list_tools())] == ["add"]
        )


@pytest.mark.parametrize("name", sorted(foreign_names.OF_RECORDS))
def test_objects_of_the_protocol_say_what_to_write_for_names_of_other_libraries(name: str) -> None:
    result = package(REVISIONS[-1]).CallToolResult(content=[])
    with pytest.raises(AttributeError, match=rf"^CallToolResult has no '{name}'; write "):
        getattr(result, name)
    assert name not in dir(result)
    assert not hasattr(result, name)


@pytest.mark.parametrize("name", ["FastMCP", "MCPServer"])
def test_names_of_servers_of_other_libraries_say_what_to_import(name: str) -> None:
    expected = (
        rf"has no '{name}'; write mcp\.Server\('demo', '1\.0'\) after `from mcp_bindings import v2026_07_28 as mcp`$"
    )
    with pytest.raises(ImportError, match=expected):
        exec(f"from mcp_bindings import {name}")
    with pytest.raises(ImportError, match=expected):
        exec(f"from mcp_bindings.v2026_07_28 import {name}")
    mcp = package(REVISIONS[-1])
    with pytest.raises(AttributeError, match=expected):
        getattr(mcp, name)
    assert not hasattr(mcp, name)
    with pytest.raises(ImportError, match=r"^cannot import name 'Nosuch' from 'mcp_bindings' "):
        exec("from mcp_bindings import Nosuch")


@pytest.mark.parametrize("name", sorted(foreign_names.ARGUMENTS_OF_KEYWORDS))
def test_keywords_of_fields_of_other_libraries_say_what_to_write(name: str) -> None:
    with pytest.raises(UsageError, match=rf"^Keywords: got an unexpected keyword argument '{name}'; write "):
        package(REVISIONS[-1]).Keywords(**{name: 1})


@pytest.mark.parametrize("cls", ["Image", "Audio"])
def test_arguments_of_images_of_other_libraries_say_what_to_write(cls: str) -> None:
    make = getattr(package(REVISIONS[-1]), cls)
    with pytest.raises(UsageError, match=rf"^{cls}: .* 'path'; pass the bytes: Path\('a\.png'\)\.read_bytes\(\)$"):
        make(path="a.png")
    with pytest.raises(UsageError, match=rf"^{cls}: .* 'format'; leave it out, as the media type is detected"):
        make(b"", format="png")


@pytest.mark.parametrize("file", ["a.png", Path("a.png")])
def test_an_image_needs_bytes_and_says_how_to_read_a_file(file: Any) -> None:
    with pytest.raises(
        UsageError, match=r"Image needs bytes, got .*; for a file, pass Path\('a\.png'\)\.read_bytes\(\)"
    ):
        package(REVISIONS[-1]).Image(file)
