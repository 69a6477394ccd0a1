"""A user logs in on another device (RFC 8628), against a real authorization server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp_bindings import DeviceCode, DeviceLogin, FileTokens, OAuthError
from mcp_bindings_runtime.auth import device_authorization
from mcp_bindings_runtime.auth.client_identity import ClientIdentity
from mcp_bindings_runtime.auth.device_authorization import poll_once, request_device_code
from mcp_bindings_runtime.auth.flow import FlowRequest, FlowResponse, run_flow
from mcp_bindings_runtime.auth.token_request import TokenTarget
from mcp_bindings_runtime.errors import ConnectionClosed
from support.authorization_server import Judge, authorization_server, protected_server
from support.revisions import REVISIONS
from support.scripted_peers import PATIENCE, package

NEW = REVISIONS[-1]


class Protected:
    def __init__(self, url: str, judge: Judge) -> None:
        self.url = url
        self.judge = judge
        self.shown: list[DeviceCode] = []

    def client(self, *, agrees: bool | None = True, **options: Any) -> Any:
        def show(code: DeviceCode) -> None:
            self.shown.append(code)
            if agrees is not None:
                self.judge.entered[code.user_code] = agrees

        auth = DeviceLogin(show_code=show, **options)
        return package(NEW).Client.http(self.url, auth=auth, timeout=PATIENCE)


@pytest.fixture
def protected() -> Iterator[Protected]:
    server = package(NEW).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    with authorization_server() as (issuer, judge), protected_server(server, issuer, judge) as url:
        yield Protected(url, judge)


def test_a_user_logs_in_on_another_device(protected: Protected, tmp_path: Any) -> None:
    store = FileTokens(tmp_path / "tokens.json")
    with protected.client(store=store) as client:
        assert client.call_tool("whoami").text == "ada"
    (code,) = protected.shown
    assert code.verification_uri.endswith("/device")
    assert code.complete_uri is not None
    assert parse_qs(urlsplit(code.complete_uri).query) == {"user_code": [code.user_code]}
    registered = next(iter(protected.judge.clients.values())).metadata
    assert registered["grant_types"] == [device_authorization.DEVICE_CODE, "refresh_token"]
    assert protected.judge.forms[-1]["resource"] == protected.url
    # The token is kept, and refreshed.
    protected.judge.tokens.clear()
    with protected.client(agrees=None, store=store) as client:
        assert client.call_tool("whoami").text == "ada"
    assert len(protected.shown) == 1
    assert protected.judge.requests["refresh_token"] == 1


def test_a_user_who_refuses_is_reported(protected: Protected) -> None:
    with pytest.raises(OAuthError, match="access_denied") as raised, protected.client(agrees=False):
        pass
    assert raised.value.error == "access_denied"


def test_a_code_that_nobody_enters_expires(protected: Protected) -> None:
    protected.judge.device_lifetime = 0
    with pytest.raises(OAuthError, match=r"expired") as raised, protected.client(agrees=None):
        pass
    assert raised.value.error == "expired_token"


def test_a_user_has_a_time_to_enter_the_code(protected: Protected) -> None:
    with (
        pytest.raises(OAuthError, match=r"not entered the code within 1\.5 s"),
        protected.client(agrees=None, login_timeout=1.5),
    ):
        pass


def test_closing_a_client_ends_its_login(protected: Protected) -> None:
    shown = threading.Event()
    failures: list[BaseException] = []
    auth = DeviceLogin(show_code=lambda code: shown.set())
    client = package(NEW).Client.http(protected.url, auth=auth, timeout=PATIENCE)

    def connect() -> None:
        try:
            client.connect()
        except ConnectionClosed as fault:
            failures.append(fault)

    thread = threading.Thread(target=connect)
    thread.start()
    assert shown.wait(PATIENCE)
    client.close()
    thread.join(PATIENCE)
    assert len(failures) == 1


# Without a network.

TARGET = TokenTarget("https://as.example", "https://as.example/token", ClientIdentity("i", "me", "none"), None)
ANSWER = {"device_code": "d3vice", "user_code": "AB-CD", "verification_uri": "https://as.example/device"}


def asked(answer: Any, status: int = 200) -> tuple[Any, FlowRequest]:
    requests: list[FlowRequest] = []

    def send(request: FlowRequest) -> FlowResponse:
        requests.append(request)
        return FlowResponse(status, {}, json.dumps(answer).encode(), 1000.0)

    endpoint = "https://as.example/device_authorization"
    code = run_flow(request_device_code(endpoint, TARGET, "mcp:read", loopback=False), send)
    return code, requests[0]


def test_a_device_request_names_the_client_and_the_scopes() -> None:
    code, request = asked(ANSWER)
    assert parse_qs((request.body or b"").decode()) == {"client_id": ["me"], "scope": ["mcp:read"]}
    assert (code.interval, code.expires_at) == (5.0, 1000.0 + device_authorization._LIFETIME)
    assert "d3vice" not in repr(code)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({**ANSWER, "user_code": None}, "must return `device_code`, `user_code` and `verification_uri`"),
        ({**ANSWER, "verification_uri": "javascript:alert(1)"}, "not an http or https URL"),
        ({**ANSWER, "verification_uri": "http://as.example/device"}, "must be an https URL"),
        ({**ANSWER, "verification_uri_complete": "file:///etc/passwd"}, "not an http or https URL"),
    ],
)
def test_a_device_response_that_could_mislead_the_user_is_refused(answer: Any, message: str) -> None:
    with pytest.raises(OAuthError, match=message):
        asked(answer)


def test_the_time_that_a_server_grants_is_limited() -> None:
    code, _ = asked({**ANSWER, "expires_in": 10**9, "interval": 0})
    assert code.expires_at == 1000.0 + device_authorization._LIFETIME
    assert code.interval >= 1


@pytest.mark.parametrize(("error", "interval"), [("authorization_pending", 5.0), ("slow_down", 10.0)])
def test_polling_goes_on_as_the_server_demands(error: str, interval: float) -> None:
    code, _ = asked(ANSWER)

    def refuse(request: FlowRequest) -> FlowResponse:
        return FlowResponse(400, {}, b'{"error": "%s"}' % error.encode(), 0.0)

    later = code._replace(expires_at=float("inf"))
    assert run_flow(poll_once(later, TARGET, None), refuse).interval == interval
