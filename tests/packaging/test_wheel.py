"""The built wheel where it is installed, outside the checkout: what a user gets."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from checkout import GENERATED, PACKAGES, REVISIONS, ROOT
from mcp_bindgen import __version__

Run = Callable[[Sequence[str | Path]], "subprocess.CompletedProcess[str]"]
PROGRAMS = Path(__file__).parent / "programs"


def command(python: Path) -> Path:
    return python.with_name("mcp-codegen" + python.suffix)


def test_the_command_says_its_version_and_the_revisions(codegen_python: Path, run: Run) -> None:
    done = run([command(codegen_python), "--version"])
    extensions = sorted(path.name for path in (ROOT / "schema" / "extensions").iterdir())
    known = f"revisions: {', '.join(REVISIONS)}\nextensions: {', '.join(extensions)}\n"
    assert done.stdout == f"mcp-codegen {__version__}\n{known}"
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_generates_what_the_checkout_generates(codegen_python: Path, run: Run, tmp_path: Path) -> None:
    made: list[dict[str, bytes]] = []
    for words in ([command(codegen_python)], [sys.executable, "-m", "mcp_bindgen.cli"]):
        done = run([*words, "--version", "all", "--out", "made"])
        assert done.returncode == 0, done.stderr
        folder = (tmp_path / "made").rename(tmp_path / f"made-{len(made)}")
        files = (path for path in folder.rglob("*") if path.is_file())
        made.append({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})
    wheel, checkout = made
    assert sorted(wheel) == sorted(checkout)
    assert not [path for path, data in wheel.items() if data != checkout[path]]
    # A copy has its runtime with it; the rest are the files that are committed.
    committed = (path for path in GENERATED.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    own = {path for path in wheel if not path.startswith("runtime/")}
    assert own == {path.relative_to(GENERATED).as_posix() for path in committed}


def test_without_out_the_command_says_what_to_type(codegen_python: Path, run: Run, tmp_path: Path) -> None:
    done = run([command(codegen_python), "--version", "2025-03-26"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "mcp-codegen --version 2025-03-26 --out" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", ["mcp_bindings", "mcp_bindgen"])
def test_an_installed_package_is_never_written_to(codegen_python: Path, run: Run, package: str) -> None:
    where = run([codegen_python, "-c", f"import {package}; print({package}.__path__[0])"]).stdout.strip()
    done = run([command(codegen_python), "--version", "2025-03-26", "--out", where])
    assert (done.returncode, done.stdout) == (2, "")
    assert "installed" in done.stderr


def test_without_the_extra_the_command_says_what_to_install(bindings_python: Path, run: Run) -> None:
    done = run([command(bindings_python), "--version", "2025-03-26", "--out", "made"])
    assert (done.returncode, done.stdout) == (2, "")
    assert 'pip install "mcp-bindings[codegen]"' in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("python", ["bindings_python", "fast_python"])
def test_all_revisions_round_trip_messages(python: str, run: Run, request: pytest.FixtureRequest) -> None:
    done = run([request.getfixturevalue(python), PROGRAMS / "round_trip.py", "mcp_bindings", *PACKAGES])
    assert done.stdout.split() == PACKAGES, done.stderr


def test_the_extra_fast_is_used_where_it_is_installed(bindings_python: Path, fast_python: Path, run: Run) -> None:
    program = "from mcp_bindings_runtime.codec.codec import best_backend; print(best_backend().name)"
    assert run([bindings_python, "-c", program]).stdout == "json\n"
    assert run([fast_python, "-c", program]).stdout == "orjson\n"


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_one_revision_imports_nothing_else(bindings_python: Path, run: Run, package: str) -> None:
    done = run([bindings_python, PROGRAMS / "light_import.py", "mcp_bindings", package])
    assert done.returncode == 0, done.stderr
    modules: list[str] = json.loads(done.stdout)
    others = [name for name in modules if name.startswith("mcp_bindings.v") and name.split(".")[1] != package]
    heavy = {"asyncio", "anyio", "attr", "attrs", "cattrs", "mcp_bindgen", "pydantic", "typing_extensions"}
    assert not others
    assert not {name.partition(".")[0] for name in modules} & heavy


def test_the_bindings_need_attrs_and_cattrs_alone(bindings_python: Path, run: Run) -> None:
    listing = (
        "import importlib.metadata as m, json; print(json.dumps(sorted(d.name.lower() for d in m.distributions())))"
    )
    names = set(json.loads(run([bindings_python, "-c", listing]).stdout))
    # cattrs needs typing_extensions; the others come with an environment.
    assert names - {"pip", "setuptools", "typing-extensions", "typing_extensions"} == {
        "attrs",
        "cattrs",
        "mcp-bindings",
    }


def test_the_wheel_holds_the_packages_and_their_data_alone(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {
        "mcp_bindgen",
        "mcp_bindings",
        "mcp_bindings_runtime",
        f"mcp_bindings-{__version__}.dist-info",
    }
    expected = {"mcp_bindgen/py.typed", "mcp_bindings/py.typed", "mcp_bindgen/_schema/official.toml"}
    expected |= {f"mcp_bindgen/_schema/{revision}/schema.ts" for revision in REVISIONS}
    assert expected <= set(names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_the_sdist_holds_what_its_tests_need(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"noxfile.py", "README.md", "mkdocs.yml", "schema/official.toml", "tests/conftest.py", ".ci/run"} <= names
