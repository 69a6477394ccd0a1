"""Pages of allowed origins may read what the server answers, and no others: the server's side of the Fetch standard."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from mcp_bindings import Authorization
from support.echo_server import echo_server
from support.raw_http_client import NEW, PLAIN, Answer, Wire, call, endpoint, modern, request
from support.scripted_peers import WHO

LATEST = "2025-11-25"
PAGE = "https://app.example"
SAFE_METHODS = {"GET", "HEAD", "POST"}
SAFE_RESPONSE_HEADERS = {
    *("cache-control", "content-language", "content-length", "content-type"),
    *("expires", "last-modified", "pragma"),
}
SENT = ["authorization", "content-type", "last-event-id", "mcp-method", "mcp-name", "mcp-param-x", "mcp-session-id"]


class Preflight(NamedTuple):
    """What a browser concludes (Fetch standard, 4.8 and 4.9)."""

    answer: Answer

    def passes(self, origin: str, method: str, *names: str) -> bool:
        headers = self.answer.headers
        if not passes_check(self.answer, origin) or not 200 <= self.answer.status <= 299:
            return False
        methods = listed(headers.get("access-control-allow-methods", ""))
        allowed = [each.lower() for each in listed(headers.get("access-control-allow-headers", ""))]
        if method not in methods and method not in SAFE_METHODS and "*" not in methods:
            return False
        if "authorization" in names and "authorization" not in allowed:
            return False
        return all(name in allowed or "*" in allowed for name in names)


def listed(value: str) -> list[str]:
    return [each.strip() for each in value.split(",")]


def passes_check(answer: Answer, origin: str) -> bool:
    """The CORS check of a request without the browser's credentials."""
    return answer.headers.get("access-control-allow-origin") in {"*", origin}


def readable(answer: Answer) -> set[str]:
    exposed = {each.lower() for each in listed(answer.headers.get("access-control-expose-headers", ""))}
    return {name for name in answer.headers if name in exposed | SAFE_RESPONSE_HEADERS}


def preflight(wire: Wire, method: str, origin: str = PAGE, path: str | None = None) -> Preflight:
    names = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": ",".join(SENT)}
    return Preflight(wire.ask("OPTIONS", None, {"Origin": origin, **names}, path))


def never_of_others(answer: Answer) -> None:
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_preflight_of_an_allowed_origin_passes(method):
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE]) as wire:
        found = preflight(wire, method)
        assert found.passes(PAGE, method, *SENT)
        assert not found.passes("https://other.example", method, *SENT)
        assert (found.answer.status, found.answer.body) == (204, b"")
        headers = found.answer.headers
        assert "content-length" not in headers
        assert "transfer-encoding" not in headers
        assert headers["vary"] == "Origin"
        assert "access-control-allow-credentials" not in headers
        assert int(headers["access-control-max-age"]) > 0


def test_a_refused_origin_gets_no_headers():
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE]) as wire:
        for origin in ("https://other.example", "http://app.example", "https://app.example:8443", "null"):
            refused = preflight(wire, "POST", origin)
            assert refused.answer.status == 403
            never_of_others(refused.answer)
            posted = wire.ask("POST", b"{}", {**PLAIN, "Origin": origin})
            assert posted.status == 403
            never_of_others(posted)


def test_a_refused_host_gets_no_headers():
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE]) as wire:
        refused = wire.ask("POST", b"{}", {**PLAIN, "Host": "rebound.example", "Origin": PAGE})
        assert refused.status == 403
        never_of_others(refused)


def test_an_allowed_page_reads_the_session_and_every_answer():
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE]) as wire:
        wire.headers["Origin"] = PAGE
        begun = wire.initialize(LATEST)
        assert passes_check(begun, PAGE)
        assert begun.headers["vary"] == "Origin"
        assert "mcp-session-id" in readable(begun)
        stream = wire.stream()
        assert stream._response.getheader("Access-Control-Allow-Origin") == PAGE
        stream.close()
        for answer in (wire.post(call(n=1)), wire.post(b"{"), wire.ask("PUT"), wire.ask("GET", path="/nowhere")):
            assert passes_check(answer, PAGE), answer
        ended = wire.ask("DELETE")
        assert ended.status == 204
        assert "content-length" not in ended.headers
        assert passes_check(ended, PAGE)


def test_an_allowed_page_reads_why_it_is_not_authorized():
    authorization = Authorization(
        lambda _: None, resource="https://mcp.example/mcp", authorization_servers=["https://login.example"]
    )
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE], authorization=authorization) as wire:
        # Browsers send no token with a preflight.
        assert preflight(wire, "POST").passes(PAGE, "POST", *SENT)
        refused = wire.post(request("initialize", 1), Origin=PAGE)
        assert refused.status == 401
        assert passes_check(refused, PAGE)
        assert "www-authenticate" in readable(refused)
        metadata = wire.ask("GET", None, {"Origin": PAGE}, authorization.path)
        assert metadata.status == 200
        assert passes_check(metadata, PAGE)
        assert preflight(wire, "GET", path=authorization.path).passes(PAGE, "GET", "mcp-protocol-version")


def test_any_origin_may_be_allowed():
    server, _ = echo_server(NEW)
    with endpoint(server, allowed_origins=["*"]) as wire:
        whole, headers = modern(call(n=1))
        for origin in ("https://anywhere.example", "null"):
            assert preflight(wire, "POST", origin).passes(origin, "POST", *SENT)
            answer = wire.post(whole, **headers, Origin=origin)
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.text == "1"


def test_caches_keep_the_answers_to_origins_apart():
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE]) as wire:
        for headers in ({}, {"Origin": PAGE}, {"Origin": "https://other.example"}):
            assert wire.ask("GET", None, headers).headers["vary"] == "Origin"


def test_other_clients_get_no_headers_of_browsers():
    server, _ = echo_server(LATEST)
    with endpoint(server, allowed_origins=[PAGE]) as wire:
        hello = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
        answer = wire.post(request("initialize", 1, hello))
        assert answer.status == 200
        never_of_others(answer)
        assert "vary" not in answer.headers
        # It is no preflight without these two.
        assert wire.ask("OPTIONS").status == 405
        assert wire.ask("OPTIONS", None, {"Origin": PAGE}).status == 405
