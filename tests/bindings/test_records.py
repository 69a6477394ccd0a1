"""Emitted classes behave as attrs' own: each is held against a twin that attrs decorated."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import typing
import weakref
from typing import Any

import attrs
import cattrs
import pytest
from checkout import PACKAGES
from mcp_bindings import v2025_06_18 as mcp
from mcp_bindings import v2026_07_28 as newest
from mcp_bindings_runtime.codec.record import Record
from mcp_bindings_runtime.unset import UNSET


def _classes(package: str) -> list[type[Record]]:
    module = importlib.import_module(f"mcp_bindings.{package}.types")
    return [each for each in vars(module).values() if isinstance(each, type) and _emitted(each)]


def _emitted(cls: type) -> bool:
    return issubclass(cls, Record) and cls is not Record


def _twin(cls: type[Record]) -> Any:
    """The class that ``attrs.define`` makes from the same annotations and defaults."""
    hints = typing.get_type_hints(cls)
    parameters = inspect.signature(cls).parameters
    members = {
        name: attrs.field(
            type=hints[name],
            default=attrs.NOTHING if parameters[name].default is inspect.Parameter.empty else parameters[name].default,
        )
        for name in cls.__slots__
    }
    return attrs.make_class(cls.__name__, members, kw_only=True, slots=True, unsafe_hash=None)


def _example(cls: Any) -> Any:
    required = [name for name, each in inspect.signature(cls).parameters.items() if each.default is each.empty]
    return cls(**dict.fromkeys(required, "x"))


ALL = {package: _classes(package) for package in PACKAGES}
SOME = [mcp.Tool, mcp.TextContent, mcp.CallToolRequest, mcp.JSONRPCError, newest.CallToolResult, newest.Icon]


def test_there_are_the_classes_of_all_revisions() -> None:
    assert sum(map(len, ALL.values())) > 500


@pytest.mark.parametrize("package", PACKAGES)
def test_attrs_sees_the_same_fields_as_on_a_decorated_class(package: str) -> None:
    for cls in ALL[package]:
        assert attrs.has(cls)
        for ours, theirs in zip(attrs.fields(cls), attrs.fields(_twin(cls)), strict=True):
            for aspect in (
                "name",
                "default",
                "type",
                "init",
                "kw_only",
                "alias",
                "eq",
                "validator",
                "converter",
                "metadata",
            ):
                assert getattr(ours, aspect) == getattr(theirs, aspect), (cls, aspect)


@pytest.mark.parametrize("cls", SOME)
def test_asdict_astuple_evolve_and_validate_work_as_on_a_decorated_class(cls: Any) -> None:
    ours, theirs = _example(cls), _example(_twin(cls))
    assert attrs.asdict(ours) == attrs.asdict(theirs)
    assert attrs.astuple(ours) == attrs.astuple(theirs)
    changed = attrs.evolve(ours, extra={"a": 1})
    assert (changed.extra, ours.extra) == ({"a": 1}, None)
    attrs.validate(ours)
    assert attrs.resolve_types(cls) is cls
    assert attrs.fields_dict(cls).keys() == attrs.fields_dict(type(theirs)).keys()


@pytest.mark.parametrize("cls", SOME)
def test_constructors_take_what_a_decorated_class_takes(cls: Any) -> None:
    ours, theirs = inspect.signature(cls), inspect.signature(_twin(cls))
    assert {name: each.default for name, each in ours.parameters.items()} == {
        name: each.default for name, each in theirs.parameters.items()
    }
    assert {each.kind for each in ours.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError):
        cls("positional")
    with pytest.raises(TypeError):
        cls(**attrs.asdict(_example(cls)), no_such_member=1)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_member_is_what_was_given_for_it_or_absent(package: str) -> None:
    made_up: set[tuple[str, Any]] = set()
    for cls in ALL[package]:
        parameters = inspect.signature(cls).parameters
        given = {name: object() for name in parameters}
        made = cls(**given)
        assert {name: getattr(made, name) for name in cls.__slots__} == given, cls
        defaults = {name: each.default for name, each in parameters.items() if each.default is not each.empty}
        made_up |= {(name, value) for name, value in defaults.items() if value is not None and value is not UNSET}
    # Members that are always written, and need not be given: receivers have to tolerate their absence.
    assert {name for name, _ in made_up} <= {"cache_scope", "result_type", "ttl_ms"}


@pytest.mark.parametrize("package", PACKAGES)
def test_copies_and_pickles_are_equal_and_apart(package: str) -> None:
    for cls in ALL[package]:
        made = _example(cls)
        made.extra = {"deep": [1]}
        for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert again == made
            assert again is not made
            assert repr(again) == repr(made)
        assert copy.copy(made).extra is made.extra, cls
        assert copy.deepcopy(made).extra["deep"] is not made.extra["deep"], cls


def test_equality_is_by_class_and_value() -> None:
    assert mcp.TextContent(text="a") == mcp.TextContent(text="a")
    assert mcp.TextContent(text="a") != mcp.TextContent(text="b")
    assert mcp.TextContent(text="a") != mcp.TextContent(text="a", extra={"b": 1})
    assert mcp.TextContent(text="a") != newest.TextContent(text="a")
    assert mcp.TextContent(text="a") != "a"
    assert mcp.TextContent.__eq__(mcp.TextContent(text="a"), 1) is NotImplemented  # type: ignore[operator]  # asked directly


def test_objects_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(mcp.TextContent(text="a"))


def test_unknown_attributes_are_refused_and_weak_references_are_not() -> None:
    made: Any = mcp.TextContent(text="a")
    with pytest.raises(AttributeError):
        made.txet = "b"
    assert weakref.ref(made)() is made


def test_repr_leaves_out_what_is_absent_and_survives_a_loop() -> None:
    made = newest.CallToolResult(content=[newest.TextContent(text="a")])
    assert repr(made) == "CallToolResult(result_type='complete', content=[TextContent(text='a')])"
    # Null is something that was said, where it may be.
    assert repr(made.__replace__(structured_content=None)).endswith(
        "content=[TextContent(text='a')], structured_content=None)"
    )
    made.structured_content = made
    assert repr(made).endswith("structured_content=...)")


def test_unset_is_false_and_itself_after_copy_and_pickle() -> None:
    assert not UNSET
    assert copy.deepcopy(UNSET) is UNSET
    assert pickle.loads(pickle.dumps(UNSET)) is UNSET
    assert repr(UNSET) == str(UNSET) == "UNSET"


def test_replace_changes_a_copy() -> None:
    made = mcp.TextContent(text="a")
    assert made.__replace__(text="b") == mcp.TextContent(text="b")
    assert made.text == "a"


def test_match_takes_members_by_keyword() -> None:
    block: object = mcp.TextContent(text="a")
    match block:
        case mcp.ImageContent(data=data):
            found = data
        case mcp.TextContent(text=text):
            found = text
        case _:
            found = None
    assert found == "a"
    assert mcp.TextContent.__match_args__ == _twin(mcp.TextContent).__match_args__


def test_a_converter_without_hooks_reads_and_writes_the_classes() -> None:
    converter = cattrs.Converter()
    made = mcp.Annotations(audience=["user"], priority=0.5)
    plain = converter.unstructure(made)
    assert plain == {"audience": ["user"], "priority": 0.5, "last_modified": None, "extra": None}
    assert converter.structure(plain, mcp.Annotations) == made


def test_a_decorated_subclass_inherits_the_fields() -> None:
    @attrs.define(kw_only=True)
    class Labelled(mcp.Root):
        label: str = "none"

    made = Labelled(uri="file:///", label="x")
    assert [each.name for each in attrs.fields(Labelled)] == ["uri", "name", "meta", "extra", "label"]
    assert made.label == "x"
    assert mcp.converter.unstructure(made) == {"uri": "file:///"}


def test_a_plain_subclass_has_the_fields_of_its_base() -> None:
    class Marked(mcp.Root):
        __slots__ = ()

    assert attrs.fields(Marked) == attrs.fields(mcp.Root)
    assert mcp.converter.unstructure(Marked(uri="file:///")) == {"uri": "file:///"}
