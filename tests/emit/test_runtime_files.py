"""Copies of the runtime have what their packages import, and nothing that they cannot use."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import mcp_bindings_runtime
import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen.emit.output_folder import write
from mcp_bindgen.emit.runtime_files import Purpose, relative_imports, runtime_files
from mcp_bindgen.generate import Bundled, SchemaFile, generate
from mcp_bindings_runtime.distribution import LIBRARIES, install_command

SOURCES = Path(mcp_bindings_runtime.__file__).parent
ROOMS: dict[Purpose, set[str]] = {
    "codec": {"client", "server", "http", "tasks", "auth", "connection", "session", "transports"},
    "client": {"http/redis", "http/server", "auth/resource_server"},
    "server": {"adapters", "client", "auth/authorization_code.py"},
}
"""Parts of the runtime that a copy for one purpose is without."""

IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for name in dir(package):
    getattr(package, name)
for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
    if not module.name.endswith((".testing", "orjson_text")) and not {"redis", "cheroot_fast_path"} & set(module.name.split(".")):
        found = importlib.import_module(module.name)
        for name in dir(found):
            getattr(found, name)
"""


@pytest.mark.parametrize("purpose", ["codec", "client", "server"])
def test_a_copy_for_one_purpose_works_without_the_rest(purpose: Purpose, tmp_path: Path) -> None:
    files = generate([Bundled(REVISIONS[0]), Bundled(REVISIONS[-1])], purpose=purpose).files
    for room in ROOMS[purpose]:
        assert not [path for path in files if path.startswith(f"runtime/{room}")], room
    others = {"client", "server"} - {purpose}
    assert not [path for path in files if path.endswith(tuple(f"_{each}.py" for each in others)) and path[0] == "v"]
    write(files, tmp_path / f"only_{purpose}")
    command = [sys.executable, "-c", IMPORT_ALL, f"only_{purpose}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_client_and_a_server_of_two_copies_talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = Bundled(REVISIONS[-1])
    for purpose in ("client", "server"):
        write(generate([revision], purpose=purpose).files, tmp_path / f"talking_{purpose}")
    program = "from talking_server import " + package_name() + " as mcp\n"
    program += "server = mcp.Server('a', '1')\n@server.tool\ndef add(a: int, b: int) -> str:\n    return str(a + b)\n"
    (tmp_path / "program.py").write_text(f"{program}server.run_stdio()\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    mcp = importlib.import_module(f"talking_client.{package_name()}")
    with mcp.Client.stdio([sys.executable, str(tmp_path / "program.py")], timeout=30) as client:
        assert client.call_tool("add", {"a": 1, "b": 2}).text == "3"


def test_a_copy_without_servers_cannot_replay_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(generate([Bundled(REVISIONS[-1])], purpose="client").files, tmp_path / "listening_client")
    mcp = importlib.import_module("mcp_bindings." + package_name())
    with mcp.Client.in_memory(mcp.Server("a", "1"), record=tmp_path / "a.jsonl") as client:
        assert client.connected
    monkeypatch.syspath_prepend(str(tmp_path))
    copied = importlib.import_module(f"listening_client.{package_name()}")
    with pytest.raises(copied.UsageError, match="the copy has none; generate it without --only client"):
        copied.Client.replay(tmp_path / "a.jsonl").connect()


WITHOUT_TASKS = REVISIONS[:3]


def test_each_relative_import_of_the_runtime_is_found() -> None:
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        nodes = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.ImportFrom) and each.level]
        assert {*map(ast.dump, relative_imports([text]))} == {*map(ast.dump, nodes)}, path


@pytest.mark.parametrize("purpose", ["all", "client", "server"])
@pytest.mark.parametrize("revisions", [[each] for each in WITHOUT_TASKS] + [list(WITHOUT_TASKS)], ids="+".join)
def test_a_copy_of_revisions_without_tasks_has_no_modules_for_them(revisions: list[str], purpose: Purpose) -> None:
    files = generate([Bundled(each) for each in revisions], purpose=purpose).files
    assert not [path for path in files if path.startswith("runtime/tasks/")]
    assert not [path for path in files if path.endswith(("/client_tasks.py", "/twin_tasks.py"))]
    assert not [path for path, text in files.items() if re.search(r"\bstart_task\b|\bMemoryTasks:", text)]


@pytest.mark.parametrize(
    ("revisions", "purpose", "expected"),
    [
        (["2025-11-25"], "all", {"store", "core_tasks", "task_handle", "tool_support"}),
        (["2025-11-25"], "client", {"store", "core_tasks", "task_handle", "tool_support"}),
        (["2025-11-25"], "server", {"store", "core_tasks"}),
        (["2024-11-05", "2025-11-25"], "server", {"store", "core_tasks"}),
        (["2026-07-28"], "server", {"store", "extension_tasks"}),
        (["2025-06-18", "2026-07-28", "ext-tasks"], "client", {"store", "extension_binding", "polled_task"}),
    ],
)
def test_a_copy_has_the_modules_for_tasks_if_a_revision_needs_them(
    revisions: list[str], purpose: Purpose, expected: set[str]
) -> None:
    files = generate([Bundled(each) for each in revisions], purpose=purpose).files
    assert expected <= {Path(path).stem for path in files if path.startswith("runtime/tasks/")}


def test_packages_with_tasks_beside_it_keep_them() -> None:
    beside = {path: text for path, text in generate([Bundled("2025-11-25")]).files.items() if path.startswith("v")}
    files = generate([Bundled(REVISIONS[0])], beside=beside, present=["2025-11-25"]).files
    assert {"runtime/tasks/core_tasks.py", "runtime/bridge/twin_tasks.py"} <= files.keys()
    assert "start_task" in files["__init__.py"]


def test_a_copy_of_everything_has_all_modules_that_are_imported_by_name() -> None:
    files = generate([Bundled(each) for each in [*REVISIONS, "ext-tasks"]]).files
    named = {f"runtime/{place}.py" for path, text in runtime_files().items() for place in names_imported(path, text)}
    assert {"runtime/bridge/server_twin.py", "runtime/tasks/core_tasks.py", "runtime/bridge/client_tasks.py"} <= named
    assert named <= files.keys()


def names_imported(path: str, text: str) -> Iterator[str]:
    """Yield the places in the runtime of the modules that a module of it imports by name."""
    folder = Path(path.removeprefix("runtime/")).parent
    for tasks, dots, name in re.findall(r'\b(?:import_|(tasks_))module\("(\.*)([\w.]+)"', text):
        if tasks:
            yield f"tasks/{name}"
        elif dots:
            above = folder if dots == "." else folder.parents[len(dots) - 2]
            yield (above / name.replace(".", "/")).as_posix()


SPEAKING = """
from {package} import McpError, UsageError, connect, serve
import {package}, {package}.{revision} as mcp

server = mcp.Server("demo", "1")

@server.tool
def add(a: int, b: int) -> str:
    return str(a + b)

with mcp.Client.in_memory(server) as client:
    print(client.call_tool("add", {{"a": 1, "b": 2}}).content[0].text)
    running = client.start(client.call_tool, "add", {{"a": 2, "b": 2}})
    print(running.result(60).content[0].text)
with connect.in_memory(server) as client:
    print(client.binding.revision)
for attempt in (lambda: server.tasks, lambda: mcp.Server("a", "1", tasks=object()), lambda: mcp.Client.stdio(["x"], tasks=object())):
    try:
        attempt()
    except UsageError as error:
        print(str(error).partition(";")[0])
"""


def test_a_client_and_a_server_of_a_copy_without_tasks_speak(tmp_path: Path) -> None:
    write(generate([Bundled("2025-06-18")], folder="plain_mcp").files, tmp_path / "plain_mcp")
    program = SPEAKING.format(package="plain_mcp", revision="v2025_06_18")
    assert printed(program, tmp_path) == ["3", "4", "2025-06-18", *["2025-06-18 has no tasks"] * 3]
    assert import_all("plain_mcp", tmp_path) == ""


SERVING = """
import sys
sys.path.insert(0, {folder!r})
from serving_mcp import v2025_06_18 as mcp
server = mcp.Server("demo", "1")

@server.tool
def add(a: int, b: int) -> str:
    return str(a + b)

server.run_stdio()
"""


def test_a_server_of_a_copy_serves_the_other_revisions_in_it(tmp_path: Path) -> None:
    write(generate([Bundled(each) for each in WITHOUT_TASKS], purpose="server").files, tmp_path / "serving_mcp")
    (tmp_path / "program.py").write_text(SERVING.format(folder=str(tmp_path)), encoding="utf-8")
    for revision in WITHOUT_TASKS:
        mcp = importlib.import_module(f"mcp_bindings.{package_of(revision)}")
        command = [sys.executable, str(tmp_path / "program.py")]
        with mcp.Client.stdio(command, timeout=60, revisions=[revision]) as client:
            assert client.call_tool("add", {"a": 1, "b": 2}).text == "3"


TASKS = """
from tasks_mcp import v{server} as theirs, v{client} as ours

server = theirs.Server("demo", "1", tasks=theirs.MemoryTasks(tools={{"add": "optional"}}, poll=0.01))

@server.tool
def add(a: int, b: int) -> str:
    return str(a + b)

with ours.Client.in_memory(server, **{options}) as client:
    client.list_tools()
    print(client.call_tool_as_task("add", {{"a": 1, "b": 2}}).result(60).text)
"""


@pytest.mark.parametrize(
    ("client", "server"), [("2025-11-25", "2026-07-28"), ("2026-07-28", "2025-11-25"), ("2025-11-25", "2025-11-25")]
)
def test_tasks_work_across_the_revisions_of_a_copy(client: str, server: str, tmp_path: Path) -> None:
    labels: list[str] = sorted({client, server, *(["ext-tasks"] if client != server else [])})
    write(generate([Bundled(each) for each in labels]).files, tmp_path / "tasks_mcp")
    options = {"tasks": True} if client == "2026-07-28" else {}
    names = {"client": client.replace("-", "_"), "server": server.replace("-", "_")}
    assert printed(TASKS.format(**names, options=options), tmp_path) == ["3"]


def printed(program: str, folder: Path) -> list[str]:
    """Return the lines that a program prints in a folder, where it sees no installed packages of this project."""
    hidden = "import sys\nfor name in ('mcp_bindings', 'mcp_bindings_runtime', 'mcp_bindgen'):\n    sys.modules[name] = None\n"
    command = [sys.executable, "-c", hidden + program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def import_all(package: str, folder: Path) -> str:
    """Import all modules of a copy, and read all their names; return the error."""
    command = [sys.executable, "-c", IMPORT_ALL, package]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr


def runtime_of(files: Iterable[str]) -> set[str]:
    """Return the paths of the runtime among the files of a copy."""
    return {path for path in files if path.startswith("runtime/")}


def package_of(revision: str) -> str:
    return f"v{revision.replace('-', '_')}"


def package_name() -> str:
    return f"v{REVISIONS[-1].replace('-', '_')}"


@pytest.fixture
def extension(tmp_path: Path) -> SchemaFile:
    schema = tmp_path / "acme.ts"
    schema.write_text("export interface Box { size: string }", encoding="utf-8")
    return SchemaFile(schema, "acme")


def test_a_schema_without_clients_needs_the_codec_alone(extension: SchemaFile) -> None:
    files = generate([extension]).files
    assert {path for path in files if "/" not in path} == {"__init__.py", "py.typed"}
    for room in ROOMS["codec"]:
        assert not [path for path in files if path.startswith(f"runtime/{room}")], room


def test_packages_beside_it_keep_what_they_need(extension: SchemaFile) -> None:
    beside = {path: text for path, text in generate([Bundled(REVISIONS[-1])]).files.items() if path.startswith("v")}
    files = generate([extension], beside=beside).files
    assert runtime_of(files) == runtime_of(generate([Bundled(REVISIONS[-1])]).files)
    assert {"connect.py", "serve.py"} <= files.keys()


def test_a_copy_names_itself_in_its_documentation_and_messages(tmp_path: Path) -> None:
    files = generate([Bundled(each) for each in REVISIONS[:2]], folder="acme_mcp").files
    imports = f"from acme_mcp import serve, {', '.join(f'v{each}'.replace('-', '_') for each in REVISIONS[:2])}\n"
    assert imports in files["serve.py"]
    for path, text in files.items():
        for line in text.splitlines():
            assert "from mcp_bindings" not in line, (path, line)
            assert "mcp-bindings[" not in line or path == "runtime/distribution.py", (path, line)
    write(files, tmp_path / "acme_mcp")
    program = (
        "from acme_mcp.runtime.distribution import install_command as command\n"
        "from acme_mcp import UnsupportedRevision\n"
        "print(command('http'), UnsupportedRevision('2025-06-18', []))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert "pip install urllib3 cheroot" in done.stdout, done.stderr
    assert "use `acme_mcp.connect`" in done.stdout


def test_a_folder_that_cannot_be_imported_gets_a_neutral_name() -> None:
    assert "from bindings import serve" in generate([Bundled(REVISIONS[0])], folder="my-app").files["serve.py"]


def test_messages_about_missing_libraries_name_all_of_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra, libraries in LIBRARIES.items():
        declared = project["optional-dependencies"][extra]
        assert [re.split("[^a-z0-9-]", each)[0] for each in declared] == [*libraries]
        assert install_command(extra) == f"pip install 'mcp-bindings[{extra}]'"
