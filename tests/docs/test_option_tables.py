"""The tables of options in the documentation are those of the classes that declare the options."""

from __future__ import annotations

import inspect
import re
import runpy
from collections.abc import Iterator
from importlib import import_module

import mcp_bindings_runtime
import pytest
from checkout import ROOT
from mcp_bindgen.emit.declared_options import declared_options
from mcp_bindings import v2025_11_25
from mcp_bindings_runtime.client.options import ClientOptions
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.options import Options

DOCS = ROOT / "docs"
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
    stale = [page.name for page, text in WRITER["pages"]().items() if page.read_text(encoding="utf-8") != text]
    assert stale == [], "run: nox -s options"


def test_every_class_has_a_table():
    texts = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")]
    tables = [cls for text in texts for cls in WRITER["classes_in"](text)]
    assert sorted(cls.__name__ for cls in tables) == sorted(cls.__name__ for cls in CLASSES)


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
    binding = [v2025_11_25.Client.binding] if issubclass(cls, ClientOptions) else []
    for option in declared_options(cls):
        # `CachePolicy` validates it, together with the arguments of `cache`.
        if option.annotation.partition(" ")[0] in {*UNITS, "int"} and option.name != "ttl_ms":
            with pytest.raises(UsageError, match=f"`{option.name}` must be"):
                cls(*binding, **{option.name: "x"})


def test_the_options_of_a_store_are_on_the_page():
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    names = inspect.signature(MemoryStore).parameters
    assert [name for name in names if not re.search(rf"MemoryStore\([^)]*\b{name}=", text)] == []


def test_the_example_gives_all_that_authorization_takes():
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    names = {*inspect.signature(Authorization).parameters} - {"self", "validate"}
    assert [name for name in names if f"{name}=" not in text] == []
