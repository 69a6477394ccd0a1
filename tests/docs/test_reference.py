"""The reference documents what is public: what users import from ``mcp_bindings`` and from the package of a revision."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from types import ModuleType

import mcp_bindings
import pytest
from checkout import ROOT
from mcp_bindings import adapters, bridge, connect, serve, testing

DIRECTIVE = re.compile(r"^::: (\S+)\n(?:    options:\n((?:      .*\n)*))?", re.MULTILINE)


def shown_packages() -> set[str]:
    """Return the names of the packages of revisions whose objects the pages of the reference document."""
    pages = (page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    return {name for text in pages for name in re.findall(r"^::: (mcp_bindings\.v\w+)\.server\.", text, re.MULTILINE)}


PACKAGES = [importlib.import_module(name) for name in sorted(shown_packages())]
"""The revisions of which the reference shows client and server."""


def documented() -> Iterator[str]:
    """Yield the paths of the objects that the pages of the reference document."""
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        for path, options in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            yield path
            listed = re.search(r"^      members: \[(.*)\]", options, re.MULTILINE)
            yield from (f"{path}.{name.strip()}" for name in listed[1].split(",")) if listed else ()


def public(module: object) -> dict[str, str]:
    """Return the path of each class and function that the module exports, by name; types of the schema are left out."""
    found = {}
    for name in dir(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or ""
        if not name.startswith("_") and home.startswith("mcp_bindings") and not home.endswith((".types", ".converter")):
            found[name] = f"{home}.{getattr(value, '__qualname__', name)}"
    return found


DOCUMENTED = frozenset(documented())
INTERNAL = {
    connect: {"Negotiation"},
    serve: {"MultiRevisionServer"},
    bridge: {"Bridge"},
    testing: {"client_class_of", "hosted", "memory", "replay_servers"},
}
"""Names that the modules import for their own use."""


def locate(path: str) -> object:
    """Return the object at a dotted path, None if there is none."""
    names = path.split(".")
    for count in range(len(names), 0, -1):
        try:
            found: object = importlib.import_module(".".join(names[:count]))
        except ModuleNotFoundError:
            continue
        for name in names[count:]:
            found = getattr(found, name, None)
        return found
    return None


@pytest.mark.parametrize(
    "module", [mcp_bindings, *PACKAGES, connect, serve, bridge, testing, adapters], ids=lambda module: module.__name__
)
def test_every_public_name_is_in_the_reference(module) -> None:
    missing = {
        name: path
        for name, path in public(module).items()
        if name not in INTERNAL.get(module, ()) and not {path, path.rpartition(".")[0]} & DOCUMENTED
    }
    assert missing == {}, "document it on a page in docs/reference/"


def test_the_reference_shows_a_revision_with_a_handshake_and_one_without() -> None:
    assert [package.revision.FACTS.handshake for package in PACKAGES] == [True, False]


def test_what_the_reference_documents_exists() -> None:
    for path in DOCUMENTED:
        assert locate(path) is not None, path


CLASSES = {"client": "Client", "server": "Server", "context": "Context"}
"""The name of a variable in the documentation, and the class of its value."""


def inherited(package: ModuleType, name: str) -> set[str]:
    """Return the inherited members that the reference of a class lists."""
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        for path, options in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            if path.startswith(f"{package.__name__}.") and path.endswith(f".{name}"):
                return set(re.search(r"inherited_members: \[(.*)\]", options)[1].split(", "))
    raise AssertionError(name)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
@pytest.mark.parametrize("variable", CLASSES)
def test_members_that_the_guides_use_are_in_the_reference(package, variable: str) -> None:
    described = getattr(package, CLASSES[variable])
    listed = inherited(package, CLASSES[variable])
    guides = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    guides = re.sub(r"<!--.*?-->", "", guides)
    used = {name for name in re.findall(rf"(?<![.\w]){variable}\.([a-z]\w*)", guides) if hasattr(described, name)}
    assert used - listed - vars(described).keys() == set()


@pytest.mark.parametrize("name", ["McpError", "RequestTimeout", "ResponseError", "ToolError"])
def test_exceptions_have_short_paths(name: str) -> None:
    assert all(getattr(package, name) is getattr(mcp_bindings, name) for package in PACKAGES)
