"""Functions behind the convenience properties and methods of emitted classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from ..errors import ProtocolError, ToolFailed
from ..unset import UNSET
from .error_wording import describe

Bytes: TypeAlias = bytes
"""The builtin, for classes with an attribute of that name."""
_LONGEST_DATA: Final = 1000
"""Characters of structured content that an error shows."""
T = TypeVar("T")
"""A type that the caller of a tool expects."""


def decode_base64(text: str) -> Bytes:
    """Return the bytes of base64 text (RFC 4648, section 4); raise ``ProtocolError`` for other text."""
    from base64 import b64decode

    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        reason = f"the data is not valid base64: {error}"
        raise ProtocolError(reason) from None


def first_name(*candidates: str | None) -> str:
    """Return the first name that is not None; the last one never is."""
    return next(each for each in candidates if each is not None)


def opaque_object(extra: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    """Return an undeclared member that is an object, None if it is absent; raise ``ProtocolError`` for another value."""
    found = None if extra is None else extra.get(name)
    if found is None or found.__class__ is dict:
        return found
    reason = f"`{name}` must be an object, got {describe(found)}"
    raise ProtocolError(reason)


def opaque_texts(extra: Mapping[str, Any] | None, name: str) -> list[str] | None:
    """Return an undeclared member that is an array of strings, None if absent; raise ``ProtocolError`` otherwise."""
    found = None if extra is None else extra.get(name)
    if found is None or (found.__class__ is list and all(each.__class__ is str for each in found)):
        return found
    reason = f"`{name}` must be an array of strings, got {describe(found)}"
    raise ProtocolError(reason)


def join_text(content: Sequence[Any]) -> str:
    """Return the text of all text blocks, joined by line ends; empty if there is none."""
    # Blocks of unknown types are `UnknownContent`, which has a type, too.
    return "\n".join([block.text for block in content if block.type == "text"])


def join_contents(contents: Sequence[Any]) -> str:
    """Return the text of all text contents of a resource, joined by line ends; empty if there is none."""
    # Other contents have a blob.
    return "\n".join([each.text for each in contents if hasattr(each, "text")])


def raise_for_error(result: Any) -> None:
    """Raise ``ToolFailed`` if a result reports a failure."""
    if result.is_error:
        raise ToolFailed(_failure_text(result), result)


def _failure_text(result: Any) -> str:
    text = join_text(result.content)
    if text.strip():
        return text
    # Not every revision has it.
    data: Any = getattr(result, "structured_content", None)
    if data is None or data is UNSET:
        return "the tool reports a failure without a text"
    import json

    shown = json.dumps(data, ensure_ascii=False)
    shown = shown if len(shown) <= _LONGEST_DATA else f"{shown[:_LONGEST_DATA]}\N{HORIZONTAL ELLIPSIS}"
    return f"the tool reports a failure without a text; its structured content is {shown}"
