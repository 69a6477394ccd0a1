"""Portable schemas: no host rule finds anything in them, and their values are values of the full schema."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import FunctionType
from typing import Any, Literal, Union

import attrs
import pytest
from checkout import REVISIONS
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindgen.contracts.contract import Listing
from mcp_bindgen.lint.tool_linter import lint_listing
from mcp_bindgen.subsumption.conjunction import Document, root_of
from mcp_bindgen.subsumption.decision import Subsumption
from mcp_bindings import UsageError
from support.annotated_types import IN_WORDS, KINDS, Color, Item, Order


def server_of(revision: str) -> Any:
    return import_module(f"mcp_bindings.{catalog.package_name(revision)}").Server("test", "1")


def contains_itself(annotation: Any) -> bool:
    return "Order" in repr(annotation)


LEAVES = st.sampled_from([each for each in [*KINDS, *(kind for kind, _, _ in IN_WORDS)] if not contains_itself(each)])


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        inner.map(lambda each: list[each]),
        inner.map(lambda each: dict[str, each]),
        several.map(lambda each: tuple[tuple(each)]),
        several.map(lambda each: Union[(*each, None)]),
        st.lists(st.sampled_from(["a", "b", 1, 2, True, None]), min_size=1, unique_by=repr).map(
            lambda values: Literal[tuple(values)]
        ),
        several.map(
            lambda types: attrs.make_class(
                "Made", {f"field_{place}": attrs.field(type=each) for place, each in enumerate(types)}
            )
        ),
    )


ANNOTATIONS = st.recursive(LEAVES, composed, max_leaves=5)


def function_of(annotations: dict[str, Any], returns: Any = str) -> Any:
    """Return a function with parameters of these types."""

    def act(**arguments: Any) -> Any:
        """Act."""

    made = FunctionType(act.__code__, act.__globals__, "act")
    made.__doc__ = "Act."
    made.__annotations__ = {**annotations, "return": returns}
    made.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by inspect.signature
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in annotations]
    )
    return made


def listed(revision: str, function: Any, **options: Any) -> dict[str, Any]:
    """Return the tool of a function as clients see it."""
    server = server_of(revision)
    tool = server.tools.add(function, **options)
    found: dict[str, Any] = server.binding.codec.unstructure(tool.listed)
    return found


@settings(max_examples=settings.default.max_examples * 3 // 2)
@given(
    st.dictionaries(st.sampled_from(["first", "second", "third"]), ANNOTATIONS, max_size=3),
    st.sampled_from([str, int, list[int], Item, dict[str, int], None]),
    st.sampled_from(REVISIONS),
)
def test_no_host_refuses_a_portable_schema(annotations: dict[str, Any], returns: Any, revision: str) -> None:
    tool = listed(revision, function_of(annotations, returns), schemas="portable")
    found = lint_listing(Listing("tools", lists={"tools": [tool]}))
    assert [(each.rule.id, each.pointer) for each in found] == []


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(ANNOTATIONS)
def test_a_portable_schema_allows_no_other_values(annotation: Any) -> None:
    function = function_of({"value": annotation})
    portable, full = (
        root_of(Document.of(listed(REVISIONS[-1], function, schemas=form)["inputSchema"], form))
        for form in ("portable", "full")
    )
    assert Subsumption().decide(portable, full).answer in {"included", "undecided"}


@pytest.mark.parametrize("annotation", [Item, list[Color], Literal["a", 1], dict[str, int], int | None])
def test_types_with_a_portable_form_keep_all_of_their_values(annotation: Any) -> None:
    function = function_of({"value": annotation})
    portable, full = (
        root_of(Document.of(listed(REVISIONS[-1], function, schemas=form)["inputSchema"], form))
        for form in ("portable", "full")
    )
    assert Subsumption().decide(full, portable).answer == "included"


def undocumented(value: int) -> str:
    return str(value)


def documented(value: int) -> str:
    """Do it."""
    return str(value)


def recursive(order: Order) -> str:
    """Do it."""
    return str(order)


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            undocumented,
            {},
            "tool undocumented: schemas='portable' needs a description; add a docstring, or pass description=",
        ),
        (
            documented,
            {"name": "do.it"},
            "tool do.it: schemas='portable' needs a name of 1 to 64 letters (A-Z, a-z), digits, _ and -, got 'do.it'; "
            "pass name=",
        ),
        (
            recursive,
            {},
            "tool recursive: Order contains itself, which needs $ref, and hosts refuse that; leave out "
            "schemas='portable', or pass its depth as separate classes",
        ),
        (
            documented,
            {"input_schema": {"type": "object"}},
            "tool documented: schemas='portable' is for schemas of annotations; leave it out, or input_schema and "
            "output_schema",
        ),
    ],
)
def test_what_has_no_portable_form_is_refused(function: Any, options: dict[str, Any], message: str) -> None:
    server = server_of(REVISIONS[-1])
    with pytest.raises(UsageError) as raised:
        server.tools.add(function, schemas="portable", **options)
    assert str(raised.value) == message
    assert len(server.tools) == 0


def test_an_unknown_form_is_refused() -> None:
    server = server_of(REVISIONS[-1])
    with pytest.raises(UsageError, match="tool documented: schemas must be 'full' or 'portable', got 'strict'"):
        server.tool(schemas="strict")(documented)


def test_a_portable_schema_has_a_limited_size() -> None:
    size: Any = int
    for depth in range(14):
        # Each class contains the one before twice.
        size = attrs.make_class(f"Level{depth}", {"one": attrs.field(type=size), "other": attrs.field(type=size)})
    server = server_of(REVISIONS[-1])
    with pytest.raises(
        UsageError, match="tool act: its portable schema has more than 10000 schemas; use smaller classes"
    ):
        server.tools.add(function_of({"value": size}), schemas="portable")
