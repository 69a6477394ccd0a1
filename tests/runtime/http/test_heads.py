"""HeadCache that come again on a connection: they mean what they meant, and nothing else is taken for them."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPResponse, RemoteDisconnected

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindings import Authorization, Caller
from mcp_bindings_runtime.http.server import cheroot_fast_path, connection_handler
from mcp_bindings_runtime.http.server.cheroot_fast_path import MAX_HEAD_SIZE, MAX_HEADS, HeadCache
from support.echo_server import echo_server
from support.raw_http_client import BOTH, NEW, call, endpoint, modern
from support.scripted_peers import PATIENCE


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server, _ = echo_server(NEW)
    with pytest.MonkeyPatch.context() as patched:
        # A client that sends no more looks as one that has gone, though it waits for the answer.
        patched.setattr(connection_handler, "POLL_INTERVAL", PATIENCE / 4)
        with endpoint(server) as wire:
            yield wire.port


def request(port: int, number: int, *changes: str) -> bytes:
    """A call with this number; ``changes`` are fields instead of those of these names, or behind them."""
    message, headers = modern(call(1, n=number))
    body = json.dumps(message).encode()
    fields = {
        "Host": f"127.0.0.1:{port}",
        "Content-Length": str(len(body)),
        "Content-Type": "application/json",
        "Accept": BOTH,
        **headers,
    }
    for change in changes:
        name, _, value = change.partition(": ")
        fields[name] = value
        if value == "chunked":
            del fields["Content-Length"]
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    lines = [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body


class Line:
    """A connection, opened anew where the server has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None

    def say(self, *data: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to a request that is sent in these parts."""
        try:
            return self._exchange(data)
        except (RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # After some refusals the server hangs up without a word.
            self.close()
            return self._exchange(data)

    def _exchange(self, data: tuple[bytes, ...]) -> tuple[int, bytes]:
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), PATIENCE)
        for part in data:
            self._socket.sendall(part)
        answer = HTTPResponse(self._socket)
        answer.begin()
        found = answer.status, answer.read()
        if answer.will_close:
            self.close()
        return found

    def whole(self, data: bytes) -> bytes:
        """All that is said to a request, and to nothing after it."""
        assert self._socket is not None
        self._socket.sendall(data)
        self._socket.shutdown(socket.SHUT_WR)
        with self._socket.makefile("rb") as reading:
            return reading.read()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None


CHANGES = [
    (),
    ("Origin: http://evil.example",),
    ("Origin: http://127.0.0.1",),
    ("Host: evil.example",),
    ("Mcp-Name: other",),
    ("MCP-Protocol-Version: 2025-11-25",),
    ("Accept: application/json",),
    ("Content-Type: text/plain",),
    ("Content-Encoding: gzip",),
    ("Connection: close",),
    ("Content-Length: x",),
    ("Transfer-Encoding: chunked",),
    ("X-Other: 1",),
    ("X-Long: " + "x" * MAX_HEAD_SIZE,),
]


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from(CHANGES)), max_size=12))
def test_what_was_said_before_changes_no_answer(port: int, said: list[tuple[int, tuple[str, ...]]]) -> None:
    with closing(Line(port)) as line:
        for number, changes in [*said, *said]:
            data = request(port, number, *changes)
            with closing(Line(port)) as alone:
                assert line.say(data) == alone.say(data)


@settings(max_examples=settings.default.max_examples // 5)
@given(st.data())
def test_a_request_that_comes_in_parts_is_the_same(port: int, data: st.DataObject) -> None:
    with closing(Line(port)) as line:
        for number in (1, 22, 333):
            sent = request(port, number)
            whole = line.say(sent)
            cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=3)))
            parts = [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
            assert whole[0] == 200
            assert line.say(*parts) == whole


def test_requests_that_come_together_are_answered_in_turn(port: int) -> None:
    together = b"".join(request(port, number) for number in range(20))
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.sendall(together)
        # One buffer for all answers, as they come together, too.
        reading = raw.makefile("rb")
        for number in range(20):
            head = b"".join(iter(reading.readline, b"\r\n"))
            length = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0])
            value = json.loads(reading.read(length))
            assert value["result"]["content"][0]["text"] == str(number)


@pytest.mark.parametrize("changes", CHANGES)
def test_all_is_answered_as_by_cheroot_alone(
    port: int, changes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers() -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = []
        for number in range(3):
            with closing(Line(port)) as line:
                line.say(request(port, number))
                head, _, body = line.whole(request(port, number, *changes)).partition(b"\r\n\r\n")
                found.append((re.sub(rb"\r\nDate: [ -~]{29}\r\n", b"\r\nDate\r\n", head), body))
        return found

    fast = answers()
    # No head is remembered: cheroot parses each.
    monkeypatch.setattr(cheroot_fast_path, "MAX_HEAD_SIZE", 0)
    assert answers() == fast


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("Host: evil.example", 403),
        ("Origin: http://evil.example", 403),
        ("Accept: application/json", 406),
        ("Content-Type: text/plain", 415),
        ("Content-Encoding: gzip", 415),
    ],
)
def test_a_head_is_refused_again_after_another_was_accepted(port: int, change: str, status: int) -> None:
    with closing(Line(port)) as line:
        wanted = [200, status, 200, status, status]
        assert [line.say(request(port, 1, *([] if each == 200 else [change])))[0] for each in wanted] == wanted


def test_the_token_in_a_known_head_is_checked_each_time() -> None:
    """A token may expire or be revoked between two requests with the same bytes."""
    accepted = {"mine"}

    def check(token: str) -> Caller | None:
        return Caller("user") if token in accepted else None

    server, _ = echo_server(NEW)
    guard = Authorization(check, resource="https://mcp.example/mcp", authorization_servers=["https://as.example"])
    with endpoint(server, authorization=guard) as wire, closing(Line(wire.port)) as line:
        statuses = [line.say(request(wire.port, number, "Authorization: Bearer mine"))[0] for number in range(3)]
        accepted.clear()
        statuses.append(line.say(request(wire.port, 3, "Authorization: Bearer mine"))[0])
    assert statuses == [200, 200, 200, 401]


def head(length: str = "12", name: str = "Content-Length", more: str = "") -> bytes:
    return f"POST / HTTP/1.1\r\nHost: x\r\n{name}: {length}\r\nX: y\r\n{more}\r\n".encode()


def test_a_head_is_known_whatever_number_it_announces() -> None:
    heads: HeadCache[str] = HeadCache()
    heads.add(head(), "the first")
    data = b"before" + head("345678") + b"body"
    found = heads.find(data, 6)
    assert found is not None
    assert (found.meaning, found.length, data[found.end :]) == ("the first", b"345678", b"body")


@pytest.mark.parametrize(
    "other",
    [
        head()[:-1],
        head(""),
        head("-1"),
        head("1x"),
        head("1" * 16),
        head(name="content-length"),
        head(name="Content-Lengths"),
        head(more="Content-Length: 13\r\n"),
        head(more="Z: z\r\n"),
        head().replace(b"POST", b"GET"),
        head().replace(b"X: y", b"X: Y"),
        b"\r\n" + head(),
    ],
)
def test_a_head_that_differs_is_not_known(other: bytes) -> None:
    heads: HeadCache[str] = HeadCache()
    heads.add(head(), "the first")
    assert heads.find(head(), 0) is not None
    assert heads.find(other, 0) is None


def test_few_heads_are_remembered_and_none_that_is_long() -> None:
    heads: HeadCache[int] = HeadCache()
    many = [head(more=f"N: {number}\r\n") for number in range(MAX_HEADS + 1)]
    for number, each in enumerate(many):
        heads.add(each, number)
    found = [heads.find(each, 0) for each in many]
    assert [None if each is None else each.meaning for each in found] == [None, *range(1, MAX_HEADS + 1)]
    long = head(more=f"N: {'n' * MAX_HEAD_SIZE}\r\n")
    heads.add(long, -1)
    assert heads.find(long, 0) is None
