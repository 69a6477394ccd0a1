"""What emitted classes offer besides their members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..errors import ProtocolError, ToolFailed
from .wording import describe

Bytes: TypeAlias = bytes
"""The builtin, for classes that have an attribute of that name."""


def decode_base64(text: str) -> Bytes:
    """What base64 stands for (RFC 4648, section 4); raises ProtocolError for text that is none."""
    from base64 import b64decode

    try:
        return b64decode(text, validate=True)
    except ValueError as fault:
        reason = f"the data is no base64: {fault}"
        raise ProtocolError(reason) from None


def first_name(*candidates: str | None) -> str:
    """The first name that there is; the last one always is."""
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


def raise_for_error(result: Any) -> None:
    """Raises ToolFailed for a result that says so."""
    if result.is_error:
        # A block of an unknown type is JSON, which has a type, too.
        texts = [block.text for block in result.content if block.type == "text"]
        raise ToolFailed("\n".join(texts) or "the tool has failed, and does not say why", result)
