"""Results that a client keeps: as long as it may, for whom it may, and no longer than the server lets it."""

from __future__ import annotations

import threading
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindings import connect
from mcp_bindings_runtime.client.result_cache import CachedRequests
from mcp_bindings_runtime.client.transport_factories import TransportFactory
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.session.events import Notified
from support.connected_clients import asking, serving
from support.revisions import HANDSHAKE, LIST_CHANGES, STATELESS, newest
from support.scripted_peers import PATIENCE, eventually, package, scripted_server

REVISION = newest(STATELESS, *LIST_CHANGES)
mcp = package(REVISION)
each_stateless = pytest.mark.parametrize("revision", STATELESS)
TOOLS = mcp.methods.TOOL_LIST_CHANGED
UPDATED = mcp.methods.RESOURCE_UPDATED


class Clock:
    """Seconds that go by when a test says so."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Numbering:
    """A client as far as ``CachedRequests`` knows one, of a server that never gives the same twice."""

    binding = mcp.Client.binding

    def __init__(self, ttl_ms=1000, scope="private"):
        self.connection = self
        self.ttl_ms = ttl_ms
        self.scope = scope
        self.asked = 0
        self.meanwhile = lambda: None

    def meta(self):
        return mcp.types.RequestMetaObject(
            protocol_version=REVISION, client_capabilities=mcp.types.ClientCapabilities()
        )

    def request(self, key, params, *, timeout=None, on_progress=None):
        self.asked += 1
        cursor = f"{self.asked}"
        self.meanwhile()
        fresh = {"ttl_ms": self.ttl_ms, "cache_scope": self.scope}
        if key is mcp.methods.LIST_TOOLS:
            return mcp.types.ListToolsResult(tools=[], next_cursor=cursor, **fresh)
        if key is mcp.methods.LIST_PROMPTS:
            return mcp.types.ListPromptsResult(prompts=[], next_cursor=cursor, **fresh)
        if key is mcp.methods.CALL_TOOL:
            return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=cursor)])
        block = mcp.types.TextResourceContents(uri=params.uri, text=cursor)
        return mcp.types.ReadResourceResult(contents=[block], **fresh)


def page(client, cursor=None, **meta):
    return mcp.types.PaginatedRequestParams(cursor=cursor, meta=client.meta().__replace__(extra=meta or None))


def reading(client, uri):
    return mcp.types.ReadResourceRequestParams(uri=uri, meta=client.meta())


def number(result):
    """Which answer of the server it is."""
    return getattr(result, "next_cursor", None) or result.contents[0].text


def keeping(client, cache=None, origin="server", **options):
    options.setdefault("clock", Clock())
    return CachedRequests(cache or mcp.ResultCache(**options), client, TransportFactory(lambda: None, origin))


KEYS = {"tools": mcp.methods.LIST_TOOLS, "prompts": mcp.methods.LIST_PROMPTS, "read": mcp.methods.READ_RESOURCE}
QUESTIONS = [
    ("tools", None),
    ("tools", "1"),
    ("prompts", None),
    ("read", "test://a"),
    ("read", "test://a/b"),
    ("read", "test://c"),
]
CHANGES = {
    mcp.methods.TOOL_LIST_CHANGED: lambda kind, what: kind == "tools",
    mcp.methods.PROMPT_LIST_CHANGED: lambda kind, what: kind == "prompts",
    mcp.methods.RESOURCE_LIST_CHANGED: lambda kind, what: False,
}
steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(QUESTIONS)),
        st.tuples(st.just("wait"), st.sampled_from([0.1, 0.5, 1.0, 2.0])),
        st.tuples(st.just("change"), st.sampled_from(list(CHANGES))),
        st.tuples(st.just("update"), st.sampled_from(["test://a", "test://a/b", "test://c", "test://d"])),
        st.tuples(st.just("ttl"), st.sampled_from([None, -5, 0, 400, 1000, 10**30])),
    ),
    max_size=40,
)


@settings(max_examples=settings.default.max_examples * 3 // 2)
@given(steps)
def test_an_answer_is_given_again_while_it_is_fresh_and_nobody_said_otherwise(steps):
    """The law of all of it: a model that knows when each answer came, and what has happened since."""
    clock, client = Clock(), Numbering()
    cache = mcp.ResultCache(clock=clock, longest=5.0)
    side = keeping(client, cache)
    model = {}
    for what, value in steps:
        if what == "ask":
            kind, detail = value
            params = reading(client, detail) if kind == "read" else page(client, detail)
            before = client.asked
            found = number(side.request(KEYS[kind], params))
            known = model.get(value)
            if known is not None and clock.now < known[1]:
                assert (found, client.asked) == (known[0], before)
            else:
                assert (found, client.asked) == (f"{before + 1}", before + 1)
                model.pop(value, None)
                if (client.ttl_ms or 0) > 0:
                    model[value] = (found, clock.now + min(client.ttl_ms / 1000, 5.0))
        elif what == "wait":
            clock.now += value
        elif what == "ttl":
            client.ttl_ms = value
        elif what == "change":
            side.forget_outdated(Notified(value, None))
            model = {each: held for each, held in model.items() if not CHANGES[value](*each)}
        else:
            side.forget_outdated(Notified(UPDATED, mcp.types.ResourceUpdatedNotificationParams(uri=value)))
            model = {each: held for each, held in model.items() if each[0] != "read" or not value.startswith(each[1])}


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(st.lists(st.integers(0, 30), max_size=120), st.integers(1, 12), st.sampled_from([1, 600, 5_000, 1_000_000]))
def test_entries_and_bytes_are_bounded(uris, entries, size):
    client = Numbering()
    cache = mcp.ResultCache(entries=entries, size=size, clock=Clock())
    side = keeping(client, cache)
    for uri in uris:
        side.request(mcp.methods.READ_RESOURCE, reading(client, "test://" + "x" * uri))
        assert cache.count <= entries
        assert cache.size <= size
    if uris and size == 1_000_000:
        # What was used last is what stays.
        asked = client.asked
        side.request(mcp.methods.READ_RESOURCE, reading(client, "test://" + "x" * uris[-1]))
        assert client.asked == asked
    cache.clear()
    assert (cache.count, cache.size) == (0, 0)


def test_other_params_are_another_question_and_how_it_is_followed_is_none():
    client = Numbering()
    side = keeping(client)
    ask = lambda params: number(side.request(mcp.methods.LIST_TOOLS, params))  # noqa: E731
    assert ask(page(client)) == ask(None) == "1"
    followed = client.meta().__replace__(progress_token=3, log_level="debug", extra={"traceparent": "00-0af7"})
    assert ask(mcp.types.PaginatedRequestParams(meta=followed)) == "1"
    assert ask(page(client, **{"com.acme/tenant": "a"})) == "2"
    assert ask(page(client, **{"com.acme/tenant": "b"})) == "3"
    assert ask(page(client, cursor="1")) == "4"


def test_who_asks_may_change_what_is_given():
    client = Numbering()
    side = keeping(client)
    first = side.request(mcp.methods.READ_RESOURCE, reading(client, "test://a"))
    first.contents.clear()
    again = side.request(mcp.methods.READ_RESOURCE, reading(client, "test://a"))
    assert number(again) == "1"
    assert again == side.request(mcp.methods.READ_RESOURCE, reading(client, "test://a"))


def test_what_is_private_stays_with_the_client_and_what_is_public_with_the_server():
    cache = mcp.ResultCache(clock=Clock())
    one, two = Numbering(scope="private"), Numbering(scope="public")
    mine, theirs = keeping(one, cache), keeping(two, cache)
    stranger = keeping(Numbering(), cache, origin="another server")
    ask = mcp.methods.LIST_TOOLS
    assert number(mine.request(ask)) == number(mine.request(ask)) == "1"
    # It is not there for the other, whose answer is for all.
    assert number(theirs.request(ask)) == "1"
    assert two.asked == 1
    two.scope = one.scope = "public"
    third = Numbering()
    assert number(keeping(third, cache).request(ask)) == "1"
    assert third.asked == 0
    assert number(stranger.request(ask)) == "1"
    assert cache.count == 3
    mine.close()
    assert cache.count == 2
    # A change that one has heard of is one for all.
    mine.forget_outdated(Notified(TOOLS, None))
    assert cache.count == 1


def test_a_result_without_a_scope_is_private():
    cache = mcp.ResultCache(clock=Clock())
    one, two = Numbering(scope=None), Numbering(scope=None)
    mine, theirs = keeping(one, cache), keeping(two, cache)
    ask = mcp.methods.LIST_TOOLS
    assert number(mine.request(ask)) == number(mine.request(ask)) == "1"
    assert theirs.request(ask).cache_scope is None
    assert (one.asked, two.asked, cache.count) == (1, 1, 2)


def test_another_token_is_another_cache():
    tokens = ["a"]
    client = Numbering()
    start = TransportFactory(lambda: None, "server", lambda refusal: {"Authorization": tokens[-1]})
    side = CachedRequests(mcp.ResultCache(clock=Clock()), client, start)
    ask = mcp.methods.LIST_TOOLS
    assert number(side.request(ask)) == number(side.request(ask)) == "1"
    tokens.append("b")
    assert number(side.request(ask)) == "2"
    tokens.append("a")
    assert number(side.request(ask)) == "1"
    # With whose token it was asked is not known where that changes on the way.
    side.forget_outdated(Notified(TOOLS, None))
    client.meanwhile = lambda: tokens.append("b" if tokens[-1] == "a" else "a")
    for expected in ("3", "4", "5"):
        assert number(side.request(ask)) == expected


def test_an_answer_is_not_lost_where_auth_fails_after_it():
    expired = []

    def auth(refusal):
        if expired:
            raise expired[0]
        return {"Authorization": "a"}

    cache = mcp.ResultCache(clock=Clock())
    client = Numbering()
    client.meanwhile = lambda: expired.append(LookupError("no token"))
    side = CachedRequests(cache, client, TransportFactory(lambda: None, "server", auth))
    assert number(side.request(mcp.methods.LIST_TOOLS)) == "1"
    assert cache.count == 0


def test_a_change_that_is_heard_of_before_the_answer_counts():
    client = Numbering()
    side = keeping(client)
    client.meanwhile = lambda: side.forget_outdated(Notified(TOOLS, None))
    assert [number(side.request(mcp.methods.LIST_TOOLS)) for _ in range(3)] == ["1", "2", "3"]
    client.meanwhile = lambda: None
    assert [number(side.request(mcp.methods.LIST_TOOLS)) for _ in range(3)] == ["4", "4", "4"]


def test_what_may_not_be_kept_is_asked_for_each_time():
    client = Numbering()
    side = keeping(client)
    call = mcp.types.CallToolRequestParams(name="x", meta=client.meta())
    retried = mcp.types.ReadResourceRequestParams(uri="test://a", meta=client.meta(), request_state="s")
    for key, params in [(mcp.methods.CALL_TOOL, call), (mcp.methods.READ_RESOURCE, retried)]:
        asked = client.asked
        for _ in range(2):
            side.request(key, params)
        assert client.asked == asked + 2
    assert side._cache.count == 0


def test_errors_are_not_kept_and_one_at_a_page_forgets_the_list():
    client = Numbering()
    side = keeping(client)
    ask = mcp.methods.LIST_TOOLS
    first = side.request(ask, page(client))
    side.request(mcp.methods.LIST_PROMPTS, page(client))

    def refuse():
        raise ResponseError(-32602, "Invalid params")

    client.meanwhile = refuse
    for _ in range(2):
        with pytest.raises(ResponseError):
            side.request(ask, page(client, first.next_cursor))
    client.meanwhile = lambda: None
    assert number(side.request(ask, page(client))) == "5"
    assert number(side.request(mcp.methods.LIST_PROMPTS, page(client))) == "2"


def test_many_threads_share_one_cache():
    cache = mcp.ResultCache(entries=8, size=10_000)
    clients = [Numbering(ttl_ms=10**6, scope=scope) for scope in ("public", "private", "public", "private")]
    faults = []

    def work(client):
        side = keeping(client, cache)
        try:
            for turn in range(200):
                uri = f"test://{turn % 12}"
                assert side.request(mcp.methods.READ_RESOURCE, reading(client, uri)).contents[0].uri == uri
                if turn % 20 == 0:
                    side.forget_outdated(Notified(UPDATED, mcp.types.ResourceUpdatedNotificationParams(uri=uri)))
        except BaseException as fault:
            faults.append(fault)
            raise

    threads = [threading.Thread(target=work, args=(client,)) for client in clients]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
        assert not each.is_alive()
    assert not faults
    assert cache.count <= 8
    cache.clear()
    assert cache.size == 0


# With a server.


def counting(revision, **options):
    """A server whose resource says how often it was read, and whose tool how often it was called."""
    server = serving(revision, **options)
    reads, calls = count(1), count(1)
    server.resources.add(lambda: str(next(reads)), "test://n")

    @server.tool
    def n() -> str:
        return str(next(calls))

    return server


def read(client):
    return client.read_resource("test://n").contents[0].text


@each_stateless
def test_a_client_keeps_nothing_unless_it_is_told_to(revision):
    server = counting(revision, ttl_ms=60_000)
    with asking(server) as client:
        assert [read(client) for _ in range(3)] == ["1", "2", "3"]
    with asking(server, cache=True) as client:
        assert [read(client) for _ in range(3)] == ["4", "4", "4"]
        assert [client.call_tool("n").content[0].text for _ in range(2)] == ["1", "2"]
        assert list(client.list_tools()) == list(client.list_tools())
    with asking(counting(revision), cache=True) as client:
        assert [read(client) for _ in range(3)] == ["1", "2", "3"]


def answering(revision, hints):
    """Play a server that answers ``tools/list`` with these caching hints and the number of the answer as cursor."""

    def play(spoken):
        for number in count(1):
            asked = spoken.hear()
            if asked["method"] == "server/discover":
                about = {"supportedVersions": [revision], "capabilities": {"tools": {}}}
                spoken.answer(asked, {"resultType": "complete", **about, **hints})
            else:
                page = {"resultType": "complete", "tools": [], "nextCursor": str(number)}
                spoken.answer(asked, {**page, **hints})

    return play


@each_stateless
@pytest.mark.parametrize("scope", [{}, {"cacheScope": "public"}], ids=["no scope", "public"])
@pytest.mark.parametrize("ttl", [None, 0, -1, -(10**30)])
def test_a_result_without_a_positive_ttl_is_stale_at_once(revision, ttl, scope):
    """Without ``ttlMs`` above all: servers of older versions leave it out."""
    hints = scope if ttl is None else {"ttlMs": ttl, **scope}
    with scripted_server(package(revision).Client, answering(revision, hints), cache=True) as (client, _), client:
        first, second, third = (int(client.list_tools_page().next_cursor) for _ in range(3))
        assert first < second < third
        page = client.list_tools_page()
        assert (page.ttl_ms, page.cache_scope) == (ttl, scope.get("cacheScope"))


@each_stateless
def test_what_the_server_tells_a_subscriber_is_not_kept_any_more(revision):
    server = counting(revision, ttl_ms=60_000)
    with asking(server, cache=True) as client, client.listen(tools=True, resource=["test://n"]):
        assert [read(client) for _ in range(2)] == ["1", "1"]
        names = lambda: [tool.name for tool in client.list_tools()]  # noqa: E731
        assert names() == ["n"]
        server.resources.updated("test://n")
        eventually(lambda: read(client) == "2")
        server.tools.remove("n")
        eventually(lambda: names() == [])


@each_stateless
def test_clients_of_one_server_share_what_is_public(revision):
    server = counting(revision, ttl_ms=60_000, cache_scope="public")
    cache = package(revision).ResultCache()
    with asking(server, cache=cache) as one, asking(server, cache=cache) as two:
        assert [read(one), read(two), read(one)] == ["1", "1", "1"]
    with asking(counting(revision, ttl_ms=60_000, cache_scope="public"), cache=cache) as stranger:
        assert stranger.read_resource("test://n").contents[0].text == "1"
        assert cache.count == 2


@each_stateless
def test_clients_with_the_same_caller_share_what_is_public(revision):
    server = counting(revision, ttl_ms=60_000, cache_scope="public")
    cache = package(revision).ResultCache()
    for caller, found in [("ada", "1"), ("a" + "da", "1"), ("bob", "2"), (None, "3")]:
        with package(revision).Client.in_memory(server, timeout=PATIENCE, cache=cache, caller=caller) as client:
            assert read(client) == found


@each_stateless
def test_the_result_of_further_rounds_is_not_kept(revision):
    server = serving(revision, ttl_ms=60_000)
    asked = []

    @server.handler(package(revision).methods.READ_RESOURCE)
    def answer(params, context):
        types = package(revision).types
        roots = context.list_roots().roots
        block = types.TextResourceContents(uri=params.uri, text=str(len(roots)))
        return types.ReadResourceResult(contents=[block], ttl_ms=60_000, cache_scope="public")

    def roots(params, context):
        asked.append(params)
        return package(revision).types.ListRootsResult(roots=[])

    client = package(revision).Client.in_memory(server, timeout=PATIENCE, cache=True)
    client.handles(package(revision).methods.LIST_ROOTS, roots)
    with client:
        for _ in range(2):
            assert client.read_resource("test://x").contents[0].text == "0"
    assert len(asked) == 2


def test_negotiation_gives_it_to_clients_that_have_it():
    cache = mcp.ResultCache()
    for revision in (*HANDSHAKE, *STATELESS):
        options = {"ttl_ms": 60_000, "cache_scope": "public"} if revision in STATELESS else {}
        server = counting(revision, **options)
        for _ in range(2):
            with connect.in_memory(server, timeout=PATIENCE, cache=cache) as client:
                assert read(client) == ("1" if revision in STATELESS else str(_ + 1))


def test_what_is_no_cache_is_said():
    server = mcp.Server("s", "1")
    with pytest.raises(UsageError, match="`cache` must be True, False or a ResultCache, got 5"):
        mcp.Client.in_memory(server, cache=5)
    for name, wrong in (("entries", 0), ("entries", "a"), ("size", 0.5), ("longest", 0), ("longest", float("nan"))):
        with pytest.raises(UsageError, match=f"`{name}` must be"):
            mcp.ResultCache(**{name: wrong})


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_revisions_that_do_not_say_it_have_no_cache(revision):
    old = package(revision)
    assert not hasattr(old, "ResultCache")
    with pytest.raises(UsageError, match="no option 'cache'"):
        old.Client.in_memory(old.Server("s", "1"), cache=True)
