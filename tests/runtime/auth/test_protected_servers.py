"""Our server and our client with a real authorization server, over real sockets: JWTs and introspection."""

from __future__ import annotations

import pytest
from mcp_bindings import ClientCredentials, OAuth
from support.protected_sites import KINDS, protected_site, scoped_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import eventually, package

NEW = STATELESS[-1]
ERAS = [HANDSHAKE[-1], NEW]
each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
@pytest.mark.parametrize("revision", ERAS)
def test_a_user_logs_in_once_and_agrees_to_more_when_a_tool_needs_it(kind, revision):
    with protected_site(kind, *map(scoped_server, ERAS)) as site:
        auth = OAuth(open_url=site.visit)
        with package(revision).Client.http(site.url, auth=auth, timeout=30) as client:
            assert client.call_tool("read").content[0].text == "read"
            assert client.read_resource("data://who").contents[0].text == "whoever"
            assert site.asked == ["files:read"]
            assert client.call_tool("write").content[0].text == "written"
            assert client.call_tool("read").content[0].text == "read"
        assert [set(each.split()) for each in site.asked] == [{"files:read"}, {"files:read", "files:write"}]


@each_kind
def test_an_expired_token_is_refused_and_the_client_refreshes_it(kind):
    with protected_site(kind, scoped_server(NEW)) as site:
        site.judge.lifetime = 2
        token = site.token()
        assert site.call(token).text == "read"
        with package(NEW).Client.http(site.url, auth=OAuth(open_url=site.visit), timeout=30) as client:
            assert client.call_tool("read").content[0].text == "read"
            eventually(lambda: site.call(token).status == 401)
            assert 'error="invalid_token"' in site.call(token).headers["www-authenticate"]
            # The token of the client is younger.
            eventually(lambda: client.call_tool("read").text == "read" and site.judge.requests["refresh_token"])
        assert len(site.asked) == 1


@each_kind
def test_a_token_for_another_server_and_one_without_the_scope_are_refused(kind):
    with protected_site(kind, scoped_server(NEW)) as site:
        assert site.call(site.token()).text == "read"
        refused = site.call(site.token("https://other.example/mcp"))
        assert (refused.status, "for another server" in refused.headers["www-authenticate"]) == (401, True)
        refused = site.call(site.token(), "write")
        assert refused.status == 403
        assert 'scope="files:read files:write"' in refused.headers["www-authenticate"]


def test_a_revoked_token_is_refused_once_its_answer_is_no_longer_remembered():
    with protected_site("introspection", scoped_server(NEW), lifetime=0) as site:
        token = site.token()
        assert site.call(token).text == "read"
        site.judge.tokens.clear()
        assert site.call(token).status == 401


def test_an_authorization_server_is_asked_once_about_a_token():
    with protected_site("introspection", scoped_server(NEW)) as site:
        token = site.token()
        for _ in range(5):
            assert site.call(token).text == "read"
        assert site.judge.requests["/introspect"] == 1


@each_kind
def test_a_program_uses_its_own_credentials(kind):
    with protected_site(kind, scoped_server(NEW)) as site:
        auth = ClientCredentials("program", "a secret")
        with package(NEW).Client.http(site.url, auth=auth, timeout=30) as client:
            assert client.call_tool("read").content[0].text == "read"
