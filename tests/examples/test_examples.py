"""The programs in examples/ do what their README says: each runs in a process of its own, as a user would start it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from checkout import ROOT
from mcp_bindings import HttpError
from mcp_bindings import v2026_07_28 as mcp

EXAMPLES = ROOT / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the examples with a database of books and orders."""
    copied = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copied, ignore=shutil.ignore_patterns("__pycache__", "*.db"))
    printed_by(copied, "make_databases.py")
    return copied


def client_of(folder: Path, *command: str) -> mcp.Client:
    return mcp.Client.stdio([sys.executable, *command], cwd=folder, timeout=60)


def printed_by(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def serving(folder: Path, *command: str, ready: str) -> Iterator[str]:
    """Run a server; yield what it has printed up to the line that contains ``ready``."""
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen([sys.executable, *command], cwd=folder, env=unbuffered, text=True, **output) as server:
        try:
            lines = []
            for line in server.stdout:
                lines.append(line)
                if ready in line:
                    break
            yield "".join(lines)
        finally:
            server.kill()


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return listener.getsockname()[1]


def test_the_database_can_be_read_and_not_written(folder: Path) -> None:
    with client_of(folder, "sqlite_server.py", "books.db") as client:
        assert "CREATE TABLE books" in client.read_resource("sqlite://schema").contents[0].text
        assert client.call_tool("query", {"sql": "SELECT year FROM books ORDER BY year"}).data == [
            {"year": 1815},
            {"year": 1965},
        ]
        refused = client.call_tool("query", {"sql": "DELETE FROM books"})
        assert (refused.is_error, refused.text) == (True, "SQLite: attempt to write a readonly database")
        wrong = client.call_tool("query", {"sql": "SELECT * FROM films"})
        assert (wrong.is_error, wrong.text) == (True, "SQLite: no such table: films")


def test_a_query_without_end_is_stopped(folder: Path) -> None:
    script = folder / "sqlite_server.py"
    script.write_text(script.read_text(encoding="utf-8").replace("SECONDS = 5.0", "SECONDS = 0.1"), encoding="utf-8")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with client_of(folder, "sqlite_server.py", "books.db") as client:
        assert client.call_tool("query", {"sql": endless}).text == "SQLite: interrupted"


def test_files_outside_the_folder_are_not_found(folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "link.txt").symlink_to("../secret.txt")
    with client_of(folder, "file_browser.py", ".") as client:
        assert {"name": "books.db", "folder": False}.items() <= client.call_tool("list_folder").data[1].items()
        assert client.read_resource("files:///README.md").contents[0].text.startswith("# Examples")
        assert client.call_tool("list_folder", {"path": ".."}).text == "there is no folder '..'"
        with pytest.raises(mcp.ResponseError):
            client.read_resource("files:///link.txt")


def test_a_job_runs_as_a_task_and_as_a_call(folder: Path) -> None:
    lines = printed_by(folder, "slow_job.py").splitlines()
    assert lines == ["cancelled", "The report of 2026.", "1", "2", "3", "4", "5", "The report of 2027."]


def test_tokens_and_scopes_are_required(folder: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with serving(folder, "protected_server.py", str(port), ready="Serving MCP") as output:
        ada, bob = re.findall(r": (ey\S+)", output)
        with mcp.Client.http(url, headers={"Authorization": f"Bearer {ada}"}) as client:
            client.call_tool("add_note", {"text": "buy tea"}).raise_for_error()
            assert client.call_tool("read_notes").data == ["buy tea"]
        with mcp.Client.http(url, headers={"Authorization": f"Bearer {bob}"}) as client:
            assert client.call_tool("read_notes").data == []
            with pytest.raises(HttpError, match="notes:write"):
                client.call_tool("add_note", {"text": "x"})
        with pytest.raises(HttpError, match="401"), mcp.Client.http(url):
            pass


def test_the_site_and_its_endpoint_have_one_login(folder: Path) -> None:
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    headers = {"Authorization": "Bearer ada's key"}
    with serving(folder, "-m", "flask", "--app", "flask_site", "run", "--port", str(port), ready="Running on"):
        with urlopen(Request(f"{site}/orders", headers=headers), timeout=60) as page:
            assert json.load(page) == ["tea"]
        with pytest.raises(HTTPError, match="401"):
            urlopen(f"{site}/orders", timeout=60)
        with mcp.Client.http(f"{site}/mcp", headers=headers) as client:
            assert client.call_tool("list_orders").data == ["tea"]
        with pytest.raises(HttpError, match="401"), mcp.Client.http(f"{site}/mcp"):
            pass


def test_the_gateway_offers_the_tools_of_its_servers(folder: Path) -> None:
    servers = {
        "db": {"command": sys.executable, "args": ["sqlite_server.py", "books.db"]},
        "files": {"command": sys.executable, "args": ["file_browser.py", "."]},
    }
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    with client_of(folder, "sqlite_server.py", "books.db") as client:
        (behind,) = client.list_tools()
    with client_of(folder, "gateway.py") as client:
        tools = {tool.name: tool for tool in client.list_tools()}
        assert tools.keys() == {"db_query", "files_list_folder"}
        assert tools["db_query"].input_schema == behind.input_schema
        assert tools["db_query"].annotations == behind.annotations
        assert client.call_tool("db_query", {"sql": "SELECT 1 AS one"}).data == [{"one": 1}]
        assert client.call_tool("files_list_folder", {"path": "nowhere"}).text == "there is no folder 'nowhere'"


def test_the_typed_client_is_generated_and_used(folder: Path) -> None:
    server = ["--", sys.executable, "sqlite_server.py", "books.db"]
    printed_by(folder, "-m", "mcp_bindgen", "client", "--out", "database", *server)
    assert printed_by(folder, "typed_client.py", "books.db") == "Dune\nEmma\n"


def test_the_readme_lists_each_example() -> None:
    listed = re.findall(r"^\| \[(\w+\.py)\]\(\1\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in EXAMPLES.glob("*.py"))


def test_the_commands_of_the_readme_work(folder: Path) -> None:
    """All but those of the servers over HTTP, which other tests start; each in a fresh shell, in order."""
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    (folder / ".mcp.json").write_text(re.findall(r'```json title="\.mcp\.json"\n(.*?)```', readme, re.DOTALL)[0])
    (folder / "books.db").unlink()
    commands = [
        line for block in re.findall(r"```text\n(.*?)```", readme, re.DOTALL)[:2] for line in block.splitlines()
    ]
    assert commands[0] == "python make_databases.py"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in commands:
        words = shlex.split(command)
        program = [sys.executable] if words[0] == "python" else [sys.executable, "-m", "mcp_bindgen"]
        environment = {**os.environ, "PATH": path}
        done = subprocess.run(
            [*program, *words[1:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, (command, done.stderr)
