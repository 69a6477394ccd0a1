"""Strongly connected components of a graph, in the order of dependency, and cycles."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(roots: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> Iterator[list[Node]]:
    """Yield groups of nodes that reach each other, each after the groups that it reaches (Tarjan's algorithm).

    It does not recurse, since a schema may chain thousands of declarations. ``edges`` is called for a node when it is first
    visited, after the groups behind earlier edges were yielded.
    """
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    open_nodes: list[Node] = []
    is_open: set[Node] = set()

    def enter(node: Node) -> tuple[Node, Iterator[Node]]:
        number[node] = lowest[node] = len(number)
        open_nodes.append(node)
        is_open.add(node)
        return node, iter(edges(node))

    for root in roots:
        if root in number:
            continue
        path = [enter(root)]
        while path:
            node, following = path[-1]
            target = next((target for target in following if target not in number or target in is_open), None)
            if target is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number[node]:
                    group = [open_nodes.pop()]
                    while group[-1] != node:
                        group.append(open_nodes.pop())
                    is_open.difference_update(group)
                    yield group[::-1]
            elif target in number:
                lowest[node] = min(lowest[node], number[target])
            else:
                path.append(enter(target))


def cycle(group: list[Node], edges: Callable[[Node], Iterable[Node]]) -> list[Node] | None:
    """Return a path through the group from its first node back to it; None for a single node without such an edge."""
    inside = set(group)
    start = group[0]
    previous: dict[Node, Node] = {}
    waiting = [start]
    for node in waiting:
        for target in edges(node):
            if target == start:
                way = [node]
                while way[-1] != start:
                    way.append(previous[way[-1]])
                return [*way[::-1], start]
            if target in inside and target not in previous:
                previous[target] = node
                waiting.append(target)
    return None
