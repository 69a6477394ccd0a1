"""There is one list of revisions, the catalog's: neither the generator nor a helper of the tests keeps one of its own."""

from __future__ import annotations

import ast
from pathlib import Path

from checkout import REVISIONS, ROOT

MOST = 2
"""Revisions that a literal may name: a list that is meant to have all of them names more."""
MODULES = [
    ROOT / "noxfile.py",
    ROOT / "tests" / "checkout.py",
    *sorted((ROOT / "codegen").rglob("*.py")),
    *sorted((ROOT / "docs").rglob("*.py")),
    *sorted(path for path in (ROOT / "tests" / "support").glob("*.py") if not path.name.startswith("test_")),
    *sorted((ROOT / "tests").rglob("conftest.py")),
]


def lists_in(module: Path) -> list[str]:
    """Return the literals of a module that name more than two revisions."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    literals = (each for each in ast.walk(tree) if isinstance(each, ast.List | ast.Tuple | ast.Set | ast.Dict))
    return [ast.unparse(each) for each in literals if len(revisions_in(each)) > MOST]


def revisions_in(literal: ast.AST) -> set[str]:
    keys = literal.keys if isinstance(literal, ast.Dict) else getattr(literal, "elts", [])
    return {each.value for each in keys if isinstance(each, ast.Constant) and each.value in REVISIONS}


def test_only_the_catalog_lists_the_revisions() -> None:
    found = {module.relative_to(ROOT).as_posix(): lists_in(module) for module in MODULES}
    assert {name: lists for name, lists in found.items() if lists} == {}


def test_a_list_is_noticed(tmp_path: Path) -> None:
    module = tmp_path / "helper.py"
    module.write_text(f"ALL = {REVISIONS[:3]!r}\nPAIR = {REVISIONS[:2]!r}\n", encoding="utf-8")
    assert lists_in(module) == [repr(REVISIONS[:3])]
