"""Writes the tables of limits in security.md from the code that declares them; run it as ``nox -s options``.

A limit is declared in one of three ways: as a constant of a module whose docstring begins as ``LIMIT`` says, as an option
with a number, or as a parameter with a number of one of ``CLASSES``. ``tests/docs/limits.toml`` names the test of each.
"""

from __future__ import annotations

import ast
import re
import runpy
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import mcp_bindings_runtime
from attrs import frozen
from mcp_bindgen.emit.declared_options import declared_options
from mcp_bindings_runtime.options import Options

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "security.md"
TESTS = FOLDER.parent / "tests" / "docs" / "limits.toml"
RUNTIME = Path(next(iter(mcp_bindings_runtime.__path__)))
CLASSES = (
    "client/result_cache.ResultCache",
    "features/limits.Limits",
    "http/client/retry.RetryPolicy",
    "http/redis/store.RedisStore",
    "http/server/store.MemoryStore",
    "tasks/store.MemoryTasks",
)
"""Classes of which users make objects that they pass as options."""
LIMIT = re.compile(r"Limits? on |Seconds (?:in|for|after) which ")
_DEFAULT = re.compile(r"Default (?:limit on|number of seconds) ")
_OPTION = re.compile(r"Limit on |Number of (?:requests|pings) |Seconds (?!without )")
_TABLE = re.compile(r"<!-- limits: (?P<areas>[\w/ ]+) -->\n(?:\|.*\n|\n)*<!-- end of limits -->")
_SIZES = {"MiB": 1024 * 1024, "KiB": 1024}


@frozen
class Limit:
    """A limit of the runtime."""

    name: str
    """The module and the constant, or the class and its option or parameter."""
    meaning: str
    default: str
    option: str
    """Where users set it."""

    @property
    def area(self) -> str:
        """The folder of the module."""
        return self.name.rpartition("/")[0] or self.name.partition(".")[0]


@cache
def limits() -> tuple[Limit, ...]:
    """Return all limits, sorted by name."""
    texts: Mapping[str, str] = {name: entry.get("bounds", "") for name, entry in tests().items()}
    return tuple(sorted([*_constants(), *_options(), *_parameters(texts)], key=lambda limit: limit.name))


def tests() -> dict[str, dict[str, str]]:
    """Return the entries of ``limits.toml`` by the names of limits."""
    return tomllib.loads(TESTS.read_text(encoding="utf-8"))


def defaults() -> Iterator[tuple[str, float]]:
    """Yield the constants that are defaults of options, with their values."""
    for name, value, doc in _numbers():
        if _DEFAULT.match(doc):
            yield name, value


def _constants() -> Iterator[Limit]:
    for name, value, doc in _numbers():
        if LIMIT.match(doc):
            yield Limit(name, doc, _shown(value, doc), f"fixed: `{name.rpartition('/')[2]}`")


@cache
def _numbers() -> tuple[tuple[str, float, str], ...]:
    """Return the name, the value and the docstring of each constant of the runtime that is a number."""
    return tuple(_numbers_of_the_runtime())


def _numbers_of_the_runtime() -> Iterator[tuple[str, float, str]]:
    for path in sorted(RUNTIME.rglob("*.py")):
        module = path.relative_to(RUNTIME).with_suffix("").as_posix()
        for node, after in pairwise([*ast.parse(path.read_text(encoding="utf-8")).body, ast.Pass()]):
            match node:
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                    if (number := _number(value)) is not None:
                        yield f"{module}.{name}", number, _text(after)


def _text(node: ast.stmt) -> str:
    """Return the text of a docstring in one line; empty for any other statement."""
    match node:
        case ast.Expr(ast.Constant(str(text))):
            return " ".join(text.split())
        case _:
            return ""


def _number(node: ast.expr) -> float | None:
    """Return the value of an expression of numbers; None for any other."""
    if any(isinstance(each, ast.Name | ast.Call | ast.Attribute) for each in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "<constant>", "eval"), {})  # noqa: S307  # of numbers and operators
    except TypeError:
        return None
    return value if value.__class__ in {int, float} else None


def _options() -> Iterator[Limit]:
    shown = runpy.run_path(str(FOLDER / "option_tables.py"))["default"]
    for path in sorted(RUNTIME.rglob("options.py")):
        module = path.relative_to(RUNTIME).with_suffix("").as_posix()
        for cls in vars(import_module(f"mcp_bindings_runtime.{module.replace('/', '.')}")).values():
            if isinstance(cls, type) and issubclass(cls, Options) and cls.__module__.endswith(module.replace("/", ".")):
                for option in _own_options(cls):
                    name = f"{module}.{cls.__name__}.{option.name}"
                    default = shown(option)
                    # A default that is computed is explained beside it; "none" would mean that there is no limit.
                    yield Limit(name, option.doc, "see text" if default == "none" else default, f"`{option.name}`")


def _own_options(cls: type[Options]) -> Iterator[Any]:
    base: type[Options] = cls.__mro__[1]
    inherited = declared_options(base) if cls is not Options else ()
    for option in declared_options(cls) if cls is not Options else ():
        if option not in inherited and _OPTION.match(option.doc):
            yield option


def _parameters(texts: Mapping[str, str]) -> Iterator[Limit]:
    values = {name: value for name, value, _ in _numbers()}
    for place in CLASSES:
        module, _, cls = place.rpartition(".")
        tree = ast.parse((RUNTIME / f"{module}.py").read_text(encoding="utf-8"))
        (init,) = (
            each
            for node in tree.body
            if isinstance(node, ast.ClassDef) and node.name == cls
            for each in node.body
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        )
        arguments = init.args
        positional = list(zip(arguments.args[::-1], arguments.defaults[::-1], strict=False))
        for argument, default in [*positional, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]:
            if default is None:
                continue
            value = _number(default)
            if isinstance(default, ast.Name):
                found = [number for name, number in values.items() if name.endswith(f".{default.id}")]
                own = values.get(f"{module}.{default.id}")
                value = own if own is not None else found[0] if len(set(found)) == 1 else None
            if value is not None:
                name = f"{place}.{argument.arg}"
                text = texts.get(name, "")
                yield Limit(name, text, _shown(value, text), f"`{cls}({argument.arg}=…)`")


def _shown(value: float, meaning: str) -> str:
    if meaning.startswith("Seconds"):
        return f"{value:,g} s"
    if "bytes" in meaning.partition(";")[0]:
        name, size = next(((name, size) for name, size in _SIZES.items() if value % size == 0), ("bytes", 1))
        return f"{value // size:g} {name}"
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}"


def page() -> str:
    """Return the text of the page with its tables."""
    found = limits()
    return _TABLE.sub(lambda table: _filled(table, found), PAGE.read_text(encoding="utf-8"))


def areas() -> list[str]:
    """Return the areas whose limits the page lists."""
    return [area for found in _TABLE.finditer(PAGE.read_text(encoding="utf-8")) for area in found["areas"].split()]


def _filled(found: re.Match[str], of_all_areas: Iterable[Limit]) -> str:
    wanted = found["areas"].split()
    known = tests()
    rows = ["| limit | default | option | test |", "|---|---|---|---|"]
    for limit in of_all_areas:
        if limit.area in wanted:
            meaning = limit.meaning.replace("|", r"\|").replace("``", "`")
            test = known.get(limit.name, {}).get("test", "none").removeprefix("tests/")
            rows.append(f"| {meaning} | {limit.default} | {limit.option} | `{test}` |")
    text = "\n".join(rows)
    return f"<!-- limits: {found['areas']} -->\n\n{text}\n\n<!-- end of limits -->"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
