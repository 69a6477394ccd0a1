"""The fixture ``mcp_url`` serves server objects and WSGI applications for tests."""

from __future__ import annotations

from dataclasses import dataclass
from threading import enumerate as all_threads
from typing import Any, cast

import pytest
from mcp_bindings import testing
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.server.local_site import LocalSite
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package

mcp_url = testing.mcp_url
"""The fixture."""
mcp_client = testing.mcp_client
"""The fixture for server objects."""


@dataclass
class Name:
    """A form."""

    name: str


def serving(revision: str) -> Any:
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.tool
    def greet(context: Any) -> str:
        return f"Hello {context.elicit_form('Who?', Name).value.name} from {context.principal}"

    return server


def greet(revision: str, url: str) -> str:
    mcp = package(revision)

    def fill_in(params: Any, context: Any) -> Any:
        return mcp.ElicitResult(action="accept", content={"name": "Ada"})

    with mcp.Client.http(url, elicitation=fill_in, timeout=PATIENCE) as client:
        return str(client.call_tool("greet").text)


@pytest.mark.parametrize("revision", [HANDSHAKE[-1], STATELESS[-1]])
def test_a_server_is_served_and_may_ask_its_client_meanwhile(mcp_url: Any, revision: str) -> None:
    url = mcp_url(serving(revision))
    assert url.endswith("/mcp")
    assert greet(revision, url) == "Hello Ada from None"


def test_an_application_around_the_endpoint_is_served(mcp_url: Any) -> None:
    app = serving(STATELESS[-1]).wsgi_app(path="/deep/mcp")

    def logged_in(environ: dict[str, Any], start: Any) -> Any:
        return app({**environ, "REMOTE_USER": "bob"}, start)

    assert greet(STATELESS[-1], mcp_url(logged_in, "/deep/mcp")) == "Hello Ada from bob"


def test_a_value_that_is_no_application_is_refused(mcp_url: Any) -> None:
    with pytest.raises(UsageError, match="must be called with a server object or a WSGI application, got 'app'"):
        mcp_url("app")
    with pytest.raises(UsageError, match=r"^3 is not a WSGI application, which is called with"):
        LocalSite(cast("Any", 3))


def create_app(config: object = None) -> Any:
    raise AssertionError


@pytest.mark.parametrize("fixture", [True, False])
def test_a_function_that_makes_the_application_is_refused(mcp_url: Any, *, fixture: bool) -> None:
    serve: Any = mcp_url if fixture else LocalSite
    expected = (
        r"^create_app is not a WSGI application, which is called with \(environ, start_response\); "
        r"did you mean create_app\(\)\?$"
    )
    with pytest.raises(UsageError, match=expected):
        serve(create_app)


def test_mcp_client_names_the_fixture_for_sites(mcp_client: Any) -> None:
    with pytest.raises(UsageError, match=r"is not a server; pass a server object, .*; for a site, use mcp_url\(app\)"):
        mcp_client(serving(STATELESS[-1]).wsgi_app())


def test_a_site_that_nobody_closes_does_not_keep_the_program_alive() -> None:
    def threads() -> list[bool]:
        return [each.daemon for each in all_threads() if each.name == "mcp-site"]

    site = LocalSite(serving(STATELESS[-1]).wsgi_app())
    assert threads() == [True]
    site.close()
    assert threads() == []
