"""A server with decorators, as its user writes it, in every revision."""

from __future__ import annotations

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.media import Image
from support.connected_clients import asking, serving
from support.scripted_peers import package


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_decorated_is_offered(revision):
    types = package(revision).types
    server = serving(revision)

    @server.resource("test://motto", name="Motto", mime_type="text/plain")
    def motto():
        return "Onwards"

    @server.resource_template("test://notes/{name}", description="Notes")
    def note(name: str) -> str:
        return f"Note {name}"

    @server.prompt
    def greet(name: str) -> str:
        """Greets somebody."""
        return f"Greet {name}"

    @server.prompt(name="picture", description="A picture")
    def show():
        return [Image(b"\x89PNG\r\n\x1a\n"), "What is it?"]

    @server.completion(prompt="greet", argument="name")
    def names(typed: str) -> list[str]:
        return [each for each in ("Ada", "Alan") if each.startswith(typed)]

    @server.completion(resource_template="test://notes/{name}", argument="name")
    def notes(typed: str) -> list[str]:
        return ["a"]

    assert motto() == "Onwards"
    assert greet("you") == "Greet you"
    with asking(server) as client:
        assert [(each.uri, each.name, each.mime_type) for each in client.list_resources()] == [
            ("test://motto", "Motto", "text/plain")
        ]
        assert [(each.name, each.description) for each in client.list_resource_templates()] == [("note", "Notes")]
        assert client.read_resource("test://motto").contents[0].text == "Onwards"
        assert client.read_resource("test://notes/b").contents[0].text == "Note b"
        assert [each.name for each in client.list_prompts()] == ["greet", "picture"]
        assert client.get_prompt("greet", arguments={"name": "Ada"}).messages[0].content.text == "Greet Ada"
        picture, question = [each.content for each in client.get_prompt("picture").messages]
        assert (picture.mime_type, picture.data, question.text) == ("image/png", "iVBORw0KGgo=", "What is it?")
        reference = types.PromptReference(name="greet")
        argument = types.CompleteRequestParamsArgument(name="name", value="Al")
        assert client.complete(reference, argument).completion.values == ["Alan"]


def offered(context, it: int) -> str:
    """What decorators are put before, here by a mistake."""
    return ""


def without_context(ctx, a: int) -> str:
    return ""


class Holder:
    def method(self, a: int) -> str:
        return ""


MISTAKES = {
    "the name instead of the function": (lambda server: server.tool("add"), "write name='add'"),
    "the name of a prompt": (lambda server: server.prompt("greet"), "write name='greet'"),
    "a resource without parentheses": (lambda server: server.resource(offered), "@server.resource('demo://it')"),
    "a template without them": (lambda server: server.resource_template(offered), "@server.resource_template('"),
    "a context by another name": (lambda server: server.tool(without_context), "or name it context"),
    "a method of a class": (lambda server: server.tool(Holder.method), "server.tools.add(it.method)"),
    "a handler without parentheses": (lambda server: server.handler(offered), "takes the key of a method"),
    "a handler by its method's name": (lambda server: server.handler("tools/call"), "and not 'tools/call'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_decorator_says_what_it_is_given_wrongly(revision, mistake):
    make, said = MISTAKES[mistake]
    with pytest.raises(UsageError) as caught:
        make(serving(revision))
    assert said in str(caught.value)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_server_is_introduced_by_texts(revision):
    with pytest.raises(UsageError, match=r"`version` must be a str, got 1\.5; write version='1\.5'"):
        package(revision).Server("demo", 1.5)
    with pytest.raises(UsageError, match=r"`name` must be a str, got None$"):
        package(revision).Server(None, "1.5")
