"""The wording of errors about values: the sentence, the place, and the descriptions of values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from .checks import is_array, is_object

NOTHING: Final = "nothing"
"""The description of a missing member, in ``found`` of a violation."""


def mismatch_at(path: str, found: str, expected: str) -> str:
    """Return what is wrong at a place: a wrong value, or a missing member, whose description is ``NOTHING``."""
    return f"{path}: found {found}, expected {expected}"


def json_path(keys: tuple[str | int, ...]) -> str:
    """Return a path in JSONPath notation: ``$.a.b[2]["odd key"]``."""
    parts = ["$"]
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        elif key.isidentifier() or key.removeprefix("$").isidentifier():
            parts.append(f".{key}")
        else:
            parts.append(f"[{_quoted(key)}]")
    return "".join(parts)


def _quoted(text: str) -> str:
    """Return a JSON string without characters that a terminal would interpret."""
    printed = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in printed)


def describe(value: Any) -> str:
    """Return a short description of a JSON value: scalars as JSON, cut if long; arrays and objects by kind."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return json.dumps(value[:_SHOWN], ensure_ascii=False) + ("…" if len(value) > _SHOWN else "")
    if isinstance(value, int | float):
        # Python refuses to print a number of thousands of digits.
        return str(value) if not isinstance(value, int) or value.bit_length() < 256 else "a huge integer"
    if is_array(value):
        return "an array"
    if is_object(value):
        return "an object"
    return describe_python(value)


def describe_python(value: Any) -> str:
    """Return a short description of a Python value: JSON scalars as they are, other values by their class."""
    if value is None:
        return "None"
    if isinstance(value, bool | int | float | str) and value.__class__.__module__ == "builtins":
        return describe(value) if not isinstance(value, bool) else repr(value)
    name = value.__class__.__name__
    return f"{article(name)} {name}"


def one_of(literals: Sequence[Any]) -> str:
    """Return a description of the accepted literals."""
    shown = [describe(literal) for literal in literals]
    if len(shown) == 1:
        return shown[0]
    return f"one of {', '.join(shown)}"


def any_of(wanted: Iterable[str]) -> str:
    """Join descriptions of alternatives, without repetitions."""
    each = list(dict.fromkeys(wanted))
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} or {each[-1]}"


def article(name: str) -> str:
    """Return the indefinite article for a name."""
    return "an" if name[:1].lower() in "aeiou" else "a"


_SHOWN = 60
