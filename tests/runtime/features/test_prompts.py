"""Prompts: arguments from the signature, what functions may return, what is refused."""

from __future__ import annotations

import enum
from typing import Annotated, Literal

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.features.media import Audio, Image
from support.connected_clients import asking, refused, serving
from support.revisions import HANDSHAKE, STATELESS, those_with, those_with_methods
from support.scripted_peers import PATIENCE, package, scripted_client

TELLING = those_with_methods("notifications/prompts/list_changed")
"""Which tell of changes of their prompts."""
every_revision = pytest.mark.parametrize("revision", REVISIONS)


class Tone(enum.Enum):
    KIND = "kind"
    PLAIN = "plain"


def review(
    code: Annotated[str, "The code to review."],
    tone: Tone = Tone.PLAIN,
    depth: int = 1,
    kind: Literal["short", "long"] = "short",
    checks: list[str] | None = None,
) -> str:
    """Reviews code.

    In some depth.
    """
    return repr((code, tone, depth, kind, checks))


@every_revision
def test_arguments_follow_from_the_signature(revision):
    server = serving(revision)
    server.prompts.add(review)
    server.prompts.add(lambda: "hi", "bare", {"description": "Says hi"})
    with asking(server) as client:
        listed, bare = client.list_prompts()
    assert (listed.name, listed.description) == ("review", "Reviews code.")
    assert [(each.name, each.description, each.required) for each in listed.arguments] == [
        ("code", "The code to review.", True),
        ("tone", None, False),
        ("depth", None, False),
        ("kind", None, False),
        ("checks", None, False),
    ]
    assert (bare.name, bare.description, bare.arguments) == ("bare", "Says hi", None)


@every_revision
def test_arguments_are_read_by_their_annotations(revision):
    server = serving(revision)
    server.prompts.add(review)
    with asking(server) as client:

        def said(**arguments):
            result = client.get_prompt("review", arguments=arguments)
            assert result.description == "Reviews code."
            (message,) = result.messages
            assert message.role == "user"
            return message.content.text

        assert said(code="5") == repr(("5", Tone.PLAIN, 1, "short", None))
        assert said(code="", tone="kind", depth="2", kind="long", checks='["a"]') == repr(
            ("", Tone.KIND, 2, "long", ["a"])
        )


@every_revision
def test_what_does_not_fit_is_refused(revision):
    server = serving(revision)
    server.prompts.add(review)

    def reason(name, arguments=None):
        with pytest.raises(ResponseError) as caught:
            client.get_prompt(name, arguments=arguments)
        data = caught.value.data
        assert (caught.value.code, data["name"]) == (-32602, name)
        assert caught.value.message.endswith(f": {data['reason']}")
        return data["reason"]

    with asking(server) as client:
        assert reason("other") == "there is no prompt 'other'"
        assert reason("reveiw") == "there is no prompt 'reveiw' (did you mean 'review'?)"
        assert reason("review") == reason("review", {}) == "the argument code is required"
        assert reason("review", {"code": "x", "size": "1"}).startswith("there is no argument 'size'; use code,")
        for name, text in [("depth", "deep"), ("depth", "1.5"), ("tone", "rude"), ("kind", ""), ("checks", "[1]")]:
            assert reason("review", {"code": "x", name: text}).startswith(f"{name}: found ")


@every_revision
def test_what_a_function_may_return(revision):
    types = package(revision).types
    text = types.TextContent(text="t")
    image = types.ImageContent(data="AA==", mime_type="image/png")
    contents = types.TextResourceContents(uri="test://a", text="r")
    embedded = types.EmbeddedResource(resource=contents)
    binary = types.BlobResourceContents(uri="test://b", blob="AP8=", mime_type="image/png")
    said = types.PromptMessage(role="assistant", content=text)

    def user(content):
        return types.PromptMessage(role="user", content=content)

    cases = [
        ("hello", [user(types.TextContent(text="hello"))]),
        (image, [user(image)]),
        (contents, [user(embedded)]),
        (embedded, [user(embedded)]),
        (binary, [user(types.EmbeddedResource(resource=binary))]),
        (said, [said]),
        ([contents, "then", said], [user(embedded), user(types.TextContent(text="then")), said]),
        ([], []),
        (types.GetPromptResult(messages=[said], description="own"), [said]),
    ]
    if hasattr(types, "ResourceLink"):
        link = types.ResourceLink(name="a", uri="test://a")
        cases.append((link, [user(link)]))
    server = serving(revision)
    given = iter([case[0] for case in cases])
    server.prompts.add(lambda: next(given), "p")
    with asking(server) as client:
        for _, expected in cases:
            assert client.get_prompt("p").messages == expected


@pytest.mark.parametrize("revision", those_with(lambda each: "AudioContent" in each.content_blocks))
def test_images_and_sounds_are_in_base64_with_their_media_type(revision):
    server = serving(revision)
    server.prompts.add(lambda: [Image(b"\x89PNG\r\n\x1a\n"), Audio(b"RIFF\0\0\0\0WAVE")], "p")
    with asking(server) as client:
        image, sound = [each.content for each in client.get_prompt("p").messages]
    assert (image.type, image.data, image.mime_type) == ("image", "iVBORw0KGgo=", "image/png")
    assert (sound.type, sound.data, sound.mime_type) == ("audio", "UklGRgAAAABXQVZF", "audio/wav")


@every_revision
def test_what_it_may_not_return_is_an_internal_error(revision, caplog):
    server = serving(revision)
    give = lambda: 5  # noqa: E731
    server.prompts.add(give, "p")
    with asking(server) as client:
        assert refused(-32603, client.get_prompt, "p") is None
    place = f"{__file__}:{give.__code__.co_firstlineno}"
    text = "prompt p returned a value that cannot become messages: found int, expected str, PromptMessage"
    assert caplog.records[-1].getMessage().startswith(f"{place}: {text}")
    assert caplog.records[-1].exc_info is None


@every_revision
def test_prompts_are_declared_when_there_are_some(revision):
    server = serving(revision)
    assert server.capabilities.prompts is None
    server.prompts.add(review)
    assert bool(server.capabilities.prompts.list_changed) == (revision in TELLING)


@pytest.mark.parametrize("revision", [each for each in HANDSHAKE if each in TELLING])
def test_a_change_is_told(revision):
    server = serving(revision)
    server.prompts.add(review)
    client = scripted_client(server)
    client.introduce(revision)
    client.request("ping", 1)
    client.hear()
    server.prompts.remove("review")
    assert client.hear() == {"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}
    client.close()


@pytest.mark.parametrize("revision", [each for each in STATELESS if each in TELLING])
def test_a_change_is_told_to_listeners(revision):
    mcp = package(revision)
    server = serving(revision)
    server.prompts.add(review)
    with asking(server) as client, client.listen(prompts=True, timeout=PATIENCE) as changes:
        server.prompts.add(lambda: "", "other")
        assert changes.get(PATIENCE).key is mcp.methods.PROMPT_LIST_CHANGED


@pytest.mark.parametrize("revision", STATELESS)
def test_a_prompt_may_ask_for_input(revision):
    mcp = package(revision)
    server = serving(revision)

    def greet(name: str, context):
        answer = context.elicit("How?", mcp.types.ElicitRequestFormParamsRequestedSchema(properties={}))
        return f"{answer.content['how']} {name}"

    server.prompts.add(greet)
    client = mcp.Client.in_memory(server, timeout=PATIENCE)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params, context):
        return mcp.types.ElicitResult(action="accept", content={"how": "Good day"})

    with client:
        assert client.get_prompt("greet", arguments={"name": "Ada"}).messages[0].content.text == "Good day Ada"


WRONG = [
    (lambda prompts: prompts.add(review), "there is a prompt 'review' already"),
    (lambda prompts: prompts.add(lambda: ""), "has no name; pass name="),
    (lambda prompts: prompts.add(lambda: "", "p", {"colour": 1}), "has no 'colour'"),
    (lambda prompts: prompts.add(lambda: "", "p", {"name": "q"}), "prompt p: `name` must not be among the members"),
    (lambda prompts: prompts.add(lambda *parts: "", "p"), "arguments for *parts cannot be passed by name"),
    (lambda prompts: prompts.remove("p"), "there is no prompt 'p' to remove"),
]


@pytest.mark.parametrize(("add", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_a_mistake_is_refused_when_it_is_made(add, reason):
    prompts = serving(REVISIONS[0]).prompts
    prompts.add(review)
    with pytest.raises(UsageError) as caught:
        add(prompts)
    assert reason in str(caught.value)
