"""Callbacks of ``connect`` may return a class of any revision, or a dict: the revision is not known when they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from checkout import REVISIONS
from mcp_bindings import connect, v2025_06_18, v2025_11_25, v2026_07_28
from mcp_bindings_runtime.errors import ResponseError, UsageError
from support.revisions import WITH_FORMS
from support.scripted_peers import PATIENCE, package

with_forms = pytest.mark.parametrize("revision", WITH_FORMS)
each_revision = pytest.mark.parametrize("revision", REVISIONS)

MESSAGE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hello"}}


@dataclass
class Party:
    people: int


def asking_server(revision):
    """A server whose tools request a form and a message of a language model."""
    server = package(revision).Server("s", "1")

    @server.tool
    def sampled(context) -> str:
        return context.sample("hi", max_tokens=9)

    @server.tool
    def rooted(context) -> list[str]:
        return [root.uri for root in context.roots()]

    if revision in WITH_FORMS:

        @server.tool
        def count(context) -> str:
            return repr(context.elicit_form("How many?", Party))

    return server


def called(revision, tool, **options):
    """The text of a tool's result, from a client that ``connect`` has made in a revision."""
    with connect.in_memory(asking_server(revision), revisions=[revision], timeout=PATIENCE, **options) as client:
        return client.call_tool(tool).text


@with_forms
@pytest.mark.parametrize(
    "result",
    [
        {"action": "accept", "content": {"people": 3}},
        v2025_06_18.ElicitResult(action="accept", content={"people": 3}),
        v2026_07_28.ElicitResult(action="accept", content={"people": 3}),
    ],
    ids=["dict", "oldest", "newest"],
)
def test_one_elicitation_callback_answers_in_every_revision(revision, result):
    assert "people=3" in called(revision, "count", elicitation=lambda params, context: result)


@each_revision
@pytest.mark.parametrize(
    "result",
    [
        MESSAGE,
        v2025_11_25.CreateMessageResult(
            role="assistant", model="m", content=v2025_11_25.TextContent(text="hello", meta={"a": 1})
        ),
    ],
    ids=["dict", "class"],
)
def test_one_sampling_callback_answers_in_every_revision(revision, result):
    assert called(revision, "sampled", sampling=lambda params, context: result) == "hello"


@each_revision
def test_the_review_of_a_message_gets_the_class_of_the_revision_and_may_return_another(revision):
    seen = []

    def review(params, result):
        seen.append(result)
        return {**MESSAGE, "content": {"type": "text", "text": "reviewed"}}

    callbacks = {"sampling": lambda params, context: MESSAGE, "approve_result": review}
    assert called(revision, "sampled", **callbacks) == "reviewed"
    assert isinstance(seen[0], package(revision).types.CreateMessageResult)


@each_revision
def test_roots_may_be_of_any_revision(revision, tmp_path):
    uri = tmp_path.as_uri()
    for root in ({"uri": uri}, v2025_11_25.Root(uri=uri), v2026_07_28.Root(uri=uri)):
        assert uri in called(revision, "rooted", roots=[root])


def test_a_root_that_the_revision_does_not_accept_is_refused_with_its_mistake():
    with pytest.raises(UsageError, match=r"the root \{'url': 'x'\} is not one of 2025-11-25: \$\.uri: found nothing"):
        called("2025-11-25", "rooted", roots=[{"url": "x"}])


@with_forms
def test_a_handler_of_connect_may_return_a_class_of_any_revision(revision):
    answer = {"elicitation/create": lambda params, context: {"action": "accept", "content": {"people": 3}}}
    assert "people=3" in called(revision, "count", handlers=answer)


PLAIN = 'return ElicitResult(action="accept", content={…}), or a dict with these members'


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (
            {"people": 3},
            rf'returned a dict; \$\.action: found nothing, expected one of "accept", .*; {re.escape(PLAIN)}',
        ),
        (3, rf"returned an int; {re.escape(PLAIN)}"),
        (None, rf"returned None; {re.escape(PLAIN)}"),
        (v2025_11_25.Tool(name="x", input_schema=v2025_11_25.ToolInputSchema()), r"returned a v2025_11_25.Tool; \$\."),
        (
            v2026_07_28.ElicitResult(action="yes", content={"people": 3}),
            r'the result of elicitation/create does not fit: \$\.action: found "yes", expected one of "accept", "decl',
        ),
        (
            v2025_11_25.ElicitResult(action="yes"),
            r'returned a v2025_11_25\.ElicitResult; \$\.action: found "yes", expected one of "accept", "decline", "cancel"',
        ),
    ],
    ids=["dict", "int", "None", "another class", "own class", "another revision's class"],
)
def test_a_wrong_result_says_what_is_wrong_and_what_to_return(result, reason, caplog):
    with pytest.raises(UsageError, match=reason):
        called("2026-07-28", "count", elicitation=lambda params, context: result)
    with pytest.raises(ResponseError):
        called("2025-11-25", "count", elicitation=lambda params, context: result)
    (logged,) = [each for each in caplog.records if "elicitation/" in each.message]
    assert logged.exc_info is None


def test_content_that_the_revision_cannot_express_is_not_sent(caplog):
    result = v2025_11_25.ElicitResult(action="accept", content={"people": ["a", "b"]})
    with pytest.raises(ResponseError):
        called("2025-06-18", "count", elicitation=lambda params, context: result)
    assert "returned a v2025_11_25.ElicitResult; $.content.people: found an array" in caplog.text


def test_a_handler_of_one_revision_names_the_revision_of_a_class_with_the_same_name(caplog):
    server = v2025_11_25.Server("s", "1")

    @server.handler(v2025_11_25.methods.CALL_TOOL)
    def call(params, context):
        return v2026_07_28.CallToolResult(content=[])

    with v2025_11_25.Client.in_memory(server, timeout=PATIENCE) as client, pytest.raises(ResponseError):
        client.call_tool("x")
    assert "returned a v2026_07_28.CallToolResult; expected v2025_11_25.CallToolResult or v2025" in caplog.text
