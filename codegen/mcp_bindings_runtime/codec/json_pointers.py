"""JSON values by JSON Pointers (RFC 6901), in which the token ``*`` stands for every member or element."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import UsageError
from ..unset import UNSET

_EVERY = "*"
_LONGEST = 80


class ValueDifference(NamedTuple):
    """A place where two JSON values differ; ``UNSET`` stands for a value that one side lacks.

    As text, long values are shortened.
    """

    pointer: str
    recorded: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.pointer or '(the whole value)'}: recorded {_text(self.recorded)}, found {_text(self.found)}"

    def document(self) -> dict[str, Any]:
        """Return the difference as a JSON object, without the member of a value that is lacking."""
        return {name: value for name, value in self._asdict().items() if value is not UNSET}


def parse_pointers(pointers: Sequence[Any]) -> tuple[tuple[str, ...], ...]:
    """Return pointers as tuples of tokens; raise ``UsageError`` for a text that is not a pointer."""
    for pointer in pointers:
        if not isinstance(pointer, str) or not pointer.startswith("/"):
            text = f"{pointer!r} is not a JSON Pointer below a message; write '/params/arguments/date', for example"
            raise UsageError(text)
    return tuple(
        tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]) for pointer in pointers
    )


def replaced_at(value: Any, pointers: Sequence[tuple[str, ...]], replace: Callable[[Any], Any]) -> Any:
    """Return a copy of a JSON value in which the values at these pointers are replaced."""
    if () in pointers:
        return replace(value)
    if not pointers or value.__class__ not in {dict, list}:
        return value

    def below(key: Any) -> list[tuple[str, ...]]:
        return [rest for token, *tokens in pointers for rest in [tuple(tokens)] if token in {str(key), _EVERY}]

    if value.__class__ is dict:
        return {key: replaced_at(item, below(key), replace) for key, item in value.items()}
    return [replaced_at(item, below(index), replace) for index, item in enumerate(value)]


def without(value: Any, pointers: Sequence[tuple[str, ...]]) -> Any:
    """Return a copy of a JSON value without the members and elements at these pointers."""
    if not pointers or value.__class__ not in {dict, list}:
        return value
    kept: list[tuple[Any, Any]] = []
    for key, item in _parts(value):
        below = [rest for token, *rest in pointers if token in {str(key), _EVERY}]
        if [] not in below:
            kept.append((key, without(item, [tuple(rest) for rest in below])))
    return dict(kept) if value.__class__ is dict else [item for _, item in kept]


def differences(recorded: Any, found: Any, pointer: str = "") -> Iterator[ValueDifference]:
    """Yield the places where two JSON values differ. Numbers of different kinds differ."""
    if recorded.__class__ is dict and found.__class__ is dict:
        for key in [*recorded, *(key for key in found if key not in recorded)]:
            below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            yield from _compared(recorded, found, key, below, key in recorded, key in found)
    elif recorded.__class__ is list and found.__class__ is list:
        for index in range(max(len(recorded), len(found))):
            below = f"{pointer}/{index}"
            yield from _compared(recorded, found, index, below, index < len(recorded), index < len(found))
    elif canonical(recorded) != canonical(found):
        yield ValueDifference(pointer, recorded, found)


def canonical(value: Any) -> str:
    """Return a text that is equal for equal JSON values, whatever the order of members."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the members of an object, or the elements of an array with their indices."""
    if value.__class__ is dict:
        members: dict[str, Any] = value
        return members.items()
    elements: list[Any] = value
    return enumerate(elements)


def _compared(
    recorded: Any, found: Any, key: Any, pointer: str, is_recorded: bool, is_found: bool  # one call
) -> Iterator[ValueDifference]:
    if is_recorded and is_found:
        yield from differences(recorded[key], found[key], pointer)
    else:
        yield ValueDifference(pointer, recorded[key] if is_recorded else UNSET, found[key] if is_found else UNSET)


def _text(value: Any) -> str:
    text = "(nothing)" if value is UNSET else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
