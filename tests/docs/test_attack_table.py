"""The table of attacks in docs/authentication.md names tests that exist, and every attack of the list has a row."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from checkout import ROOT

PAGE = ROOT / "docs" / "authentication.md"
TABLE = re.compile(r"<!-- attacks -->\n(.*)<!-- end of attacks -->", re.DOTALL)
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in TABLE.findall(PAGE.read_text(encoding="utf-8"))[0].split("\n")
    if line.startswith("| ") and not line.startswith("| attack |")
]
ATTACKS = (
    "Server-side request forgery",
    "Plain HTTP",
    "Mix-up",
    "CSRF",
    "Code injection",
    "Downgrade of PKCE",
    "Open redirect",
    "send requests to the listener",
    "Token leak",
    "by a redirect of the server",
    "in logs, errors and `repr`",
    "in recordings",
    "Reuse of credentials at another authorization server",
    "one login page after another",
    "Confused deputy",
    "A stolen token",
)
"""Attacks that the specification, its Security Best Practices and RFC 9700 name."""


@cache
def functions_of(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_attack_has_a_row(attack: str) -> None:
    assert [row for row in ROWS if attack in row[0]]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_tests_of_a_row_exist(row: list[str]) -> None:
    attack, outcome, tests = row
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", tests)
    assert attack
    assert outcome.endswith(".")
    assert tests == ", ".join(f"`{path}::{name}`" for path, name in named)
    for path, name in named:
        assert name in functions_of(ROOT / "tests" / path), f"{path}::{name} does not exist"
