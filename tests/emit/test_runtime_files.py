"""Copies of the runtime have what their packages import, and nothing that they cannot use."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen.emit.output_folder import write
from mcp_bindgen.emit.runtime_files import Purpose, runtime_files
from mcp_bindgen.generate import Bundled, SchemaFile, generate
from mcp_bindings_runtime.distribution import LIBRARIES, install_command

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
    assert {path for path in files if path.startswith("runtime/")} == runtime_files().keys()
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
