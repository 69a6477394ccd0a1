"""Records of ``logging`` as log messages: whose they are, how severe, what is left out."""

from __future__ import annotations

import json
import logging
from queue import Empty, Queue

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.features.log_handler import LogHandler, severity
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, scripted_client

each_revision = pytest.mark.parametrize("revision", REVISIONS)
in_sessions = pytest.mark.parametrize("revision", HANDSHAKE)


@pytest.fixture
def logger():
    made = logging.getLogger("app.part")
    made.setLevel(logging.DEBUG)
    made.propagate = False
    yield made
    for handler in list(made.handlers):
        made.removeHandler(handler)
    made.propagate = True


def logging_server(mcp, act, **options):
    """A server whose tool does what ``act`` does with its context."""
    server = mcp.Server("s", "1", **options)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        act(context)
        return mcp.types.CallToolResult(content=[])

    return server


def heard_by(mcp, server, level="debug", calls=1):
    """The log messages that a client hears, which calls the tool so often: level, logger and data."""
    heard = Queue()
    options = {"log_level": level, "on_log": lambda params: heard.put((params.level, params.logger, params.data))}
    with mcp.Client.in_memory(server, timeout=PATIENCE, **options) as client:
        for _ in range(calls):
            client.call_tool("x")
        found = []
        while True:
            try:
                found.append(heard.get(timeout=PATIENCE if not found else 0.2))
            except Empty:
                return found
            if found[-1][2] == "end":
                return found


@each_revision
def test_what_is_logged_in_a_handler_goes_to_the_client(revision, logger):
    mcp = package(revision)

    def act(context):
        logger.warning("%d and %s", 1, "two")
        logger.debug("little")
        logger.error("end")

    server = logging_server(mcp, act)
    logger.addHandler(LogHandler(server))
    assert heard_by(mcp, server) == [
        ("warning", "app.part", "1 and two"),
        ("debug", "app.part", "little"),
        ("error", "app.part", "end"),
    ]
    assert heard_by(mcp, server, level="error") == [("error", "app.part", "end")]


@each_revision
def test_another_client_does_not_hear_it(revision, logger):
    mcp = package(revision)
    server = logging_server(mcp, lambda context: logger.error("end"))
    logger.addHandler(LogHandler(server))
    heard = []
    with mcp.Client.in_memory(server, timeout=PATIENCE, log_level="debug", on_log=heard.append) as other:
        heard_by(mcp, server)
        getattr(other, "ping", other.discover if revision in STATELESS else None)()
        assert heard == []


@in_sessions
def test_what_is_logged_outside_goes_to_all_unless_it_is_not_to(revision, logger):
    mcp = package(revision)
    for background in (True, False):
        server = logging_server(mcp, lambda context: None)
        handler = LogHandler(server, background=background)
        logger.addHandler(handler)
        queues = [Queue(), Queue()]
        clients = [mcp.Client.in_memory(server, timeout=PATIENCE, on_log=each.put) for each in queues]
        for client in clients:
            client.connect()
            client.ping()
        logger.info("hello")
        server.log("info", "end")
        for queue in queues:
            found = [queue.get(timeout=PATIENCE).data]
            if found != ["end"]:
                found.append(queue.get(timeout=PATIENCE).data)
            assert found == (["hello", "end"] if background else ["end"])
        for client in clients:
            client.close()
        logger.removeHandler(handler)


@each_revision
def test_the_bindings_own_records_and_those_of_sending_are_left_out(revision, logger):
    mcp = package(revision)
    shown = []

    def redact(data):
        # Logs while a record is sent: this must not come back.
        logger.error("from inside")
        shown.append(data)
        return data

    def act(context):
        logging.getLogger("mcp_bindings.runtime").error("ours")
        logger.error("end")

    server = logging_server(mcp, act, redact=redact)
    handler = LogHandler(server)
    logger.addHandler(handler)
    own = logging.getLogger("mcp_bindings")
    own.addHandler(handler)
    try:
        assert heard_by(mcp, server) == [("error", "app.part", "end")]
    finally:
        own.removeHandler(handler)
    assert shown == ["end"]


@each_revision
def test_secrets_are_taken_out_of_all_that_is_logged(revision, logger):
    mcp = package(revision)

    def act(context):
        context.log("info", {"key": "secret"})
        logger.info("secret")
        logger.info("end")

    server = logging_server(mcp, act, redact=lambda data: json.loads(json.dumps(data).replace("secret", "***")))
    logger.addHandler(LogHandler(server))
    assert [data for _, _, data in heard_by(mcp, server)] == [{"key": "***"}, "***", "end"]


@each_revision
def test_no_traceback_goes_out_unless_a_formatter_writes_it(revision, logger):
    mcp = package(revision)

    def act(context):
        try:
            {}["inside"]
        except KeyError:
            logger.exception("it failed")
        logger.info("end")

    server = logging_server(mcp, act)
    handler = LogHandler(server)
    logger.addHandler(handler)
    assert heard_by(mcp, server)[0] == ("error", "app.part", "it failed")
    handler.setFormatter(logging.Formatter("<%(message)s>"))
    assert heard_by(mcp, server)[0][2].startswith("<it failed>\nTraceback")


@each_revision
def test_a_handler_for_one_context(revision, logger):
    mcp = package(revision)

    def act(context):
        handler = LogHandler(context)
        logger.addHandler(handler)
        logger.info("end")
        logger.removeHandler(handler)

    assert heard_by(mcp, logging_server(mcp, act)) == [("info", "app.part", "end")]


def test_levels_become_severities():
    steps = {0: "debug", 10: "debug", 20: "info", 25: "notice", 30: "warning", 40: "error", 50: "critical"}
    assert {level: severity(level) for level in steps} == steps
    assert (severity(60), severity(70), severity(99)) == ("alert", "emergency", "emergency")


@in_sessions
def test_an_unknown_level_is_refused(revision):
    mcp = package(revision)
    peer = scripted_client(mcp.Server("s", "1"))
    peer.introduce(revision)
    peer.request("logging/setLevel", 1, {"level": "fatal"})
    assert peer.hear()["error"]["code"] == -32602
    peer.close()


@in_sessions
def test_a_level_that_cannot_be_set_is_an_internal_error(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.SET_LEVEL)
    def set_level(params, context):
        text = "no configuration can be written"
        raise OSError(text)

    peer = scripted_client(server)
    peer.introduce(revision)
    peer.request("logging/setLevel", 1, {"level": "info"})
    assert peer.hear()["error"] == {"code": -32603, "message": "Internal error"}
    peer.close()


@pytest.mark.parametrize("revision", STATELESS)
def test_without_sessions_an_unknown_level_is_refused_with_its_request(revision):
    mcp = package(revision)
    server = logging_server(mcp, lambda context: context.log("info", 1))
    client = mcp.Client.in_memory(server, timeout=PATIENCE, discover=False)
    with client:
        meta = client.binding.codec.unstructure(client.meta())
    meta["io.modelcontextprotocol/logLevel"] = "fatal"
    peer = scripted_client(server)
    peer.request("tools/call", 1, {"name": "x", "_meta": meta})
    assert peer.hear()["error"]["code"] == -32602
    peer.close()


@pytest.mark.parametrize("revision", STATELESS)
def test_without_a_level_nothing_is_sent(revision):
    mcp = package(revision)
    server = logging_server(mcp, lambda context: context.log("emergency", 1))
    client = mcp.Client.in_memory(server, timeout=PATIENCE, discover=False)
    with client:
        meta = client.binding.codec.unstructure(client.meta())
    assert "io.modelcontextprotocol/logLevel" not in meta
    peer = scripted_client(server)
    peer.request("tools/call", 1, {"name": "x", "_meta": meta})
    assert peer.hear()["id"] == 1, "what is logged would come before the answer"
    peer.close()


@each_revision
def test_a_server_declares_that_it_sends_logs(revision):
    mcp = package(revision)
    declared = [mcp.Server("s", "1", **options).capabilities.logging for options in ({}, {"logging": False})]
    assert declared == [{}, None]


@pytest.mark.parametrize("revision", STATELESS)
def test_without_sessions_a_server_without_logging_sends_no_logs_either(revision):
    mcp = package(revision)
    raised = []

    def act(context):
        with pytest.raises(UsageError, match="the capability 'logging', which this server has not declared") as caught:
            context.log("info", 1)
        raised.append(caught.value)

    server = logging_server(mcp, act, logging=False)
    heard = []
    with mcp.Client.in_memory(server, timeout=PATIENCE, log_level="debug", on_log=heard.append) as client:
        client.call_tool("x")
    assert len(raised) == 1
    assert heard == []


@each_revision
def test_a_server_without_logging_sends_no_logs(revision):
    mcp = package(revision)
    raised = []

    def act(context):
        try:
            context.log("info", 1)
        except (UsageError, ResponseError) as fault:
            raised.append(str(fault))

    server = logging_server(mcp, act, logging=False)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("x")
    if revision in HANDSHAKE:
        eventually(
            lambda: raised
            == ["notifications/message needs the capability 'logging', which this server has not declared"]
        )


@each_revision
def test_who_logs_does_not_hear_of_what_goes_wrong_with_a_record(revision, logger, capsys):
    mcp = package(revision)

    def fail(data):
        raise ValueError(data)

    said = []

    def act(context):
        logger.addHandler(LogHandler(context))
        logger.error("a text")
        said.append("done")

    server = logging_server(mcp, act, redact=fail)
    with mcp.Client.in_memory(server, timeout=PATIENCE, log_level="debug") as client:
        client.call_tool("x")
    assert said == ["done"]
    # As the handlers of the standard library do.
    assert "ValueError: a text" in capsys.readouterr().err
