"""Registries: names, order, and how changes are told of."""

from __future__ import annotations

from functools import partial
from threading import Barrier, Thread

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.registry import Changes, Registry
from support.scripted_peers import package


def watched():
    """A registry, and the list of what it held each time it told of a change."""
    told: list[list[str]] = []
    registry: Registry[str] = Registry("thing", Changes(lambda: told.append(list(registry))))
    return registry, told


def test_offers_keep_the_order_in_which_they_were_added():
    registry, _ = watched()
    for name in "cab":
        registry.put(name, name.upper())
    assert list(registry) == ["C", "A", "B"]
    assert registry.get("a") == "A"
    assert registry.get("z") is None
    assert len(registry) == 3
    assert "a" in registry
    assert "z" not in registry


def test_a_name_is_taken_once_unless_asked():
    registry, told = watched()
    registry.put("a", "first")
    registry.put("b", "second")
    with pytest.raises(UsageError, match="there is a thing 'a' already; use another name, or pass replace=True"):
        registry.put("a", "third")
    assert list(registry) == ["first", "second"]
    registry.put("a", "third", replace=True)
    assert list(registry) == ["third", "second"]
    assert told == [["first"], ["first", "second"], ["third", "second"]]


def test_what_is_not_there_cannot_be_removed():
    registry, told = watched()
    registry.put("a", "A")
    assert registry.remove("a") == "A"
    with pytest.raises(UsageError, match="there is no thing 'a' to remove"):
        registry.remove("a")
    assert told == [["A"], []]


def test_iterating_goes_over_what_was_there():
    registry, _ = watched()
    registry.put("a", "A")
    registry.put("b", "B")
    seen = []
    for offer in registry:
        seen.append(offer)
        if len(registry) < 5:
            registry.put(offer + "+", offer)
            registry.remove(offer.lower())
    assert seen == ["A", "B"]


def test_many_changes_are_told_of_once():
    registry, told = watched()
    with registry.changing():
        registry.put("a", "A")
        with registry.changing():
            registry.put("b", "B")
        assert told == []
    assert told == [["A", "B"]]
    with registry.changing():
        pass
    assert len(told) == 1


def test_changes_are_told_of_where_the_block_fails():
    registry, told = watched()

    def fail() -> None:
        with registry.changing():
            registry.put("a", "A")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert told == [["A"]]


def test_threads_add_without_losing_any():
    registry, told = watched()
    barrier = Barrier(8)

    def add(first: int) -> None:
        barrier.wait(20)
        for number in range(first, first + 50):
            registry.put(str(number), str(number))
            list(registry)

    threads = [Thread(target=add, args=(50 * index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(registry, key=int) == [str(number) for number in range(400)]
    assert len(told) == 400


def first(text: str = "first") -> str:
    return text


def second(text: str = "second") -> str:
    return text


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_decorator_replaces_an_entry_as_its_error_says(revision):
    server = package(revision).Server("s", "1")
    decorators = [
        partial(server.tool, name="a"),
        partial(server.prompt, name="a"),
        partial(server.resource, "a://a"),
        partial(server.resource_template, "b://{text}"),
        partial(server.completion, prompt="a", argument="text"),
    ]
    for decorator in decorators:
        # A resource has no arguments.
        older, newer = (lambda: "first", lambda: "second") if decorator.args == ("a://a",) else (first, second)
        decorator()(older)
        with pytest.raises(UsageError, match=r"already; use another name, or pass replace=True$"):
            decorator()(older)
        decorator(replace=True)(newer)
    with package(revision).Client.in_memory(server) as client:
        assert [each.name for each in client.list_tools()] == ["a"]
        assert client.call_tool("a").text == "second"
        assert client.read_resource("a://a").text == "second"
        assert client.get_prompt("a").messages[0].content.text == "second"
