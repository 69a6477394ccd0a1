"""The tables of limits in docs/security.md are those of the code, and each limit has a test."""

from __future__ import annotations

import ast
import runpy
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import mcp_bindings_runtime
import pytest
from checkout import ROOT

WRITER = runpy.run_path(str(ROOT / "docs" / "limit_tables.py"))
TESTS = WRITER["tests"]()
REPAIR = "add or remove it in tests/docs/limits.toml, and run: nox -s options"


@cache
def limits() -> dict[str, Any]:
    """Return the limits by their names. To find them, the whole runtime is parsed, which collection does not need."""
    return {limit.name: limit for limit in WRITER["limits"]()}


@cache
def functions(path: str) -> frozenset[str]:
    """Return the names of the functions in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))


def test_the_tables_are_what_would_be_written_now() -> None:
    assert WRITER["PAGE"].read_text(encoding="utf-8") == WRITER["page"](), "run: nox -s options"


def test_every_limit_is_on_the_page() -> None:
    areas = WRITER["areas"]()
    assert len(areas) == len(set(areas))
    assert {limit.area for limit in limits().values()} == set(areas)


def test_every_limit_has_a_test_and_every_test_a_limit() -> None:
    assert limits().keys() == TESTS.keys(), REPAIR


@pytest.mark.parametrize("name", TESTS)
def test_the_test_of_a_limit_exists(name: str) -> None:
    path, _, function = TESTS[name]["test"].partition("::")
    assert function in functions(path)
    assert function.startswith("test_")


@pytest.mark.parametrize("name", TESTS)
def test_a_limit_says_what_it_bounds(name: str) -> None:
    limit = limits()[name]
    assert limit.meaning, f"{name} needs `bounds` in tests/docs/limits.toml"
    parameter = limit.option.endswith("=…)`")
    assert parameter is ("bounds" in TESTS[name]), "only parameters have no docstring of their own"


def test_a_default_is_one_of_an_option() -> None:
    """A constant whose docstring begins with "Default" needs no row, because its option has one."""
    shown = {limit.default.replace(",", "") for limit in limits().values() if not limit.option.startswith("fixed")}
    units = (("", 1), (" s", 1), (" KiB", 1024), (" MiB", 1024 * 1024))
    for name, value in WRITER["defaults"]():
        assert shown & {f"{value / size:g}{unit}" for unit, size in units}, name


def test_a_docstring_of_a_limit_belongs_to_a_number() -> None:
    """A limit that is computed would be missing from the tables."""
    (top,) = map(Path, mcp_bindings_runtime.__path__)
    for path in sorted(top.rglob("*.py")):
        module = path.relative_to(top).with_suffix("").as_posix()
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for before, node in pairwise(body):
            match before, node:
                case (
                    ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)),
                    ast.Expr(ast.Constant(str(text))),
                ) if WRITER["LIMIT"].match(" ".join(text.split())):
                    assert f"{module}.{name}" in limits()
