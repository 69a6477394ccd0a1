"""A client in memory may be a logged-in user: handlers find the caller as they do over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindings import Caller, connect, testing
from mcp_bindings_runtime.errors import UsageError
from support.revisions import HANDSHAKE, REVISIONS, STATELESS
from support.scripted_peers import package

mcp_client = testing.mcp_client
"""The fixture."""


def serving(revision: str) -> Any:
    """Return a server whose tool names the caller."""
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.tool
    def who(context: Any) -> str:
        claims = None if context.caller is None else dict(context.caller.claims)
        return f"{context.principal} {claims}"

    return server


@pytest.mark.parametrize("theirs", [HANDSHAKE[-1], STATELESS[-1]])
@pytest.mark.parametrize("revision", REVISIONS)
def test_handlers_find_the_caller_in_every_revision(revision: str, theirs: str) -> None:
    server = serving(theirs)
    caller = Caller("ada", claims={"team": "tea"})
    for given, seen in ((None, "None None"), ("ada", "ada {}"), (caller, "ada {'team': 'tea'}")):
        with package(revision).Client.in_memory(server, caller=given) as client:
            assert client.call_tool("who").text == seen
            assert client.call_tool("who").text == seen


def test_each_client_has_its_own_caller() -> None:
    server = serving(STATELESS[-1])
    mcp = package(STATELESS[-1])
    with mcp.Client.in_memory(server, caller="ada") as ada, mcp.Client.in_memory(server, caller="bob") as bob:
        assert [each.call_tool("who").text for each in (ada, bob, ada)] == ["ada {}", "bob {}", "ada {}"]


def test_the_negotiating_client_and_the_fixture_take_a_caller(mcp_client: Any) -> None:
    server = serving(STATELESS[-1])
    with connect.in_memory(server, caller="ada") as client:
        assert client.call_tool("who").text == "ada {}"
    assert mcp_client(server, caller="bob").call_tool("who").text == "bob {}"


def test_a_caller_is_a_user_and_of_no_other_transport() -> None:
    mcp = package(STATELESS[-1])
    with pytest.raises(UsageError, match="`caller` must be a Caller, or the principal as a str, got 17"):
        mcp.Client.in_memory(serving(STATELESS[-1]), caller=17)
    with pytest.raises(UsageError, match=r"option 'caller'; it is an option of Client\.in_memory"):
        mcp.Client.http("http://127.0.0.1:1/mcp", caller="ada")
