"""The cells of the bridge on the server's side: every feature, with a server of one revision and a client of another.

``EXCEPTIONS`` says what becomes of a feature where it does not simply work; the tests hold each cell against it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import Queue
from typing import Any, Literal, NamedTuple

import pytest
from mcp_bindings_runtime.errors import McpError, ResponseError
from support.revisions import HANDSHAKE, STATELESS, WITH_FORMS, WITH_STRUCTURE, those_with, those_with_methods
from support.scripted_peers import PATIENCE, eventually, package, text_of

URI = "file:///made-up/note"
OUTPUT = those_with(lambda each: each.output_schemas)
COMPLETIONS = those_with_methods("completion/complete")
WITH_AUDIO = those_with(lambda each: "AudioContent" in each.content_blocks)
WITH_LINKS = those_with(lambda each: "ResourceLink" in each.content_blocks)
WITH_PAGES = [each for each in WITH_FORMS if hasattr(package(each).types, "ElicitRequestURLParams")]

WITH_TASKS = [*those_with_methods("tasks/result"), *STATELESS]

Kind = Literal["works", "loss", "refused", "absent"]
Connect = Callable[..., Any]
"""Returns a connected client of the cell, as a context manager; the options are the client's."""


class Outcome(NamedTuple):
    """The outcome of a cell: it works, works with a loss, or is refused; ``absent`` if one of the sides lacks it."""

    kind: Kind
    note: str = ""


WORKS = Outcome("works")


class Exceptional(NamedTuple):
    """An outcome other than ``works``, for the pairs of revisions for which ``applies`` returns True."""

    feature: str
    applies: Callable[[str, str], bool]
    outcome: Outcome


def _changes_era(server: str, client: str) -> bool:
    return (server in HANDSHAKE) != (client in HANDSHAKE)


EXCEPTIONS = (
    Exceptional(
        "structured results",
        lambda server, client: server in WITH_STRUCTURE and client not in WITH_STRUCTURE,
        Outcome(
            "loss",
            "the client's revision has no structured content, so the client does not get it. But the result of a "
            "`@server.tool` function also contains the data as JSON text, unless the function returns a "
            "`CallToolResult` with other content",
        ),
    ),
    Exceptional("structured results", lambda server, _: server not in WITH_STRUCTURE, Outcome("absent")),
    Exceptional(
        "audio",
        lambda server, client: server in WITH_AUDIO and client not in WITH_AUDIO,
        Outcome(
            "works",
            "the client's revision has no audio, so the client gets the audio in the result of a tool or prompt as an "
            "embedded resource",
        ),
    ),
    Exceptional("audio", lambda server, _: server not in WITH_AUDIO, Outcome("absent")),
    Exceptional(
        "resource links",
        lambda server, client: server in WITH_LINKS and client not in WITH_LINKS,
        Outcome(
            "loss",
            "the client's revision has no resource links, so the client gets a resource link as a text block with its "
            "title (or its name, if it has no title), its URI and its description",
        ),
    ),
    Exceptional("resource links", lambda server, _: server not in WITH_LINKS, Outcome("absent")),
    Exceptional("elicitation: forms", lambda server, _: server not in WITH_FORMS, Outcome("absent")),
    Exceptional(
        "elicitation: forms",
        lambda _, client: client not in WITH_FORMS,
        Outcome("refused", "the client's revision has no elicitation"),
    ),
    Exceptional("elicitation: web pages", lambda server, _: server not in WITH_PAGES, Outcome("absent")),
    Exceptional(
        "elicitation: web pages",
        lambda _, client: client not in WITH_PAGES,
        Outcome("refused", "the client's revision has no elicitation by URL"),
    ),
    Exceptional("tasks", lambda server, _: server not in WITH_TASKS, Outcome("absent")),
    Exceptional(
        "tasks",
        lambda _, client: client not in WITH_TASKS,
        Outcome("loss", "the client's revision has no tasks, so the client gets the result when the call has ended"),
    ),
    Exceptional("ping", lambda _, client: client in STATELESS, Outcome("absent")),
)


def outcome(feature: str, server: str, client: str) -> Outcome:
    """Return the outcome of a cell: the first exception that applies, else it works."""
    found = (each.outcome for each in EXCEPTIONS if each.feature == feature and each.applies(server, client))
    return next(found, WORKS)


class Cell(NamedTuple):
    """One feature between a server and a client of two revisions."""

    server: Any
    """The server object, made by the package of its revision."""
    mcp: Any
    """The package of the server."""
    client_mcp: Any
    """The package of the client."""
    connect: Connect
    outcome: Outcome
    wire: str = ""
    """The revision on the wire if the client converts; else it is the client's."""


Feature = Callable[[Cell], None]
FEATURES: dict[str, Feature] = {}


def feature(name: str) -> Callable[[Feature], Feature]:
    """Register the check of a feature."""

    def register(function: Feature) -> Feature:
        FEATURES[name] = function
        return function

    return register


def _ask(cell: Cell, ask: Callable[[Any], Any]) -> list[str]:
    """Register a tool that returns the text of what a function of its context returns; return the list of its runs."""
    runs: list[str] = []

    @cell.server.handler(cell.mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        runs.append(params.name)
        try:
            found = ask(context)
        except McpError as error:
            found = f"{type(error).__name__}: {error} {getattr(error, 'data', None)}"
        return cell.mcp.types.CallToolResult(content=[cell.mcp.types.TextContent(text=str(found))])

    return runs


@feature("tools")
def check_tools(cell: Cell) -> None:
    @cell.server.tool
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    with cell.connect() as client:
        (tool,) = client.list_tools()
        assert (tool.name, tool.description) == ("add", "Add two numbers.")
        schema = client.binding.codec.unstructure(tool.input_schema)
        assert schema["required"] == ["a"]
        assert text_of(client.call_tool("add", {"a": 1})) == "3"
        wrong = _failure(lambda: client.call_tool("add", {"a": "x"}))
        assert "a" in wrong


def _failure(call: Callable[[], Any]) -> str:
    """Return the text of a failed call, whether an error response or a result reports it."""
    try:
        result = call()
    except McpError as error:
        return str(error)
    assert result.is_error
    return text_of(result)


@dataclass
class Sum:
    total: int


@feature("structured results")
def check_structure(cell: Cell) -> None:
    @cell.server.tool
    def add(a: int, b: int) -> Sum:
        return Sum(a + b)

    with cell.connect() as client:
        result = client.call_tool("add", {"a": 1, "b": 2})
        assert '"total": 3' in text_of(result) or '"total":3' in text_of(result)
        plain = client.binding.codec.unstructure(result)
        assert plain["structuredContent"] == {"total": 3}
        declared = hasattr(result, "structured_content")
        assert declared == (cell.outcome.kind == "works")


@feature("audio")
def check_audio(cell: Cell) -> None:
    types = cell.mcp.types

    @cell.server.handler(cell.mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return types.CallToolResult(content=[types.AudioContent(data="aGk=", mime_type="audio/wav")])

    with cell.connect() as client:
        (block,) = client.binding.codec.unstructure(client.call_tool("x"))["content"]
        if cell.outcome.note:
            assert (block["type"], block["resource"]["blob"]) == ("resource", "aGk=")
        else:
            assert (block["type"], block["data"]) == ("audio", "aGk=")


@feature("resource links")
def check_links(cell: Cell) -> None:
    types = cell.mcp.types

    @cell.server.handler(cell.mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return types.CallToolResult(content=[types.ResourceLink(uri=URI, name="note")])

    with cell.connect() as client:
        (block,) = client.binding.codec.unstructure(client.call_tool("x"))["content"]
        if cell.outcome.kind == "loss":
            assert block["text"] == f"note: {URI}"
        else:
            assert block["uri"] == URI


@feature("resources")
def check_resources(cell: Cell) -> None:
    @cell.server.resource(URI)
    def note() -> str:
        return "noted"

    @cell.server.resource_template("file:///made-up/{name}.txt")
    def text(name: str) -> str:
        return name.upper()

    with cell.connect() as client:
        assert [each.uri for each in client.list_resources()] == [URI]
        assert [each.uri_template for each in client.list_resource_templates()] == ["file:///made-up/{name}.txt"]
        assert client.read_resource(URI).contents[0].text == "noted"
        assert client.read_resource("file:///made-up/b.txt").contents[0].text == "B"


@feature("error codes")
def check_errors(cell: Cell) -> None:
    @cell.server.resource(URI)
    def note() -> str:
        raise ResponseError(-5, "no such luck", {"why": 7})

    with cell.connect() as client:
        with pytest.raises(ResponseError) as caught:
            client.read_resource(f"{URI}s")
        assert caught.value.code == client.binding.facts.unknown_resource_code
        assert caught.value.data == {"uri": f"{URI}s"}
        with pytest.raises(ResponseError) as caught:
            client.read_resource(URI)
        assert (caught.value.code, caught.value.message, caught.value.data) == (-5, "no such luck", {"why": 7})


@feature("prompts")
def check_prompts(cell: Cell) -> None:
    @cell.server.prompt
    def greet(name: str) -> str:
        """Greet somebody."""
        return f"Hello {name}"

    @cell.server.completion(prompt="greet", argument="name")
    def names(value: str) -> list[str]:
        return [each for each in ("Ann", "Anton", "Bea") if each.startswith(value)]

    with cell.connect() as client:
        (prompt,) = client.list_prompts()
        assert (prompt.name, [each.name for each in prompt.arguments]) == ("greet", ["name"])
        assert client.get_prompt("greet", {"name": "Ann"}).messages[0].content.text == "Hello Ann"
        types = cell.client_mcp.types
        reference = types.PromptReference(name="greet")
        found = client.complete(reference, types.CompleteRequestParamsArgument(name="name", value="An"))
        assert found.completion.values == ["Ann", "Anton"]


@feature("log messages")
def check_logging(cell: Cell) -> None:
    def work(context: Any) -> str:
        context.log("debug", "not wanted")
        context.log("warning", {"left": 1})
        return "done"

    _ask(cell, work)

    seen: Queue[Any] = Queue()
    with cell.connect(on_log=seen.put, log_level="info") as client:
        assert text_of(client.call_tool("work")) == "done"
        message = seen.get(timeout=PATIENCE)
        assert (message.level, message.data) == ("warning", {"left": 1})
        assert seen.empty()


@feature("progress")
def check_progress(cell: Cell) -> None:
    def work(context: Any) -> str:
        context.progress(1, 2)
        context.progress(2, 2)
        return "done"

    _ask(cell, work)

    seen: list[tuple[float, float]] = []
    with cell.connect() as client:
        result = client.call_tool("work", on_progress=lambda params: seen.append((params.progress, params.total)))
        assert text_of(result) == "done"
        assert seen[-1] == (2, 2)


@feature("cancellation")
def check_cancellation(cell: Cell) -> None:
    started, stopped = threading.Event(), threading.Event()

    def work(context: Any) -> str:
        started.set()
        eventually(lambda: context.cancelled)
        stopped.set()
        return "nobody reads this"

    _ask(cell, work)

    with cell.connect() as client:
        running = client.start(client.call_tool, "work")
        assert started.wait(PATIENCE)
        running.cancel()
        assert stopped.wait(PATIENCE)


@feature("resource updates")
def check_updates(cell: Cell) -> None:
    @cell.server.resource(URI)
    def note() -> str:
        return "noted"

    seen: Queue[Any] = Queue()
    if cell.client_mcp.REVISION in STATELESS:
        with cell.connect() as client, client.listen(resource=[URI], timeout=PATIENCE) as changes:
            cell.server.resources.updated(URI)
            change = next(iter(changes))
            assert change.params.uri == URI if hasattr(change, "params") else change.uri == URI
        return
    with cell.connect(on_resource_updated=seen.put) as client:
        client.subscribe(URI)
        cell.server.resources.updated(URI)
        assert seen.get(timeout=PATIENCE).uri == URI
        with pytest.raises(ResponseError) as caught:
            client.subscribe(f"{URI}s")
        assert caught.value.code == client.binding.facts.unknown_resource_code
        client.unsubscribe(URI)


@feature("list changes")
def check_list_changes(cell: Cell) -> None:
    @cell.server.tool
    def first() -> str:
        return "1"

    def second() -> str:
        return "2"

    if cell.client_mcp.REVISION in STATELESS:
        with cell.connect() as client, client.listen(tools=True, timeout=PATIENCE) as changes:
            cell.server.tools.add(second)
            assert next(iter(changes)) is not None
            assert len(list(client.list_tools())) == 2
        return
    changed = threading.Event()
    with cell.connect(on_tools_changed=changed.set) as client:
        assert len(list(client.list_tools())) == 1
        cell.server.tools.add(second)
        assert changed.wait(PATIENCE)
        assert len(list(client.list_tools())) == 2


def _ran(cell: Cell, runs: list[str], questions: int = 1) -> bool:
    """Return whether the handler ran as often as its author expects: again for each answer where both are stateless."""
    replays = cell.mcp.REVISION in STATELESS and (cell.wire or cell.client_mcp.REVISION) in STATELESS
    return len(runs) == (questions + 1 if replays else 1)


@dataclass
class Named:
    name: str


@feature("elicitation: forms")
def check_form(cell: Cell) -> None:
    runs = _ask(cell, lambda context: context.elicit_form("Who?", Named))
    types = cell.client_mcp.types
    seen: list[Any] = []

    def fill_in(params: Any, context: Any) -> Any:
        seen.append(params.message)
        return types.ElicitResult(action="accept", content={"name": "Ann"})

    options = {} if cell.client_mcp.REVISION not in WITH_FORMS else {"elicitation": fill_in}
    with cell.connect(**options) as client:
        text = text_of(client.call_tool("x"))
        if cell.outcome.kind == "refused":
            assert "elicitation" in text
            assert seen == []
        else:
            assert "Named(name='Ann')" in text
            assert seen == ["Who?"]
            assert _ran(cell, runs)


@feature("elicitation: web pages")
def check_page(cell: Cell) -> None:
    key = cell.mcp.methods.ELICIT
    named = {} if cell.mcp.REVISION in STATELESS else {"elicitation_id": "page-1"}
    made = cell.mcp.types.ElicitRequestURLParams(message="Pay", url="https://pay.example/", **named)
    _ask(cell, lambda context: context.request(key, made).action)
    types = cell.client_mcp.types
    seen: list[Any] = []

    def visit(params: Any, context: Any) -> Any:
        seen.append(params.url)
        return types.ElicitResult(action="accept")

    options = {} if cell.client_mcp.REVISION not in WITH_PAGES else {"elicitation_url": visit}
    with cell.connect(**options) as client:
        text = text_of(client.call_tool("x"))
        if cell.outcome.kind == "refused":
            assert "elicitation" in text
        else:
            assert seen == ["https://pay.example/"]
            assert "accept" in text


@feature("sampling")
def check_sampling(cell: Cell) -> None:
    runs = _ask(cell, lambda context: context.sample("How?", max_tokens=5))
    types = cell.client_mcp.types

    def sample(params: Any, context: Any) -> Any:
        content = types.TextContent(text=f"so, {params.max_tokens}")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    with cell.connect(sampling=sample) as client:
        assert text_of(client.call_tool("x")) == "so, 5"
        assert _ran(cell, runs)


@feature("roots")
def check_roots(cell: Cell) -> None:
    runs = _ask(cell, lambda context: [each.uri for each in context.roots()])
    with cell.connect(roots=["/tmp"]) as client:
        assert text_of(client.call_tool("x")) == "['file:///tmp']"
        assert _ran(cell, runs)


@feature("several requests for input in one call")
def check_questions(cell: Cell) -> None:
    def ask(context: Any) -> str:
        return " ".join(context.sample(f"Number {each}", max_tokens=each) for each in (1, 2, 3))

    runs = _ask(cell, ask)
    types = cell.client_mcp.types

    def sample(params: Any, context: Any) -> Any:
        content = types.TextContent(text=f"<{params.max_tokens}>")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    with cell.connect(sampling=sample) as client:
        assert text_of(client.call_tool("x")) == "<1> <2> <3>"
        assert _ran(cell, runs, 3)


@feature("errors for requests for input that the client has not declared")
def check_undeclared(cell: Cell) -> None:
    _ask(cell, lambda context: context.sample("How?", max_tokens=5))
    with cell.connect() as client:
        text = _failure_or_text(lambda: client.call_tool("x"))
        assert "sampling" in text


def _failure_or_text(call: Callable[[], Any]) -> str:
    try:
        return text_of(call())
    except McpError as error:
        return f"{error} {getattr(error, 'data', None)}"


@feature("tasks")
def check_tasks(cell: Cell) -> None:
    cell.server.tasks.declare("work", "optional")
    cell.server.tasks.poll = 0.01

    @cell.server.tool
    def work(context) -> str:
        return "plain" if getattr(context, "task", None) is None else "task"

    with cell.connect(**({"tasks": True} if cell.client_mcp.REVISION in STATELESS else {})) as client:
        if cell.outcome.kind == "works":
            assert text_of(client.call_tool_as_task("work").result(PATIENCE)) == "task"
        else:
            assert text_of(client.call_tool("work")) == "plain"


@feature("ping")
def check_ping(cell: Cell) -> None:
    with cell.connect() as client:
        client.ping()


@feature("names and capabilities of both sides")
def check_introductions(cell: Cell) -> None:
    def who(context: Any) -> str:
        assert isinstance(context.peer_info, cell.mcp.types.Implementation)
        assert isinstance(context.peer_capabilities, cell.mcp.types.ClientCapabilities)
        return f"{context.peer_info.name} {context.peer_revision} {context.ledger is None}"

    _ask(cell, who)

    with cell.connect(name="visitor") as client:
        same = cell.mcp.REVISION == cell.client_mcp.REVISION
        assert text_of(client.call_tool("who")) == f"visitor {cell.client_mcp.REVISION} {same}"
        assert client.server_info.name == "s"
