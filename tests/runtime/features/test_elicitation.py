"""Elicitation: forms of classes, answers held against their form, pages to visit and their ends."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from enum import Enum
from queue import Queue
from socket import create_server
from threading import Thread
from typing import Annotated, Literal, TypedDict

import pytest
from attrs import define
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ProtocolError, RequestTimeout, ResponseError, UsageError
from mcp_bindings_runtime.features.elicitation import (
    Accepted,
    Cancelled,
    Declined,
    URLElicitationRequired,
    VisitedPages,
)
from mcp_bindings_runtime.features.forms import wrong_format
from mcp_bindings_runtime.features.keywords import Keywords
from support.revisions import HANDSHAKE, STATELESS, WITH_CHOICES, WITH_FORMS
from support.scripted_peers import PATIENCE, package, scripted_client, scripted_server, text_of

each_revision = pytest.mark.parametrize("revision", WITH_FORMS)
with_choices = pytest.mark.parametrize("revision", WITH_CHOICES)
with_pages = pytest.mark.parametrize("revision", [each for each in WITH_CHOICES if each in HANDSHAKE])


class Colour(Enum):
    RED = "#f00"
    DARK_BLUE = "#009"


@define
class Person:
    """Who somebody is."""

    name: Annotated[str, "as it is written", Keywords(min_length=1, max_length=20)]
    mail: Annotated[str, Keywords(format="email")]
    age: Annotated[int, Keywords(minimum=0)] = 30
    score: float = 1.5
    member: bool = False
    size: Literal["s", "m"] = "m"
    colour: Colour = Colour.RED
    note: str | None = None


@dataclass
class Named:
    name: str


class Wanted(TypedDict):
    name: str


def asking_server(mcp, ask):
    """A server whose tool says what ``ask`` makes of its context, or what that raises."""
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        try:
            found = ask(context)
        except (UsageError, ProtocolError) as fault:
            found = f"{type(fault).__name__}: {fault}"
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=str(found))])

    return server


def called(revision, ask, **options):
    mcp = package(revision)
    with mcp.Client.in_memory(asking_server(mcp, ask), timeout=PATIENCE, **options) as client:
        return text_of(client.call_tool("x"))


def answer(revision, action="accept", **content):
    """A function that answers so, and the params that it was given."""
    seen = []

    def fill_in(params, context):
        seen.append(params)
        return package(revision).types.ElicitResult(action=action, content=content or None)

    return fill_in, seen


@each_revision
def test_a_form_is_asked_for_and_comes_back_as_its_class(revision):
    fill_in, seen = answer(revision, name="Ann", mail="a@b.example", age=7, colour="#009")
    found = []

    def ask(context):
        found.append(context.elicit_form("Who?", Person))
        return "done"

    assert called(revision, ask, elicitation=fill_in) == "done"
    assert found[-1] == Accepted(Person(name="Ann", mail="a@b.example", age=7, colour=Colour.DARK_BLUE))
    params = seen[0]
    codec = package(revision).Client.binding.codec
    schema = codec.unstructure(params.requested_schema)
    assert params.message == "Who?"
    assert schema["required"] == ["name", "mail"]
    fields = schema["properties"]
    assert list(fields) == ["name", "mail", "age", "score", "member", "size", "colour", "note"]
    assert fields["name"] == {"type": "string", "description": "as it is written", "minLength": 1, "maxLength": 20}
    assert fields["mail"] == {"type": "string", "format": "email"}
    if revision in WITH_CHOICES:
        assert fields["age"] == {"type": "integer", "minimum": 0, "default": 30}
        assert fields["size"] == {"type": "string", "enum": ["s", "m"], "default": "m"}
        choices = [{"const": "#f00", "title": "Red"}, {"const": "#009", "title": "Dark blue"}]
        assert fields["colour"] == {"type": "string", "oneOf": choices, "default": "#f00"}
    else:
        assert fields["age"] == {"type": "integer", "minimum": 0}
        assert fields["colour"] == {"type": "string", "enum": ["#f00", "#009"], "enumNames": ["Red", "Dark blue"]}
    assert fields["member"] == {"type": "boolean", "default": False}
    assert fields["note"] == {"type": "string"}


@each_revision
@pytest.mark.parametrize(("form", "value"), [(Named, Named("Ann")), (Wanted, {"name": "Ann"})])
def test_forms_are_dataclasses_and_typed_dicts_too(revision, form, value):
    fill_in, _ = answer(revision, name="Ann")
    found = called(revision, lambda context: context.elicit_form("Who?", form), elicitation=fill_in)
    assert found == str(Accepted(value))


@each_revision
def test_a_user_may_decline_or_cancel(revision):
    for action, kind in (("decline", Declined), ("cancel", Cancelled)):
        fill_in, _ = answer(revision, action)
        assert called(revision, lambda context: context.elicit_form("Who?", Named), elicitation=fill_in) == str(kind())


def test_the_answers_are_in_the_packages_whose_revision_has_forms():
    for revision in REVISIONS:
        found = {name: getattr(package(revision), name, None) for name in ("Accepted", "Declined", "Cancelled")}
        forms = {"Accepted": Accepted, "Declined": Declined, "Cancelled": Cancelled}
        assert found == (forms if hasattr(package(revision).types, "ElicitResult") else dict.fromkeys(forms))


@with_choices
def test_several_choices_of_many(revision):
    @define
    class Pick:
        plain: list[Literal["a", "b"]]
        titled: Annotated[list[Colour], Keywords(min_items=1, max_items=2)]

    fill_in, seen = answer(revision, plain=["a"], titled=["#f00", "#009"])
    found = called(revision, lambda context: context.elicit_form("Which?", Pick).value.titled, elicitation=fill_in)
    assert found == str([Colour.RED, Colour.DARK_BLUE])
    fields = package(revision).Client.binding.codec.unstructure(seen[0].requested_schema)["properties"]
    assert fields["plain"] == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    assert fields["titled"]["items"] == {
        "anyOf": [{"const": "#f00", "title": "Red"}, {"const": "#009", "title": "Dark blue"}]
    }


@each_revision
def test_what_is_no_form_is_told_when_it_is_asked_for(revision):
    @define
    class Nested:
        inner: Named

    @define
    class Listed:
        names: list[str]

    fill_in, _ = answer(revision)
    for form, why in (
        (Nested, "the field 'inner'"),
        (Listed, "the field 'names'"),
        (int, "a form must be"),
        (object, ""),
        ({}, "a form must be an attrs class, a dataclass or a TypedDict, got {}"),
        ({"name": str}, "; write a class: @dataclass class Form: name: str"),
        ({"name": list[str], 1: "text"}, "; write a class: @dataclass class Form: name: list; 1: text"),
    ):
        found = called(revision, lambda context, form=form: context.elicit_form("?", form), elicitation=fill_in)
        assert found.startswith("UsageError: ")
        assert why in found


# Answers.


def schema(mcp, **fields):
    """A requested schema of these fields, all of them required."""
    types = mcp.types
    cls = getattr(types, "ElicitRequestFormParamsRequestedSchema", None) or types.ElicitRequestParamsRequestedSchema
    raw = {"type": "object", "properties": fields, "required": sorted(fields)}
    return mcp.Client.binding.codec.structure(raw, cls)


FIELD = {"type": "integer", "minimum": 0}


@each_revision
@pytest.mark.parametrize("content", [{}, {"n": "1"}, {"n": -1}, {"n": True}])
def test_a_client_does_not_send_what_does_not_fit_the_form(revision, content, caplog):
    mcp = package(revision)
    fill_in, _ = answer(revision, **content)

    def ask(context):
        return context.elicit("?", schema(mcp, n=FIELD)).action

    refused(revision, ask, fill_in)


def refused(revision, ask, fill_in):
    """Asserts that an answer is not sent: a server is told nothing of the inside, and where it waits for none, nothing."""
    if revision in STATELESS:
        with pytest.raises(UsageError, match="the result of elicitation/create does not fit"):
            called(revision, ask, elicitation=fill_in)
    else:
        assert called(revision, ask, elicitation=fill_in) == "ResponseError: Internal error (-32603)"


@each_revision
def test_what_is_declined_has_no_content(revision, caplog):
    mcp = package(revision)
    fill_in, _ = answer(revision, "decline", n=1)
    refused(revision, lambda context: context.elicit("?", schema(mcp, n=FIELD)).action, fill_in)


@pytest.mark.parametrize("revision", [each for each in WITH_FORMS if each in HANDSHAKE])
def test_a_server_does_not_take_what_does_not_fit_its_form(revision):
    mcp = package(revision)
    found = Queue()

    def ask(context):
        try:
            return context.elicit("?", schema(mcp, n=FIELD)).action
        except ProtocolError as fault:
            found.put(str(fault))
            raise

    server = asking_server(mcp, ask)
    peer = scripted_client(server)
    peer.introduce(revision, {"elicitation": {}})
    for number, result in enumerate([{"action": "accept"}, {"action": "accept", "content": {"n": -1}}], 1):
        peer.request("tools/call", number, {"name": "x"})
        peer.answer(peer.hear(), result)
        assert "$.n: " in found.get(timeout=PATIENCE)
        assert peer.hear()["id"] == number
    peer.request("tools/call", 3, {"name": "x"})
    peer.answer(peer.hear(), {"action": "decline", "content": {"n": -1}})
    assert peer.hear()["result"]["content"][0]["text"] == "decline"
    server.close()


@pytest.mark.parametrize("revision", STATELESS)
@pytest.mark.parametrize("answered", [{"action": "accept"}, {"action": "accept", "content": {"n": -1}}])
def test_without_sessions_the_request_is_refused_whose_answers_do_not_fit_the_form(revision, answered):
    mcp = package(revision)
    found = []
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        found.append(context.elicit("?", schema(mcp, n=FIELD)).action)

    peer = scripted_client(server)
    meta = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    }
    peer.request("tools/call", 1, {"name": "x", "_meta": meta})
    asked = peer.hear()["result"]
    (name,) = asked["inputRequests"]
    state = {"requestState": asked["requestState"], "inputResponses": {name: answered}}
    peer.request("tools/call", 2, {"name": "x", "_meta": meta, **state})
    error = peer.hear()["error"]
    assert error["code"] == -32602
    assert "$.n: " in error["data"]["reason"]
    assert found == []
    server.close()


@with_choices
def test_defaults_are_filled_in_where_all_fields_have_them(revision):
    mcp = package(revision)
    fields = {
        "name": {"type": "string", "default": "Ann"},
        "age": {"type": "integer", "default": 3},
        "ok": {"type": "boolean", "default": True},
        "size": {"type": "string", "enum": ["s", "m"], "default": "s"},
        "several": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["a"]},
    }
    fill_in, _ = answer(revision, age=4)
    found = called(revision, lambda context: context.elicit("?", schema(mcp, **fields)).content, elicitation=fill_in)
    assert found == str({"name": "Ann", "age": 4, "ok": True, "size": "s", "several": ["a"]})


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("email", "a@b.example", "a"),
        ("uri", "https://a.example/x", "no scheme"),
        ("date", "2024-02-29", "2023-02-29"),
        ("date-time", "2024-02-29T10:00:00Z", "2024-02-29T25:00:00Z"),
    ],
)
def test_formats(name, good, bad):
    assert wrong_format({"format": name}, good) is None
    assert wrong_format({"format": name}, bad) == f"found {bad!r}, expected a string of the format {name}"


# Modes and pages.


@with_choices
def test_a_server_asks_only_in_the_modes_that_are_declared(revision):
    fill_in, _ = answer(revision)

    def ask(context):
        try:
            return context.elicit_form("?", Named)
        except ResponseError as error:
            return error.data

    found = called(revision, ask, elicitation_url=fill_in)
    if revision in STATELESS:
        assert str({"elicitation": {"form": {}}}) in found
    else:
        assert found.startswith("NotDeclared: elicitation/create needs the capability 'elicitation.form'")


@with_choices
def test_no_page_is_asked_of_a_client_that_takes_forms_alone(revision):
    fill_in, seen = answer(revision)

    def ask(context):
        try:
            return sent(context, "https://a.example")
        except ResponseError as error:
            return error.data

    found = called(revision, ask, elicitation=fill_in)
    if revision in STATELESS:
        assert str({"elicitation": {"url": {}}}) in found
    else:
        assert found.startswith("NotDeclared: elicitation/create needs the capability 'elicitation.url'")
    assert seen == []


@with_choices
@pytest.mark.parametrize("mode", [{}, {"mode": "form"}], ids=["without a mode", "form"])
def test_a_request_without_a_mode_is_one_for_a_form(revision, mode):
    mcp = package(revision)
    forms, pages, answers = [], [], Queue()
    asked = {"message": "m", "requestedSchema": {"type": "object", "properties": {}}, **mode}

    def taking(seen):
        return lambda params, context: (seen.append(params), mcp.types.ElicitResult(action="decline"))[1]

    def play(peer):
        if revision in STATELESS:
            call = peer.hear()
            question = {"method": "elicitation/create", "params": asked}
            peer.answer(call, {"resultType": "input_required", "inputRequests": {"q": question}})
            again = peer.hear()
            answers.put(again["params"]["inputResponses"]["q"])
        else:
            peer.welcome(revision)
            again = peer.hear()
            peer.request("elicitation/create", 1, asked)
            answers.put(peer.hear()["result"])
        peer.answer(again, {"resultType": "complete", "content": []})

    options = {"elicitation": taking(forms), "elicitation_url": taking(pages)}
    if revision in STATELESS:
        options["discover"] = False
    with scripted_server(mcp.Client, play, **options) as (client, _):
        client.connect()
        client.call_tool("x")
    assert answers.get(timeout=PATIENCE) == {"action": "decline"}
    assert [each.message for each in forms] == ["m"]
    assert pages == []


@with_pages
def test_a_page_is_visited_and_its_end_reaches_who_waits(revision):
    mcp = package(revision)
    seen = Queue()
    go = Queue()

    def visit(params, context):
        seen.put(params)
        return mcp.types.ElicitResult(action="accept")

    def ask(context):
        accepted = context.elicit_page("Look", "https://a.example/x")
        go.get(timeout=PATIENCE)
        context.page_done("another")
        context.page_done(accepted.value)
        return accepted.value

    client = mcp.Client.in_memory(asking_server(mcp, ask), timeout=PATIENCE, elicitation_url=visit)
    with client:
        call = Thread(target=client.call_tool, args=("x",), daemon=True)
        call.start()
        page = seen.get(timeout=PATIENCE)
        assert (page.message, page.url) == ("Look", "https://a.example/x")
        with pytest.raises(RequestTimeout, match="has not completed the page"):
            client.wait_for_page(page.elicitation_id, timeout=0)
        go.put(None)
        client.wait_for_page(page.elicitation_id)
        with pytest.raises(UsageError, match="has not requested a page with the id 'another'"):
            client.wait_for_page("another")
        call.join(PATIENCE)


@with_pages
def test_ids_of_pages_are_new_each_time_and_urls_are_urls(revision):
    visit, seen = answer(revision)
    called(revision, lambda each: [each.elicit_page("a", "https://a.example") for _ in range(9)], elicitation_url=visit)
    assert len({params.elicitation_id for params in seen}) == 9
    for wrong in ("a.example", "https:", "https://a b", "//a.example"):
        found = called(revision, lambda each, url=wrong: each.elicit_page("a", url), elicitation_url=visit)
        assert found.startswith("UsageError: ")


@with_choices
@pytest.mark.parametrize("url", ["a.example", "https:", "https://a b", "//a.example", ""])
def test_what_is_no_url_is_not_sent(revision, url):
    visit, seen = answer(revision)
    assert called(revision, lambda context: sent(context, url), elicitation_url=visit).startswith("UsageError: ")
    assert seen == []


@with_pages
def test_the_end_of_a_page_is_told_to_the_client_that_was_asked_alone(revision):
    mcp = package(revision)

    def ask(context):
        accepted = context.elicit_page("Look", "https://a.example/x")
        context.page_done(accepted.value)
        return accepted.value

    server = asking_server(mcp, ask)
    asked, other = scripted_client(server), scripted_client(server)
    for peer in (asked, other):
        peer.introduce(revision, {"elicitation": {"url": {}}})
    asked.request("tools/call", 1, {"name": "x"})
    page = asked.hear()
    asked.answer(page, {"action": "accept"})
    told = asked.hear()
    assert told["method"] == "notifications/elicitation/complete"
    assert told["params"] == {"elicitationId": page["params"]["elicitationId"]}
    assert asked.hear()["id"] == 1
    other.request("ping", 2)
    assert other.hear()["id"] == 2, "what it was told would come first"
    server.close()


@with_pages
def test_the_end_of_a_page_that_is_not_known_or_has_ended_is_ignored(revision, caplog):
    def play(peer):
        peer.welcome(revision)
        call = peer.hear()
        peer.request(
            "elicitation/create", 1, {"mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "e"}
        )
        assert peer.hear()["result"]["action"] == "accept"
        for name in ("unknown", "e", "e", "unknown"):
            peer.notify("notifications/elicitation/complete", {"elicitationId": name})
        peer.answer(call, {"content": []})
        peer.answer(peer.hear(), {"content": []})

    visit, _ = answer(revision)
    with scripted_server(package(revision).Client, play, elicitation_url=visit) as (client, _):
        client.connect()
        client.call_tool("x")
        client.wait_for_page("e", timeout=PATIENCE)
        with pytest.raises(UsageError, match="'unknown'"):
            client.wait_for_page("unknown", timeout=0)
        assert client.call_tool("x").content == []
    assert not [each for each in caplog.records if each.levelname in {"WARNING", "ERROR"}]


def sent(context, url):
    """What the user says who is asked to visit a page."""
    has_ids = "elicitation_id" in context.connection.session.binding.types.ElicitRequestURLParams.__slots__
    return context.elicit_url(message="Look", url=url, **({"elicitation_id": "e"} if has_ids else {})).action


@with_choices
def test_a_page_is_neither_fetched_nor_opened(revision, monkeypatch):
    """Whether the user is taken there is for the function that is asked to decide."""
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda *given: opened.append(given))
    with create_server(("127.0.0.1", 0)) as page:
        page.settimeout(0)
        url = f"http://127.0.0.1:{page.getsockname()[1]}/connect"
        visit, seen = answer(revision)
        assert called(revision, lambda context: sent(context, url), elicitation_url=visit) == "accept"
        assert {params.url for params in seen} == {url}
        with pytest.raises(BlockingIOError):
            page.accept()
    assert opened == []


@with_choices
def test_a_page_that_is_not_encrypted_is_warned_of(revision, caplog):
    urls = ("https://a.example/x", "http://127.0.0.1:80/x", "http://localhost/x", "http://[::1]/x", "myapp:x")
    visit, _ = answer(revision)
    for url in (*urls, "http://a.example/x?token=1"):
        assert called(revision, lambda context, url=url: sent(context, url), elicitation_url=visit) == "accept"
    warned = [each.getMessage() for each in caplog.records if "https" in each.getMessage()]
    assert set(warned) == {"the user is sent to a.example without encryption; use https"}


@with_pages
def test_an_error_that_wants_a_page_first_comes_typed(revision):
    mcp = package(revision)
    page = mcp.types.ElicitRequestURLParams(message="m", elicitation_id="e", url="https://a.example")
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        raise URLElicitationRequired([page])

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(URLElicitationRequired) as caught:
            client.call_tool("x")
        assert caught.value.elicitations == [page]
        assert caught.value.code == -32042
        with pytest.raises(RequestTimeout):
            client.wait_for_page("e", timeout=0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.elicitations, again.message) == ([page], caught.value.message)


@with_pages
@pytest.mark.parametrize("data", [None, {}, {"elicitations": []}, {"elicitations": [{"url": 1}]}, {"elicitations": 7}])
def test_such_an_error_without_pages_is_an_error_like_others(revision, data):
    def play(peer):
        peer.welcome(revision)
        peer.refuse(peer.hear(), -32042, data=data)

    with scripted_server(package(revision).Client, play) as (client, _):
        client.connect()
        with pytest.raises(ResponseError) as caught:
            client.call_tool("x")
    assert type(caught.value) is ResponseError


def test_the_error_that_wants_a_page_first_cannot_be_made_without_one():
    with pytest.raises(UsageError, match="at least one"):
        URLElicitationRequired([])


def test_pages_are_bounded():
    pages = VisitedPages()
    for number in range(3000):
        pages.expect(str(number))
        pages.complete(str(number))
    pages.wait("2999", 0)
    with pytest.raises(UsageError):
        pages.wait("0", 0)
