"""What a client is told when it is made: functions that answer and hear, and what is required of the server."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path
from queue import Queue

import pytest
from checkout import GENERATED, REVISIONS
from mcp_bindings import connect, v2024_11_05, v2025_11_25, v2026_07_28
from mcp_bindings_runtime.client.options import NegotiationOptions, StatelessClientOptions
from mcp_bindings_runtime.errors import MissingCapability, UsageError
from mcp_bindings_runtime.options import INTRODUCTION
from mcp_bindings_runtime.transports.options import StdioOptions
from support.revisions import HANDSHAKE, LIST_CHANGES, STATELESS, WITH_CHOICES, WITH_FORMS, those_with_methods
from support.scripted_peers import PATIENCE, package, scripted_server, text_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
in_sessions = pytest.mark.parametrize("revision", HANDSHAKE)
WITH_MODES = [each for each in WITH_FORMS if "elicitation.url" in package(each).Client.binding.capabilities["client"]]


def declared(revision, **options):
    """What a client with these options declares, as JSON."""
    mcp = package(revision)
    client = mcp.Client.in_memory(mcp.Server("s", "1"), **options)
    return client.binding.codec.unstructure(client.capabilities)


def typed_options(revision):
    """The keys of ``ClientOptions``, which there is for type checkers only."""
    path = Path(GENERATED, f"v{revision.replace('-', '_')}", "client.py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == "ClientOptions":
            return {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
    raise AssertionError(path)


@each_revision
def test_the_typed_options_are_those_that_there_are(revision):
    mcp = package(revision)
    cls = mcp.Client.options_class
    assert typed_options(revision) == cls.names() - cls.lacking_in(mcp.Client.binding)


@each_revision
def test_what_a_revision_does_not_have_is_no_option(revision):
    mcp = package(revision)
    lacking = mcp.Client.options_class.lacking_in(mcp.Client.binding) - {*INTRODUCTION, "tasks"}
    for name in [*sorted(lacking), "on_weather"]:
        with pytest.raises(UsageError, match=f"clients of {revision} have no option '{name}'"):
            mcp.Client.in_memory(mcp.Server("s", "1"), **{name: print})


def test_an_option_of_other_clients_names_them():
    options = {
        "restart": (v2025_11_25, f"only clients of {', '.join(STATELESS)} have it"),
        "elicitation_url": (v2024_11_05, f"only clients of {', '.join(WITH_CHOICES)} have it"),
        "handlers": (v2026_07_28, "it is an option of connect"),
        "timeuot": (v2024_11_05, r"\(did you mean 'timeout'\?\)"),
    }
    for name, (mcp, hint) in options.items():
        with pytest.raises(UsageError, match=f"have no option '{name}'(; )? ?{hint}$"):
            mcp.Client.in_memory(mcp.Server("s", "1"), **{name: print})


@each_revision
def test_the_error_lists_the_options_of_the_revision(revision):
    mcp = package(revision)
    with pytest.raises(UsageError, match="no option 'weather_of_tomorrow'; use ") as error:
        mcp.Client.in_memory(mcp.Server("s", "1"), weather_of_tomorrow=print)
    listed = str(error.value).partition("; use ")[2].split(", ")
    assert {*listed} == typed_options(revision) | {"caller"}


@each_revision
def test_the_option_is_named_that_was_meant(revision):
    mcp = package(revision)
    for wrong, meant in {"timout": "timeout", "log_levels": "log_level", "onlog": "on_log"}.items():
        with pytest.raises(UsageError, match=rf"no option '{wrong}' \(did you mean '{meant}'\?\)"):
            mcp.Client.in_memory(mcp.Server("s", "1"), **{wrong: None})


@each_revision
def test_an_option_of_a_transport_is_found(revision):
    mcp = package(revision)
    with pytest.raises(UsageError, match=r"no option 'header' \(did you mean 'headers'\?\)$"):
        mcp.Client.http("http://127.0.0.1/mcp", header={})
    with pytest.raises(UsageError, match=r"no option 'env'; it is an option of Client\.stdio and connect\.stdio$"):
        mcp.Client.http("http://127.0.0.1/mcp", env={})
    with pytest.raises(UsageError, match=r"\(did you mean 'env', an option of Client\.stdio and connect\.stdio\?\)$"):
        mcp.Client.http("http://127.0.0.1/mcp", evn={})
    with pytest.raises(UsageError, match=r"the variable KEY of `env` must be a str, got 3"):
        mcp.Client.stdio(["server"], env={"KEY": 3})


def misspelt(name):
    """The name without its third letter."""
    return name[:2] + name[3:]


OPENED_BY_STDIO = {*StdioOptions.names(), *NegotiationOptions.names(), *StatelessClientOptions.names()}
LACKING = StatelessClientOptions.lacking_in(package(STATELESS[-1]).Client.binding)
"""Callbacks for messages that the preferred revision does not have."""


@pytest.mark.parametrize("name", sorted(OPENED_BY_STDIO - LACKING - {"discover", "restart"}))
def test_each_misspelt_option_of_connect_is_found(name):
    with pytest.raises(UsageError, match=rf"no option '{misspelt(name)}' \(did you mean '{name}'\?\)$"):
        connect.stdio(["server"], **{misspelt(name): None})


def test_suggestions_are_options_that_the_transport_takes():
    server = package(REVISIONS[-1]).Server("s", "1")
    for option, near in {"hadnlers": "handlers", "calller": "caller"}.items():
        with pytest.raises(UsageError, match=rf"no option '{option}' \(did you mean '{near}'\?\)$"):
            connect.in_memory(server, **{option: None})
    text = r"\(did you mean 'headers', an option of Client\.http and connect\.http\?\)$"
    with pytest.raises(UsageError, match=text):
        connect.stdio(["server"], heades={})


@each_revision
def test_what_a_client_declares_follows_from_its_functions(revision):
    assert declared(revision) == {}
    assert declared(revision, sampling=print, on_log=print)["sampling"] == {}
    assert declared(revision, sampling=None, roots=None) == {}
    roots = {} if revision in STATELESS else {"listChanged": True}
    assert declared(revision, roots=[]) == {"roots": roots}


@pytest.mark.parametrize("revision", WITH_MODES)
def test_modes_and_parts_are_declared_by_what_there_is_for_them(revision):
    assert declared(revision, elicitation=print) == {"elicitation": {"form": {}}}
    assert declared(revision, elicitation_url=print) == {"elicitation": {"url": {}}}
    assert declared(revision, elicitation_url=print, elicitation=print) == {"elicitation": {"form": {}, "url": {}}}
    assert declared(revision, sampling=print, sampling_tools=True) == {"sampling": {"tools": {}}}
    assert declared(revision, sampling=print, sampling_tools=False) == {"sampling": {}}


@each_revision
@pytest.mark.parametrize("name", ["approve_request", "approve_result"])
def test_approval_without_sampling_is_a_mistake(revision, name):
    with pytest.raises(UsageError, match=f"the option '{name}' of a client needs 'sampling'"):
        declared(revision, **{name: print})


def message(mcp, text):
    return mcp.types.SamplingMessage(role="user", content=mcp.types.TextContent(text=text))


def asking_server(mcp):
    """A server whose tool asks for a message, and for a form where there are any."""
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        found = [context.create_message([message(mcp, "m")], 10).content.text]
        if hasattr(context, "elicit"):
            types = mcp.types
            schema = getattr(types, "ElicitRequestFormParamsRequestedSchema", None)
            schema = schema or types.ElicitRequestParamsRequestedSchema
            found.append(context.elicit("e", schema(properties={})).action)
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=" ".join(found))])

    return server


@each_revision
def test_functions_answer_what_the_server_asks(revision):
    mcp = package(revision)
    types = mcp.types
    options = {
        "sampling": lambda params, context: types.CreateMessageResult(
            role="assistant", model="m", content=types.TextContent(text="re:" + params.messages[0].content.text)
        )
    }
    if revision in WITH_FORMS:
        options["elicitation"] = lambda params, context: types.ElicitResult(action="cancel")
    with mcp.Client.in_memory(asking_server(mcp), timeout=PATIENCE, **options) as client:
        assert text_of(client.call_tool("x")) == ("re:m cancel" if revision in WITH_FORMS else "re:m")


@each_revision
def test_functions_are_given_a_context_of_their_revision_that_leads_to_the_client(revision):
    mcp = package(revision)
    found = []

    def sample(params, context):
        found.append(context)
        content = mcp.types.TextContent(text="")
        return mcp.types.CreateMessageResult(role="assistant", model="m", content=content)

    options = {"sampling": sample}
    if revision in WITH_FORMS:
        options["elicitation"] = lambda params, context: mcp.types.ElicitResult(action="cancel")
    with mcp.Client.in_memory(asking_server(mcp), timeout=PATIENCE, **options) as client:
        client.call_tool("x")
        assert found[0].__class__ is mcp.ClientContext
        assert found[0].client is client


@in_sessions
def test_functions_hear_what_the_server_tells(revision):
    mcp = package(revision)
    heard = Queue()
    changes = [each for each in LIST_CHANGES if revision in those_with_methods(each)]
    lists = [each.split("/")[1] for each in changes]
    capabilities = {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "logging": {},
    }

    def play(peer):
        peer.welcome(revision, capabilities)
        for method in changes:
            peer.notify(method)
        peer.notify("notifications/resources/updated", {"uri": "file:///x"})
        peer.notify("notifications/message", {"level": "info", "data": "hello"})

    options = {
        **{f"on_{each}_changed": partial(heard.put, each) for each in lists},
        "on_resource_updated": lambda params: heard.put(params.uri),
        "on_log": lambda params: heard.put((params.level, params.data)),
    }
    with scripted_server(mcp.Client, play, **options) as (client, _):
        client.connect()
        found = [heard.get(timeout=PATIENCE) for _ in range(len(lists) + 2)]
    assert found == [*lists, "file:///x", ("info", "hello")]


@each_revision
def test_the_level_that_a_client_wants_is_asked_for(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        context.log("info", "little")
        context.log("error", "much")
        return mcp.types.CallToolResult(content=[])

    heard = Queue()
    client = mcp.Client.in_memory(
        server, timeout=PATIENCE, log_level="warning", on_log=lambda each: heard.put(each.data)
    )
    with client:
        client.call_tool("x")
        assert heard.get(timeout=PATIENCE) == "much"


@each_revision
def test_a_callback_for_log_messages_that_cannot_arrive_without_a_level_is_warned_of(revision, caplog):
    mcp = package(revision)
    options = {"timeout": PATIENCE, "on_log": print}
    with mcp.Client.in_memory(mcp.Server("s", "1"), log_level="info", **options):
        pass
    assert caplog.messages == []
    with mcp.Client.in_memory(mcp.Server("s", "1"), **options):
        pass
    expected = f"`on_log` is set without `log_level`: in {revision} no log message arrives without a level; write log_level='info'"
    assert caplog.messages == ([expected] if revision in STATELESS else [])
    assert {each.name for each in caplog.records} <= {"mcp_bindings.client"}


@each_revision
def test_a_server_without_what_is_required_fails_the_connect(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1", logging=False)
    server.handler(mcp.methods.CALL_TOOL)(print)
    client = mcp.Client.in_memory(server, require={"resources.subscribe", "tools", "logging"}, timeout=PATIENCE)
    with pytest.raises(MissingCapability) as caught:
        client.connect()
    assert caught.value.missing == ("logging", "resources.subscribe")
    assert not client.connected
    with mcp.Client.in_memory(server, require=["tools", "tools.listChanged"], timeout=PATIENCE) as connected:
        assert connected.connected


@each_revision
def test_what_no_server_of_the_revision_could_declare_cannot_be_required(revision):
    mcp = package(revision)
    for wrong in ("tool", "tools.listchanged", "tools.listChanged.now", "sampling"):
        with pytest.raises(UsageError, match=f"{revision} has no server capability '{wrong}'; use one of "):
            mcp.Client.in_memory(mcp.Server("s", "1"), require=[wrong])
    # What is open may hold anything.
    mcp.Client.in_memory(mcp.Server("s", "1"), require=["experimental.acme"])


def test_nothing_can_be_required_of_a_server_that_is_not_asked():
    mcp = package(STATELESS[0])
    with pytest.raises(UsageError, match="leave out discover=False"):
        mcp.Client.in_memory(mcp.Server("s", "1"), require=["tools"], discover=False)


def test_negotiation_gives_a_client_the_options_that_its_revision_has():
    old, new = package("2024-11-05"), package("2025-11-25")
    options = {"elicitation": print, "elicitation_url": print, "sampling": print, "on_tools_changed": print}
    with connect.in_memory(old.Server("s", "1", revisions=["2024-11-05"]), timeout=PATIENCE, **options) as client:
        assert client.binding.codec.unstructure(client.capabilities) == {"sampling": {}}
    with connect.in_memory(new.Server("s", "1", revisions=["2025-11-25"]), timeout=PATIENCE, **options) as client:
        assert set(client.binding.codec.unstructure(client.capabilities)) == {"sampling", "elicitation"}


def test_negotiation_fails_where_the_server_lacks_what_is_required():
    server = package("2024-11-05").Server("s", "1", revisions=["2024-11-05"])
    for required in ("completions", "tools"):
        with pytest.raises(MissingCapability, match=required):
            connect.in_memory(server, timeout=PATIENCE, require=[required])
    with pytest.raises(UsageError, match="no server capability 'tool'"):
        connect.in_memory(server, timeout=PATIENCE, require=["tool"])


@pytest.mark.parametrize("revision", [each for each in WITH_MODES if each in HANDSHAKE])
@pytest.mark.parametrize(
    ("option", "asked"),
    [
        ("elicitation_url", {"requestedSchema": {"type": "object", "properties": {}}}),
        ("elicitation", {"mode": "url", "url": "https://a.example", "elicitationId": "e"}),
    ],
)
def test_a_mode_that_there_is_no_function_for_is_refused(revision, option, asked):
    mcp = package(revision)
    answers = Queue()

    def play(peer):
        peer.welcome(revision)
        peer.request("elicitation/create", 1, {"message": "m", **asked})
        answers.put(peer.hear())

    refuse = {option: lambda params, context: mcp.types.ElicitResult(action="decline")}
    with scripted_server(mcp.Client, play, **refuse) as (client, _):
        client.connect()
        assert answers.get(timeout=PATIENCE)["error"]["code"] == -32602


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_no_function_and_what_is_no_text_is_said(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    with pytest.raises(UsageError, match="`sampling` must be a function, got 5"):
        mcp.Client.in_memory(server, sampling=5)
    with pytest.raises(UsageError, match="`version` must be a str, got 1; write version='1'"):
        mcp.Client.in_memory(server, version=1)
