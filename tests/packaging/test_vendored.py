"""A self-contained copy, made with ``--out``, where only attrs and cattrs are installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from checkout import PACKAGES

Run = Callable[[Sequence[str | Path]], "subprocess.CompletedProcess[str]"]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all revisions as ``app.mcp``, below the folder given."""
    source = tmp_path_factory.mktemp("src")
    words = [sys.executable, "-m", "mcp_bindgen.cli", "--version", "all", "--out", source / "app" / "mcp"]
    subprocess.run(words, check=True, capture_output=True)
    return source


def start(python: Path, source: Path, program: str) -> list[str | Path]:
    """How to run a program that finds the copy."""
    code = f"import runpy, sys; sys.path.insert(0, {str(source)!r}); sys.argv.pop(0); runpy.run_path(sys.argv[0])"
    return [python, "-c", code, PROGRAMS / program]


def test_nothing_but_attrs_and_cattrs_is_there(vendored_python: Path, run: Run) -> None:
    code = "import importlib.util as u; print([n for n in %r if u.find_spec(n)])"
    names = ["mcp_bindings", "mcp_bindgen", "click", "jinja2", "tree_sitter", "pydantic", "attrs", "cattrs"]
    assert run([vendored_python, "-c", code % names]).stdout == "['attrs', 'cattrs']\n"


def test_the_copy_round_trips_messages(vendored_python: Path, run: Run, copy: Path) -> None:
    done = run([*start(vendored_python, copy, "round_trip.py"), "app.mcp", *PACKAGES])
    assert done.stdout.split() == PACKAGES, done.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_one_revision_of_the_copy_is_light(vendored_python: Path, run: Run, copy: Path, package: str) -> None:
    done = run([*start(vendored_python, copy, "light_import.py"), "app.mcp", package])
    assert done.returncode == 0, done.stderr
    modules: list[str] = json.loads(done.stdout)
    allowed = {"app", "app.mcp", "app.mcp.runtime", f"app.mcp.{package}"}
    ours = [name for name in modules if name.startswith("app")]
    assert all(name in allowed or name.startswith((f"app.mcp.{package}.", "app.mcp.runtime.")) for name in ours)
    assert not {name.partition(".")[0] for name in modules} & {
        "asyncio",
        "anyio",
        "attr",
        "attrs",
        "cattrs",
        "pydantic",
    }


def test_the_copy_is_typed(copy: Path) -> None:
    assert (copy / "app" / "mcp" / "py.typed").is_file()
    assert not [file for file in copy.rglob("*.py") if "mcp_bindings" in _imports(file)]


def _imports(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(
        line for line in lines if line.lstrip().startswith(("import ", "from ")) and "    from" not in line
    )
