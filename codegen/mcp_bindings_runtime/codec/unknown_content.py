"""Keep content blocks of undeclared types as JSON, so that a client does not lose the rest of the result.

Servers send types of later revisions, such as ``resource_link`` before 2025-06-18, and no revision tells clients what to do
with them. Only results that cannot be requested again are read so leniently; ``decode`` stays strict. A program that passes
such a result on, such as a bridge, sends the blocks as it has received them.
"""

from __future__ import annotations

import json
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
        """The type of the content block."""
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


def tolerate_unknown_content(
    codec: Codec[Any], key: RequestMethod[Any, Any], response: Any, fault: DecodeError
) -> tuple[Any, DecodeError | None]:
    """Return the result in an invalid response, or the error if unknown content is not the only reason for it."""
    if fault.keys[:1] == ("result",):
        with suppress(DecodeError, RecursionError):
            return read_result(codec, key, response["result"]), None
    return None, fault


def unstructure_result(binding: Binding, result: Any) -> Any:
    """Return the JSON value of a result, content blocks of unknown types included."""
    codec = binding.codec
    try:
        return codec.unstructure(result)
    except EncodeError:
        if not _has_unknown_content(result):
            raise
    if hasattr(result, "messages"):
        made = codec.unstructure(result.__replace__(messages=[]))
        return {**made, "messages": [_written_message(binding, each) for each in result.messages]}
    made = codec.unstructure(result.__replace__(content=[]))
    return {**made, "content": [_written_block(codec, each) for each in result.content]}


def encode_response(binding: Binding, response: Any, fault: EncodeError) -> bytes:
    """Return the line of a response that could not be encoded because of unknown content; raise ``fault`` for others."""
    if not _has_unknown_content(response.result):
        raise fault
    try:
        value = {"jsonrpc": "2.0", "id": response.id, "result": unstructure_result(binding, response.result)}
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    except (EncodeError, TypeError, ValueError, RecursionError):
        # Something else cannot be encoded, or a block that the program has made.
        raise fault from None


def _has_unknown_content(result: Any) -> bool:
    blocks = getattr(result, "content", None) or [each.content for each in getattr(result, "messages", ())]
    return any(isinstance(each, UnknownContent) for each in blocks)


def _written_message(binding: Binding, message: Any) -> Any:
    made = binding.codec.unstructure(message.__replace__(content=binding.types.TextContent(text="")))
    return {**made, "content": _written_block(binding.codec, message.content)}


def _written_block(codec: Codec[Any], block: Any) -> Any:
    return dict(block) if isinstance(block, UnknownContent) else codec.unstructure(block)


def _is_unknown_block(fault: Violation) -> bool:
    """Return whether a violation is an unknown type of a content block."""
    return isinstance(fault, UnknownTag) and fault.path[-1] == "type" and "content" in fault.path[-3:]


def _wrap(result: Any, path: tuple[str | int, ...]) -> None:
    """Replace the object at a path by an ``UnknownContent``."""
    *above, last = path
    holder = result
    for step in above:
        holder = holder[step] if isinstance(step, int) else getattr(holder, step)
    if isinstance(last, int):
        holder[last] = UnknownContent(holder[last])
    else:
        setattr(holder, last, UnknownContent(getattr(holder, last)))
