"""Every method of every revision, with every form of its params and results, and the emitted function that asks for it."""

from __future__ import annotations

import inspect
import os
from functools import cache
from itertools import cycle, islice
from threading import Thread

import pytest
from checkout import REVISIONS
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf
from mcp_bindings_runtime.errors import RequestTimeout
from mcp_bindings_runtime.features.elicitation import answer_mismatch, with_defaults
from mcp_bindings_runtime.features.sampling import find_imbalance
from mcp_bindings_runtime.transports.memory import pair
from mcp_bindings_runtime.transports.streams import Streams
from strategies.values import Values
from support.packages import Package
from support.revisions import HANDSHAKE, STATELESS, those_with_methods
from support.scripted_peers import PATIENCE, eventually, package

OWN = {"initialize", "ping", "server/discover", "subscriptions/listen"}
"""Requests that sessions answer themselves; they have tests of their own."""
TOLD = {
    "notifications/cancelled",
    "notifications/progress",
    "notifications/initialized",
    "notifications/subscriptions/acknowledged",
}
"""Notifications that sessions act on themselves."""
SUBSCRIBED = {
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
}
"""Notifications that go to subscribers only where there are subscriptions; those have tests of their own."""
VERSION = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
PARTS = frozenset({"elicitation.form", "elicitation.url", "sampling.context", "sampling.tools"})
"""Capabilities that a method takes by what is in its params."""
WITHOUT_FUNCTION = {"initialize", "subscriptions/listen"}
"""Requests that clients have no emitted function for: ``connect`` and ``listen`` stand for them."""

emitted = cache(Package)
by_pipe = pytest.mark.parametrize("how", ["memory", "pipes"])


def methods(*, kind, sender, revisions=REVISIONS, without=frozenset()):
    return [
        pytest.param(revision, name, id=f"{revision} {name}")
        for revision in revisions
        for name, method in emitted(revision).protocol.methods.items()
        if method.kind == kind and sender in method.sent_by and name not in without
    ]


def everything(mcp, side):
    """Capabilities that lack nothing that a method takes."""
    binding = mcp.Client.binding
    declared: dict = {"logging": {}} if side == "server" else {}
    for key in (*binding.requests.values(), *binding.notifications.values()):
        by_sender = getattr(key, "capability_of", "receiver") == "sender"
        others = "client" if side == "server" else "server"
        if key.capability is None or (side if by_sender else others) not in key.sent_by:
            continue
        *parents, leaf = key.capability.split(".")
        where = declared
        for parent in parents:
            where = where.setdefault(parent, {})
        where.setdefault(leaf, True if key.capability in binding.boolean_capabilities else {})
    for path in sorted(PARTS & binding.capabilities[side]):
        top, _, part = path.partition(".")
        declared[top][part] = {}
    if "tasks" in declared:
        declared["tasks"]["requests"] = {
            "server": {"tools": {"call": {}}},
            "client": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}},
        }[side]
    return mcp.converter.structure(declared, getattr(mcp.types, f"{side.capitalize()}Capabilities"))


def connected(revision, how="memory", *, prepare):
    """A server and a client that has been connected to it, after ``prepare(server, client)``, and the server's end."""
    mcp = package(revision)
    server = mcp.Server("demo", "2.0", instructions="read me", capabilities=everything(mcp, "server"))
    if how == "memory":
        mine, theirs = pair()
    else:
        (in_, there), (back, out) = os.pipe(), os.pipe()
        mine, theirs = Streams(back, there), Streams(in_, out)
    client = mcp.Client.over(mine, capabilities=everything(mcp, "client"), timeout=PATIENCE)
    prepare(server, client)
    connection = server.connect(theirs)
    Thread(target=server.serve_connection, args=(connection,), daemon=True).start()
    client.connect()
    return server, client, connection


@cache
def params_of(revision, name):
    """Params in all their forms, as objects."""
    made = emitted(revision)
    method = made.protocol.methods[name]
    if method.params is None:
        return [None]
    kind = method.params
    assert isinstance(kind, ObjectOf | AliasOf)
    found = [] if method.params_required else [None]
    for case in Values(made.protocol).cases(kind.path if isinstance(kind, ObjectOf) else kind.name):
        meta = case.value.get("_meta")
        if isinstance(meta, dict):
            if VERSION in meta:
                case.value["_meta"] = meta = {**meta, VERSION: revision}
            # A notification of no subscription is for nobody.
            case.value["_meta"] = {key: each for key, each in meta.items() if key != SUBSCRIPTION}
        found.append(made.structure(case.value, kind.path if isinstance(kind, ObjectOf) else kind.name))
    return found


@cache
def results_of(revision, name):
    """Results in all their forms, as objects; those that ask for input, or are of an unknown kind, have tests of their own."""
    made = emitted(revision)
    method = made.protocol.methods[name]
    key = made.module.methods.REQUESTS[name]
    decode = made.module.converter.decode_result
    found = [decode(key, case.value) for case in Values(made.protocol).results(method)]
    complete = (None, "complete")
    return [
        each
        for each in found
        if type(each).__name__ != "InputRequiredResult" and getattr(each, "result_type", None) in complete
    ]


def rounds(params, results):
    """Each with each other at least once."""
    longest = max(len(params), len(results))
    return list(zip(islice(cycle(params), longest), islice(cycle(results), longest), strict=True))


def unsigned(received, sent):
    """A result without the name of the server, where that was added on the way (2026-07-28, General fields)."""
    if received == sent or "meta" not in sent.__slots__:
        return received
    if sent.meta is None:
        assert received.meta.server_info.name == "demo"
        return received.__replace__(meta=None)
    if getattr(sent.meta, "server_info", None) is None and getattr(received.meta, "server_info", None) is not None:
        return received.__replace__(meta=received.meta.__replace__(server_info=None))
    return received


def completed(received, sent, revision):
    """Params without what a client of 2026-07-28 adds where it was not given."""
    if sent is None and received is not None:
        assert revision in STATELESS or received == received.__class__()
        return None
    return received


@by_pipe
@pytest.mark.parametrize(("revision", "name"), methods(kind="request", sender="client", without=OWN))
def test_a_client_asks(revision, name, how):
    key = package(revision).methods.REQUESTS[name]
    seen = []
    give = []

    def prepare(server, client):
        @server.handler(key)
        def handle(params, context):
            seen.append(params)
            return give[-1]

    _, client, _ = connected(revision, how, prepare=prepare)
    tried = rounds(params_of(revision, name), results_of(revision, name))
    assert len(tried) > 5
    for params, result in tried if how == "memory" else tried[:5]:
        give.append(result)
        received = client.request(key, params)
        assert type(received) is type(result)
        assert unsigned(received, result) == result
        assert completed(seen[-1], params, revision) == params
    client.close()


def asked(revision, name):
    """Questions with answers; those that only fit the schema, and not the rest of the text, have tests of their own."""
    binding = package(revision).Client.binding
    pairs = [
        (params, with_defaults(binding, params, result) if name == "elicitation/create" else result)
        for params, result in rounds(params_of(revision, name), results_of(revision, name))
    ]
    found = [
        (params, result)
        for params, result in pairs
        if not (name == "sampling/createMessage" and find_imbalance(params.messages))
        and not (name == "elicitation/create" and answer_mismatch(binding, params, result, own=False))
    ]
    assert found
    return found


@by_pipe
@pytest.mark.parametrize(
    ("revision", "name"), methods(kind="request", sender="server", without=OWN, revisions=HANDSHAKE)
)
def test_a_server_asks(revision, name, how):
    key = package(revision).methods.REQUESTS[name]
    seen = []
    give = []

    def prepare(server, client):
        @client.handler(key)
        def handle(params, context):
            seen.append(params)
            return give[-1]

    _, client, connection = connected(revision, how, prepare=prepare)
    eventually(lambda: connection.session.state == "open")
    tried = asked(revision, name)
    for params, result in tried if how == "memory" else tried[:5]:
        give.append(result)
        received = connection.request(key, params, timeout=PATIENCE)
        assert type(received) is type(result)
        assert received == result
        assert completed(seen[-1], params, revision) == params
    client.close()


@pytest.mark.parametrize(("revision", "name"), methods(kind="request", sender="server", revisions=STATELESS))
@pytest.mark.parametrize("where", ["tools/call", "prompts/get", "resources/read"])
def test_a_server_asks_within_a_request(revision, name, where):
    key = package(revision).methods.REQUESTS[name]
    asked_in = package(revision).methods.REQUESTS[where]
    seen = []
    give = []
    answers = []

    def prepare(server, client):
        @server.handler(asked_in)
        def handle(params, context):
            answers.append(context.request(key, give[-1][0]))
            return results_of(revision, where)[0]

        @client.handler(key)
        def answer(params, context):
            seen.append(params)
            return give[-1][1]

    _, client, _ = connected(revision, prepare=prepare)
    least = next(
        each for each in params_of(revision, where) if each.request_state is None and each.input_responses is None
    )
    outer = least.__replace__(meta=client.meta())
    for params, result in asked(revision, name):
        give.append((params, result))
        client.request(asked_in, outer)
        assert seen[-1] == params
        assert answers[-1] == result
        assert type(answers[-1]) is type(result)
    client.close()


@pytest.mark.parametrize(("revision", "name"), methods(kind="notification", sender="client", without=TOLD))
def test_a_client_tells(revision, name):
    key = package(revision).methods.NOTIFICATIONS[name]
    seen = []
    _, client, _ = connected(
        revision, prepare=lambda server, client: server.handler(key)(lambda params, context: seen.append(params))
    )
    told = params_of(revision, name)
    for number, params in enumerate(told, 1):
        client.notify(key, params)
        # Of equal changes that wait, only one is handled.
        eventually(lambda number=number: len(seen) == number)
    assert seen == told
    client.close()


@pytest.mark.parametrize(
    ("revision", "name"),
    [
        *methods(kind="notification", sender="server", without=TOLD, revisions=HANDSHAKE),
        *methods(kind="notification", sender="server", without=TOLD | SUBSCRIBED, revisions=STATELESS),
    ],
)
def test_a_server_tells(revision, name):
    key = package(revision).methods.NOTIFICATIONS[name]
    seen = []
    _, client, connection = connected(
        revision, prepare=lambda server, client: client.handler(key)(lambda params, context: seen.append(params))
    )
    eventually(lambda: connection.session.state == "open")
    told = params_of(revision, name)
    for number, params in enumerate(told, 1):
        connection.notify(key, params)
        # Of equal changes that wait, only one is handled.
        eventually(lambda number=number: len(seen) == number)
    assert seen == told
    client.close()


# The emitted functions.


def function_of(cls, constant):
    """The emitted function of a method's key: where it gives the items of all pages, the one for a page."""
    name = constant.lower()
    return getattr(cls, f"{name}_page", None) or getattr(cls, name, None)


def arguments_of(function, params):
    """Params as the arguments of an emitted function; None where one of them cannot be said with those."""
    known = inspect.signature(function).parameters
    given = {}
    for name in params.__slots__:
        value = getattr(params, name)
        if name in known and name != "meta":
            given[name] = value
        elif name == "meta":
            entries = None if value is None else {**(value.extra or {})}
            if entries:
                given["meta"] = entries
        elif value is not None and name not in {"input_responses", "request_state", "mode"}:
            return None
    return given


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_request_has_a_function_that_sends_its_params(revision):
    mcp = package(revision)
    seen = []
    give = []
    keys = {
        name: key
        for name, key in vars(mcp.methods).items()
        if getattr(key, "name", None) in mcp.methods.REQUESTS and "client" in key.sent_by
    }
    assert {key.name for key in keys.values()} >= WITHOUT_FUNCTION & set(mcp.methods.REQUESTS)

    def prepare(server, client):
        for key in keys.values():
            if key.name not in OWN:
                server.handler(key)(lambda params, context: (seen.append(params), give[-1])[1])

    _, client, _ = connected(revision, prepare=prepare)
    called = 0
    for constant, key in keys.items():
        function = function_of(mcp.Client, constant)
        if key.name in WITHOUT_FUNCTION:
            assert function is None or key.name == "subscriptions/listen"
            continue
        if key.name in OWN:
            assert type(function(client)) is key.result
            continue
        results = results_of(revision, key.name)
        for params in params_of(revision, key.name):
            arguments = arguments_of(function, params or key.params())
            if arguments is None:
                continue
            wants_task = arguments.get("task") is not None
            give.append(next(each for each in results if (type(each).__name__ == "CreateTaskResult") == wants_task))
            assert unsigned(function(client, **arguments), give[-1]) == give[-1]
            received = seen[-1]
            for name, value in arguments.items():
                if name == "meta":
                    entries = received.extra["_meta"] if "meta" not in received.__slots__ else received.meta.extra
                    assert value.items() <= entries.items()
                elif received is None:
                    assert value is None
                else:
                    assert getattr(received, name) == value
            called += 1
    assert called > 40
    client.close()


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_request_may_have_a_timeout_of_its_own(revision):
    mcp = package(revision)

    def prepare(server, client):
        for key in mcp.methods.REQUESTS.values():
            if "client" in key.sent_by and key.name not in OWN:
                # It answers at once: only a caller that does not wait at all misses that.
                server.handler(key)(lambda params, context, name=key.name: results_of(revision, name)[0])

    _, client, _ = connected(revision, prepare=prepare)
    for constant, key in vars(mcp.methods).items():
        if getattr(key, "name", None) not in mcp.methods.REQUESTS or "client" not in key.sent_by:
            continue
        if key.name in WITHOUT_FUNCTION:
            continue
        function = function_of(mcp.Client, constant)
        forms = [None] if key.name in OWN else params_of(revision, key.name)
        arguments = next(
            each
            for each in ({} if form is None else arguments_of(function, form) for form in forms)
            if each is not None
        )
        with pytest.raises(RequestTimeout, match=f"{key.name}: no answer in 0 s"):
            function(client, **arguments, timeout=0)
    client.close()


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("kind", ["tools", "prompts", "resources", "resource_templates", "tasks"])
def test_lists_are_gone_through_page_by_page(revision, kind):
    mcp = package(revision)
    function = getattr(mcp.Client, f"list_{kind}", None)
    if function is None:
        assert kind == "tasks"
        assert revision not in those_with_methods("tasks/list")
        return
    key = {"resource_templates": "LIST_RESOURCE_TEMPLATES"}.get(kind) or f"LIST_{kind.upper()}"
    method = getattr(mcp.methods, key)
    template = results_of(revision, method.name)[0]
    item = next(getattr(each, kind)[0] for each in results_of(revision, method.name) if getattr(each, kind))
    asked = []

    def prepare(server, client):
        @server.handler(method)
        def handle(params, context):
            cursor = None if params is None else params.cursor
            asked.append(cursor)
            number = int(cursor or 0)
            more = str(number + 1) if number < 3 else None
            # One page in between is empty.
            return template.__replace__(**{kind: [] if number == 1 else [item, item]}, next_cursor=more)

    _, client, _ = connected(revision, prepare=prepare)
    items = function(client)
    assert asked == [None]
    assert next(items) == item
    assert asked == [None]
    assert len(list(items)) == 5
    assert asked == [None, "1", "2", "3"]
    assert len(list(function(client, cursor="2"))) == 4
    client.close()


@pytest.mark.parametrize("revision", REVISIONS)
def test_both_sides_know_each_other(revision):
    mcp = package(revision)
    seen = []

    def prepare(server, client):
        @server.handler(mcp.methods.CALL_TOOL)
        def handle(params, context):
            seen.append((context.peer_info, context.peer_capabilities, context.request_id, context.meta))
            return mcp.types.CallToolResult(content=[])

    server, client, _ = connected(revision, prepare=prepare)
    assert (client.server_info.name, client.server_info.version) == ("demo", "2.0")
    assert client.instructions == "read me"
    assert client.server_capabilities == server.capabilities
    assert client.server_capabilities.tools is not None
    client.call_tool("x", {}, meta={"com.example/k": [1]})
    ((info, capabilities, request_id, meta),) = seen
    assert (info.name, info.version) == ("mcp-bindings", "0")
    assert capabilities == client.capabilities
    assert request_id == 2
    assert (meta["com.example/k"] if isinstance(meta, dict) else meta.extra["com.example/k"]) == [1]
    client.close()
