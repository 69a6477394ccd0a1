"""Resources and templates: what functions may return, what is refused, who is told of updates."""

from __future__ import annotations

import base64
import enum
from pathlib import Path
from queue import Queue
from typing import Annotated

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.features.folders import inside
from mcp_bindings_runtime.features.resources import MAX_SUBSCRIPTIONS
from support.connected_clients import asking, refused, serving
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package, scripted_client, scripted_server

LAST = REVISIONS[-1]
every_revision = pytest.mark.parametrize("revision", REVISIONS)


def not_found(revision):
    return -32602 if revision in STATELESS else -32002


def read(client, uri):
    """The contents of a resource, as (mime type, text or bytes)."""
    contents = client.read_resource(uri).contents
    assert {each.uri for each in contents} == {uri}
    return [
        (each.mime_type, each.text if hasattr(each, "text") else base64.b64decode(each.blob, validate=True))
        for each in contents
    ]


@every_revision
@pytest.mark.parametrize(
    ("value", "mime_type", "expected"),
    [
        ({"a": 1}, None, [("application/json", '{"a": 1}')]),
        ({"a": 1}, "text/x-made-up", [("text/x-made-up", '{"a": 1}')]),
        (3, None, [("application/json", "3")]),
        ([{"a": 1}, "b"], None, [("application/json", '[{"a": 1}, "b"]')]),
        (["a", "b"], None, [(None, "a"), (None, "b")]),
        (["a", "ä"], "application/json", [("application/json", '["a", "ä"]')]),
        (["a"], "application/ld+json", [("application/ld+json", '["a"]')]),
        ([], "application/json", [("application/json", "[]")]),
        ('{"a": 1}', "application/json", [("application/json", '{"a": 1}')]),
        ([b"a", "b"], "application/json", [("application/json", b"a"), ("application/json", "b")]),
    ],
)
def test_other_values_are_sent_as_json(revision, value, mime_type, expected):
    server = serving(revision)
    server.resource("x:1", mime_type=mime_type)(lambda: value)
    with package(revision).Client.in_memory(server) as client:
        assert read(client, "x:1") == expected


@every_revision
@pytest.mark.parametrize(("value", "complaint"), [(None, "returned None; return str"), (object(), "nor JSON")])
def test_a_value_that_is_neither_contents_nor_json_is_an_error(revision, value, complaint, caplog):
    server = serving(revision)
    give = lambda: value  # noqa: E731
    server.resource("x:1")(give)
    with package(revision).Client.in_memory(server) as client, pytest.raises(ResponseError, match="-32603"):
        client.read_resource("x:1")
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{__file__}:{give.__code__.co_firstlineno}: resource x:1 returned ")
    assert complaint in record.getMessage()
    assert record.exc_info is None


class Unprintable(Exception):
    def __str__(self):
        raise ValueError


@every_revision
def test_a_failure_without_a_text_is_answered(revision, caplog):
    server = serving(revision)

    @server.resource("x:1")
    def fail():
        raise Unprintable

    with package(revision).Client.in_memory(server) as client:
        for _ in range(2):
            with pytest.raises(ResponseError, match="-32603"):
                client.read_resource("x:1")
    assert caplog.records[-1].getMessage() == "resources/read: the handler failed: Unprintable"


@every_revision
def test_a_function_gives_a_resource(revision):
    server = serving(revision)

    def motto():
        """What we say.

        At length.
        """
        return "Onwards"

    server.resources.add(motto, "test://motto", {"mime_type": "text/plain"})
    with asking(server) as client:
        (listed,) = client.list_resources()
        assert (listed.uri, listed.name, listed.description) == ("test://motto", "motto", "What we say.")
        assert read(client, "test://motto") == [("text/plain", "Onwards")]


@every_revision
def test_what_a_function_may_return(revision, tmp_path):
    types = package(revision).types
    (tmp_path / "a.html").write_text("<p>é")
    (tmp_path / "b.png").write_bytes(b"\x89PNG")
    (tmp_path / "c.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "d").write_bytes(b"?")
    uri = "test://x"
    ready = types.TextResourceContents(uri=uri, text="ready", mime_type="text/x-ready")
    more = {"ttl_ms": 7, "cache_scope": "public"} if revision in STATELESS else {}
    cases = [
        ("text", [(None, "text")]),
        (b"\0\xff", [(None, b"\0\xff")]),
        (bytearray(b"ab"), [(None, b"ab")]),
        (["one", b"two"], [(None, "one"), (None, b"two")]),
        (ready, [("text/x-ready", "ready")]),
        ((ready, "x"), [("text/x-ready", "ready"), (None, "x")]),
        (types.ReadResourceResult(contents=[ready], **more), [("text/x-ready", "ready")]),
        (tmp_path / "a.html", [("text/html", "<p>é")]),
        (tmp_path / "b.png", [("image/png", b"\x89PNG")]),
        (tmp_path / "c.txt", [("text/plain", b"\xff\xfe")]),
        (tmp_path / "d", [(None, b"?")]),
    ]
    server = serving(revision)
    given = iter([case[0] for case in cases])
    server.resources.add(lambda: next(given), uri)
    with asking(server) as client:
        for _, expected in cases:
            assert read(client, uri) == expected


@every_revision
def test_what_is_not_there_is_not_found(revision):
    server = serving(revision)
    server.resources.add_text("test://a", "a")
    server.resources.add(lambda: (), "test://empty")
    server.resources.add(lambda: Path("no such file").read_text(), "test://gone")
    server.resources.add_template(lambda x: x, "test://of/{x}")
    with asking(server) as client:
        for uri in (
            "test://b",
            "test://a/",
            "nonsense",
            "",
            "test://empty",
            "test://gone",
            "test://of/..",
            "test://of/",
        ):
            assert refused(not_found(revision), client.read_resource, uri) == {"uri": uri}


@every_revision
def test_the_error_for_a_missing_resource_names_its_uri(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    server.resources.add_text("test://here", "text")
    with mcp.Client.in_memory(server) as client, pytest.raises(ResponseError) as raised:
        client.read_resource("test://gone")
    assert str(raised.value) == f"Resource not found: test://gone ({raised.value.code})"


@pytest.mark.parametrize("revision", STATELESS)
def test_the_code_of_earlier_revisions_is_taken(revision):
    def play(spoken):
        asked = spoken.hear()
        assert asked["method"] == "resources/read"
        spoken.refuse(asked, -32002, "Resource not found", {"uri": "test://gone"})
        spoken.answer(spoken.hear(), {"contents": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})

    with scripted_server(package(revision).Client, play, discover=False) as (client, _), client:
        assert refused(-32002, client.read_resource, "test://gone") == {"uri": "test://gone"}
        assert client.read_resource("test://empty").contents == []


@every_revision
def test_a_server_without_resources_does_not_declare_them(revision):
    server = serving(revision)
    assert server.capabilities.resources is None
    client = scripted_client(server)
    if revision in HANDSHAKE:
        client.introduce(revision)
    meta = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    client.request("resources/list", 1, {"_meta": meta} if revision in STATELESS else None)
    error = client.hear()["error"]
    assert error["code"] == -32601
    assert "resources/list" in error["data"]["reason"]
    client.close()


@every_revision
def test_what_is_offered_is_declared(revision):
    server = serving(revision)
    server.resources.add_text("test://a", "a")
    assert (server.capabilities.resources.subscribe, server.capabilities.resources.list_changed) == (True, True)


@every_revision
def test_what_has_no_name_is_called_by_its_place(revision):
    server = serving(revision)
    server.resources.add(lambda: "", "test://a/b")
    server.resources.add_template(lambda x: x, "test://{x}")
    with asking(server) as client:
        assert [each.name for each in client.list_resources()] == ["b"]
        assert [each.name for each in client.list_resource_templates()] == ["test://{x}"]


@every_revision
def test_fixed_offers_say_what_they_are(revision, tmp_path):
    (tmp_path / "style.css").write_text("a{}")
    server = serving(revision)
    server.resources.add_text("test://notes/read%20me", "text é", description="About")
    server.resources.add_bytes("test://data", b"\0\1")
    server.resources.add_file("test://style", tmp_path / "style.css", name="sheet")
    with asking(server) as client:
        listed = list(client.list_resources())
        assert [(each.name, each.mime_type, each.size) for each in listed] == [
            ("read me", "text/plain", 7),
            ("data", None, 2),
            ("sheet", "text/css", None),
        ]
        assert listed[0].description == "About"
        assert read(client, "test://data") == [(None, b"\0\1")]
        assert read(client, "test://style") == [("text/css", "a{}")]
        (tmp_path / "style.css").write_text("b{}")
        assert read(client, "test://style") == [("text/css", "b{}")]


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


@every_revision
def test_variables_are_read_by_their_annotations(revision):
    server = serving(revision)

    def item(
        a: int, b: str, c: Annotated[Colour, "which"], *, flag: bool = False, many: list[int] | None = None
    ) -> str:
        return repr((a, b, c, flag, many))

    server.resources.add_template(item, "test://{a}/{b}/{c}{?flag,many*}", {"mime_type": "text/plain"})
    with asking(server) as client:
        (listed,) = client.list_resource_templates()
        assert (listed.uri_template, listed.name) == ("test://{a}/{b}/{c}{?flag,many*}", "item")
        assert list(client.list_resources()) == []
        found = [
            read(client, uri)[0][1]
            for uri in ("test://1/2/red", "test://1/%20/2?flag=true&many=1&many=2", "test://-5/x/red?many=3")
        ]
        assert found == [
            repr((1, "2", Colour.RED, False, None)),
            repr((1, " ", Colour.TWO, True, [1, 2])),
            repr((-5, "x", Colour.RED, False, [3])),
        ]
        for uri in (
            "test://x/2/red",
            "test://1.5/2/red",
            "test://1/2/blue",
            "test://1/2/red?flag=1",
            "test://true/2/red",
        ):
            assert refused(not_found(revision), client.read_resource, uri) == {"uri": uri}


@every_revision
def test_what_one_template_does_not_take_the_next_may(revision):
    server = serving(revision)

    def number(number: int):
        return f"number {number}"

    server.resources.add_template(number, "test://{number}")
    server.resources.add_template(lambda name: f"name {name}", "test://{name}")
    server.resources.add_text("test://7", "fixed")
    with asking(server) as client:
        texts = [read(client, f"test://{each}")[0][1] for each in ("5", "five", "7")]
    assert texts == ["number 5", "name five", "fixed"]


@every_revision
def test_paths_stay_in_their_folder(revision, tmp_path):
    (tmp_path / "root" / "sub").mkdir(parents=True)
    (tmp_path / "root" / "sub" / "a.txt").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (tmp_path / "root" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "root" / "circle").symlink_to("circle")
    server = serving(revision)
    server.resources.add_template(lambda path: inside(tmp_path / "root", path), "test:///{+path}")
    with asking(server) as client:
        assert read(client, "test:///sub/a.txt") == [("text/plain", "inside")]
        outside = ("../secret", "%2e%2e/secret", "sub/..%2f..%2fsecret", "link", "/etc/../secret")
        nothing = ("missing", "sub", ".", "x" * 1000, f"{'x' * 1000}/y", "circle/x")
        for path in (*outside, *nothing):
            uri = f"test:///{path}"
            assert refused(not_found(revision), client.read_resource, uri) == {"uri": uri}


@every_revision
def test_a_function_may_have_the_context(revision):
    server = serving(revision)
    server.resources.add(lambda context: str(context.request_id is not None), "test://a")

    def annotated(x, request):
        return f"{x} {request.peer is server}"

    annotated.__annotations__ = {"request": package(revision).Context}
    server.resources.add_template(annotated, "test://of/{x}")
    with asking(server) as client:
        assert read(client, "test://a") == [(None, "True")]
        assert read(client, "test://of/1") == [(None, "1 True")]


@every_revision
def test_a_handler_that_fails_says_nothing_of_the_inside(revision, caplog):
    server = serving(revision)

    def fail():
        message = "the secret"
        raise PermissionError(message)

    server.resources.add(fail, "test://a")
    with asking(server) as client:
        assert refused(-32603, client.read_resource, "test://a") is None
    assert "the secret" in caplog.text


async def coroutine():
    return ""


def spread(*parts):
    return parts


WRONG = [
    (lambda resources: resources.add(lambda: "", "no uri"), "'no uri' is not a URI"),
    (lambda resources: resources.add(lambda: "", "test://a%zz"), "is not a URI"),
    (lambda resources: resources.add(lambda x: "", "test://a"), "a URI has no values for the parameters x"),
    (lambda resources: resources.add(coroutine, "test://a"), "is a coroutine function"),
    (lambda resources: resources.add(lambda: "", "test://a", {"colour": 1}), "has no 'colour'"),
    (
        lambda resources: resources.add(lambda: "", "test://a", {"uri": "test://b"}),
        "resource test://a: `uri` must not be among the members",
    ),
    (lambda resources: resources.add(lambda: "", "test://taken"), "there is a resource 'test://taken' already"),
    (lambda resources: resources.remove("test://b"), "there is no resource 'test://b' to remove"),
    (lambda resources: resources.add_template(lambda x: "", "test://{x"), "is not a URI template"),
    (lambda resources: resources.add_template(lambda x, y: "", "test://{x}{y}"), "cannot be matched"),
    (lambda resources: resources.add_template(lambda: "", "test://{x}"), "has no parameter for the variable x"),
    (lambda resources: resources.add_template(lambda x, y: "", "test://{x}"), "the parameter y is not a variable"),
    (lambda resources: resources.add_template(lambda x, y: "", "test://{x}{?y}"), "needs a default"),
    (
        lambda resources: resources.add_template(spread, "test://{parts}"),
        "arguments for *parts cannot be passed by name",
    ),
]


@pytest.mark.parametrize(("add", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_a_mistake_is_refused_when_it_is_made(add, reason):
    resources = serving(LAST).resources
    resources.add_text("test://taken", "")
    with pytest.raises(UsageError) as caught:
        add(resources)
    assert reason in str(caught.value)


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_only_subscribers_hear_of_updates(revision):
    server = serving(revision)
    server.resources.add_text("test://a", "a")
    server.resources.add_template(lambda x: x, "test://of/{x}")
    first, second = scripted_client(server), scripted_client(server)
    for client in (first, second):
        client.introduce(revision)
    for number, uri in enumerate(["test://a", "test://of/1", "test://a"], 1):
        first.request("resources/subscribe", number, {"uri": uri})
        assert first.hear()["result"] == {}
    second.request("resources/subscribe", 1, {"uri": "test://none"})
    error = second.hear()["error"]
    assert (error["code"], error["data"]) == (-32002, {"uri": "test://none"})
    for uri in ("test://a", "test://b", "test://of/1"):
        server.resources.updated(uri)
    assert [first.hear() for _ in range(2)] == [
        {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
        for uri in ("test://a", "test://of/1")
    ]
    for number, uri in enumerate(["test://a", "test://none"], 10):
        first.request("resources/unsubscribe", number, {"uri": uri})
        assert first.hear()["result"] == {}
    server.resources.updated("test://a")
    server.resources.updated("test://of/1")
    assert first.hear()["params"] == {"uri": "test://of/1"}
    second.request("ping", 2)
    assert second.hear()["id"] == 2
    for client in (first, second):
        client.close()


@every_revision
def test_those_who_subscribed_to_a_resource_hear_of_its_parts(revision):
    server = serving(revision)
    for uri in ("test://folder", "test://folder/a", "test://else"):
        server.resources.add_text(uri, uri)
    heard = Queue()
    with asking(server, on_resource_updated=lambda params: heard.put(params.uri)) as client:
        client.subscribe("test://folder")
        server.resources.updated("test://folder/a")
        server.resources.updated("test://folder/b", about="test://folder")
        client.subscribe("test://folder/a")
        server.resources.updated("test://folder/a", about="test://folder")
        server.resources.updated("test://else", about="test://elsewhere")
        client.unsubscribe("test://folder")
        server.resources.updated("test://folder/b", about="test://folder")
        server.resources.updated("test://folder/a", about="test://folder")
        server.resources.updated("test://folder/a")
        wanted = ["test://folder/b", "test://folder/a", "test://folder/a", "test://folder/a"]
        assert [heard.get(timeout=PATIENCE) for _ in wanted] == wanted
        with pytest.raises(UsageError, match="must be a str, got 5"):
            server.resources.updated("test://folder/a", about=5)
    assert heard.empty()


@pytest.mark.parametrize("revision", HANDSHAKE[-1:])
def test_a_connection_has_so_many_subscriptions_at_most(revision):
    server = serving(revision)
    server.resources.add_template(lambda x: x, "test://{x}")
    with asking(server) as client:
        for number in range(MAX_SUBSCRIPTIONS):
            client.subscribe(f"test://{number}")
        client.subscribe("test://0")
        assert "unsubscribe from other resources first" in refused(-32603, client.subscribe, "test://more")["reason"]
        client.unsubscribe("test://0")
        client.subscribe("test://more")


@pytest.mark.parametrize("revision", STATELESS)
def test_listeners_hear_of_updates_and_changes(revision):
    methods = package(revision).methods
    server = serving(revision)
    server.resources.add_text("test://a", "a")
    with asking(server) as client, client.listen(resources=True, resource=["test://a"], timeout=PATIENCE) as changes:
        server.resources.updated("test://b")
        server.resources.updated("test://a")
        told = changes.get(PATIENCE)
        assert (told.key, told.params.uri) == (methods.RESOURCE_UPDATED, "test://a")
        server.resources.add_template(lambda x: x, "test://{x}")
        assert changes.get(PATIENCE).key is methods.RESOURCE_LIST_CHANGED


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_resources_and_templates_that_change_together_are_told_of_once(revision):
    server = serving(revision)
    server.resources.add_text("test://a", "a")
    client = scripted_client(server)
    client.introduce(revision)
    client.request("ping", 1)
    client.hear()
    with server.resources.changing():
        server.resources.add_text("test://b", "b")
        server.resources.add_template(lambda x: x, "test://of/{x}")
        server.resources.remove("test://a")
        server.resources.remove("test://of/{x}")
    assert client.hear()["method"] == "notifications/resources/list_changed"
    client.request("resources/list", 2)
    assert [each["uri"] for each in client.hear()["result"]["resources"]] == ["test://b"]
    client.close()


@pytest.mark.parametrize("revision", STATELESS)
def test_a_resource_may_ask_for_input(revision):
    mcp = package(revision)
    server = serving(revision, ttl_ms=5000, cache_scope="public")
    calls = []

    def greeting(name, context):
        calls.append(name)
        answer = context.elicit("Who?", mcp.types.ElicitRequestFormParamsRequestedSchema(properties={}))
        return f"{name}: {answer.content}"

    server.resources.add_template(greeting, "test://{name}")
    client = mcp.Client.in_memory(server, timeout=PATIENCE)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params, context):
        return mcp.types.ElicitResult(action="accept", content={"who": "Ada"})

    with client:
        result = client.read_resource("test://a")
    assert result.contents[0].text == "a: {'who': 'Ada'}"
    assert calls == ["a", "a"]
    # It depends on what the request does not show (Caching: Cache Key).
    assert (result.ttl_ms, result.cache_scope) == (0, "private")
