"""Search for the protocol's own members in a message, outside of application data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mcp_bindings_runtime.codec.checks import is_array, is_object

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules.rule import Path

_OPAQUE: Final = frozenset(
    {
        "_meta",
        "arguments",
        "data",
        "experimental",
        "inputSchema",
        "input",
        "metadata",
        "outputSchema",
        "requestedSchema",
        "structuredContent",
    }
)
"""Members that hold application data; keys below them have no meaning in the protocol."""
_OURS = "io.modelcontextprotocol/"
"""Prefix of the ``_meta`` keys that the protocol defines."""


def find_members(value: Json, *names: str) -> Iterator[tuple[Path, Json]]:
    """Yield each member with one of the names and its path, in document order, at any depth."""
    ways: list[tuple[Path, Json]] = [((), value)]
    while ways:
        path, part = ways.pop()
        if path and path[-1] in names:
            yield path, part
        ways += reversed(
            [way for way in _below(path, part) if is_object(way[1]) or is_array(way[1]) or way[0][-1] in names]
        )


def _below(path: Path, part: Json) -> Iterator[tuple[Path, Json]]:
    name = path[-1] if path else None
    if is_array(part):
        yield from (((*path, index), below) for index, below in enumerate(part))
    elif is_object(part) and (name not in _OPAQUE or name == "_meta"):
        for key, below in part.items():
            if name != "_meta" or key.startswith(_OURS):
                yield (*path, key), below
