"""Content blocks of types that the revision does not declare: a client keeps them as JSON and does not lose the result.

The revisions say which types there are, and none says what a client does with another one. Servers send types of later
revisions all the same, such as ``resource_link`` before 2025-06-18. So this is lenient where a client receives the result
of a request whose outcome cannot be asked for again; ``decode`` stays strict.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..binding import Binding
from ..errors import DecodeError, EncodeError
from ..logs import write_log
from ..methods import RequestMethod
from .codec import Codec
from .type_tables import UnknownTag, Violation

_LENIENT = frozenset({"tools/call", "prompts/get"})
"""Requests whose results hold content blocks."""


class UnknownContent(dict[str, Any]):
    """A content block of a type that the revision does not declare, as a JSON object."""

    @property
    def type(self) -> str:
        """The type, as every content block has it."""
        found: str = self["type"]
        return found


def read_result(codec: Codec[Any], key: RequestMethod[Any, Any], value: Any) -> Any:
    """Return the result of a request from its JSON value; content blocks of unknown types become ``UnknownContent``.

    The local log has a warning about each. Raise ``DecodeError`` if anything else does not fit.
    """
    try:
        return codec.decode_result(key, value)
    except DecodeError:
        if key.name not in _LENIENT:
            raise
        result, faults = codec.decode_result_leniently(key, value)
        if not faults or not all(map(_is_unknown_block, faults)):
            raise
    for fault in faults:
        _wrap(result, fault.path[:-1])
        write_log("warning", "%s: %s; kept as JSON", key.name, DecodeError(*fault, codec.revision))
    return result


def tolerated(
    codec: Codec[Any], key: RequestMethod[Any, Any], response: Any, fault: DecodeError
) -> tuple[Any, DecodeError | None]:
    """Return the result in the JSON value of a response that does not fit, or the fault if that cannot be tolerated."""
    if fault.keys[:1] == ("result",):
        with suppress(DecodeError, RecursionError):
            return read_result(codec, key, response["result"]), None
    return None, fault


def written(binding: Binding, result: Any) -> Any:
    """Return the JSON value of a result as the server has sent it, content blocks of unknown types included."""
    codec = binding.codec
    try:
        return codec.unstructure(result)
    except EncodeError:
        if hasattr(result, "messages"):
            made = codec.unstructure(result.__replace__(messages=[]))
            return {**made, "messages": [_written_message(binding, each) for each in result.messages]}
        made = codec.unstructure(result.__replace__(content=[]))
        return {**made, "content": [_written_block(codec, each) for each in result.content]}


def _written_message(binding: Binding, message: Any) -> Any:
    made = binding.codec.unstructure(message.__replace__(content=binding.types.TextContent(text="")))
    return {**made, "content": _written_block(binding.codec, message.content)}


def _written_block(codec: Codec[Any], block: Any) -> Any:
    return dict(block) if isinstance(block, UnknownContent) else codec.unstructure(block)


def _is_unknown_block(fault: Violation) -> bool:
    """Whether a fault is the type of a block of ``content``."""
    return isinstance(fault, UnknownTag) and fault.path[-1] == "type" and "content" in fault.path[-3:]


def _wrap(result: Any, path: tuple[str | int, ...]) -> None:
    """Make the object at a path an ``UnknownContent``."""
    *above, last = path
    holder = result
    for step in above:
        holder = holder[step] if isinstance(step, int) else getattr(holder, step)
    if isinstance(last, int):
        holder[last] = UnknownContent(holder[last])
    else:
        setattr(holder, last, UnknownContent(getattr(holder, last)))
