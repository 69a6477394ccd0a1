"""The server that the conformance suite and our own tests expect, in every revision.

    python tests/conformance/server.py --stdio
    python tests/conformance/server.py --port 3000
    python tests/conformance/server.py --port 3000 --bridge 2025-11-25

Over HTTP the endpoint is ``/mcp`` for all revisions. In each revision the server offers what the suite requires of any
revision, as far as the interface of the revision can express it.
"""

from __future__ import annotations

import argparse
import base64
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # As a program it finds its own modules where the tests find them.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance import rounds
from mcp_bindings import serve
from mcp_bindings_runtime.errors import ToolError

Json = Any
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
AUDIO, FORMS, CHOICES, STATELESS = REVISIONS[1:]
"""First revisions with audio, forms, forms with defaults and titled choices, and without handshake."""

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
BLOCKS = {"text": "TextContent", "image": "ImageContent", "audio": "AudioContent", "resource": "EmbeddedResource"}
"""Classes of content blocks."""
PAUSE = 0.05
"""Seconds between two progress notifications of a slow tool."""
POLL = 0.5
"""Seconds after which a polling client should reconnect."""

ADDRESS_SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
REGION_SCHEMA: Json = {
    "type": "object",
    "properties": {"region": {"type": "string", "description": "where", "x-mcp-header": "Region"}},
    "required": ["region"],
}
DEFAULTS: Json = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
TITLED = [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]
ENUMS: Json = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2"]},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def image() -> Json:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def embedded(uri: str, mime: str, words: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": words}}


class Fixture:
    """The fixture in one revision: a server with all features of the revision.

    With ``bridge`` it serves the clients of every revision.
    """

    def __init__(self, revision: str, *, bridge: bool = False) -> None:
        self.revision = revision
        self.mcp: Any = importlib.import_module(f"mcp_bindings.v{revision.replace('-', '_')}")
        served = None if bridge else [revision]
        self.server = self.mcp.Server("conformance-fixture", "1.0.0", revisions=served, **self._options())
        self._add_plain_tools()
        self._add_talking_tools()
        self._add_changing_tools()
        if revision >= FORMS:
            self._add_tools_with_rounds()
        if revision >= STATELESS:
            from conformance import task_tools

            task_tools.register(self.server)
        if revision == CHOICES:
            self._add_polling_tool()
        self._add_prompts()
        self._add_resources()

    def _options(self) -> dict[str, Any]:
        if self.revision < STATELESS:
            return {}
        from conformance import task_tools

        return {"tasks": task_tools.tasks()}

    # Tools.

    def _blocks(self, *blocks: Json) -> list[Any]:
        """Return content as objects of the revision."""
        return [self.mcp.converter.structure(each, getattr(self.mcp.types, BLOCKS[each["type"]])) for each in blocks]

    def _add_plain_tools(self) -> None:
        tool = self.server.tool

        @tool(name="test_simple_text")
        def simple() -> str:
            """Return a text."""
            return "This is a simple text response for testing."

        @tool(name="test_image_content")
        def picture():
            """Return an image."""
            return self._blocks(image())

        if self.revision >= AUDIO:

            @tool(name="test_audio_content")
            def sound():
                """Return audio."""
                return self._blocks({"type": "audio", "data": WAV, "mimeType": "audio/wav"})

        @tool(name="test_embedded_resource")
        def resource():
            """Return a resource inside the result."""
            words = "This is an embedded resource content."
            return self._blocks(embedded("test://embedded-resource", "text/plain", words))

        @tool(name="test_multiple_content_types")
        def several():
            """Return several kinds of content."""
            mixed = '{"test":"data","value":123}'
            return self._blocks(
                text("Multiple content types test:"),
                image(),
                embedded("test://mixed-content-resource", "application/json", mixed),
            )

        @tool(name="test_error_handling")
        def fail():
            """Fail."""
            message = "This tool intentionally returns an error for testing"
            raise ToolError(message)

        @tool(name="test_tool_with_progress")
        def progress():
            """Take some time and report progress."""
            for done in (0, 50, 100):
                yield done, 100
                time.sleep(PAUSE)
            return "The work is done."

        @tool(name="json_schema_2020_12_tool", input_schema=ADDRESS_SCHEMA)
        def address(**arguments: Any) -> str:
            """Take arguments whose schema uses much of JSON Schema 2020-12."""
            return json.dumps(arguments)

        @tool(name="test_x_mcp_header", input_schema=REGION_SCHEMA)
        def header(region: str) -> str:
            """Take an argument that is repeated in a header."""
            return f"The region: {region}"

    def _add_talking_tools(self) -> None:
        """Add tools that send log messages and requests to the client during their call."""
        mcp, tool = self.mcp, self.server.tool

        @tool(name="test_tool_with_logging")
        def log(context) -> str:
            """Send log messages."""
            for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
                context.log("info", words)
                time.sleep(PAUSE)
            return "All of it is logged."

        @tool(name="test_sampling")
        def sample(context, prompt: str) -> str:
            """Request an answer of the client's model to a prompt."""
            message = mcp.SamplingMessage(role="user", content=mcp.TextContent(text=prompt))
            answer = mcp.converter.unstructure(context.create_message([message], 100))
            return f"LLM response: {answer['content']['text']}"

        @tool(name="test_missing_capability")
        def needy(context) -> str:
            """Require sampling."""
            message = mcp.SamplingMessage(role="user", content=mcp.TextContent(text="Are you there?"))
            context.create_message([message], 10)
            return "The client declares sampling."

        @tool(name="test_logging_tool")
        def log_once(context) -> str:
            """Send a log message."""
            context.log("info", "Tool execution started")
            return "All of it is logged."

        if self.revision >= FORMS:

            @tool(name="test_streaming_elicitation")
            def stream(context) -> str:
                """Report progress, and request input from the user."""
                context.progress(1, 2)
                return f"User response: {self._elicit(context, 'Go on?', {'ok': {'type': 'boolean'}})}"

            fields = {"username": {"type": "string"}, "email": {"type": "string"}}

            @tool(name="test_elicitation")
            def elicit(context, message: str) -> str:
                """Request two texts from the user."""
                return f"User response: {self._elicit(context, message, fields)}"

        if self.revision >= CHOICES:

            @tool(name="test_elicitation_sep1034_defaults")
            def defaults(context) -> str:
                """Request input with a default for each type of field."""
                return f"Elicitation completed: {self._elicit(context, 'Please review', DEFAULTS)}"

            @tool(name="test_elicitation_sep1330_enums")
            def enums(context) -> str:
                """Request input with each form of choices."""
                return f"Elicitation completed: {self._elicit(context, 'Please choose', ENUMS)}"

    def _add_polling_tool(self) -> None:
        @self.server.tool(name="test_reconnection")
        def reconnect(context) -> str:
            """Make the client reconnect for the result."""
            context.close_stream(POLL)
            time.sleep(2 * PAUSE)
            return "The client has come back."

    def _elicit(self, context: Any, message: str, fields: Json) -> str:
        mcp = self.mcp
        form = getattr(mcp.types, "ElicitRequestFormParamsRequestedSchema", None)
        form = form or mcp.types.ElicitRequestParamsRequestedSchema
        schema = mcp.converter.structure({"type": "object", "properties": fields}, form)
        answer = context.elicit(message, schema)
        return f"action={answer.action}, content={json.dumps(answer.content)}"

    def _add_changing_tools(self) -> None:
        tool, tools, prompts = self.server.tool, self.server.tools, self.server.prompts

        def passing() -> str:
            """Be added and removed."""
            return "Here today."

        @tool(name="test_trigger_tool_change")
        def change_tools() -> str:
            """Change the list of tools."""
            if "test_dynamic_tool" in tools:
                tools.remove("test_dynamic_tool")
            else:
                tools.add(passing, "test_dynamic_tool")
            return "The list of tools has changed."

        @tool(name="test_trigger_prompt_change")
        def change_prompts() -> str:
            """Change the list of prompts."""
            if "test_dynamic_prompt" in prompts:
                prompts.remove("test_dynamic_prompt")
            else:
                prompts.add(passing, "test_dynamic_prompt")
            return "The list of prompts has changed."

    def _add_tools_with_rounds(self) -> None:
        def in_rounds(asked: rounds.Rounds) -> Callable[..., Any]:
            def ask(context):
                """Send requests to the client before returning."""
                return self._ask(context, asked)

            return ask

        for name, asked in rounds.TOOLS.items():
            self.server.tool(name=f"test_input_required_result_{name}")(in_rounds(asked))

    def _ask(self, context: Any, asked: rounds.Rounds) -> Any:
        """Return the text made of the client's answers; in a revision without handshake first what requests them."""
        if self.revision >= STATELESS:
            return rounds.ask(context.params.name, asked, context.params)
        return rounds.ask_during_call(self.mcp, context, asked)

    # Prompts and resources.

    def _add_prompts(self) -> None:
        prompt = self.server.prompt

        @prompt(name="test_simple_prompt")
        def simple() -> str:
            """A prompt without arguments."""
            return "This is a simple prompt for testing."

        @prompt(name="test_prompt_with_arguments")
        def with_arguments(arg1: str, arg2: str) -> str:
            """A prompt with two arguments."""
            return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

        @self.server.completion(prompt="test_prompt_with_arguments", argument="arg1")
        def complete(value: str) -> list[str]:
            return []

        @prompt(name="test_prompt_with_embedded_resource")
        def with_resource(resourceUri: str):  # noqa: N803  # the name of the argument
            """A prompt with a resource in it."""
            words = "Embedded resource content for testing."
            return self._blocks(
                embedded(resourceUri, "text/plain", words), text("Please process the embedded resource above.")
            )

        @prompt(name="test_prompt_with_image")
        def with_image():
            """A prompt with an image in it."""
            return self._blocks(image(), text("Please analyze the image above."))

        if self.revision >= FORMS:

            @prompt(name="test_input_required_result_prompt")
            def in_rounds(context):
                """Request a context first."""
                return self._ask(context, rounds.PROMPT)

    def _add_resources(self) -> None:
        resource = self.server.resource

        @resource("test://static-text", name="Static text", mime_type="text/plain")
        def words() -> str:
            """A constant text."""
            return "This is the content of the static text resource."

        @resource("test://static-binary", name="Static image", mime_type="image/png")
        def picture() -> bytes:
            """A constant image."""
            return base64.b64decode(PNG)

        @resource("test://watched-resource", name="Watched text", mime_type="text/plain")
        def watched() -> str:
            """A text that clients may subscribe to."""
            return "Watched resource content."

        @self.server.resource_template("test://template/{id}/data", name="Data by id", mime_type="application/json")
        def data(id: str) -> str:  # noqa: A002  # the name of the variable
            """Data of an id."""
            found = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
            return json.dumps(found, separators=(",", ":"))


def build(*revisions: str, bridge: bool = False) -> list[Any]:
    """Return the servers of these revisions, or of all."""
    return [Fixture(revision, bridge=bridge).server for revision in revisions or REVISIONS]


def main() -> None:
    parser = argparse.ArgumentParser(description="The conformance fixture.")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--stdio", action="store_true", help="serve over stdin and stdout")
    how.add_argument("--port", type=int, help="serve over HTTP on this port of 127.0.0.1, at /mcp")
    parser.add_argument("--bridge", action="store_true", help="serve clients of the other revisions with these servers")
    parser.add_argument("revisions", nargs="*", metavar="REVISION", help="the revisions to serve; all unless given")
    options = parser.parse_args()
    servers = build(*options.revisions, bridge=options.bridge)
    if options.stdio:
        serve.stdio(*servers)
    else:
        serve.http(*servers, port=options.port)


if __name__ == "__main__":
    main()
