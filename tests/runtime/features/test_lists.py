"""The list methods answered from registries: pages, capabilities, and notifications of changes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.features.lists import announced, answer_list
from mcp_bindings_runtime.features.registry import Registry
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package, scripted_client

LISTS = {
    "tools/list": ("tools", "Tool"),
    "prompts/list": ("prompts", "Prompt"),
    "resources/list": ("resources", "Resource"),
    "resources/templates/list": ("resource_templates", "ResourceTemplate"),
}


def item(types, kind, name):
    """What a list says of something of that name."""
    more = {
        "Tool": lambda: {"input_schema": types.ToolInputSchema()},
        "Prompt": dict,
        "Resource": lambda: {"uri": "a:" + name},
        "ResourceTemplate": lambda: {"uri_template": "a:" + name},
    }
    return SimpleNamespace(listed=getattr(types, kind)(name=name, **more[kind]()))


def offering(revision, method, count, **options):
    """A server with a list of so many things, and its registry."""
    mcp = package(revision)
    server = mcp.Server("s", "1", **options)
    member, kind = LISTS[method]
    registry = Registry(kind, announced(server, f"notifications/{method.partition('/')[0]}/list_changed"))
    answer_list(server, method, member, registry)
    for number in range(count):
        registry.put(str(number), item(mcp.types, kind, str(number)))
    return server, registry


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_list_comes_in_pages(revision, method):
    mcp = package(revision)
    server, _ = offering(revision, method, 7, page_size=3)
    member = LISTS[method][0]
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        items = getattr(client, f"list_{member}")
        page = getattr(client, f"list_{member}_page")
        assert [each.name for each in items()] == list("0123456")
        assert len(getattr(page(), member)) == 3
        with pytest.raises(ResponseError) as caught:
            page(cursor="3")
    assert caught.value.code == -32602
    assert f"not one of this server for {method};" in caught.value.data["reason"]


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_client_is_given_the_same_list_whatever_was_asked_before(revision, method):
    mcp = package(revision)
    server, _ = offering(revision, method, 5, page_size=2)
    function = f"list_{LISTS[method][0]}"
    with (
        mcp.Client.in_memory(server, timeout=PATIENCE) as one,
        mcp.Client.in_memory(server, timeout=PATIENCE) as other,
    ):
        getattr(one, f"{function}_page")()
        with pytest.raises(ResponseError):
            getattr(one, f"{function}_page")(cursor="none")
        lists = [[each.name for each in getattr(client, function)()] for client in (one, other, one)]
    assert lists == [list("01234")] * 3


def test_a_list_fits_one_page_of_a_hundred_by_default():
    mcp = package(REVISIONS[-1])
    server, _ = offering(REVISIONS[-1], "tools/list", 101)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        assert len(client.list_tools_page().tools) == 100
        assert len(list(client.list_tools())) == 101


def test_a_page_has_an_item_at_least():
    with pytest.raises(UsageError, match="`page_size` must be an integer >= 1, got 0"):
        package(REVISIONS[0]).Server("s", "1", page_size=0)


@pytest.mark.parametrize("revision", REVISIONS)
def test_processes_with_the_same_key_continue_each_others_lists(revision):
    mcp = package(revision)
    one, _ = offering(revision, "tools/list", 4, page_size=2, cursor_key=b"k" * 32)
    two, _ = offering(revision, "tools/list", 4, page_size=2, cursor_key=b"k" * 32)
    with (
        mcp.Client.in_memory(one, timeout=PATIENCE) as first,
        mcp.Client.in_memory(two, timeout=PATIENCE) as second,
    ):
        cursor = first.list_tools_page().next_cursor
        assert [tool.name for tool in second.list_tools_page(cursor=cursor).tools] == ["2", "3"]


@pytest.mark.parametrize("revision", STATELESS)
def test_the_key_for_states_does_for_cursors(revision):
    mcp = package(revision)
    one, _ = offering(revision, "tools/list", 4, page_size=2, state_key=b"k" * 32)
    two, _ = offering(revision, "tools/list", 4, page_size=2, state_key=b"k" * 32)
    with (
        mcp.Client.in_memory(one, timeout=PATIENCE) as first,
        mcp.Client.in_memory(two, timeout=PATIENCE) as second,
    ):
        assert second.list_tools_page(cursor=first.list_tools_page().next_cursor).next_cursor is None


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_handler_of_ones_own_answers_instead(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.LIST_TOOLS)
    def mine(params, context):
        more = {"ttl_ms": 0, "cache_scope": "private"} if revision in STATELESS else {}
        return mcp.ListToolsResult(tools=[], **more)

    registry = Registry("tool", announced(server, "notifications/tools/list_changed"))
    answer_list(server, "tools/list", "tools", registry)
    registry.put("a", item(mcp.types, "Tool", "a"))
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        assert list(client.list_tools()) == []


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_every_client_hears_of_a_change_once(revision):
    server, registry = offering(revision, "tools/list", 1)
    types = package(revision).types
    clients = [scripted_client(server) for _ in range(2)]
    for client in clients:
        answered = client.introduce(revision)
        assert answered["result"]["capabilities"]["tools"] == {"listChanged": True}
        client.request("ping", 1)
        client.hear()
    with registry.changing():
        for name in "abc":
            registry.put(name, item(types, "Tool", name))
    registry.remove("a")
    for client in clients:
        told = [client.hear(), client.hear()]
        assert told == [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}] * 2
        client.request("ping", 2)
        assert client.hear()["id"] == 2
        client.close()


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_who_was_promised_nothing_is_told_nothing(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    client = scripted_client(server)
    client.introduce(revision)
    client.request("ping", 1)
    client.hear()
    registry = Registry("tool", announced(server, "notifications/tools/list_changed"))
    answer_list(server, "tools/list", "tools", registry)
    registry.put("a", item(mcp.types, "Tool", "a"))
    client.request("ping", 2)
    assert client.hear()["id"] == 2
    client.close()


@pytest.mark.parametrize("revision", STATELESS)
def test_subscribers_hear_of_a_change(revision):
    mcp = package(revision)
    server, registry = offering(revision, "tools/list", 1)
    with (
        mcp.Client.in_memory(server, timeout=PATIENCE) as client,
        client.listen(tools=True) as changes,
        client.listen(resources=True) as others,
    ):
        assert others.acknowledged.resources_list_changed is None
        registry.remove("0")
        assert changes.get(PATIENCE).key is mcp.methods.TOOL_LIST_CHANGED


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_revision_without_the_notification_tells_nobody_of_a_change(revision, monkeypatch):
    server = package(revision).Server("s", "1")
    method = "notifications/tools/list_changed"
    fewer = {name: key for name, key in server.binding.notifications.items() if name != method}
    monkeypatch.setattr(server.binding, "notifications", fewer)
    registry = Registry("tool", announced(server, method))
    registry.put("a", item(package(revision).types, "Tool", "a"))
    registry.remove("a")


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_empty_cursor_is_a_cursor(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    more = {"ttl_ms": 0, "cache_scope": "private"} if revision in STATELESS else {}

    @server.handler(mcp.methods.LIST_PROMPTS)
    def answer(params, context):
        first = params is None or params.cursor is None
        named = mcp.types.Prompt(name="first" if first else "second")
        return mcp.types.ListPromptsResult(prompts=[named], next_cursor="" if first else None, **more)

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        assert [each.name for each in client.list_prompts()] == ["first", "second"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_declared_is_answered_before_there_is_any(revision):
    mcp = package(revision)
    types = mcp.types
    declared = types.ServerCapabilities(
        tools=types.ServerCapabilitiesTools(),
        prompts=types.ServerCapabilitiesPrompts(),
        resources=types.ServerCapabilitiesResources(),
    )
    server = mcp.Server("s", "1", capabilities=declared)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        lists = [getattr(client, f"list_{member}") for member, _ in LISTS.values()]
        assert [list(each()) for each in lists] == [[], [], [], []]
        server.prompts.add(lambda: "", "late")
        assert [each.name for each in client.list_prompts()] == ["late"]
