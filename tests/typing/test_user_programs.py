"""Programs as users write them: the good ones run and type-check strictly, the wrong ones fail where they say.

In ``wrong/`` a line ends in ``# E:`` and the error codes of mypy, then ``# P:`` and the rules of pyright, for all errors
that are expected in it. Checked are the packages of ``MCP_BINDINGS_PYTHON``, where ``nox -s build`` has installed the
wheel, else those of the interpreter that runs the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.server_packages import write_package

HERE = Path(__file__).parent
PYTHON = os.environ.get("MCP_BINDINGS_PYTHON") or sys.executable
DOCS = HERE.parents[1] / "docs"
GOOD = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))
WRONG = sorted((HERE / "wrong").glob("*.py"))

Errors = set[tuple[str, int, str]]
"""File name, line, code."""

Check = Callable[[Path], Errors]

RECIPES = ("clients-and-servers", "completion", "http", "recipes", "tutorial")
"""Pages whose programs are good ones, too."""

SNIPPETS = ("clients-and-servers", "resources-and-prompts", "threads", "tools", "typed-clients")
"""Pages whose snippets are good programs, too: together, as they run, or from one import of a revision to the next."""

UNTYPED = {
    "http_bottle_app.py": "bottle has no types",
    "http_django_app.py": "django has no types",
    "http_gunicorn.conf.py": "gunicorn has no types",
    "recipes_everywhere.py": "packages that are chosen by name have no types",
    "clients_and_servers_test_server.py": "tests are seldom annotated",
    "tutorial_test_library.py": "the same",
}
"""Programs of the pages that no strict checker takes, and why."""

FOLLOWS = ("no-any-return", "reportUnknown")
"""How codes begin that only follow from another error in the same line, and are not listed in the programs."""

checked = pytest.mark.skipif(
    find_spec("mypy") is None or find_spec("pyright") is None, reason="needs mypy and pyright; run: nox -s tests-3.11"
)


def names(paths: Iterable[Path]) -> list[str]:
    return [path.stem for path in paths]


def mypy(folder: Path) -> Errors:
    # Without the code, mypy says nothing of `async def`, which is declared as deprecated.
    options = [
        "--strict",
        "--enable-error-code",
        "deprecated",
        "--no-error-summary",
        "--python-executable",
        PYTHON,
        "--cache-dir",
        str(folder / "cache"),
    ]
    command = [sys.executable, "-m", "mypy", *options, *map(str, folder.glob("*.py"))]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr or done.stdout
    lines = [re.fullmatch(r"(.+?):(\d+): error: .*\[([\w-]+)\]", line) for line in done.stdout.splitlines()]
    return {(Path(line[1]).name, int(line[2]), line[3]) for line in lines if line}


def pyright(folder: Path) -> Errors:
    settings = {"typeCheckingMode": "strict", "include": ["*.py"], "exclude": ["cache"]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", PYTHON]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr or done.stdout
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(list(folder.glob("*.py")))
    return {
        (Path(found["file"]).name, found["range"]["start"]["line"] + 1, found.get("rule", "syntax"))
        for found in report["generalDiagnostics"]
        if found["severity"] == "error"
    }


def expected(paths: list[Path], mark: str) -> Errors:
    found: Errors = set()
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            comment = re.search(rf"# {mark}: ([^#]+)", line)
            found.update((f"wrong_{path.name}", number, code) for code in (comment[1].split() if comment else ()))
    return found


@pytest.mark.parametrize("program", GOOD, ids=names(GOOD))
def test_the_program_runs(program: Path, tmp_path: Path) -> None:
    done = subprocess.run([PYTHON, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def recipes(folder: Path) -> Path:
    """The folder with the programs of the pages, each named after its page, too."""
    for page in RECIPES:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        found = dict(re.findall(r'^```python title="([^"]+\.py)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL))
        assert found, page
        prefix = page.replace("-", "_")
        for name, program in found.items():
            if f"{prefix}_{name}" in UNTYPED:
                continue
            modules = "|".join(Path(each).stem for each in found)
            beside = re.sub(rf"^from ({modules}) ", rf"from {prefix}_\1 ", program, flags=re.MULTILINE)
            (folder / f"{prefix}_{name}").write_text(beside, encoding="utf-8")
    return folder


def snippets(folder: Path) -> Path:
    """The folder with the snippets of the pages, and the typed client that one of them uses."""
    for page in SNIPPETS:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        programs: list[str] = []
        for found in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if not programs or (" as mcp\n" in found and " as mcp\n" in programs[-1]):
                programs.append("")
            programs[-1] += found
        assert programs, page
        for number, program in enumerate(programs):
            (folder / f"{page.replace('-', '_')}_{number}.py").write_text(program, encoding="utf-8")
    page = (DOCS / "typed-clients.md").read_text(encoding="utf-8")
    (server,) = re.findall(r'^```python title="server.py"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "server"}
    exec(server, names)
    with names["mcp"].Client.in_memory(names["server"]) as client:
        tools = [client.binding.codec.unstructure(tool) for tool in client.list_tools()]
    write_package({"tools": tools}, folder, "weather")
    return folder


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all programs: outside the checkout, whose settings a user does not have."""
    folder = tmp_path_factory.mktemp("programs")
    for path in GOOD:
        shutil.copy(path, folder)
    for path in WRONG:
        shutil.copy(path, folder / f"wrong_{path.name}")
    snippets(folder)
    # A recipe is for flask, which an installation of the package alone does not have.
    if not subprocess.run([PYTHON, "-c", "import flask"], capture_output=True, check=False).returncode:
        recipes(folder)
    return folder


@cache
def errors(check: Check, folder: Path) -> Errors:
    """All errors of a checker, which runs once: it takes seconds to read the packages."""
    return check(folder)


@checked
@pytest.mark.parametrize(("check", "mark"), [(mypy, "E"), (pyright, "P")])
def test_wrong_programs_have_the_errors_they_name(check: Check, mark: str, programs: Path) -> None:
    wanted = expected(WRONG, mark)
    assert wanted
    found = {error for error in errors(check, programs) if error[0].startswith("wrong_")}
    assert {error for error in found if not error[2].startswith(FOLLOWS)} == wanted


@checked
@pytest.mark.parametrize("check", [mypy, pyright])
def test_good_programs_have_no_errors(check: Check, programs: Path) -> None:
    assert {error for error in errors(check, programs) if not error[0].startswith("wrong_")} == set()
