"""A client of 2026-07-28 that hangs up has cancelled its request, and the server notices though nothing is sent."""

from __future__ import annotations

import json
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings_runtime.http.server import disconnection
from mcp_bindings_runtime.http.server.disconnection import has_hung_up
from support.echo_server import Seen, echo_server
from support.raw_http_client import NEW, PLAIN, Wire, call, endpoint, modern, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, eventually

LATEST = HANDSHAKE[-1]
NEVER = 600.0
"""Seconds between comments on a stream: in these tests none is sent, so that none can fail."""


def posted(wire: Wire, message: Any) -> bytes:
    """A POST as it is on the wire."""
    whole, headers = modern(message)
    body = json.dumps(whole).encode()
    names = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(len(body)), **PLAIN, **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"POST {wire.path} HTTP/1.1\r\n{head}\r\n".encode() + body


def close(raw: socket.socket) -> None:
    raw.close()


def reset(raw: socket.socket) -> None:
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


def stop_sending(raw: socket.socket) -> None:
    raw.shutdown(socket.SHUT_WR)


WAYS = [close, reset, stop_sending]


@contextmanager
def serving(**options: Any) -> Iterator[tuple[Wire, Seen, socket.socket]]:
    """An endpoint, what its tool sees, and a connection to it."""
    server, seen = echo_server(NEW)
    with (
        endpoint(server, keepalive=NEVER, **options) as wire,
        socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw,
    ):
        yield wire, seen, raw


@pytest.mark.parametrize("leave", WAYS)
def test_a_client_that_hangs_up_while_the_tool_says_nothing_has_cancelled(
    leave: Callable[[socket.socket], None],
) -> None:
    with serving() as (wire, seen, raw):
        raw.sendall(posted(wire, call(1, n=5, hold=True)))
        eventually(lambda: seen.running)
        leave(raw)
        eventually(lambda: seen.cancelled == [5])
        eventually(lambda: seen.running == 0)


@pytest.mark.parametrize("leave", WAYS)
def test_a_client_that_hangs_up_on_a_silent_stream_has_cancelled(leave: Callable[[socket.socket], None]) -> None:
    with serving() as (wire, seen, raw):
        raw.sendall(posted(wire, call(1, {"progressToken": 1}, n=6, progress=1, hold=True)))
        found = b""
        while b"notifications/progress" not in found:
            found += raw.recv(65536)
        leave(raw)
        eventually(lambda: seen.cancelled == [6])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what was sent ahead hides the end behind it")
def test_a_client_that_has_sent_more_before_it_hung_up_has_cancelled() -> None:
    with serving() as (wire, seen, raw):
        raw.sendall(posted(wire, call(1, n=7, hold=True)) + posted(wire, call(2)))
        eventually(lambda: seen.running)
        raw.sendall(b"more")
        raw.close()
        eventually(lambda: seen.cancelled == [7])


def test_a_client_that_waits_or_sends_ahead_is_answered() -> None:
    with serving() as (wire, seen, raw):
        raw.sendall(posted(wire, call(1, n=8, hold=True)))
        eventually(lambda: seen.running)
        raw.sendall(posted(wire, call(2, n=9)))
        # Longer than between two looks at the connection.
        seen.go.wait(2.5 * disconnection.POLL_INTERVAL)
        seen.go.set()
        found = b""
        while found.count(b'"id":') < 2:
            part = raw.recv(65536)
            assert part
            found += part
        assert (b'"8"' in found, b'"9"' in found, seen.cancelled) == (True, True, [])


def test_a_subscriber_that_hangs_up_makes_room_for_the_next() -> None:
    listening = request("subscriptions/listen", 1, {"notifications": {"toolsListChanged": True}})
    with serving(streams=1) as (wire, _, raw):
        raw.sendall(posted(wire, listening))
        assert raw.recv(65536).startswith(b"HTTP/1.1 200 ")
        raw.close()
        whole, headers = modern(listening)

        def listens() -> bool:
            connection, response = wire.send("POST", json.dumps(whole).encode(), {**PLAIN, **headers})
            response.close()
            connection.close()
            return response.status == 200

        eventually(listens)


def test_in_sessions_to_hang_up_is_not_to_cancel() -> None:
    server, seen = echo_server(LATEST)
    with endpoint(server, keepalive=NEVER) as wire:
        wire.initialize(LATEST)
        body = json.dumps(call(1, n=5, hold=True)).encode()
        names = {"Host": "localhost", "Content-Length": str(len(body)), **PLAIN, **wire.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
        with socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw:
            raw.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
            eventually(lambda: seen.running)
        seen.go.wait(2.5 * disconnection.POLL_INTERVAL)
        assert (seen.running, seen.cancelled) == (1, [])
        seen.go.set()
        eventually(lambda: seen.ended == 1)
        assert seen.cancelled == []


# How it is seen.


@pytest.fixture(params=["by event", "by what comes next"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "by what comes next":
        monkeypatch.setattr(disconnection, "_PEER_CLOSED", None)
    elif disconnection._PEER_CLOSED is None:
        pytest.skip("there is no such event here")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("leave", [close, stop_sending])
@pytest.mark.parametrize("name", ["mcp_bindings.socket", "gunicorn.socket", "werkzeug.socket"])
def test_a_socket_shows_that_its_peer_has_closed(name: str, leave: Callable[[socket.socket], None]) -> None:
    here, there = socket.socketpair()
    with here, there:
        environ = {name: here}
        assert not has_hung_up(environ)
        there.sendall(b"x")
        assert not has_hung_up(environ)
        assert here.recv(1) == b"x"
        leave(there)
        assert has_hung_up(environ)


@pytest.mark.usefixtures("way")
def test_a_socket_that_is_closed_on_this_side_has_no_client() -> None:
    here, there = socket.socketpair()
    here.close()
    there.close()
    assert has_hung_up({"gunicorn.socket": here})


def test_a_server_is_asked_that_knows_it_by_itself() -> None:
    assert has_hung_up({"waitress.client_disconnected": lambda: True})
    assert not has_hung_up({"waitress.client_disconnected": lambda: False})


def test_nothing_is_known_below_other_servers() -> None:
    assert not has_hung_up({})
