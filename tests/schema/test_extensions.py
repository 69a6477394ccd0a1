"""Official schema files of extensions of the protocol: every one generates a package whose values go round."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from random import Random

import pytest
from attrs import frozen
from mcp_bindgen import catalog
from mcp_bindgen.sources import read_modules, understand
from strategies.agreement import Subject, check_reading_all, check_writing_all
from strategies.emitted import load, rendered, unload


@frozen
class OfficialFile:
    """A row of ``extensions.toml``."""

    extension: str
    name: str
    repository: str
    commit: str
    path: str
    sha256: str
    core: str


FILES = tuple(
    OfficialFile(**row) for row in tomllib.loads(Path(__file__).with_name("extensions.toml").read_text("utf-8"))["file"]
)
FETCHED = Path(__file__).resolve().parents[2] / ".upstream"


def _fetched(upstream: Path, row: OfficialFile) -> Path:
    for folder in (upstream, FETCHED):
        path = folder / "extensions" / row.extension / f"{row.name}.ts"
        if path.is_file():
            return path
    pytest.skip(f"the official file {row.name} of {row.extension} is not here; fetch it with: nox -s upstream")


def test_each_file_is_listed_once() -> None:
    assert len({row.sha256 for row in FILES}) == len({(row.extension, row.name) for row in FILES}) == len(FILES)
    assert {row.core for row in FILES} <= set(catalog.revisions())


@pytest.mark.parametrize("row", FILES, ids=lambda row: f"{row.extension}-{row.name}")
def test_an_official_file_generates_a_package_whose_values_go_round(upstream: Path, row: OfficialFile) -> None:
    path = _fetched(upstream, row)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == row.sha256
    text = path.read_text(encoding="utf-8")
    core = {name: row.core for name in ("@modelcontextprotocol/sdk/types.js", "./spec.types.js") if f'"{name}"' in text}
    protocol = understand(read_modules(path, core), "draft")
    # Each file declares messages; one that was not recognized would be a mere type.
    assert {name for name in protocol.methods if not name.startswith(("ui/", "tasks/", "notifications/tasks"))} <= {
        "elicitation/create",
        "roots/list",
        "sampling/createMessage",
    }
    assert len(protocol.methods) >= 4
    package = load(rendered(protocol))
    subject = Subject(package, protocol)
    assert check_reading_all(subject, Random(0), 3) >= 30
    written, _ = check_writing_all(subject, Random(0), 3)
    assert written > 0
    unload(package)
