"""The tables of options in the documentation are those of the classes that declare the options."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import mcp_bindings_runtime
import pytest
from checkout import ROOT
from mcp_bindgen.emit.declared_options import declared_options
from mcp_bindings import serve, v2025_11_25, v2026_07_28
from mcp_bindings_runtime.client.options import ClientOptions
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.options import Options

DOCS = ROOT / "docs"
PAGE = DOCS / "reference" / "options.md"
REVISIONS = (v2025_11_25, v2026_07_28)
"""The newest revision with sessions, and the one without; together their clients and servers have every option."""
UNITS = {"Seconds": "Seconds ", "Milliseconds": "Milliseconds ", "Bytes": "Limit on the bytes "}
"""Types of numbers, and the beginning of the docstring of an option of the type."""

WRITER = runpy.run_path(str(DOCS / "option_tables.py"))


def subclasses(cls: type[Options]) -> Iterator[type[Options]]:
    for each in cls.__subclasses__():
        yield each
        yield from subclasses(each)


def option_classes() -> list[type[Options]]:
    """Return the classes of the modules named ``options``, in which all of them are."""
    (top,) = mcp_bindings_runtime.__path__
    for path in sorted(ROOT.joinpath(top).rglob("options.py")):
        import_module(".".join(["mcp_bindings_runtime", *path.relative_to(top).with_suffix("").parts]))
    return [*subclasses(Options)]


CLASSES = option_classes()


def test_the_tables_are_what_would_be_written_now():
    assert PAGE.read_text(encoding="utf-8") == WRITER["page_text"](), "run: nox -s options"


def test_every_class_has_one_table():
    tables = WRITER["classes_in"](PAGE.read_text(encoding="utf-8"))
    assert sorted(cls.__name__ for cls in tables) == sorted(cls.__name__ for cls in CLASSES)


def test_types_are_written_out_with_the_values_of_a_choice():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows["cwd"] == "`str`, `PathLike[str]` or `None`"
    assert rows["drift"] == '`"ignore"`, `"warn"` or `"error"`'
    assert rows["stderr"].startswith('`"inherit"`, `"capture"`, `int`, ')
    assert rows["connect_timeout"] == "`float`"


def sections(text: str) -> dict[str, set[str]]:
    """Return the options of each section of the page by the anchor of the section."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    tables = zip(parts[::2], parts[1::2], strict=True)
    return {
        title.lower().replace(".", ""): set(re.findall(r"^\| `(\w+)` \|", body, re.MULTILINE)) for title, body in tables
    }


def stated(text: str) -> dict[str, set[str]]:
    """Return the parameters that the page states for each function: those in its parentheses and the linked options."""
    found = {}
    for functions, options in re.findall(r"^\| (`\w[\w.]*\(.*) \| (.*) \|$", text, re.MULTILINE):
        linked = set().union(*(sections(text)[anchor] for anchor in re.findall(r"\(#(\w+)\)", options)))
        linked -= set(re.findall(r"`(\w+)`", options))
        for name, parameters in re.findall(r"`([\w.]+)\((.*?)\)`", functions):
            found[name] = linked | set(re.findall(r"\w+", parameters))
    return found


def accepted(module: ModuleType, name: str) -> set[str]:
    """Return the parameters of a function as type checkers see them, with the keys of its ``TypedDict``."""
    tree = ast.parse(inspect.getsource(module))
    shared = ast.parse(inspect.getsource(serve))
    classes = {each.name: each for each in [*ast.walk(shared), *ast.walk(tree)] if isinstance(each, ast.ClassDef)}
    owner, _, function = name.rpartition(".")
    body = ast.walk(classes[owner]) if owner else tree.body
    (found,) = (each for each in body if isinstance(each, ast.FunctionDef) and each.name == function)
    names = {each.arg for each in [*found.args.args, *found.args.kwonlyargs]} - {"cls", "self"}
    names |= {found.args.vararg.arg.removesuffix("s")} if found.args.vararg else set()
    pending = [ast.unparse(found.args.kwarg.annotation).removeprefix("Unpack[").removesuffix("]")]
    while pending:
        declaration = classes.get(pending.pop())
        if declaration is None:
            continue
        names |= {each.target.id for each in declaration.body if isinstance(each, ast.AnnAssign)}
        pending += [ast.unparse(base) for base in declaration.bases]
    return names


@pytest.mark.parametrize("name", sorted(stated(PAGE.read_text(encoding="utf-8"))))
def test_a_function_has_the_options_that_the_page_states(name):
    owner, _, function = name.rpartition(".")
    if owner in {"connect", "serve"}:
        found = accepted(import_module(f"mcp_bindings.{owner}"), function)
    else:
        module = "client" if owner == "Client" else "server"
        method = f"Client.{function}" if owner == "Client" else f"Server.{function if owner else '__init__'}"
        packages = (import_module(f"{each.__name__}.{module}") for each in REVISIONS)
        found = set().union(*(accepted(package, method) for package in packages))
    assert stated(PAGE.read_text(encoding="utf-8"))[name] == found


@pytest.mark.parametrize("cls", CLASSES)
def test_a_number_has_a_unit_and_its_text_names_it(cls):
    counts = ("Limit on ", "Number of ")
    for option in declared_options(cls):
        unit = option.annotation.partition(" ")[0]
        assert unit != "float", f"{option.name}: Seconds, or a type of another unit"
        if unit in {*UNITS, "int"}:
            assert option.doc.startswith(UNITS.get(unit, counts)), option


@pytest.mark.parametrize("cls", CLASSES)
def test_a_number_is_validated(cls):
    binding = [v2025_11_25.Client.binding, None] if issubclass(cls, ClientOptions) else []
    for option in declared_options(cls):
        # `CachePolicy` validates it, together with the arguments of `cache`.
        if option.annotation.partition(" ")[0] in {*UNITS, "int"} and option.name != "ttl_ms":
            with pytest.raises(UsageError, match=f"`{option.name}` must be"):
                cls(*binding, **{option.name: "x"})


def test_the_options_of_a_store_are_on_the_page():
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    names = inspect.signature(MemoryStore).parameters
    assert [name for name in names if not re.search(rf"MemoryStore\([^)]*\b{name}=", text)] == []


def test_the_table_has_all_that_authorization_takes():
    text = (DOCS / "authentication.md").read_text(encoding="utf-8")
    section = text.partition("\n## Servers that require access tokens\n")[2].partition("\n### ")[0]
    named = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert named == [name for name in inspect.signature(Authorization).parameters if name != "validate"]
