"""What is said about the code, as tests: who imports whom, what a template may do, what is copied, how modules are made."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest
from checkout import GENERATED, ROOT
from jinja2 import Environment, nodes
from mcp_bindgen.emit.runtime_files import runtime_files

CODEGEN = ROOT / "codegen" / "mcp_bindgen"
RUNTIME = ROOT / "codegen" / "mcp_bindings_runtime"
OF_RUNTIME = sorted(RUNTIME.rglob("*.py"))
MODULES = sorted(CODEGEN.rglob("*.py")) + OF_RUNTIME
TEMPLATES = sorted((ROOT / "templates").rglob("*.py.j2"))

ABOVE = {
    "ir": set(),
    "errors": {"ir", "escaping"},
    "escaping": set(),
    "revision_range": set(),
    "resources": {"errors"},
    "appended_file": {"errors"},
    "templates": {"resources"},
    "syntax": {"ir", "errors"},
    "resolve": {"ir", "errors", "revision_range"},
    "emit": {"ir", "errors", "templates", "revision_range", "runtime"},
    "sources": {"ir", "errors", "resources", "bundled_schemas", "syntax", "resolve"},
    "server_offers": {"ir", "errors", "escaping", "syntax", "resolve", "runtime"},
    "server_clients": {"ir", "errors", "syntax", "emit", "generate", "server_offers"},
    "bundled_schemas": {"ir", "errors", "resources"},
    "catalog": {"ir", "errors", "bundled_schemas", "sources"},
    "settings": {"errors", "catalog"},
    "bridge": {"ir", "errors", "appended_file", "catalog", "validate", "runtime"},
    "generate": {"ir", "errors", "catalog", "sources", "emit", "bridge"},
    "describe": {"ir", "errors", "resources", "catalog", "sources", "resolve", "emit", "generate"},
    "diff": {
        "ir",
        "errors",
        "escaping",
        "templates",
        "resolve",
        "describe",
        "syntax",
        "subsumption",
        "contracts",
        "runtime",
    },
    "subsumption": {"errors", "syntax"},
    "contracts": {"errors", "syntax", "validate", "calling", "runtime"},
    "lint": {"errors", "escaping", "syntax", "describe", "contracts"},
    "validate": {"errors", "escaping", "catalog", "revision_range", "runtime"},
    # It uses servers as any program does.
    "calling": {"errors", "escaping", "appended_file", "catalog", "runtime"},
    "replay": {"errors", "validate", "runtime"},
    "cli": {
        "errors",
        "escaping",
        "resources",
        "catalog",
        "settings",
        "generate",
        "emit",
        "sources",
        "server_clients",
        "syntax",
        "describe",
        "diff",
        "validate",
        "bridge",
        "calling",
        "replay",
        "contracts",
        "lint",
        "runtime",
    },
    "runtime": set(),
    "__main__": {"cli"},
}
"""Part of the generator to the parts that it may import; nothing imports ``cli``."""

ONLY_IN = {"click": {"cli"}, "jinja2": {"templates"}, "tree_sitter": {"syntax"}, "tree_sitter_typescript": {"syntax"}}
"""A dependency to the parts that know it."""

OPTIONAL: dict[str, set[str]] = {
    # Imported where it is installed; whoever does without it gets the same.
    "orjson": {"codec/orjson_text.py"},
    "cheroot": {"http/server/cheroot_requests.py", "http/server/cheroot_fast_path.py"},
    "joserfc": {
        "auth/client_credentials.py",
        "auth/proof_key.py",
        "auth/resource_server/jwt_validator.py",
        "auth/resource_server/key_set.py",
        "auth/resource_server/proof_validator.py",
        "auth/resource_server/token_issuer.py",
    },
    "redis": {"http/redis/client.py"},
    # Type checkers know it without an installation; nothing imports the module at run time.
    "typing_extensions": {"server/decorator_types.py"},
    "urllib3": {
        "auth/fetcher.py",
        "http/client/connections.py",
        "http/client/fast_path.py",
        "http/client/wire.py",
    },
}
"""A library of an extra to the modules of the runtime that know it."""


def part_of(module: Path) -> str:
    if module.is_relative_to(RUNTIME):
        return "runtime"
    return module.relative_to(CODEGEN).with_suffix("").parts[0]


def name_of(module: Path) -> str:
    return module.relative_to(CODEGEN.parent).as_posix()


@cache
def parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


@cache
def imported(module: Path) -> frozenset[str]:
    """The absolute names that a module imports, ``mcp_bindgen.ir`` for ``from mcp_bindgen import ir`` too."""
    found: set[str] = set()
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert node.module is not None
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(names if node.module == "mcp_bindgen" else [node.module])
    return frozenset(found)


@cache
def reached(module: Path) -> frozenset[str]:
    """The absolute names of what a module imports by relative ones: ``from ..ir import types`` leads out of its part."""
    found: set[str] = set()
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = module.relative_to(CODEGEN.parent).parts[: -node.level]
            start = ".".join([*above, *([] if node.module is None else [node.module])])
            found.update(f"{start}.{alias.name}" for alias in node.names)
    return frozenset(found)


def wrong(modules: Iterable[Path], check: Callable[[Path], object]) -> dict[str, object]:
    """The modules in which a check finds something, each with what it finds. They are too many for a test each."""
    return {name_of(module): found for module in modules if (found := check(module))}


each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.relative_to(ROOT).as_posix())


def test_there_are_modules_to_look_at() -> None:
    assert len(MODULES) > len(OF_RUNTIME) > 100


def test_imports_point_one_way() -> None:
    def upwards(module: Path) -> set[str]:
        part = part_of(module)
        if part == "__init__":
            return {*imported(module)} - {"__future__"}
        every = imported(module) | reached(module)
        ours = {name.split(".")[1] for name in every if name.startswith("mcp_bindgen.")}
        ours |= {"runtime" for name in every if name.startswith("mcp_bindings_runtime")}
        return ours - {part, "__version__"} - ABOVE[part]

    assert wrong(MODULES, upwards) == {}


def test_servers_and_tasks_do_not_know_clients() -> None:
    """Clients know servers: ``in_memory`` takes one."""

    def clients(module: Path) -> set[str]:
        part = module.relative_to(RUNTIME).parts[0]
        found = {name for name in reached(module) if name.startswith("mcp_bindings_runtime.client.")}
        return found if part in {"server", "tasks"} else set()

    assert wrong(OF_RUNTIME, clients) == {}


def test_a_dependency_is_known_where_it_is_used() -> None:
    def out_of_place(module: Path) -> list[str]:
        part = part_of(module)
        return [name for name in imported(module) if part not in ONLY_IN.get(name.partition(".")[0], {part})]

    assert wrong(MODULES, out_of_place) == {}


def test_the_runtime_imports_the_standard_library_attrs_and_cattrs() -> None:
    def foreign(module: Path) -> set[str]:
        allowed = (sys.stdlib_module_names - {"asyncio"}) | {"attrs", "cattrs"}
        allowed |= {library for library, knows in OPTIONAL.items() if module.relative_to(RUNTIME).as_posix() in knows}
        return {name.partition(".")[0] for name in imported(module)} - allowed

    assert wrong(OF_RUNTIME, foreign) == {}


@each_template
def test_a_template_prints_what_was_decided(template: Path) -> None:
    """Conditions are named booleans of the view model, or whether it is the first or last of a loop; names come from Python."""
    tree = Environment(autoescape=False).parse(template.read_text(encoding="utf-8"))

    def dotted(node: nodes.Node) -> str:
        match node:
            case nodes.Not():
                return dotted(node.node)
            case nodes.Getattr():
                return f"{dotted(node.node)}.{node.attr}"
            case _:
                return node.name if isinstance(node, nodes.Name) else f"<{type(node).__name__}>"

    boolean = re.compile(r"loop\.(first|last)|(\w+\.)*((is|has|runtime_is)_|offers\.)\w+(\.\w+)?|has\.\w+")
    conditions = [dotted(node.test) for node in tree.find_all(nodes.If)]
    assert [condition for condition in conditions if not boolean.fullmatch(condition)] == []
    decides = (nodes.Assign, nodes.Call, nodes.Compare, nodes.CondExpr, nodes.Filter, nodes.Test, nodes.And, nodes.Or)
    assert [type(node).__name__ for node in tree.find_all(decides)] == []
    # Lists of lines are joined by `+`.
    assert [node for node in tree.find_all(nodes.BinExpr) if not isinstance(node, nodes.Add)] == []


def test_source_of_the_emitted_code_is_in_templates() -> None:
    """A string of the emitter has at most two lines: a longer text is in a template."""

    def long_texts(module: Path) -> list[str]:
        described = {
            id(each.value)
            for node in ast.walk(parsed(module))
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            for each in node.body
            if isinstance(each, ast.Expr)
        }
        strings = (
            node for node in ast.walk(parsed(module)) if isinstance(node, ast.Constant) and id(node) not in described
        )
        return [
            node.value
            for node in strings
            if isinstance(node.value, str) and len(node.value.strip("\n").splitlines()) > 2
        ]

    assert wrong((module for module in MODULES if part_of(module) == "emit"), long_texts) == {}


def inspects(node: ast.AST) -> bool:
    """Whether an expression reads the slots or annotations of a class, or tests if params or a result have a member."""
    match node:
        case ast.Attribute(attr="__slots__" | "__annotations__", ctx=ast.Load()):
            return True
        case ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id="params" | "result"), *_]):
            return True
    return False


def test_the_runtime_asks_facts_and_neither_dates_nor_labels_nor_what_classes_there_are() -> None:
    """A package may be made of any schema and be called anything (``facts.py``)."""

    def asks(node: ast.AST) -> str | None:
        match node:
            case ast.Constant(value=str(text)) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
                return f"the date {text}"
            case ast.Compare(ops=ops) if any(isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in ops):
                sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
                return next((side for side in sides if re.search(r"\b_?revision$", side)), None)
            case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[where, ast.Constant(), *_]):
                return ast.unparse(node) if re.search(r"\b_?types$", ast.unparse(where)) else None
        return None

    def found(module: Path) -> list[str]:
        return [asked for node in ast.walk(ast.parse(module.read_text("utf-8"))) if (asked := asks(node))]

    assert wrong(OF_RUNTIME, found) == {}


def test_the_runtime_inspects_no_classes_outside_the_codec() -> None:
    found = {module for module in OF_RUNTIME if any(map(inspects, ast.walk(parsed(module))))}
    assert [name_of(module) for module in found if not module.is_relative_to(RUNTIME / "codec")] == []


def test_a_copy_of_the_runtime_is_the_source_below_a_header() -> None:
    copies = runtime_files()

    def differs(module: Path) -> bool:
        copy = copies.pop(f"runtime/{module.relative_to(RUNTIME).as_posix()}")
        first, second, rest = copy.split("\n", 2)
        assert first.startswith("# Generated by mcp-codegen ")
        assert second == "# Do not edit; run: mcp-codegen generate"
        return rest != module.read_text(encoding="utf-8")

    assert wrong(OF_RUNTIME, differs) == {}
    assert copies == {}


def test_the_bundled_packages_have_no_copy_of_the_runtime() -> None:
    assert not (GENERATED / "runtime").exists()
    assert not [path for path in GENERATED.rglob("*.py") if "..runtime" in path.read_text(encoding="utf-8")]


def test_a_module_says_what_it_is_for() -> None:
    def silent(module: Path) -> bool:
        docstring = ast.get_docstring(parsed(module)) or ""
        return not docstring.partition("\n")[0].endswith((".", ":"))

    assert wrong(MODULES, silent) == {}


def test_a_module_holds_one_idea() -> None:
    def too_long(module: Path) -> int:
        lines = module.read_text(encoding="utf-8").count("\n")
        return lines if lines > 450 else 0

    assert wrong(MODULES, too_long) == {}, "past 450 lines a module holds two ideas"


def test_names_are_those_of_the_protocol() -> None:
    def general(module: Path) -> list[str]:
        words = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"} & set(
            module.stem.split("_")
        )
        classes = [node.name for node in ast.walk(parsed(module)) if isinstance(node, ast.ClassDef)]
        return [*words, *(name for name in classes if name.endswith(("Manager", "Helper", "Utils")))]

    assert wrong(MODULES, general) == {}


def tracked() -> list[Path]:
    """The files of the checkout, those not yet added too; without git all that it would track."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_the_host_of_a_package_registry() -> None:
    hosts = re.compile(rb"pypi\.(?:org|python)|pythonhosted|npmjs\.(?:org|com)|registry\.yarnpkg|deb\.debian")
    naming = [str(path.relative_to(ROOT)) for path in tracked() if hosts.search(path.read_bytes())]
    # This file has the list of them.
    assert naming == [str(Path(__file__).relative_to(ROOT))]


def test_no_file_names_a_place_on_one_machine() -> None:
    places = re.compile(rb"/(?:home|Users|root|work)/\w")
    naming = [str(path.relative_to(ROOT)) for path in tracked() if places.search(path.read_bytes())]
    assert naming == []


def test_ci_runs_the_command_of_the_readme() -> None:
    command = (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().splitlines()[-1]
    assert f"\n{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_ignored_lint_rule_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    start = lines.index("[tool.ruff.lint]")
    ignored = [line for line in lines[start:] if re.match(r'    "[A-Z]+\d*"', line)]
    assert ignored
    assert not [line for line in ignored if "# " not in line]


def modules_and_members(module: Path) -> set[str]:
    """Return what a module imports, relatively or not, each ``from`` import with the name that it imports."""
    found = {*reached(module)}
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def circles_of(package: str) -> list[list[str]]:
    """Return the modules that reach each other, one sorted list a circle, largest first."""
    root = CODEGEN.parent / package
    names = {
        ".".join(module.relative_to(root).with_suffix("").parts).removesuffix("__init__").rstrip("."): module
        for module in sorted(root.rglob("*.py"))
    }
    targets: dict[str, set[str]] = {}
    for name, module in names.items():
        every = {each.removeprefix(f"{package}.") for each in modules_and_members(module) if each.startswith(package)}
        targets[name] = {each if each in names else each.rpartition(".")[0] for each in every} & names.keys() - {name}
    reach: dict[str, set[str]] = {}
    for name in names:
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            for target in targets[waiting.pop()] - seen:
                seen.add(target)
                waiting.append(target)
        reach[name] = seen
    circles = {tuple(sorted(other for other in reach[name] if name in reach[other])) for name in names}
    return sorted(([*circle] for circle in circles if circle), key=lambda circle: (-len(circle), circle))


@pytest.mark.parametrize("package", ["mcp_bindgen", "mcp_bindings_runtime"])
def test_modules_import_in_one_direction(package: str) -> None:
    """Imports of types only and imports inside functions count, too."""
    assert circles_of(package) == []
