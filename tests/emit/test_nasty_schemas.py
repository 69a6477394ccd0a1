"""The schemas of ``nasty/``, which gather what is awkward: their packages pass black and strict type checks, and work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random

import black
import pytest
from mcp_bindgen.emit.render import root_files
from mcp_bindgen.emit.runtime_files import runtime_files
from strategies.codec_agreement import Subject, check_reading_all, check_writing_all
from strategies.emitted_packages import emit, load, unload

SCHEMAS = sorted((Path(__file__).parent / "nasty").glob("*.ts"))
NAMES = [path.stem for path in SCHEMAS]

checked = pytest.mark.skipif(
    find_spec("mypy") is None or find_spec("pyright") is None, reason="needs mypy and pyright; run: nox -s tests-3.11"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package ``app.mcp`` with all of them, outside the checkout and its settings."""
    folder = tmp_path_factory.mktemp("nasty")
    files = {**root_files(), **runtime_files()}
    for path in SCHEMAS:
        files |= {f"{path.stem}/{name}": code for name, code in emit(path.read_text(encoding="utf-8")).files.items()}
    for name, code in files.items():
        place = folder / "app" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(code, encoding="utf-8")
    return folder


@checked
def test_mypy_finds_nothing_strictly(folder: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "app"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@checked
def test_pyright_finds_nothing_strictly(folder: Path) -> None:
    # `nox -s types` checks the runtime, of which this is a copy, and mypy checks the copy.
    excluded = ["app/runtime"]
    settings = {"include": ["app"], "exclude": excluded, "typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", SCHEMAS, ids=NAMES)
def test_black_leaves_them_as_they_are(path: Path) -> None:
    for name, code in emit(path.read_text(encoding="utf-8")).files.items():
        assert black.format_str(code, mode=black.Mode()) == code, name


@pytest.mark.parametrize("path", SCHEMAS, ids=NAMES)
def test_values_of_every_type_are_read_and_written(path: Path) -> None:
    made = emit(path.read_text(encoding="utf-8"))
    package = load(made)
    subject = Subject(package, made.protocol)
    assert check_reading_all(subject, Random(0), 30) >= 30
    written, refused = check_writing_all(subject, Random(0), 30)
    assert written > 0
    assert refused > 10
    unload(package)
