"""Messages are checked by a generated package of one's own, with what it declares and what the prose says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from mcp_bindgen.cli.own_package import imported
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.generate import SchemaFile
from mcp_bindgen.resources import schemas
from mcp_bindgen.validate import validate, validate_messages
from support.recorded_sessions import opening, request, result

NEWEST = schemas() / "2026-07-28" / "schema.ts"
MEETING = 'interface JumpRequest extends JSONRPCRequest { method: "jump"; params: RequestParams & { height: number } }'


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The newest revision with one method more."""
    file = tmp_path_factory.mktemp("draft") / "schema.ts"
    text = NEWEST.read_text(encoding="utf-8").replace("  | DiscoverRequest\n", "  | DiscoverRequest\n  | JumpRequest\n")
    file.write_text(f"{text}\nexport {MEETING}\n", encoding="utf-8")
    with imported(SchemaFile(file, "draft")) as package:
        yield package


META = {"io.modelcontextprotocol/protocolVersion": "draft", "io.modelcontextprotocol/clientCapabilities": {}}


def test_a_method_of_the_draft_is_known(draft: ModuleType) -> None:
    right, wrong = (request("jump", number, _meta=META, height=height) for number, height in ((1, 1), (2, "x")))
    report = validate_messages([right, wrong], package=draft, version="draft")
    assert [(each.path, each.revision) for each in report if each.level == "error"] == [("$.params.height", "draft")]
    assert "(draft)" in report.summary()


def test_the_rules_are_those_of_the_revision_that_it_is_most_like(draft: ModuleType) -> None:
    listed = [request("tools/list", 1, _meta=META), result(1, tools=[], ttlMs=0, cacheScope="public")]
    report = validate_messages(listed, package=draft, version="draft", rules=True)
    assert [(each.code, each.revision) for each in report if each.level == "rule"] == [("result-type", "draft")]


def test_types_and_folders_are_those_of_the_draft(draft: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "JumpRequest" / "a.json"
    file.parent.mkdir()
    file.write_text('{"jsonrpc": "2.0", "id": 1, "method": "jump", "params": {}}', encoding="utf-8")
    assert {each.path for each in validate(file, package=draft)} == {"$.params._meta", "$.params.height"}
    assert validate(file, package=draft, type="JSONRPCRequest").ok
    with pytest.raises(BindgenError, match=r"unknown type 'JumpRequst' in draft; did you mean JumpRequest"):
        validate(file, package=draft, version="draft", type="JumpRequst")


def test_a_schema_may_have_the_label_of_a_bundled_revision() -> None:
    with imported(SchemaFile(schemas() / "2025-06-18" / "schema.ts", "2025-06-18")) as package:
        report = validate_messages(opening(), package=package, version="2025-06-18")
        assert list(report) == []
        assert report.summary() == "no errors in 3 messages (2025-06-18)"


def test_packages_of_one_label_are_kept_apart(tmp_path: Path) -> None:
    """A report reads as it goes, so that several packages may be in use at once."""
    label, text = "2025-06-18", (schemas() / "2025-06-18" / "schema.ts").read_text(encoding="utf-8")
    reports = [validate_messages([request("ping", 1)], version=label)]
    for name in ("pong", "peng"):
        file = tmp_path / f"{name}.ts"
        file.write_text(text.replace('"ping"', f'"{name}"'), encoding="utf-8")
        with imported(SchemaFile(file, label)) as package:
            reports.append(validate_messages([request(name, 1)], package=package, version=label))
            assert [each.code for each in validate_messages([request("ping", 1)], package=package, version=label)] == [
                "method"
            ]
    reports.append(validate_messages([request("ping", 1)], version=label))
    assert [list(report) for report in reports] == [[]] * 4


def test_an_extension_does_not_refuse_the_rest_of_the_protocol() -> None:
    file = schemas() / "extensions" / "ext-tasks" / "schema.ts"
    with imported(SchemaFile(file, "tasks-draft")) as package:
        report = validate_messages([request("tools/list", 1)], package=package, version="tasks-draft")
        assert {each.level for each in report} == {"note"}
