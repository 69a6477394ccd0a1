"""Servers that require tokens inside other programs: Flask, Django, and any WSGI application, with tokens for tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from mcp_bindings import Authorization, serve
from mcp_bindings.testing import TokenIssuer
from support.raw_http_client import PLAIN, modern, request
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import environment, package

REASON = "needs Django, which nox installs for the oldest Python only"
django = pytest.importorskip("django", reason=REASON)
settings = pytest.importorskip("django.conf", reason=REASON).settings
get_wsgi_application = pytest.importorskip("django.core.wsgi", reason=REASON).get_wsgi_application
HttpResponse = pytest.importorskip("django.http", reason=REASON).HttpResponse
path = pytest.importorskip("django.urls", reason=REASON).path

NEW = STATELESS[-1]
HOST = "mcp.example.com"
RESOURCE = f"https://{HOST}/mcp"
PLACE = "/.well-known/oauth-protected-resource/mcp"

urlpatterns = [path("", lambda request: HttpResponse("the site"))]


def in_flask(endpoint: Any) -> Any:
    site = Flask("site")

    @site.get("/")
    def index() -> str:
        return "the site"

    site.wsgi_app = endpoint.mounted("/mcp", site.wsgi_app)
    return site


def in_django(endpoint: Any) -> Any:
    if not settings.configured:
        settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="only for this test")
        django.setup()
    return endpoint.mounted("/mcp", get_wsgi_application())


def in_any_application(endpoint: Any) -> Any:
    def site(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [b"the site"]

    return endpoint.mounted("/mcp", site)


def ask(app: Any, method: str, place: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send a request to a WSGI application."""
    parts = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": place,
        "QUERY_STRING": "",
        "SERVER_NAME": HOST,
        "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": HOST,
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        "wsgi.url_scheme": "https",
        "wsgi.errors": BytesIO(),
        **parts,
    }
    seen: dict[str, Any] = {}

    def start(status: str, headers: Any, exc_info: Any = None) -> Any:
        seen.update(status=int(status.split(maxsplit=1)[0]), headers={name.lower(): value for name, value in headers})

    answer = app(environ, start)
    data = b"".join(answer)
    getattr(answer, "close", lambda: None)()
    return seen["status"], seen["headers"], data


@pytest.mark.parametrize("beside", [in_flask, in_django, in_any_application])
def test_a_site_has_a_protected_server_beside_it(beside: Callable[[Any], Any]):
    issuer = TokenIssuer("https://login.example.com")
    servers = [package(each).Server("s", "1") for each in (HANDSHAKE[-1], NEW)]
    for server in servers:
        server.tools.add(lambda: "written", "write", scopes=["files:write"])
    authorization = Authorization(issuer.validator(), resource=RESOURCE)
    endpoint = serve.wsgi_app(*servers, allowed_hosts=[HOST], authorization=authorization)
    app = beside(endpoint)
    try:
        assert ask(app, "GET", "/")[2] == b"the site"
        status, _, data = ask(app, "GET", PLACE)
        assert (status, json.loads(data)) == (200, dict(authorization.metadata))
        message, named = modern(request("tools/call", 1, {"name": "write"}))
        body, accepted = json.dumps(message).encode(), {"Accept": PLAIN["Accept"], **named}
        status, headers, _ = ask(app, "POST", "/mcp", body, **accepted)
        assert (status, "error" in headers["www-authenticate"]) == (401, False)
        assert f'resource_metadata="https://{HOST}{PLACE}"' in headers["www-authenticate"]
        for scopes, expected in (([], 403), (["files:write"], 200)):
            token = issuer.token("ada", resource=RESOURCE, scopes=scopes)
            status, headers, data = ask(app, "POST", "/mcp", body, **accepted, Authorization=f"Bearer {token}")
            assert status == expected
        assert json.loads(data)["result"]["content"][0]["text"] == "written"
    finally:
        endpoint.close()


def test_tokens_are_issued_without_pytest():
    program = (
        "import sys; sys.modules['pytest'] = None\n"
        "from mcp_bindings.testing import TokenIssuer\n"
        f"print(TokenIssuer().token('ada', resource={RESOURCE!r}).count('.'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "")
