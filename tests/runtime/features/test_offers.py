"""A server with decorators, as its user writes it, in every revision."""

from __future__ import annotations

import pytest
from checkout import REVISIONS
from mcp_bindings.runtime.features.media import Image
from support.conversing import package
from support.offering import asking, serving


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
