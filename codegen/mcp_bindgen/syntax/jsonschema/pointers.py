"""JSON Pointers (RFC 6901) as text: the places in a JSON document that errors name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard
from urllib.parse import unquote


def below(pointer: str, *tokens: str | int) -> str:
    """Return the pointer to a member or item below another pointer."""
    for token in tokens:
        text = str(token)
        pointer = f"{pointer}/{text.replace('~', '~0').replace('/', '~1') if '~' in text or '/' in text else text}"
    return pointer


def tokens_of(pointer: str) -> tuple[str, ...]:
    """Return the member names and indices of a pointer; raise ``ValueError`` for a text that is no pointer."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        message = f"{pointer!r} does not start with a slash"
        raise ValueError(message)
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/"))


def from_fragment(fragment: str) -> str:
    """Return the pointer that the fragment of a reference contains, with percent-encoding removed."""
    return below("", *tokens_of(unquote(fragment)))


def value_at(root: Any, tokens: Iterable[str]) -> Any:
    """Return the value that a pointer leads to; raise ``KeyError`` if there is none."""
    value = root
    for token in tokens:
        if is_object(value) and token in value:
            value = value[token]
        elif is_array(value) and _is_index(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            raise KeyError(token)
    return value


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Return whether a JSON value is an array."""
    return isinstance(value, list)


def _is_index(token: str) -> bool:
    # More digits than any array has items would take long to convert.
    return len(token) < 10 and token.isascii() and token.isdecimal() and str(int(token)) == token
