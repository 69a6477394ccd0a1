"""Completion: for prompts and templates, cut at a hundred, with what is known of the other arguments."""

from __future__ import annotations

from itertools import count

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, UsageError
from support.connected_clients import asking, refused, serving
from support.revisions import HANDSHAKE, STATELESS, those_with
from support.scripted_peers import package, scripted_client, scripted_server

every_revision = pytest.mark.parametrize("revision", REVISIONS)
WITH_OTHERS = those_with(lambda each: each.completion_context)
WITHOUT = those_with(lambda each: not each.completion_context)


def declarable(revision):
    """Whether a server can declare that it completes."""
    return "completions" in package(revision).Server.binding.capabilities["server"]


def offering(revision):
    """A server with a prompt and a template that have something to complete."""
    server = serving(revision)
    server.prompts.add(lambda language, style="": language, "code")
    server.resources.add_template(lambda owner, name: name, "test://{owner}/{name}")
    server.resources.add_text("test://fixed", "")
    return server


class Asking:
    """Completes over a client."""

    def __init__(self, revision, client):
        self.types = package(revision).types
        self.client = client

    def __call__(self, ref, argument, value="", **more):
        template = getattr(self.types, "ResourceTemplateReference", None) or self.types.ResourceReference
        reference = template(uri=ref) if ":" in ref else self.types.PromptReference(name=ref)
        asked = self.types.CompleteRequestParamsArgument(name=argument, value=value)
        return self.client.complete(reference, asked, **more).completion


@every_revision
def test_a_function_completes_what_was_typed(revision):
    server = offering(revision)
    words = ["python", "pytorch", "ruby"]
    server.completions.add(lambda typed: [each for each in words if each.startswith(typed)], "language", prompt="code")
    server.completions.add(
        lambda typed: (each + typed for each in "ab"), "owner", resource_template="test://{owner}/{name}"
    )
    with asking(server) as client:
        complete = Asking(revision, client)
        found = complete("code", "language", "py")
        assert (found.values, found.total, found.has_more) == (["python", "pytorch"], 2, False)
        assert complete("test://{owner}/{name}", "owner", "x").values == ["ax", "bx"]


@every_revision
def test_a_hundred_values_are_given_at_most(revision):
    server = offering(revision)
    texts = [str(number) for number in range(250)]
    given = iter([texts, texts[:100], texts[:101], map(str, count()), (each for each in texts[:100])])
    server.completions.add(lambda _: next(given), "language", prompt="code")
    with asking(server) as client:
        complete = Asking(revision, client)
        found = [complete("code", "language") for _ in range(5)]
    assert [(len(each.values), each.total, each.has_more) for each in found] == [
        (100, 250, True),
        (100, 100, False),
        (100, 101, True),
        (100, None, True),
        (100, 100, False),
    ]


@every_revision
def test_a_ready_result_has_a_hundred_values_at_most(revision, caplog):
    server, types = offering(revision), package(revision).types

    def values(count):
        return types.CompleteResultCompletion(values=["x"] * count)

    given = iter([values(100), types.CompleteResult(completion=values(100)), values(101)])
    server.completions.add(lambda _: next(given), "language", prompt="code")
    with asking(server) as client:
        complete = Asking(revision, client)
        assert [len(complete("code", "language").values) for _ in range(2)] == [100, 100]
        with pytest.raises(ResponseError):
            complete("code", "language")
    assert "a result has 101 values, at most 100 are allowed; return the values, which are cut" in caplog.text


@every_revision
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"values": []}, ([], None, None)),
        ({"values": ["a"], "hasMore": True}, (["a"], None, True)),
        ({"values": ["a"], "total": 250}, (["a"], 250, None)),
    ],
)
def test_a_client_takes_results_that_are_empty_or_partial(revision, given, expected):
    def play(peer):
        if revision not in STATELESS:
            peer.welcome(revision, {"completions": {}} if declarable(revision) else {})
        peer.answer(peer.hear(), {"resultType": "complete", "completion": given})

    options = {"discover": False} if revision in STATELESS else {}
    with scripted_server(package(revision).Client, play, **options) as (client, _):
        client.connect()
        found = Asking(revision, client)("code", "language")
    assert (found.values, found.total, found.has_more) == expected


@every_revision
def test_what_nobody_completes_has_no_values(revision):
    server = offering(revision)
    server.completions.add(lambda _: ["x"], "language", prompt="code")
    with asking(server) as client:
        complete = Asking(revision, client)
        for ref, argument in [("code", "style"), ("test://{owner}/{name}", "name")]:
            found = complete(ref, argument)
            assert (found.values, found.total, found.has_more) == ([], 0, False)


@every_revision
def test_what_is_not_there_cannot_be_completed(revision):
    server = offering(revision)
    server.completions.add(lambda _: ["x"], "language", prompt="code")
    with asking(server) as client:
        complete = Asking(revision, client)
        unknown = "there is no prompt or resource template"
        for ref, argument, reason in [
            ("other", "language", f"{unknown} 'other'"),
            ("test://{x}", "x", f"{unknown} 'test://{{x}}'"),
            ("code", "size", "'code' has no argument 'size'; use language, style"),
            ("test://fixed", "x", "'test://fixed' has no argument 'x'; use none"),
        ]:
            assert refused(-32602, complete, ref, argument) == {"reason": reason}


@every_revision
def test_a_ready_made_result_is_given_as_it_is(revision):
    types = package(revision).types
    server = offering(revision)
    ready = types.CompleteResultCompletion(values=["a"], total=9, has_more=True)
    given = iter([ready, types.CompleteResult(completion=ready)])
    server.completions.add(lambda _: next(given), "language", prompt="code")
    with asking(server) as client:
        complete = Asking(revision, client)
        assert [complete("code", "language") for _ in range(2)] == [ready, ready]


@every_revision
@pytest.mark.parametrize("wrong", [None, "abc", 5, [1], ["a", None]])
def test_what_is_no_list_of_texts_is_an_internal_error(revision, wrong, caplog):
    server = offering(revision)
    server.completions.add(lambda _: wrong, "language", prompt="code")
    with asking(server) as client:
        assert refused(-32603, Asking(revision, client), "code", "language") is None
    assert "a completion must return" in caplog.text


@pytest.mark.parametrize("revision", WITH_OTHERS)
def test_a_function_knows_the_other_arguments(revision):
    types = package(revision).types
    server = offering(revision)
    server.completions.add(lambda typed, arguments: [typed, repr(arguments)], "style", prompt="code")
    with asking(server) as client:
        complete = Asking(revision, client)
        known = types.CompleteRequestParamsContext(arguments={"language": "python"})
        assert complete("code", "style", "f", context=known).values == ["f", "{'language': 'python'}"]
        assert complete("code", "style", "f").values == ["f", "{}"]


@pytest.mark.parametrize("revision", WITHOUT)
def test_a_revision_that_does_not_tell_them_refuses(revision):
    completions = offering(revision).completions
    with pytest.raises(UsageError, match=f"`arguments`, which clients of {revision} do not send"):
        completions.add(lambda typed, arguments: [], "style", prompt="code")


@every_revision
def test_a_function_may_have_the_context(revision):
    server = offering(revision)
    server.completions.add(lambda typed, context: [str(context.peer is server)], "style", prompt="code")
    with asking(server) as client:
        assert Asking(revision, client)("code", "style").values == ["True"]


@every_revision
def test_completion_is_declared_where_the_revision_can(revision):
    server = offering(revision)
    declares = "completions" in type(server.capabilities).__slots__
    assert not declares or server.capabilities.completions is None
    server.completions.add(lambda _: [], "language", prompt="code")
    assert not declares or server.capabilities.completions == {}


async def coroutine(typed):
    return []


WRONG = [
    (lambda completions: completions.add(lambda _: [], "a"), "pass prompt= or resource_template="),
    (
        lambda completions: completions.add(lambda _: [], "a", prompt="p", resource_template="t"),
        "pass prompt= or resource_template=",
    ),
    (lambda completions: completions.add(lambda: (), "a", prompt="p"), "has no parameter"),
    (lambda completions: completions.add(lambda typed, size: [], "a", prompt="p"), "has the parameter 'size'"),
    (lambda completions: completions.add(coroutine, "a", prompt="p"), "is a coroutine function"),
    (lambda completions: completions.add(lambda _: [], "taken", prompt="p"), "there is a completion"),
]


@pytest.mark.parametrize(("add", "reason"), WRONG)
def test_a_mistake_is_refused_when_it_is_made(add, reason):
    completions = serving(REVISIONS[-1]).completions
    completions.add(lambda _: [], "taken", prompt="p")
    with pytest.raises(UsageError) as caught:
        add(completions)
    assert reason in str(caught.value)


def told(server, ref, **argument):
    """The error that a request ends in which a client of ours would not send."""
    revision = server.binding.revision
    client = scripted_client(server)
    params = {"ref": ref, **argument}
    if revision in STATELESS:
        name = "io.modelcontextprotocol/"
        params["_meta"] = {f"{name}protocolVersion": revision, f"{name}clientCapabilities": {}}
    else:
        client.introduce(revision)
    client.request("completion/complete", 1, params)
    error = client.hear()["error"]
    client.close()
    return error


@every_revision
def test_who_completes_nothing_refuses_the_method(revision):
    error = told(offering(revision), {"type": "ref/prompt", "name": "code"}, argument={"name": "style", "value": ""})
    assert error["code"] == -32601
    # Some have no capability for it, and without a handshake nothing has been declared before.
    lacking = "has not declared 'completions' in this session, which completion/complete needs"
    early = revision in HANDSHAKE and declarable(revision)
    assert error["data"]["reason"] == f"this server {lacking if early else 'does not handle completion/complete'}"


@every_revision
def test_what_a_request_has_to_have_is_missed(revision):
    server = offering(revision)
    server.completions.add(lambda _: ["x"], "language", prompt="code")
    assert told(server, {"type": "ref/prompt", "name": "code"})["code"] == -32602


@every_revision
def test_a_completion_for_an_argument_that_does_not_exist_is_refused(revision):
    server = offering(revision)
    with pytest.raises(
        UsageError,
        match=r"^the prompt code has no argument 'langage' to complete \(did you mean 'language'\?\); use language, style$",
    ):
        server.completions.add(list, "langage", prompt="code")
    with pytest.raises(UsageError, match=r"the resource template test://\{owner\}/\{name\} has no argument 'user'"):
        server.completions.add(list, "user", resource_template="test://{owner}/{name}")
    assert len(server.completions) == 0


@every_revision
def test_a_prompt_that_lacks_the_argument_of_an_earlier_completion_is_refused(revision):
    server = serving(revision)
    server.completions.add(lambda typed: [], "langage", prompt="code")
    server.completions.add(lambda typed: [], "user", resource_template="test://{owner}")
    with pytest.raises(UsageError, match="the prompt code has no argument 'langage'"):
        server.prompts.add(lambda language: language, "code")
    with pytest.raises(UsageError, match=r"the resource template test://\{owner\} has no argument 'user'"):
        server.resources.add_template(lambda owner: owner, "test://{owner}")
    assert "code" not in server.prompts
    # Whoever replaces a prompt may have changed its arguments.
    server.prompts.add(lambda language: language, "code", replace=True)
    assert "code" in server.prompts
