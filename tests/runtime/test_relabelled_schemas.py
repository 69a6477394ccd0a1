"""A schema behaves as its text says, whatever its package is called and whatever version it names."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog
from mcp_bindgen.emit.output_folder import write
from mcp_bindgen.generate import Bundled, SchemaFile, generate
from mcp_bindings import UsageError
from mcp_bindings import serve as bundled_serve
from support.revisions import STATELESS, TASK_EXTENSION
from support.scripted_peers import PATIENCE, package

Json = Any

LABELS = ("mine", "2099-01-01", "2001-01-01")
OTHER = "other"
"""The label of the schema whose version no bundled revision has."""
UNKNOWN = "2099-09-09"
PREFIX = "io.modelcontextprotocol"

each_revision = pytest.mark.parametrize("revision", REVISIONS)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("relabelled")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def relabelled(root: Path) -> Callable[[str, str], Any]:
    """Imports the package of a bundled schema under another label; all of a schema are generated at once."""

    def load(revision: str, label: str) -> Any:
        top = f"of_{revision.replace('-', '_')}"
        if not (root / top).exists():
            schema = catalog.schema_file(revision)
            other = root / f"{top}.ts"
            text = schema.read_text(encoding="utf-8")
            assert text.count(f'"{revision}"') == 1
            other.write_text(text.replace(f'"{revision}"', f'"{UNKNOWN}"'), encoding="utf-8")
            inputs = [*(SchemaFile(schema, each) for each in LABELS), SchemaFile(other, OTHER)]
            extensions = [Bundled(each) for each in catalog.extensions_of(revision)]
            write(generate([*inputs, *extensions]).files, root / top)
        return import_module(f"{top}.{catalog.package_name(label)}")

    return load


def offering(mcp: Any) -> Any:
    """A server with tools of all kinds, a resource and a prompt, for clients of its own revision."""
    server = mcp.Server("s", "1", page_size=1, revisions=[mcp.revision.REVISION])

    @server.tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    @server.tool
    def listed(word: str) -> list[str]:
        return [word, word]

    @server.tool
    def nested(key: str) -> dict[str, int]:
        return {key: 1}

    @server.tool
    def bare(text: str):
        return {"text": text}

    @server.tool
    def fails() -> str:
        text = "it failed"
        raise mcp.ToolError(text)

    def polls(context):
        context.close_stream()
        return "polled"

    def slow(context):
        context.progress(1, 2, "half")
        return "done"

    def asks(context):
        return type(context.elicit_form("Which?", Choice)).__name__

    for function in (polls, slow, *([asks] if has_forms(mcp) else [])):
        # Which class that is, the package says, so that it cannot be written above.
        function.__annotations__ = {"context": mcp.Context, "return": str}
        server.tool(function)

    @server.resource("test://a")
    def resource() -> str:
        return "text"

    @server.prompt
    def prompt(word: str) -> str:
        return word

    return server


CALLS = [
    ("add", {"a": 1}),
    ("add", {"a": "x"}),
    ("listed", {"word": "w"}),
    ("nested", {"key": "k"}),
    ("bare", {"text": "t"}),
    ("fails", {}),
    ("polls", {}),
    ("asks", {}),
    ("nosuch", {}),
]


class Noted(dict[str, Json]):
    """What a program meets that uses a package: results, errors and their texts."""

    def __init__(self, codec: Any) -> None:
        super().__init__()
        self._codec = codec

    def note(self, name: str, do: Callable[[], Any]) -> None:
        try:
            value = do()
            self[name] = self._codec.unstructure(value) if hasattr(value, "__slots__") else value
        except Exception as error:  # noqa: BLE001  # an error is a behaviour, too
            self[name] = [type(error).__name__, str(error), getattr(error, "code", None), getattr(error, "data", None)]


def has_forms(mcp: Any) -> bool:
    return "elicitation/create" in mcp.Client.binding.requests


def behaviour(mcp: Any) -> dict[str, Json]:
    codec = mcp.Client.binding.codec
    found = Noted(codec)
    server = offering(mcp)
    make = mcp.Server
    header = {"type": "object", "properties": {"a": {"type": "object", "x-mcp-header": "A"}}}
    found.note("a name with a space", lambda: make("s", "1").tools.add(lambda: "", "two words") and None)
    found.note("a header", lambda: make("s", "1").tools.add(lambda a: "", "h", input_schema=header) and None)
    found.note("a title", lambda: make("s", "1", title="T") and None)
    found.note("a cache", lambda: make("s", "1", ttl_ms=5) and None)
    found.note("an unknown option", lambda: mcp.Client.in_memory(server, nosuch=1))
    found.note("a message", lambda: mcp.decode('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 5}'))
    found.note("a batch", lambda: len(mcp.decode('[{"jsonrpc": "2.0", "method": "notifications/initialized"}]')))
    asked: list[Json] = []

    def form(params, context):
        asked.append(codec.unstructure(params))
        return mcp.types.ElicitResult(action="decline")

    progress: list[Any] = []
    options = {"elicitation": form} if has_forms(mcp) else {}
    with mcp.Client.in_memory(server, timeout=PATIENCE, **options) as client:
        for name, arguments in CALLS:
            found.note(f"call {name} {arguments}", partial(client.call_tool, name, arguments))
        found.note("progress", lambda: client.call_tool("slow", {}, on_progress=progress.append))
        found.note("tools", lambda: [codec.unstructure(each) for each in client.list_tools()])
        found.note("resource", lambda: client.read_resource("test://a"))
        found.note("no resource", lambda: client.read_resource("test://b"))
        found.note("prompt", lambda: client.get_prompt("prompt", {"word": "w"}))
        found.note("no prompt", lambda: client.get_prompt("nosuch"))
        found.note("a wrong prompt", lambda: client.get_prompt("prompt", {}))
        found.note("a wrong cursor", lambda: client.list_tools_page(cursor="nosuch"))
        found["version"] = client.binding.revision
    found["forms"] = asked
    found["progress heard"] = [codec.unstructure(each) for each in progress]
    found["facts"] = {**mcp.revision.FACTS._asdict(), **_sorted(mcp.revision.FACTS), "label": "", "base": ""}
    found["http"] = over_http(mcp, server)
    plain: dict[str, Json] = json.loads(json.dumps(found).replace(mcp.revision.REVISION, "VERSION"))
    return plain


@dataclass
class Choice:
    """A form."""

    size: int = 3
    colour: Literal["red", "blue"] = "red"


def _sorted(facts: Any) -> dict[str, Json]:
    return {name: sorted(value) for name, value in facts._asdict().items() if isinstance(value, frozenset)}


def over_http(mcp: Any, server: Any) -> Json:
    """What a server answers to its first request over HTTP, and to one for a version that there is not."""
    import io
    from wsgiref.util import setup_testing_defaults

    app = server.wsgi_app()
    answers: list[Json] = []
    for version in (mcp.revision.REVISION, "1999-01-01"):
        who = {"name": "c", "version": "1"}
        entries = {"protocolVersion": version, "clientInfo": who, "clientCapabilities": {}}
        meta = {f"io.modelcontextprotocol/{name}": value for name, value in entries.items()}
        first = {
            "initialize": {"protocolVersion": version, "capabilities": {}, "clientInfo": who},
            "prompts/list": {"_meta": meta},
        }
        for method, params in first.items():
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
            environ: dict[str, Any] = {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": "/",
                "CONTENT_TYPE": "application/json",
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_ACCEPT": "application/json, text/event-stream",
                "HTTP_MCP_PROTOCOL_VERSION": version,
                "HTTP_MCP_METHOD": method,
                "wsgi.input": io.BytesIO(body),
            }
            setup_testing_defaults(environ)
            status: list[str] = []
            text = b"".join(app(environ, lambda line, headers, status=status: status.append(line)))
            answers.append([method, *status, text.decode()])
    return answers


@pytest.fixture(scope="module")
def bundled() -> Callable[[str], dict[str, Json]]:
    known: dict[str, dict[str, Json]] = {}

    def of(revision: str) -> dict[str, Json]:
        if revision not in known:
            known[revision] = behaviour(package(revision))
        return known[revision]

    return of


@each_revision
@pytest.mark.parametrize("label", LABELS)
def test_a_label_changes_nothing(
    revision: str, label: str, relabelled: Callable[[str, str], Any], bundled: Callable[[str], Json]
) -> None:
    mcp = relabelled(revision, label)
    assert revision == mcp.revision.REVISION
    assert (mcp.revision.FACTS.label, mcp.revision.FACTS.base) == (label, revision)
    assert behaviour(mcp) == bundled(revision)


@each_revision
def test_a_version_of_its_own_changes_what_is_named_and_nothing_else(
    revision: str, relabelled: Callable[[str, str], Any], bundled: Callable[[str], Json]
) -> None:
    """A fork whose ``LATEST_PROTOCOL_VERSION`` no bundled revision has takes its prose from the nearest of them."""
    mcp = relabelled(revision, OTHER)
    assert mcp.revision.REVISION == UNKNOWN
    assert mcp.revision.FACTS.base == revision
    assert behaviour(mcp) == bundled(revision)


@each_revision
@pytest.mark.parametrize("label", [*LABELS, OTHER])
def test_a_server_of_a_copy_serves_its_own_revision_alone(
    revision: str, label: str, relabelled: Callable[[str, str], Any]
) -> None:
    """The steps between revisions are those of the bundled ones."""
    mcp = relabelled(revision, label)
    assert mcp.Server("s", "1").revisions == (mcp.revision.REVISION,)
    assert package(revision).Server("s", "1").revisions == tuple(reversed(REVISIONS))


@pytest.mark.parametrize("label", [LABELS[0], OTHER])
def test_tools_become_tasks_in_a_fork_of_the_revision_that_the_extension_extends(
    label: str, relabelled: Callable[[str, str], Any]
) -> None:
    assert TASK_EXTENSION is not None
    mcp = relabelled(TASK_EXTENSION, label)
    server = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools={"ask": "required"}, poll=0.01))

    def ask(context):
        return context.elicit_form("Which?", Choice).value.colour

    ask.__annotations__ = {"context": mcp.Context, "return": str}
    server.tool(ask)

    def choose(params, context):
        return mcp.types.ElicitResult(action="accept", content={"size": 1, "colour": "blue"})

    with mcp.Client.in_memory(server, tasks=True, timeout=PATIENCE, elicitation=choose) as client:
        assert client.call_tool("ask").content[0].text == "blue"


SEVERAL = """
import sys
sys.path.insert(0, sys.argv[1])
from {top} import serve, {packages}

servers = []
for each in ({packages}):
    server = each.Server("s", "1")
    server.tool(lambda revision=each.revision.REVISION: revision, name="which", input_schema={{"type": "object"}})
    server.resource("test://a")(lambda: "a")
    servers.append(server)
serve.stdio(*servers)
"""


@pytest.mark.parametrize("revision", STATELESS)
def test_each_request_names_its_revision_unless_one_of_another_is_in_progress(
    revision: str, relabelled: Callable[[str, str], Any], root: Path
) -> None:
    """2026-07-28, Versioning: a client chooses among the revisions that ``server/discover`` lists."""
    copies = [relabelled(revision, label).__name__ for label in (LABELS[0], OTHER)]
    names = ", ".join(each.partition(".")[2] for each in copies)
    program = SEVERAL.format(top=copies[0].partition(".")[0], packages=names)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(version: str, method: str, number: int, **params: Json) -> Json:
            meta = {f"{PREFIX}/protocolVersion": version, f"{PREFIX}/clientCapabilities": {}}
            send({"id": number, "method": method, "params": {**params, "_meta": meta}})
            # An acknowledgement is a notification; the end of a subscription, which has another id, is passed over.
            return next(each for each in map(json.loads, process.stdout) if each.get("id", number) == number)

        def send(message: Json) -> None:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()

        listed = ask(UNKNOWN, "server/discover", 1)["result"]["supportedVersions"]
        assert listed == [UNKNOWN, revision]
        for number, version in enumerate([revision, UNKNOWN, revision], start=2):
            assert ask(version, "tools/call", number, name="which")["result"]["content"][0]["text"] == version
        wanted = {"resourceSubscriptions": ["test://a"]}
        assert "method" in ask(revision, "subscriptions/listen", 5, notifications=wanted)
        refused = ask(UNKNOWN, "tools/call", 6, name="which")["error"]
        assert (refused["code"], refused["data"]) == (-32022, {"supported": listed, "requested": UNKNOWN})
        assert ask(revision, "tools/call", 7, name="which")["result"]["content"][0]["text"] == revision
        send({"method": "notifications/cancelled", "params": {"requestId": 5}})
        assert ask(UNKNOWN, "tools/call", 8, name="which")["result"]["content"][0]["text"] == UNKNOWN
        assert ask("1999-01-01", "tools/call", 9, name="which")["error"]["data"]["supported"] == listed
        process.stdin.close()


@pytest.fixture(params=[REVISIONS[0], REVISIONS[-1]])
def beside(request: pytest.FixtureRequest, relabelled: Callable[[str, str], Any]) -> tuple[str, Any, Any, Any]:
    """A revision, its copy under two labels in one folder, and the package around them."""
    revision: str = request.param
    copies = [relabelled(revision, label) for label in LABELS[1:]]
    return revision, *copies, import_module(copies[0].__name__.partition(".")[0])


def test_servers_of_one_version_cannot_be_served_together(beside: tuple[str, Any, Any, Any]) -> None:
    revision, *copies, top = beside
    serve, errors = import_module(f"{top.__name__}.serve"), import_module(f"{top.__name__}.runtime.errors")
    servers = [copy.Server("s", "1") for copy in copies]
    ways: list[Callable[[], object]] = [
        lambda: serve.stdio(*servers),
        lambda: serve.wsgi_app(*servers),
        lambda: serve.http(*servers, port=0, ready=lambda http: http.close()),
    ]
    for way in ways:
        with pytest.raises(errors.UsageError, match=f"two servers of {revision} cannot share a transport"):
            way()


def test_a_server_is_not_served_beside_one_of_another_runtime(beside: tuple[str, Any, Any, Any]) -> None:
    revision, copy, *_ = beside
    servers = [package(revision).Server("s", "1"), copy.Server("s", "1")]
    ways: list[Callable[[], object]] = [
        lambda: bundled_serve.stdio(*servers),
        lambda: bundled_serve.wsgi_app(*servers),
        lambda: bundled_serve.http(*servers, port=0, ready=lambda http: http.close()),
    ]
    for way in ways:
        with pytest.raises(UsageError, match="each argument must be a server object"):
            way()


def test_connect_needs_one_package_for_each_version(beside: tuple[str, Any, Any, Any]) -> None:
    revision, copy, _, top = beside
    connect, errors = import_module(f"{top.__name__}.connect"), import_module(f"{top.__name__}.runtime.errors")
    server = offering(copy)
    with pytest.raises(errors.UsageError, match=f"both have the protocol version {revision}; name one in `revisions`"):
        connect.in_memory(server)
    with connect.in_memory(server, revisions=[LABELS[1]]) as client:
        assert isinstance(client, copy.Client)
        assert client.binding.revision == revision


def test_the_probe_tells_the_revisions_apart(bundled: Callable[[str], Json]) -> None:
    texts = {json.dumps(bundled(revision), sort_keys=True) for revision in REVISIONS}
    assert len(texts) == len(REVISIONS)
    assert bundled(REVISIONS[-1])["call add {'a': 1}"]["structuredContent"] == 2


def test_tools_return_the_content_that_the_schema_adds(root: Path) -> None:
    text = catalog.schema_file("2025-11-25").read_text(encoding="utf-8")
    video = '/** A film. */\nexport interface VideoContent {\n  type: "video";\n  /** Its address. */\n  filmUrl: string;\n}\n\n'
    declared = "export type ContentBlock =\n  TextContent |"
    assert text.count(declared) == 1
    text = text.replace(declared, "export type ContentBlock =\n  VideoContent | TextContent |")
    schema = root / "films.ts"
    schema.write_text(text.replace("/** Content block with text. */", f"{video}/** Content block with text. */", 1))
    write(generate([SchemaFile(schema, "films")]).files, root / "of_films")
    mcp = import_module("of_films.films")
    server = mcp.Server("s", "1")

    @server.tool
    def film() -> Any:
        return mcp.VideoContent(film_url="x:///y")

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        (block,) = client.call_tool("film").content
    assert block == mcp.VideoContent(film_url="x:///y")
