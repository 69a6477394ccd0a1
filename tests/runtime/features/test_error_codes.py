"""Error codes: one for each situation, and what each revision's text says."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, get_args

import mcp_bindings_runtime
import pytest
from checkout import REVISIONS
from mcp_bindgen.catalog import load
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.revision_facts import facts_of
from mcp_bindings_runtime.features.error_codes import ERROR_CODES, Situation, error_for
from support.revisions import facts
from support.scripted_peers import package

RUNTIME = Path(mcp_bindings_runtime.__file__).parent
UNTIL_2025_06_18 = [each for each in REVISIONS if each <= "2025-06-18"]
UNTIL_2025_11_25 = [each for each in REVISIONS if each <= "2025-11-25"]


def test_each_situation_has_a_code() -> None:
    assert set(ERROR_CODES) == set(get_args(Situation))


def test_codes_that_never_changed() -> None:
    always: dict[Any, int] = {
        "unknown tool": -32602,
        "unknown prompt": -32602,
        "missing prompt argument": -32602,
        "invalid cursor": -32602,
        "too many sampling requests": -1,
    }
    assert {situation: ERROR_CODES[situation] for situation in always} == always


def test_wrong_arguments_are_an_error_until_2025_06_18_and_a_result_since() -> None:
    found = {revision: facts(revision).argument_faults_in_results for revision in REVISIONS}
    assert found == {revision: revision not in UNTIL_2025_06_18 for revision in REVISIONS}


def test_an_unknown_resource_lost_its_own_code() -> None:
    codes = {revision: facts(revision).unknown_resource_code for revision in REVISIONS}
    assert codes == {revision: -32002 if revision in UNTIL_2025_11_25 else -32602 for revision in REVISIONS}


def test_no_code_of_the_newest_revision_is_out_of_use() -> None:
    # Its bindings have nothing to raise for a page that has to be visited first.
    assert not hasattr(package(REVISIONS[-1]), "URLElicitationRequired")
    codes = {*ERROR_CODES.values(), facts(REVISIONS[-1]).unknown_resource_code}
    assert not [code for code in codes if -32099 <= code <= -32000]


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_base_decides_and_not_the_schema_or_its_label(revision: str) -> None:
    for schema in (load(REVISIONS[0]), load(REVISIONS[-1])):
        made = facts_of(schema, Names(schema), revision)
        assert made.unknown_resource_code == facts(revision).unknown_resource_code
        assert made.argument_faults_in_results == facts(revision).argument_faults_in_results


def test_the_error_to_raise_has_the_code_and_what_was_said() -> None:
    error = error_for("unknown tool", "Unknown tool: x", {"name": "x"})
    assert (error.code, error.message, error.data) == (-32602, "Unknown tool: x", {"name": "x"})


def test_the_message_of_an_error_is_one_sentence() -> None:
    """What there is to say beyond is in the data."""
    messages = [
        node.args[1].value
        for file in RUNTIME.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("ErrorObject", "ResponseError")
        if len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    ]
    assert len(messages) > 10
    assert [each for each in messages if len(each) > 60 or ". " in each or "\n" in each] == []
