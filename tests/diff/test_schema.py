"""The published JSON Schema: every document that we make fits it, and what is wrong does not."""

from __future__ import annotations

import copy
import json

import pytest
from checkout import REVISIONS, ROOT
from diff.comparing import compare
from jsonschema import Draft202012Validator
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff import revision_matrix
from mcp_bindgen.diff.document import SCHEMA
from mcp_bindgen.diff.timeline import document as timeline

VALIDATOR = Draft202012Validator(SCHEMA)


def wrong(document) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]


ALL = {"diff": SCHEMA, "history": timeline.SCHEMA, "matrix": revision_matrix.SCHEMA}
"""By the command that prints documents of it."""


@pytest.mark.parametrize("command", ALL)
def test_it_is_a_schema(command):
    Draft202012Validator.check_schema(ALL[command])


@pytest.mark.parametrize("command", ALL)
def test_it_is_in_the_documentation(command):
    published = (ROOT / "docs" / f"{command}.schema.json").read_text(encoding="utf-8")
    advice = f"run: mcp-codegen {command} --json-schema -o docs/{command}.schema.json"
    assert published == json.dumps(ALL[command], indent=2) + "\n", advice


@pytest.mark.parametrize("old", REVISIONS)
@pytest.mark.parametrize("new", REVISIONS)
def test_the_documents_of_all_pairs_fit(old, new):
    protocols = catalog.load(old), catalog.load(new)
    difference = diff.with_witnesses(diff.compare(*protocols, docs=True), *protocols)
    ids = [change.id for change in difference.changes]
    assert wrong(diff.to_document(difference, approved=ids[::2])) == []


def document():
    return diff.to_document(
        compare("export interface In { a: 'x' | 'y' }", "export interface In { a: 'x'; b: string }")
    )


def test_the_document_that_the_others_are_made_of_fits():
    assert wrong(document()) == []


@pytest.mark.parametrize("name", ["format", "old", "new", "summary", "changes"])
def test_nothing_is_missing(name):
    less = document()
    del less[name]
    assert wrong(less)


@pytest.mark.parametrize(
    "name", ["id", "kind", "rule", "subject", "old", "new", "verdicts", "level", "reason", "required"]
)
def test_nothing_is_missing_in_a_change(name):
    less = document()
    (change,) = [change for change in less["changes"] if change["kind"] == "field_added"]
    del change[name]
    assert wrong(less)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "field_moved"),
        ("level", "bad"),
        ("verdicts", {"old_client_new_server": "risky"}),
        ("sent_by", []),
        ("sent_by", ["proxy"]),
        ("methods", []),
        ("member", "x"),
        ("approved", False),
        ("witness", {}),
        ("more", 1),
        ("reason", ""),
        ("old", 1),
    ],
)
def test_nothing_is_wrong_in_a_change(name, value):
    other = copy.deepcopy(document())
    (change,) = [change for change in other["changes"] if change["kind"] == "field_added"]
    change[name] = value
    assert wrong(other)


def test_a_member_needs_its_kind():
    other = document()
    (change,) = [change for change in other["changes"] if change["kind"] == "enum_value_removed"]
    del change["member"]
    assert wrong(other)
