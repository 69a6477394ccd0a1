"""How long results may be kept, and for whom: 2026-07-28."""

from __future__ import annotations

import pytest
from mcp_bindings_runtime.errors import ResponseError, UsageError
from support.connected_clients import asking, serving
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import package

every_revision = pytest.mark.parametrize("revision", STATELESS)


def offering(revision, **options):
    server = serving(revision, **options)
    server.resources.add_text("test://a", "a")
    server.resources.add_text("test://b", "b")
    server.resources.add_template(lambda x: x, "test://of/{x}")
    server.prompts.add(lambda: "", "p")
    return server


def hints(server):
    """What each of the results says, by what was asked for."""
    with asking(server) as client:
        results = {
            "discover": client.discover(),
            "resources": client.list_resources_page(),
            "templates": client.list_resource_templates_page(),
            "prompts": client.list_prompts_page(),
            "a": client.read_resource("test://a"),
            "b": client.read_resource("test://b"),
            "of": client.read_resource("test://of/1"),
        }
    return {name: (each.ttl_ms, each.cache_scope) for name, each in results.items()}


@every_revision
def test_nothing_is_to_be_kept_by_default(revision):
    assert set(hints(offering(revision)).values()) == {(0, "private")}


@every_revision
def test_a_server_may_say_it_of_all_its_results(revision):
    assert set(hints(offering(revision, ttl_ms=60_000, cache_scope="public")).values()) == {(60_000, "public")}


@every_revision
def test_it_is_said_of_methods_and_of_single_resources(revision):
    methods = package(revision).methods
    server = offering(revision, ttl_ms=1)
    server.cache(methods.DISCOVER, ttl_ms=2, scope="public")
    server.cache(methods.LIST_RESOURCES, ttl_ms=3)
    server.cache(methods.READ_RESOURCE, ttl_ms=4, scope="public")
    server.cache("test://b", ttl_ms=5)
    server.cache("test://of/{x}", ttl_ms=6)
    assert hints(server) == {
        "discover": (2, "public"),
        "resources": (3, "private"),
        "templates": (1, "private"),
        "prompts": (1, "private"),
        "a": (4, "public"),
        "b": (5, "private"),
        "of": (6, "private"),
    }


@every_revision
def test_all_pages_have_one_scope(revision):
    methods = package(revision).methods
    server = offering(revision, page_size=1)
    server.cache(methods.LIST_RESOURCES, ttl_ms=1, scope="public")
    with asking(server) as client:
        first = client.list_resources_page()
        second = client.list_resources_page(cursor=first.next_cursor)
        assert (first.cache_scope, second.cache_scope) == ("public", "public")
        server.cache(methods.LIST_RESOURCES, ttl_ms=1, scope="private")
        with pytest.raises(ResponseError) as caught:
            client.list_resources_page(cursor=first.next_cursor)
        assert caught.value.code == -32602


@every_revision
def test_what_cannot_be_said_is_refused(revision):
    methods = package(revision).methods
    server = serving(revision)
    for what, ttl_ms, scope, reason in [
        ("test://a", -1, "private", "ttl_ms must be a whole number of milliseconds >= 0, got -1"),
        ("test://a", 1.5, "private", "got 1.5"),
        ("test://a", True, "private", "got True"),
        ("test://a", 1, "shared", "the scope must be one of public, private, got 'shared'"),
        (
            methods.CALL_TOOL,
            1,
            "private",
            "results of tools/call have no cache hints; those of server/discover",
        ),
    ]:
        with pytest.raises(UsageError) as caught:
            server.cache(what, ttl_ms=ttl_ms, scope=scope)
        assert reason in str(caught.value)
    with pytest.raises(UsageError, match="got -5"):
        serving(revision, ttl_ms=-5)


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_other_revisions_have_nothing_of_it(revision):
    assert not hasattr(serving(revision), "cache")
    with pytest.raises(
        UsageError, match="unknown option 'ttl_ms'; only servers of revisions without handshake have it"
    ):
        serving(revision, ttl_ms=1)
