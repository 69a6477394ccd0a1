"""Requests as no library writes them: what others could read otherwise is refused, and hides no second request."""

from __future__ import annotations

import io
import json
import logging
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_bindings_runtime.http.server import connection_handler
from mcp_bindings_runtime.http.server.http1 import ChunkedBody, ChunkScanner, FieldReader
from support.echo_server import echo_server
from support.raw_http_client import BOTH, NEW, call, endpoint, modern
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE

LIMIT = 2000
WHOLE, HEADERS = modern(call(1, n=1))
BODY = json.dumps(WHOLE).encode()
LENGTH = f"Content-Length: {len(BODY)}"
CHUNKED = "Transfer-Encoding: chunked"


class Peer(NamedTuple):
    port: int
    seen: Any

    def head(self, *fields: str, line: str = "POST /mcp HTTP/1.1", without: str = "-") -> bytes:
        """A request up to its body; ``fields`` come behind those that each has but for ``without``."""
        plain = [f"Host: 127.0.0.1:{self.port}", "Content-Type: application/json", f"Accept: {BOTH}"]
        plain += [f"{name}: {value}" for name, value in HEADERS.items()]
        every = [each for each in plain if not each.startswith(without)]
        return "\r\n".join([line, *every, *fields, "", ""]).encode("latin-1")

    def say(self, data: bytes) -> tuple[list[int], bytes]:
        """Sends this and no more; the statuses of the answers up to the end of the connection, and all they are."""
        said = b""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as raw:
            with suppress(OSError):
                raw.sendall(data)
                raw.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                while part := raw.recv(65536):
                    said += part
        return [int(each[:3]) for each in said.split(b"HTTP/1.1 ")[1:]], said


@pytest.fixture(scope="module")
def served() -> Iterator[Peer]:
    server, seen = echo_server(NEW)
    with pytest.MonkeyPatch.context() as patched:
        # A peer that sends no more looks as one that has gone, though it waits for the answers.
        patched.setattr(connection_handler, "POLL_INTERVAL", PATIENCE / 4)
        with endpoint(server, body_limit=LIMIT, idle=0.5) as wire:
            yield Peer(wire.port, seen)


@pytest.fixture
def peer(served: Peer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[Peer]:
    """A server that is to run no handler, and whose logs are to stay empty."""
    before = served.seen.begun
    with caplog.at_level(logging.WARNING):
        yield served
    assert served.seen.begun == before
    assert caplog.records == []
    assert "".join(capfd.readouterr()) == ""


def chunked(body: bytes, size: int = 50, ending: bytes = b"0\r\n\r\n") -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + ending


def test_what_is_well_written_is_answered(served: Peer) -> None:
    for data in [
        served.head(LENGTH) + BODY,
        served.head(LENGTH, "X-Many: 1", "X-Many: 2", "X_Under: 3") + BODY,
        served.head(f"Content-Length:{len(BODY)} ", "Content-Encoding: identity") + BODY,
        served.head(CHUNKED) + chunked(BODY),
        served.head(CHUNKED.upper()) + chunked(BODY, 1, b"0;last\r\nX-Trailer: 1\r\n\r\n"),
        served.head(CHUNKED) + chunked(BODY) + served.head(LENGTH) + BODY,
    ]:
        statuses, _ = served.say(data)
        assert statuses == [200] * data.count(b"POST /mcp")


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ([LENGTH, CHUNKED], chunked(BODY)),
        (["Content-Length: 5", CHUNKED], b"0\r\n\r\n"),
        ([CHUNKED, "Content-Length: 0"], chunked(BODY)),
        (["Transfer-Encoding: chunked, chunked"], chunked(chunked(BODY))),
        (["Transfer-Encoding: identity", LENGTH], BODY),
        (["Transfer-Encoding: xchunked", LENGTH], BODY),
        ([CHUNKED, "Transfer-Encoding: identity"], chunked(BODY)),
        ([LENGTH, "Content-Length: 3"], BODY),
        (["Content-Length: 3", LENGTH], BODY),
        ([LENGTH, LENGTH], BODY),
        ([f"Content-Length: {len(BODY)}, {len(BODY)}"], BODY),
        ([f"Content-Length : {len(BODY)}"], BODY),
        ([f"Content-Length: +{len(BODY)}"], BODY),
        (["Content-Length: -1"], BODY),
        (["Content-Length: 1_0"], BODY),
        (["Content-Length: 0x10"], BODY),
        (["Content-Length:"], BODY),
        ([LENGTH, "X-Folded: 1", " Origin: http://evil.example"], BODY),
        ([LENGTH, "X-Bare: 1\rOrigin: http://evil.example"], BODY),
        ([LENGTH, "X-Nul: \0"], BODY),
        ([LENGTH, "no colon"], BODY),
        ([LENGTH, ": no name"], BODY),
        ([LENGTH, "Host: evil.example"], BODY),
        ([LENGTH, "Origin: http://evil.example", "Origin: http://localhost"], BODY),
        ([LENGTH, "Content-Type: text/plain"], BODY),
        ([LENGTH, "Authorization: a", "Authorization: b"], BODY),
        ([LENGTH, "Mcp-Name: echo"], BODY),
        ([LENGTH, "Mcp-Session-Id: a", "mcp-session-id: b"], BODY),
        ([LENGTH, "Mcp-Param-X: 1", "Mcp-Param-X: 2"], BODY),
    ],
)
def test_what_others_could_read_otherwise_is_refused_with_all_behind_it(
    peer: Peer, fields: list[str], body: bytes
) -> None:
    statuses, _ = peer.say(peer.head(*fields) + body + peer.head(LENGTH) + BODY)
    assert statuses in ([400], [501])


@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\nabc\r\n0\r\n\r\n",
        b"-5\r\nabc\r\n0\r\n\r\n",
        b"0x5\r\nabcde\r\n0\r\n\r\n",
        b"1_0\r\n" + b" " * 16 + b"\r\n0\r\n\r\n",
        b"5\r\nabcdefgh\r\n0\r\n\r\n",
        b"f" * 20 + b"\r\nabc",
        b"fffffffff\r\nabc",
        b"5;" + b"x" * 70_000,
        b"5;\0\r\nabcde\r\n0\r\n\r\n",
        b"\r\n",
        b"",
        chunked(BODY, ending=b""),
        chunked(BODY)[:60],
        chunked(BODY, ending=b"0\r\n"),
        chunked(BODY, ending=b"0\r\nX: 1\n\r\n"),
        chunked(BODY, ending=b"0\r\n" + b"X: 1\r\n" * 50 + b"\r\n"),
    ],
)
def test_a_body_of_broken_chunks_is_refused_with_all_behind_it(peer: Peer, body: bytes) -> None:
    statuses, said = peer.say(peer.head(CHUNKED) + body)
    assert statuses == [400]
    assert json.loads(said.rpartition(b"\r\n\r\n")[2])["error"]["code"] == -32600
    behind, _ = peer.say(peer.head(CHUNKED, without="Accept") + body + peer.head(LENGTH) + BODY)
    assert behind == [406]


def test_chunks_beyond_the_limit_are_not_held(peer: Peer) -> None:
    statuses, _ = peer.say(peer.head(CHUNKED) + b"fffffff\r\n" + b" " * (LIMIT + 1))
    assert statuses == [413]
    statuses, _ = peer.say(peer.head(CHUNKED) + chunked(b" " * LIMIT + BODY, 1))
    assert statuses == [413]


def test_a_refused_body_is_read_no_further_than_is_worth_it(peer: Peer) -> None:
    with socket.create_connection(("127.0.0.1", peer.port), PATIENCE) as raw:
        raw.sendall(peer.head("Content-Length: 9999999999", line="POST /elsewhere HTTP/1.1"))
        answered = raw.makefile("rb").read()
    assert answered.startswith(b"HTTP/1.1 404 ")
    assert b"\r\nConnection: close\r\n" in answered
    small = peer.head("Content-Length: 4", line="POST /elsewhere HTTP/1.1") + b"null"
    assert peer.say(small + small)[0] == [404, 404]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("POST http://127.0.0.1/mcp HTTP/1.1", 400),
        ("POST http://evil.example/mcp HTTP/1.1", 400),
        ("POST //evil.example/mcp HTTP/1.1", 400),
        ("POST mcp HTTP/1.1", 400),
        ("POST /mcp#x HTTP/1.1", 400),
        ("POST /x/../mcp HTTP/1.1", 404),
        ("POST /mcp%00 HTTP/1.1", 404),
        ("POST /mcp%zz HTTP/1.1", 404),
        ("POST /mcp\xff HTTP/1.1", 400),
        ("CONNECT 127.0.0.1:1 HTTP/1.1", 405),
        ("OPTIONS * HTTP/1.1", 404),
        ("post /mcp HTTP/1.1", 400),
        ("BREW /mcp HTTP/1.1", 405),
        ("GET /mcp HTTP/1.1", 405),
        ("POST /mcp HTTP/2.0", 505),
        ("POST /mcp HTTP/x", 400),
        ("POST /mcp", 400),
        ("POST /" + "a" * 70_000 + " HTTP/1.1", 414),
    ],
)
def test_another_request_line(peer: Peer, line: str, status: int) -> None:
    assert peer.say(peer.head(LENGTH, line=line) + BODY)[0][:1] == [status]


@pytest.mark.parametrize(
    ("fields", "without", "status"),
    [
        ([LENGTH], "Host", 403),
        ([LENGTH, "X: " + "y" * 70_000], "-", 413),
        ([LENGTH, *(f"X-{number}: 1" for number in range(9_000))], "-", 413),
        ([LENGTH, "Content-Encoding: gzip"], "-", 415),
        ([], "-", 411),
        (["Content-Length: 99999999999999999999999"], "-", 413),
        ([f"Content-Length: {len(BODY) + 5}"], "-", 400),
        ([LENGTH, "MCP_Protocol_Version: " + NEW], "MCP-P", 400),
        ([LENGTH, "Mcp-Name: \xff"], "Mcp-N", 400),
        ([LENGTH, "Mcp-Name: =?base64?!?="], "Mcp-N", 400),
        ([LENGTH, "Mcp-Name: =?base64?/w==?="], "Mcp-N", 400),
        ([LENGTH, "Mcp-Name: =?base64?ZWNobw0KWDogMQ==?="], "Mcp-N", 400),
        ([LENGTH, "Mcp-Method: =?base64?dG9vbHMvY2FsbA==?="], "Mcp-M", 400),
        ([LENGTH, "MCP-Protocol-Version: \xff"], "MCP-P", 400),
    ],
)
def test_other_headers(peer: Peer, fields: list[str], without: str, status: int) -> None:
    assert peer.say(peer.head(*fields, without=without) + BODY)[0][:1] == [status]


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\x02\0\x01", bytes(range(256)) * 9, b"\r\n" * 50, b"GET /mcp\r\n\r\n", b""]
)
def test_what_is_no_http_is_answered_at_most(peer: Peer, data: bytes) -> None:
    _, said = peer.say(data)
    assert b" 200 " not in said
    assert b" 500 " not in said


def test_a_number_of_thousands_of_digits_is_no_fault_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    digits = "9" * 6000
    for revision in (HANDSHAKE[-1], NEW):
        server, seen = echo_server(revision)
        with endpoint(server) as wire:
            if revision != NEW:
                wire.initialize(revision)
            for body in (
                f'{{"jsonrpc":"2.0","id":{digits},"method":"ping"}}',
                f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"n":{digits}}}}}}}',
            ):
                assert wire.post(body.encode()).status in {200, 400}
        assert not seen.running
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


# What reads them, alone.


@given(st.binary(max_size=300), st.integers(1, 40), st.integers(1, 40))
def test_chunks_are_what_was_cut_into_them(body: bytes, size: int, asked: int) -> None:
    chunks = ChunkedBody(io.BytesIO(chunked(body, size) + b"behind"))
    read = b""
    while part := chunks.read(asked):
        assert len(part) <= asked
        read += part
    assert read == body
    assert chunks.finished
    assert chunks.read(asked) == b""


def reads_whole(data: bytes) -> bool:
    """Whether a chunked body ends within these bytes, or is refused for something else than a missing end."""
    source = io.BytesIO(data)
    chunks = ChunkedBody(source)
    try:
        while chunks.read(10):
            pass
    except ValueError:
        return bool(source.read(1))
    return True


@given(st.binary(max_size=100), st.integers(1, 40), st.integers(1, 30))
def test_the_end_of_chunks_is_found_when_it_has_arrived_and_not_before(body: bytes, size: int, step: int) -> None:
    data = chunked(body, size)
    scanner = ChunkScanner()
    for length in range(0, len(data), step):
        assert not scanner.is_complete(b"head" + data[:length], 4)
    assert scanner.is_complete(b"head" + data, 4)
    assert scanner.is_complete(b"head" + data + b"behind", 4)


@given(st.lists(st.sampled_from([b"\r\n", b"\n", b"0", b"3", b"abc", b"X: y", b";", b"\r", b" "]), max_size=14))
@example([b"0", b"\r\n", b"\n", b"\n"])
def test_whatever_can_be_read_to_its_end_is_found_to_be_complete(parts: list[bytes]) -> None:
    data = b"".join(parts)
    assert ChunkScanner().is_complete(data, 0) or not reads_whole(data)


@given(st.binary(max_size=60))
def test_anything_else_is_refused_or_read(data: bytes) -> None:
    chunks = ChunkedBody(io.BytesIO(data))
    with suppress(ValueError):
        while chunks.read(10):
            pass
    with suppress(ValueError):
        for name, value in FieldReader()(io.BytesIO(data + b"\r\n\r\n"), {}).items():
            assert not set(b"\r\n\0_") & set(name)
            assert not set(b"\r\n\0") & set(value)
