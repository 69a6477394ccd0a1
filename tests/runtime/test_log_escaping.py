"""What the other side says cannot forge lines of the log, steer a terminal or hide itself."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_bindings_runtime.logs import log_exception, log_handler_error, write_log
from support.echo_server import echo_server
from support.raw_http_client import call, endpoint, notification
from support.scripted_peers import PATIENCE, eventually, package

LATEST = "2025-11-25"
NASTY = "a\r\nWARNING forged\x1b[2J\x9b1m\x00 \u202egpj.exe\u2066\u2028b"


class Lines(logging.Handler):
    """Formats each record as a file would have it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(logging.Formatter("%(levelname)s %(message)s").format(record))


@pytest.fixture
def lines():
    handler = Lines()
    logger = logging.getLogger("mcp_bindings.runtime")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler.found
    logger.setLevel(before)
    logger.removeHandler(handler)


def logged(write):
    handler = Lines()
    logger = logging.getLogger("mcp_bindings.runtime")
    logger.addHandler(handler)
    try:
        write()
    finally:
        logger.removeHandler(handler)
    [line] = handler.found
    return line


@given(st.text())
@example(NASTY)
@example("\ud800")
def test_an_event_is_one_line_whatever_it_says(text):
    for kind in ("%s", "%r"):
        assert logged(lambda kind=kind: write_log("warning", kind, text)).isprintable()
    assert logged(lambda: write_log("warning", "%s in %g s, %d of them", ValueError(text), 1.5, 2)).isprintable()


def test_a_text_that_is_harmless_stays_as_it_is():
    assert logged(lambda: write_log("warning", "%s: %r", "Grüße, 世界 \\n", "it")) == "WARNING Grüße, 世界 \\n: 'it'"


def raised(error, cause=None):
    """The exception with a traceback of its own."""
    try:
        raise error from cause
    except type(error) as caught:
        return caught


def chain(text):
    """An exception group with a cause, in whose parts the text occurs."""
    return raised(ExceptionGroup(text, [raised(ValueError(text)), TypeError(text)]), raised(KeyError(text)))


@given(st.text())
@example(NASTY)
def test_a_traceback_has_the_lines_of_its_frames_alone(text):
    found = logged(lambda: log_exception(chain(text), "failed: %s", text)).split("\n")
    assert all(line.isprintable() for line in found)
    assert len(found) == len(logged(lambda: log_exception(chain("m"), "failed")).split("\n"))


def test_the_exception_itself_is_in_the_record(caplog):
    error = ValueError(NASTY)
    log_handler_error(error, "the handler failed")
    assert caplog.records[0].exc_info[1] is error


def test_what_a_client_says_is_escaped(lines):
    server, seen = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        cancelled = {"requestId": 99, "reason": NASTY}
        wire.post(notification("notifications/cancelled", cancelled))
        wire.post(json.dumps(notification(NASTY)).encode())
        stream = wire.stream(call(1, hold=True, progress=1, meta={"progressToken": 1}))
        wire.post(notification("notifications/cancelled", {"requestId": 1, "reason": NASTY}))
        eventually(lambda: not seen.running)
        stream.close()
    assert any("forged" in line for line in lines)
    assert all(line.isprintable() for line in lines)


def test_what_a_server_says_is_escaped(lines):
    mcp = package(LATEST)
    server = mcp.Server("made-up", "1.0")

    @server.tool()
    def fail(text: str) -> str:
        raise ValueError(text)

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        assert client.call_tool("fail", {"text": NASTY}).content[0].text == NASTY
    assert any("forged" in line for line in lines)
    assert all(line.isprintable() for text in lines for line in text.split("\n"))
    assert not any(line.startswith("WARNING forged") for text in lines for line in text.split("\n"))
