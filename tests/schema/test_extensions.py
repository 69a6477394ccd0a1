"""Extensions of the protocol: every official schema file generates, and what is bundled says the same as the official."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from random import Random

import pytest
from attrs import frozen
from checkout import MISSING
from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Protocol, Scalar, Type
from mcp_bindgen.sources import read_modules, understand
from strategies.codec_agreement import Subject, check_reading_all, check_writing_all
from strategies.emitted_packages import load, rendered, unload


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
    pytest.skip(MISSING)


def _understood(path: Path, row: OfficialFile) -> Protocol:
    text = path.read_text(encoding="utf-8")
    core = {name: row.core for name in ("@modelcontextprotocol/sdk/types.js", "./spec.types.js") if f'"{name}"' in text}
    return understand(read_modules(path, core), "draft")


def test_each_file_is_listed_once() -> None:
    assert len({row.sha256 for row in FILES}) == len({(row.extension, row.name) for row in FILES}) == len(FILES)
    assert {row.core for row in FILES} <= set(catalog.revisions())


@pytest.mark.parametrize("row", FILES, ids=lambda row: f"{row.extension}-{row.name}")
def test_an_official_file_generates_a_package_whose_values_go_round(upstream: Path, row: OfficialFile) -> None:
    path = _fetched(upstream, row)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == row.sha256
    protocol = _understood(path, row)
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


# --- The bundled extension ---------------------------------------------------------------------------------------

BUNDLED = next(row for row in FILES if row.sha256 == catalog.official_files()["ext-tasks"].sha256)

ADDED = frozenset({"CancelTaskRequestParams._meta", "GetTaskRequestParams._meta", "UpdateTaskRequestParams._meta"})
"""Optional fields that only ours declares: the core protocol demands them of every request, the official text is silent."""


def _values(protocol: Protocol, kind: Type) -> object:
    """What a type takes, whatever its parts are called; types of the core revision count by their names."""
    core = catalog.load(BUNDLED.core)
    match kind:
        case Scalar():
            return kind.kind
        case Enum():
            return frozenset((each.__class__, each) for each in kind.values), kind.open
        case ListOf():
            return "list", _values(protocol, kind.element)
        case AliasOf():
            known = kind.name in core.aliases
            return kind.name if known else _values(protocol, protocol.aliases[kind.name].type)
        case ObjectOf():
            return kind.path if kind.path in core.objects else _object(protocol, kind.path)
        case _:
            return frozenset(_values(protocol, each) for each in kind.members)


def _object(protocol: Protocol, path: str) -> object:
    declared = protocol.objects[path]
    fields = [each for each in declared.fields if f"{path}.{each.name}" not in ADDED]
    assert all(each.optional for each in declared.fields if each not in fields)
    index = declared.index and _values(protocol, declared.index)
    return frozenset((each.name, each.optional, _values(protocol, each.type)) for each in fields), index


def _takes(protocol: Protocol, name: str) -> object:
    """What a declared type takes, or what answers a method."""
    if name in protocol.objects:
        return _object(protocol, name)
    if name in protocol.aliases:
        return _values(protocol, protocol.aliases[name].type)
    method = protocol.methods.get(name)
    return method and (method.kind, method.result and _values(protocol, method.result))


def _differences(ours: Protocol, official: Protocol) -> list[str]:
    """The official types and methods, those of the core protocol aside, of which ours differ."""
    core = catalog.load(BUNDLED.core)
    types = [name for name in official.order if name not in core.order]
    assert len(types) >= 20
    names = [*types, *sorted(ours.methods.keys() | official.methods.keys())]
    return [name for name in names if _takes(ours, name) != _takes(official, name)]


def test_the_bundled_extension_takes_what_the_official_one_takes(upstream: Path) -> None:
    official = _understood(_fetched(upstream, BUNDLED), BUNDLED)
    assert _differences(catalog.load("ext-tasks"), official) == []


@pytest.mark.parametrize(
    ("text", "other", "noticed"),
    [
        ("  /** Id of the task whose status is requested. */\n  taskId", "  id", "GetTaskRequest"),
        ("  statusMessage?: string;", "  statusMessage: string;", "Task"),
        ('"working" | "input_required" |', '"working" |', "TaskStatus"),
        ("ttlMs: number | null;", "ttlMs: number;", "CreateTaskResult"),
        ('resultType: "complete";', 'resultType: "task";', "GetTaskResult"),
        ('method: "tasks/cancel";', 'method: "tasks/stop";', "tasks/cancel"),
        ("export type DetailedTask = WorkingTask |", "export type DetailedTask =", "DetailedTask"),
    ],
)
def test_a_changed_fact_would_be_noticed(upstream: Path, tmp_path: Path, text: str, other: str, noticed: str) -> None:
    official = _understood(_fetched(upstream, BUNDLED), BUNDLED)
    schema = catalog.schema_file("ext-tasks").read_text(encoding="utf-8")
    assert text in schema
    changed = tmp_path / "schema.ts"
    changed.write_text(schema.replace(text, other, 1), encoding="utf-8")
    ours = understand(read_modules(changed, {"../../2026-07-28/schema.js": BUNDLED.core}), "ext-tasks")
    assert noticed in _differences(ours, official)
