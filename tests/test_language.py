"""Rules for names and prose: plain words of the field, imperative docstrings, one name for one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from checkout import ROOT

CODEGEN = ROOT / "codegen"
MODULES = sorted(CODEGEN.rglob("*.py"))
RUNTIME = "mcp_bindings_runtime"
EMITTED = ROOT / "generated" / "mcp_bindings"

RIDDLES = {
    "What",
    "Who",
    "Whom",
    "Whose",
    "Whoever",
    "Has",
    "Have",
    "Nothing",
    "As",
    "That",
    "Why",
    "How",
    "Says",
    "Where",
}
"""First words of docstrings that name no subject and no action."""

BANNED = set(
    "tell tells told telling hear hears heard hearing lend lends lent ring rings rung bell bells crew bench recruit enlist "
    "given standing augmented suspended fitting compound modern ask asks asked asking asker couple couples passage passages "
    "ink lineup talks handshaken mirroring oldsse whom say says said speak speaks speaking speaker spoken surface surfaces "
    "switches swap partners give gives gave take takes taken took come comes came meet meets met let news patience".split()
)
"""Words that stand in no identifier: the field has others for what they named."""

PUBLIC = {"tell"}
"""Names that users call (``context.task.tell``), so that they stay."""


def package_of(module: Path) -> str:
    return "/".join(module.relative_to(CODEGEN).parts[:-1][:2])


PACKAGES = sorted({package_of(module) for module in MODULES})
each_package = pytest.mark.parametrize("package", PACKAGES)


@cache
def parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def modules_of(package: str) -> list[Path]:
    return [module for module in MODULES if package_of(module) == package]


def where(module: Path, node: ast.AST, found: str) -> str:
    return f"{module.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}: {found}"


def prose(tree: ast.Module) -> Iterator[tuple[ast.AST, str, bool]]:
    """Yield each docstring with its node and whether it describes a function that is no property."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if (text := ast.get_docstring(node)) is not None:
                of_function = isinstance(node, ast.FunctionDef) and not any(
                    "property" in ast.unparse(each) for each in node.decorator_list
                )
                yield node, text, of_function
            for each in node.body[1:]:
                if (
                    isinstance(each, ast.Expr)
                    and isinstance(each.value, ast.Constant)
                    and isinstance(each.value.value, str)
                ):
                    yield each, each.value.value, False


def riddles(module: Path, *, emitted: bool = False) -> Iterator[str]:
    """Yield the docstrings of a module that begin with a riddle; "Whether" counts in functions and emitted modules."""
    for node, text, of_function in prose(parsed(module)):
        first = re.match(r"\W*(\w*)", text)
        word = first.group(1) if first else ""
        if word in RIDDLES or (word == "Whether" and (of_function or emitted)):
            yield where(module, node, text.splitlines()[0])


def identifiers(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node, name
            case ast.alias(asname=str(name)):
                yield node, name


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def banned_words(package: str) -> list[str]:
    found = []
    for module in modules_of(package):
        found += [where(module, module, module.stem)] if words_of(module.stem) & BANNED else []
        found += [
            where(module, node, name)
            for node, name in identifiers(parsed(module))
            if words_of(name) & BANNED and name not in PUBLIC
        ]
    return found


@each_package
def test_no_docstring_begins_with_a_riddle(package: str) -> None:
    assert [found for module in modules_of(package) for found in riddles(module)] == []


@pytest.mark.parametrize(
    "package", sorted({module.parent for module in EMITTED.rglob("*.py")}), ids=lambda package: package.name
)
def test_no_public_emitted_docstring_begins_with_a_riddle(package: Path) -> None:
    public = sorted({*package.glob("[!_]*.py"), package / "__init__.py"})
    assert [found for module in public for found in riddles(module, emitted=True)] == []


@each_package
def test_no_identifier_has_a_banned_word(package: str) -> None:
    assert banned_words(package) == []


def test_a_public_class_name_of_the_runtime_stands_for_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for module in MODULES:
        if package_of(module).partition("/")[0] == RUNTIME:
            for node in parsed(module).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(module.relative_to(CODEGEN).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
