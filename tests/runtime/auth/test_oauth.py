"""A client that logs a user in, against a real authorization server and over real sockets."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp_bindings import (
    ClientCredentials,
    DeviceLogin,
    FileTokens,
    MemoryTokens,
    OAuth,
    OAuthError,
    WorkloadIdentity,
    connect,
)
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout, UsageError
from support.authorization_server import Client, Judge, authorization_server, protected_server
from support.revisions import HANDSHAKE, REVISIONS
from support.scripted_peers import package

NEW = REVISIONS[-1]
LATEST = HANDSHAKE[-1]
HTTP_REVISIONS = [each for each in REVISIONS if not package(each).revision.FACTS.only_sse]


class Protected:
    def __init__(self, url: str, issuer: str, judge: Judge) -> None:
        self.url = url
        self.issuer = issuer
        self.judge = judge
        self.visited: list[str] = []

    def visit(self, url: str) -> None:
        """Stand for the user and the browser: the server agrees at once, and redirects to the listener."""
        self.visited.append(url)
        with urllib.request.urlopen(url, timeout=20) as response:
            response.read()

    def oauth(self, **options: Any) -> OAuth:
        return OAuth(open_url=self.visit, **options)


def principal_server(revision: str) -> Any:
    """Return a server whose tool returns the principal of the request."""
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def whoami(params: Any, context: Any) -> Any:
        return mcp.CallToolResult(content=[mcp.TextContent(text=str(context.principal))])

    return server


@pytest.fixture
def protected(request: pytest.FixtureRequest) -> Iterator[Protected]:
    revision = getattr(request, "param", NEW)
    with authorization_server() as (issuer, judge), protected_server(principal_server(revision), issuer, judge) as url:
        yield Protected(url, issuer, judge)


def client_of(protected: Protected, auth: Any, revision: str = NEW, **options: Any) -> Any:
    return package(revision).Client.http(protected.url, auth=auth, **{"timeout": 30, **options})


def whoami(client: Any) -> str:
    text: str = client.call_tool("whoami").content[0].text
    return text


@pytest.mark.parametrize(("protected", "revision"), [(each, each) for each in HTTP_REVISIONS], indirect=["protected"])
def test_a_client_logs_in_after_the_first_refusal(protected: Protected, revision: str) -> None:
    with client_of(protected, protected.oauth(), revision) as client:
        assert whoami(client) == "ada"
        assert whoami(client) == "ada"
    requests = protected.judge.requests
    assert (requests["/register"], requests["/authorize"], requests["authorization_code"]) == (1, 1, 1)
    (form,) = protected.judge.forms
    assert form["resource"] == protected.url
    (query,) = map(parse_qs, [urlsplit(each).query for each in protected.visited])
    assert query["code_challenge_method"] == ["S256"]
    assert query["resource"] == [protected.url]


def test_connect_negotiates_behind_a_login_that_lasts_longer_than_its_timeout(protected: Protected) -> None:
    def visit_later(url: str) -> None:
        time.sleep(5.5)
        protected.visit(url)

    auth = OAuth(open_url=visit_later)
    with connect.http(protected.url, auth=auth, timeout=5.0, probe=2.0) as client:
        assert client.binding.revision == NEW
        assert whoami(client) == "ada"
    assert protected.judge.requests["/authorize"] == 1


# One revision of each era: the clients of an era log in alike, as the test above shows, and this one has to wait.
@pytest.mark.parametrize(("protected", "revision"), [(each, each) for each in (LATEST, NEW)], indirect=["protected"])
def test_the_time_of_a_login_does_not_count_against_the_timeout_of_a_call(protected: Protected, revision: str) -> None:
    def visit_later(url: str) -> None:
        time.sleep(3.5)
        protected.visit(url)

    with client_of(protected, OAuth(open_url=visit_later), revision, timeout=3.0) as client:
        assert whoami(client) == "ada"
    assert protected.judge.requests["/authorize"] == 1


def test_an_expired_token_is_refreshed_once_for_all_threads(protected: Protected) -> None:
    with client_of(protected, protected.oauth()) as client:
        protected.judge.lifetime = 2
        # The next token is short-lived.
        protected.judge.tokens.clear()
        whoami(client)
        assert protected.judge.requests["refresh_token"] == 1
        protected.judge.lifetime = 3600
        time.sleep(2.1)
        barrier = threading.Barrier(32)

        def call(_: int) -> str:
            barrier.wait(30)
            return whoami(client)

        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(call, range(32))) == {"ada"}
    assert protected.judge.requests["refresh_token"] == 2
    assert protected.judge.requests["/authorize"] == 1
    assert protected.judge.replayed == 0


def test_32_threads_without_a_token_cause_one_login(protected: Protected) -> None:
    with client_of(protected, protected.oauth()) as client:
        protected.judge.tokens.clear()
        protected.judge.refresh_tokens.clear()
        barrier = threading.Barrier(32)

        def call(_: int) -> str:
            barrier.wait(30)
            return whoami(client)

        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(call, range(32))) == {"ada"}
    assert protected.judge.requests["/authorize"] == 2


def test_a_revoked_token_is_refreshed_and_a_revoked_grant_leads_to_a_login(protected: Protected) -> None:
    judge = protected.judge
    with client_of(protected, protected.oauth()) as client:
        judge.tokens.clear()
        assert whoami(client) == "ada"
        assert (judge.requests["refresh_token"], judge.requests["/authorize"]) == (1, 1)
        judge.tokens.clear()
        judge.refresh_tokens.clear()
        assert whoami(client) == "ada"
        assert judge.requests["/authorize"] == 2


def test_an_unavailable_authorization_server_does_not_cost_the_tokens(protected: Protected) -> None:
    judge = protected.judge
    with client_of(protected, protected.oauth()) as client:
        judge.tokens.clear()
        judge.down = True
        with pytest.raises(OAuthError, match="HTTP status 503"):
            whoami(client)
        judge.down = False
        assert whoami(client) == "ada"
    assert judge.requests["/authorize"] == 1


def test_tokens_outlive_the_process(protected: Protected, tmp_path: Any) -> None:
    path = tmp_path / "state" / "tokens.json"
    with client_of(protected, protected.oauth(store=FileTokens(path))) as client:
        whoami(client)
    assert path.stat().st_mode & 0o777 == 0o600
    with client_of(protected, protected.oauth(store=FileTokens(path))) as client:
        assert whoami(client) == "ada"
    # Expired meanwhile: the refresh token is used, and the user is left alone.
    values = json.loads(path.read_text())
    values[protected.issuer][protected.url]["expires_at"] = 1.0
    path.write_text(json.dumps(values))
    with client_of(protected, protected.oauth(store=FileTokens(path))) as client:
        assert whoami(client) == "ada"
    assert len(protected.visited) == 1
    assert protected.judge.requests["refresh_token"] == 1


def test_two_users_of_one_store_refresh_once(protected: Protected, tmp_path: Any) -> None:
    """Each ``FileTokens`` stands for a process: they share nothing but the file."""
    path = tmp_path / "tokens.json"
    with client_of(protected, protected.oauth(store=FileTokens(path))) as first:
        whoami(first)
        with client_of(protected, protected.oauth(store=FileTokens(path))) as second:
            whoami(second)
            protected.judge.tokens.clear()
            with ThreadPoolExecutor(2) as pool:
                assert list(pool.map(whoami, [first, second])) == ["ada", "ada"]
    assert protected.judge.requests["refresh_token"] == 1
    assert protected.judge.replayed == 0
    assert len(protected.visited) == 1


def test_a_web_program_begins_in_one_process_and_finishes_in_another(protected: Protected) -> None:
    store = MemoryTokens()
    callback = "https://app.example/callback"
    begun = OAuth(redirect_uri=callback, store=store).begin(protected.url)
    record = json.dumps(begun.record)

    class Stop(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments: Any) -> None:
            return None

    try:
        urllib.request.build_opener(Stop).open(begun.url, timeout=20)
    except urllib.error.HTTPError as redirect:
        with redirect:
            redirected = redirect.headers["Location"]
    assert redirected.startswith(callback)
    OAuth(redirect_uri=callback, store=store).finish(redirected, json.loads(record))
    with client_of(protected, OAuth(redirect_uri=callback, store=store)) as client:
        assert whoami(client) == "ada"
    with pytest.raises(OAuthError, match="call `begin` and `finish`"):
        client_of(protected, OAuth(redirect_uri=callback)).connect()


def test_a_login_that_nobody_finishes_ends(protected: Protected) -> None:
    auth = OAuth(open_url=lambda url: None, login_timeout=0.3)
    with pytest.raises(OAuthError, match=r"no authorization response arrived within 0\.3 s"):
        client_of(protected, auth).connect()


def test_closing_a_client_ends_its_login(protected: Protected) -> None:
    shown = threading.Event()
    auth = OAuth(open_url=lambda url: shown.set())
    client = client_of(protected, auth)
    with ThreadPoolExecutor(1) as pool:
        connecting = pool.submit(client.connect)
        assert shown.wait(20)
        client.close()
        with pytest.raises(ConnectionClosed):
            connecting.result(20)


def test_a_registered_client_that_the_server_has_forgotten_registers_again(protected: Protected) -> None:
    judge = protected.judge
    with client_of(protected, protected.oauth()) as client:
        judge.clients.clear()
        judge.tokens.clear()
        assert whoami(client) == "ada"
    assert judge.requests["/register"] == 2


def test_waiting_threads_end_at_their_own_deadline(protected: Protected) -> None:
    shown, login = threading.Event(), threading.Event()

    def visit(url: str) -> None:
        if protected.visited:
            shown.set()
            assert login.wait(20)
        protected.visit(url)

    with client_of(protected, OAuth(open_url=visit)) as client:
        protected.judge.tokens.clear()
        protected.judge.refresh_tokens.clear()
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(whoami, client)
            assert shown.wait(20)
            with pytest.raises(RequestTimeout):
                client.call_tool("whoami", timeout=0.3)
            login.set()
            assert first.result(30) == "ada"


@pytest.mark.parametrize("protected", [HANDSHAKE[-1]], indirect=True)
def test_the_end_of_a_session_refreshes_a_token_and_causes_no_login(protected: Protected) -> None:
    judge = protected.judge
    with client_of(protected, protected.oauth(), HANDSHAKE[-1]) as client:
        whoami(client)
        judge.tokens.clear()
    assert judge.requests["refresh_token"] == 1
    with client_of(protected, protected.oauth(), HANDSHAKE[-1]) as client:
        whoami(client)
        judge.tokens.clear()
        judge.refresh_tokens.clear()
    assert len(protected.visited) == 2


def registered_by_hand(protected: Protected, method: str) -> None:
    metadata = {"grant_types": ["client_credentials"], "token_endpoint_auth_method": method, "redirect_uris": []}
    # Both have characters that the form of HTTP Basic escapes (RFC 6749, section 2.3.1).
    protected.judge.clients["robot:1"] = Client("robot:1", "sécret +%", metadata)


def test_a_program_gets_tokens_by_its_secret(protected: Protected) -> None:
    registered_by_hand(protected, "client_secret_basic")
    with client_of(protected, ClientCredentials("robot:1", "sécret +%")) as client:
        assert whoami(client) == "ada"
        protected.judge.tokens.clear()
        assert whoami(client) == "ada"
    assert protected.judge.requests["client_credentials"] == 2
    assert protected.judge.forms[0] == {"grant_type": "client_credentials", "resource": protected.url}


def test_a_wrong_secret_is_reported_once(protected: Protected) -> None:
    registered_by_hand(protected, "client_secret_basic")
    with (
        pytest.raises(OAuthError, match="invalid_client") as raised,
        client_of(protected, ClientCredentials("robot:1", "wrong-secret")),
    ):
        pass
    assert raised.value.error == "invalid_client"
    assert "wrong-secret" not in str(raised.value)
    assert protected.judge.requests["client_credentials"] == 1


def test_a_refused_assertion_is_not_tried_again(protected: Protected) -> None:
    calls: list[int] = []

    def assertion() -> str:
        calls.append(1)
        return "a.b.c"

    with (
        pytest.raises(OAuthError, match="unsupported_grant_type"),
        client_of(protected, WorkloadIdentity("workload", assertion=assertion)),
    ):
        pass
    assert len(calls) == 1


def _options(**options: Any) -> Any:
    """Return options that the type checker does not check."""
    return options


@pytest.mark.parametrize(
    ("create", "message"),
    [
        (lambda: OAuth(**_options(redirect_url="x")), "'redirect_url' (did you mean 'redirect_uri'?)"),
        (lambda: OAuth(**_options(time_out=3)), "'time_out' (did you mean 'login_timeout'?)"),
        (lambda: DeviceLogin(**_options(show=print)), "'show' (did you mean 'show_code'?)"),
        (lambda: ClientCredentials("me", "secret", **_options(scopes="x")), "'scopes' (did you mean 'scope'?)"),
        (lambda: ClientCredentials("me", **_options(secret="x")), "'secret' (did you mean 'client_secret'?)"),
        (
            lambda: WorkloadIdentity("me", assertion=lambda: "jwt", **_options(zzz=1)),
            "'zzz'; use allow_private, assertion, client_id, dpop, issuer, resource, scope, store, "
            "without_exact_issuer, without_resource_parameter",
        ),
    ],
)
def test_an_unknown_option_gets_a_suggestion(create: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        create()
    assert str(raised.value) == f"unknown option {message}"


def test_a_private_key_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joserfc.jwk", None)
    monkeypatch.setitem(sys.modules, "joserfc", None)
    with pytest.raises(UsageError, match=r"pip install 'mcp-bindings\[oauth\]'"):
        ClientCredentials("me", private_key="-----BEGIN PRIVATE KEY-----")


@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "ES999", "HS256", "EdDSA", ""])
@pytest.mark.parametrize("kind", ["public", "other curve", "other type", "text"])
def test_a_key_that_cannot_sign_is_refused_at_once(kind: str, algorithm: str) -> None:
    jwk = pytest.importorskip("joserfc.jwk", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")
    keys = {
        "public": lambda: jwk.ECKey.generate_key("P-256").as_pem(private=False).decode(),
        "other curve": lambda: jwk.ECKey.generate_key("P-384").as_pem(private=True).decode(),
        "other type": lambda: jwk.OKPKey.generate_key("Ed25519").as_pem(private=True).decode(),
        "text": lambda: "s3cr3t-value",
    }
    key = keys[kind]()
    with pytest.raises(UsageError, match="`private_key` must be") as raised:
        ClientCredentials("me", private_key=key, algorithm=algorithm)
    assert key not in str(raised.value)


def test_a_client_without_auth_loads_nothing_of_it() -> None:
    program = f"""
import sys
from {package(NEW).__name__} import Client
client = Client.http("https://mcp.example/mcp")
print([name for name in sys.modules if ".auth" in name or name in ("http.server", "joserfc", "webbrowser")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
