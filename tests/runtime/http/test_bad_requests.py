"""What is refused before a handler hears of it: the right status, a JSON-RPC error without an id, no traceback."""

from __future__ import annotations

import gc
import io
import logging
import socket
import threading
from contextlib import closing
from urllib.parse import urlsplit
from wsgiref.util import is_hop_by_hop

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.media import JSON, SSE, accepts, is_json
from mcp_bindings_runtime.http.server import origin_policy
from mcp_bindings_runtime.http.server.http_server import make_server
from mcp_bindings_runtime.http.server.origin_policy import OriginPolicy, RefusalLog
from mcp_bindings_runtime.http.server.request_body import read_body
from mcp_bindings_runtime.http.server.responses import Rejection
from support.echo_server import echo_server
from support.raw_http_client import BOTH, NEW, PLAIN, Wire, call, endpoint, modern
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, WHO

LATEST = HANDSHAKE[-1]
BODY = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture(params=[LATEST, NEW])
def wire(request):
    """A client of an endpoint of either era, whose handlers are not to be run."""
    server, seen = echo_server(request.param)
    with endpoint(server, body_limit=1000) as made:
        if request.param == LATEST:
            made.initialize(LATEST)
        else:
            made.add({"MCP-Protocol-Version": NEW, "Mcp-Method": "ping"})
        yield made
    assert seen.begun == 0


def refused(answer, status, code=-32600):
    assert (answer.status, answer.code) == (status, code)
    assert "id" not in answer.json
    return answer


def test_a_request_without_a_session_is_refused_with_the_revision_that_needs_none() -> None:
    for revision, sessionless in ((LATEST, False), (NEW, True)):
        server, _ = echo_server(revision, revisions=[LATEST, NEW] if sessionless else [LATEST])
        with endpoint(server) as wire:
            reason = refused(wire.post(call(1)), 400).json["error"]["data"]["reason"]
        assert "begin a session with initialize" in reason
        assert (f"has the header MCP-Protocol-Version: {NEW}" in reason) is sessionless


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/jsonx", "application/json; charset=latin-1", "application/json;;x", "json"],
)
def test_another_content_type(wire, content_type):
    refused(wire.ask("POST", BODY, {"Accept": BOTH, "Content-Type": content_type}), 415)


def test_no_content_type(wire):
    refused(wire.ask("POST", BODY, {"Accept": BOTH}), 415)


@pytest.mark.parametrize(
    "accept",
    ["", "application/json", "text/event-stream", "text/*", f"{JSON};q=0, {SSE}", "application/json text/event-stream"],
)
def test_another_accept(wire, accept):
    refused(wire.ask("POST", BODY, {"Content-Type": JSON, "Accept": accept}), 406)


def test_no_accept(wire):
    refused(wire.ask("POST", BODY, {"Content-Type": JSON}), 406)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1:1@evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "http://evil.example/http://localhost",
        "http://localhost:80/",
        "http://localhost, http://evil.example",
        "file://",
        "localhost",
        "http://[::1].evil.example",
    ],
)
def test_another_origin(wire, origin):
    refused(wire.ask("POST", BODY, {**PLAIN, "Origin": origin}), 403)
    refused(wire.ask("GET", headers={"Accept": SSE, "Origin": origin}), 403)
    refused(wire.ask("DELETE", headers={"Origin": origin}), 403)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "localhost:80:80", "localhost:x", "", "a b"],
)
def test_another_host(wire, host):
    answer = wire.ask("POST", BODY, {**PLAIN, "Host": host})
    # An HTTP server may find a fault of its own with a name that is none.
    assert answer.status in {400, 403}
    if answer.status == 403:
        refused(answer, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LOCALHOST", "localhost."])
def test_names_of_this_machine_are_allowed(name):
    server, _ = echo_server(NEW)
    with endpoint(server) as made:
        whole, headers = modern(call(n=1))
        host = f"{name}:{made.port}"
        assert made.post(whole, **headers, Host=host, Origin=f"http://{host}").text == "1"
        assert made.post(whole, **headers, Host=host, Origin="http://localhost:3000").text == "1"


def test_a_server_listens_on_127_0_0_1_alone():
    with make_server([echo_server(LATEST)[0]]) as served:
        socket.create_connection(("127.0.0.1", served.port), PATIENCE).close()
        # Another address of this machine, which one that listens on all of them would take.
        with pytest.raises(OSError, match=r"refused|unreachable|timed out|assign"):
            socket.create_connection(("127.0.0.2", served.port), 2)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "HEAD"])
def test_another_method(wire, method):
    answer = wire.ask(method, BODY, PLAIN)
    assert answer.status == 405
    assert "POST" in answer.headers["allow"]


@pytest.mark.parametrize("path", ["/", "/mcp/x", "/mcpx", "/MCP", "/mcp%2f"])
def test_another_path(wire, path):
    refused(wire.ask("POST", BODY, PLAIN, path), 404)


def test_the_path_may_end_with_a_slash(wire):
    assert wire.ask("POST", b"{", PLAIN, "/mcp/").code == -32700


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"pi', -32700),
        (b'{"a":"\xff"}', -32700),
        (b"[" * 900, -32700),
        (b'{"a":NaN}', -32700),
        (b"null", -32600),
        (b"7", -32600),
        (b"[]", -32600),
        (b"[1]", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"1.0","method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","method":7}', -32600),
        (b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}', -32600),
    ],
)
def test_another_body(wire, body, code):
    refused(wire.post(body), 400, code)


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(wire):
    with socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw:
        head = [
            f"Host: 127.0.0.1:{wire.port}",
            f"Accept: {BOTH}",
            "Content-Type: application/json",
            "Content-Length: 1001",
        ]
        raw.sendall("\r\n".join(["POST /mcp HTTP/1.1", *head, "", ""]).encode())
        assert raw.makefile("rb").readline().split()[1] == b"413"


def test_a_body_in_chunks_is_read_up_to_the_limit(wire):
    def chunked(size: int) -> bytes:
        body = b" " * size + BODY
        head = [f"Host: 127.0.0.1:{wire.port}", "Content-Type: application/json", "Transfer-Encoding: chunked"]
        head += [f"{name}: {value}" for name, value in {"Accept": BOTH, **wire.headers}.items()]
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        with socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw:
            raw.sendall("\r\n".join(["POST /mcp HTTP/1.1", *head, "", ""]).encode() + chunks)
            return raw.makefile("rb").readline().split()[1]

    assert chunked(10) in {b"200", b"400", b"404"}
    assert chunked(1000) == b"413"


def test_a_body_that_does_not_come_is_not_waited_for_long():
    server, _ = echo_server(LATEST)
    with endpoint(server, idle=0.2) as made, socket.create_connection(("127.0.0.1", made.port), PATIENCE) as raw:
        head = [
            f"Host: 127.0.0.1:{made.port}",
            f"Accept: {BOTH}",
            "Content-Type: application/json",
            "Content-Length: 9",
        ]
        raw.sendall("\r\n".join(["POST /mcp HTTP/1.1", *head, "", "{"]).encode())
        assert raw.makefile("rb").readline().split()[1] == b"408"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"nope"}', 200, -32601),
        # These are no requests of JSON-RPC.
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600),
        (b'{"id":1,"method":"ping"}', 400, -32600),
    ],
)
@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_request_with_an_id_gets_its_error_in_a_session(revision, body, status, code):
    server, _ = echo_server(revision)
    with endpoint(server) as made:
        made.initialize(revision)
        answer = made.post(body)
        assert (answer.status, answer.code, answer.json["id"]) == (status, code, 1)


@pytest.mark.parametrize("revision", [*HANDSHAKE, NEW])
def test_initialize_without_jsonrpc_begins_no_session(revision):
    server, _ = echo_server(revision)
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": WHO}
    with endpoint(server) as made:
        answer = made.post({"id": 1, "method": "initialize", "params": params})
        assert answer.status == 400
        assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages", "/nowhere"])
def test_head_is_answered_without_a_body_on_a_connection_that_goes_on(path):
    server, _ = echo_server(LATEST)
    with (
        endpoint(server) as made,
        socket.create_connection(("127.0.0.1", made.port), PATIENCE) as raw,
    ):
        head = f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        raw.sendall(head * 2 + b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answers = raw.makefile("rb").read().split(b"HTTP/1.1 ")[1:]
        assert [each[:3] for each in answers[:2]] == [answers[0][:3]] * 2
        assert all(each.endswith(b"\r\n\r\n") for each in answers[:2])
        assert answers[2].startswith(b"404 ")
        assert answers[2].endswith(b"}")


def test_a_session_is_ended_with_no_content_and_so_without_a_length():
    server, _ = echo_server(LATEST)
    with endpoint(server) as made:
        made.initialize(LATEST)
        ended = made.ask("DELETE")
        assert (ended.status, ended.body, "content-length" in ended.headers) == (204, b"", False)


# What the application may not say: PEP 3333 leaves the connection to the server.


class Broken(io.BytesIO):
    """A body that fails in the way of some server."""

    def read(self, size=-1):
        raise self.fault

    def __init__(self, fault):
        super().__init__()
        self.fault = fault


class OfAServer(Exception):
    """What a WSGI server may raise of a body: it is of no class that others know."""


def answered(**environ):
    """The status of an answer of the application, whose headers are held against PEP 3333."""
    server, _ = echo_server(NEW)
    found = []

    def start_response(status, headers):
        assert [name for name, _ in headers if is_hop_by_hop(name)] == []
        found.append(status)

    plain = {"PATH_INFO": "/", "HTTP_HOST": "localhost", "HTTP_ACCEPT": BOTH, "CONTENT_TYPE": JSON}
    application = server.wsgi_app(body_limit=10, body_time=0.01)
    list(application({"REQUEST_METHOD": "POST", **plain, **environ}, start_response))
    return int(found[0][:3])


class Slow(io.BytesIO):
    def read(self, size=-1):
        threading.Event().wait(0.02)
        return super().read(1)


@pytest.mark.parametrize(
    ("status", "environ"),
    [
        (413, {"CONTENT_LENGTH": "11", "wsgi.input": io.BytesIO(b"x" * 11)}),
        (413, {"wsgi.input_terminated": True, "wsgi.input": io.BytesIO(b"x" * 11)}),
        (411, {"wsgi.input": io.BytesIO(b"x" * 11)}),
        (408, {"CONTENT_LENGTH": "9", "wsgi.input": Slow(b"x" * 9)}),
        (408, {"CONTENT_LENGTH": "9", "wsgi.input": Broken(TimeoutError())}),
        (400, {"CONTENT_LENGTH": "9", "wsgi.input": io.BytesIO(b"x")}),
        (400, {"CONTENT_LENGTH": "9", "wsgi.input": Broken(OSError("gone"))}),
        (400, {"wsgi.input_terminated": True, "wsgi.input": Broken(OfAServer("a bad chunk"))}),
        (400, {"CONTENT_LENGTH": "2", "wsgi.input": io.BytesIO(b"{]")}),
        (403, {"HTTP_HOST": "elsewhere"}),
        (404, {"PATH_INFO": "/nowhere"}),
        (405, {"REQUEST_METHOD": "PUT"}),
        (406, {"HTTP_ACCEPT": "text/html"}),
        (415, {"CONTENT_TYPE": "text/html"}),
    ],
)
def test_a_refusal_says_nothing_of_the_connection(status, environ):
    assert answered(**environ) == status


@pytest.mark.parametrize(
    ("stream", "hinted"),
    [
        (io.BytesIO(), True),
        (Broken(TimeoutError()), True),
        (io.BytesIO(b"x"), False),
        (Slow(b"x" * 9), False),
    ],
)
def test_a_body_of_which_nothing_is_left_may_have_been_read_before(stream, hinted):
    environ = {"CONTENT_LENGTH": "9", "wsgi.input": stream}
    with pytest.raises(Rejection) as caught:
        read_body(environ, 10, 0.01)
    hint = " (was it read before, for example by before_request?)"
    assert caught.value.refusal.data["reason"].endswith(hint) is hinted


# Names that are refused are logged, as the one who set the server up may not know of `allowed_hosts`.


def test_a_foreign_host_is_logged_once_with_the_option_that_allows_it(caplog):
    server, _ = echo_server(LATEST)
    with endpoint(server) as made, caplog.at_level("WARNING", "mcp_bindings.runtime"):
        for host in ("mcp.example:8000", "mcp.example:8000", "other.example"):
            refused(made.ask("POST", BODY, {**PLAIN, "Host": host}), 403)
        for _ in range(2):
            refused(made.ask("POST", BODY, {**PLAIN, "Origin": "https://page.example"}), 403)
        said = [each.getMessage() for each in caplog.records]
        assert [each.rpartition("; to allow them, ")[2] for each in said] == [
            "add 'mcp.example' to allowed_hosts",
            "add 'other.example' to allowed_hosts",
            "add 'https://page.example' to allowed_origins",
        ]


@pytest.mark.parametrize(
    ("header", "value", "advice"),
    [
        ("Origin", "null", "; to allow them, add '*' to allowed_origins"),
        ("Origin", "no origin", ""),
        ("Host", "no host", ""),
    ],
)
def test_only_values_that_can_be_allowed_are_advised(header, value, advice, caplog):
    with caplog.at_level("WARNING", "mcp_bindings.runtime"):
        RefusalLog().log(header, value)
    assert caplog.messages == [f"requests with {header} {value!r} are answered with 403{advice}"]


@given(st.lists(st.text(max_size=100), max_size=12))
def test_only_so_many_refused_names_are_remembered(names):
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origin_policy, "write_log", lambda level, text, *values: said.append(text % values))
        refusals = RefusalLog(5)
        for name in names * 2:
            refusals.log("Host", name)
    different = len({name[:80] for name in names})
    assert len(said) == min(different, 5) + (different >= 5)
    assert all("\n" not in each and len(each) < 800 for each in said)


def test_a_handler_that_fails_tells_nothing(caplog):
    server, _ = echo_server(LATEST)
    with endpoint(server) as made, caplog.at_level(logging.CRITICAL, "mcp_bindings.runtime"):
        made.initialize(LATEST)
        for kind in ("Exception", "SystemExit", "KeyboardInterrupt"):
            answer = made.post(call(1, **{"raise": kind}))
            assert (answer.status, answer.code) == (200, -32603)
            assert b"secret" not in answer.body


# Media types.


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("application/json", True),
        ("Application/JSON ; charset=UTF-8", True),
        ('application/json;charset="utf-8"', True),
        ("application/json;x=1", True),
        ("application/json, text/plain", False),
        ("application/json; charset=utf-16", False),
        ("text/json", False),
    ],
)
def test_json_is_told_by_its_media_type(text, good):
    assert is_json(text) is good


@pytest.mark.parametrize(
    ("accept", "json", "sse"),
    [
        ("application/json, text/event-stream", True, True),
        ("TEXT/EVENT-STREAM;q=0.1,application/json;q=0.001", True, True),
        ("*/*", True, True),
        ("application/*, text/*;q=0.5", True, True),
        ("*/*;q=0, application/json", True, False),
        ("application/json;q=0, */*", False, True),
        ('text/plain;x="a, b", application/json', True, False),
        ("application/json;q=2, text/event-stream;q=x", False, False),
        ("application/json;version=1", True, False),
        ("application/jsonp, text/event-streams", False, False),
    ],
)
def test_what_is_accepted_is_told_by_the_closest_range(accept, json, sse):
    assert (accepts(accept, JSON), accepts(accept, SSE)) == (json, sse)


@given(st.text(max_size=60))
def test_any_header_can_be_read(text):
    assert is_json(text) in {True, False}
    assert accepts(text, JSON) in {True, False}
    assert OriginPolicy().allows_host(text) in {True, False}
    assert OriginPolicy().allows_origin(text) in {True, False}


# Origins.


@given(st.from_regex(r"[a-z]{1,6}://[][a-zA-Z0-9.:@/\\#?_%-]{0,40}", fullmatch=True))
def test_an_allowed_origin_is_on_an_allowed_host_to_others_as_well(origin):
    if OriginPolicy().allows_origin(origin):
        parts = urlsplit(origin)
        assert parts.hostname.rstrip(".") in {"localhost", "127.0.0.1", "::1"}
        assert not parts.username
        assert not parts.path


def test_a_port_is_for_that_port_alone():
    allowed = OriginPolicy(["a.example:8443", "b.example"], ["https://c.example"])
    assert allowed.allows_host("a.example:8443")
    assert not allowed.allows_host("a.example")
    assert not allowed.allows_host("a.example:8444")
    assert allowed.allows_host("B.example:1")
    assert allowed.allows_origin("https://c.example:443")
    assert not allowed.allows_origin("http://c.example")
    assert not allowed.allows_origin("https://c.example:444")
    assert allowed.allows_origin("https://b.example")
    assert not allowed.allows_host("c.example")


def test_any_host_does_not_mean_any_origin():
    allowed = OriginPolicy(["*"])
    assert allowed.allows_host("x.example")
    assert not allowed.allows_origin("http://x.example")
    assert OriginPolicy(["*"], ["*"]).allows_origin("null")


@pytest.mark.parametrize(
    "options",
    [{"hosts": ["http://x"]}, {"origins": ["x.example"]}, {"hosts": [""]}, {"hosts": "x.example"}, {"origins": "*"}],
)
def test_what_cannot_be_allowed_is_said(options):
    with pytest.raises(UsageError, match=r"must hold|must be a list"):
        OriginPolicy(**options)


def test_a_name_that_is_allowed_may_be_used():
    server, _ = echo_server(NEW)
    with endpoint(server, allowed_hosts=["mcp.example"], allowed_origins=["https://app.example"]) as made:
        whole, headers = modern(call(n=1))
        assert made.post(whole, **headers, Host="mcp.example", Origin="https://app.example").text == "1"
        refused(Wire(made.port).post(whole, **headers), 403)


# cheroot leaves the socket that it could not bind to the garbage collector.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_where_nobody_can_listen_is_said():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = f"cannot listen on 127.0.0.1:{port}: Address already in use; pass another host or port"
        with pytest.raises(UsageError) as caught:
            make_server([echo_server("2025-11-25")[0]], port=port)
    assert str(caught.value) == said
    del caught
    gc.collect()


@pytest.mark.parametrize("port", [-1, 65536, "8000", None])
def test_what_is_no_port_is_said(port):
    with pytest.raises(UsageError, match=r"`port` must be an integer from 1 to 65535, or 0"):
        make_server([echo_server("2025-11-25")[0]], port=port)
