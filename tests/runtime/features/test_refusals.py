"""The one table of codes: whole, in order, and what each revision's text says."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, get_args

import mcp_bindings_runtime
import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.features.refusals import RULINGS, Situation, refusal, ruling
from support.conversing import package

RUNTIME = Path(mcp_bindings_runtime.__file__).parent
BEFORE_TASKS = ["2024-11-05", "2025-03-26", "2025-06-18"]


def facts(revision: str) -> Any:
    return package(revision).revision.FACTS


def test_each_situation_has_rulings_in_rising_order_and_each_its_source() -> None:
    assert set(RULINGS) == set(get_args(Situation))
    for rulings in RULINGS.values():
        assert [each.since for each in rulings] == sorted({each.since for each in rulings})
        assert all(each.since in REVISIONS and each.source for each in rulings)


@pytest.mark.parametrize("revision", REVISIONS)
def test_codes_that_never_changed(revision: str) -> None:
    always: dict[Any, int | None] = {
        "unknown tool": -32602,
        "tool failed": None,
        "unknown prompt": -32602,
        "missing prompt argument": -32602,
        "invalid cursor": -32602,
        "invalid log level": -32602,
        "roots not supported": -32601,
        "sampling refused": -1,
    }
    assert {situation: ruling(situation, facts(revision)).code for situation in always} == always


def test_wrong_arguments_are_an_error_until_2025_06_18_and_a_result_since() -> None:
    codes = {revision: ruling("wrong tool arguments", facts(revision)).code for revision in REVISIONS}
    assert codes == {revision: -32602 if revision in BEFORE_TASKS else None for revision in REVISIONS}


def test_an_unknown_resource_lost_its_own_code() -> None:
    codes = {revision: ruling("unknown resource", facts(revision)).code for revision in REVISIONS}
    assert codes == {revision: -32602 if revision == "2026-07-28" else -32002 for revision in REVISIONS}


def test_no_code_of_the_newest_revision_is_out_of_use() -> None:
    # Its bindings have nothing to raise for a page that has to be visited first.
    assert not hasattr(package("2026-07-28"), "URLElicitationRequired")
    situations = set(RULINGS) - {"url elicitation required"}
    codes = {ruling(situation, facts("2026-07-28")).code for situation in situations}
    assert {code for code in codes if code is not None and -32099 <= code <= -32000} == {-32022}


@pytest.mark.parametrize("label", ["draft", "2001-01-01", "2099-01-01"])
def test_the_base_decides_and_not_the_label_or_the_version(label: str) -> None:
    for revision in REVISIONS:
        relabelled = facts(revision)._replace(label=label, version=label)
        assert ruling("unknown resource", relabelled) == ruling("unknown resource", facts(revision))


def test_a_situation_that_a_revision_does_not_know_has_no_ruling() -> None:
    with pytest.raises(KeyError):
        ruling("task required", facts("2025-06-18"))


def test_the_error_to_raise_has_the_code_and_what_was_said() -> None:
    error = refusal("unknown resource", facts("2025-11-25"), "Resource not found", {"uri": "file:///x"})
    assert isinstance(error, ResponseError)
    assert (error.code, error.message, error.data) == (-32002, "Resource not found", {"uri": "file:///x"})
    with pytest.raises(KeyError):
        refusal("tool failed", facts("2025-11-25"), "no error, but a result")


def test_the_message_of_an_error_is_one_sentence() -> None:
    """What there is to say beyond is in the data."""
    messages = [
        node.args[1].value
        for file in RUNTIME.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("Refusal", "ResponseError")
        if len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    ]
    assert len(messages) > 10
    assert [each for each in messages if len(each) > 60 or ". " in each or "\n" in each] == []
