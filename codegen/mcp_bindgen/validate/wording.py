"""Code and message of findings."""

from __future__ import annotations

from mcp_bindings_runtime.codec.error_wording import NOTHING, json_path

from mcp_bindgen.validate.entries import Path
from mcp_bindgen.validate.findings import Finding, Level, Place

_LONGEST_KEY = 100
_SHOWN = 6
"""Number of alternatives that a message names; a revision has dozens of methods."""


def finding(
    place: Place,
    path: Path,
    found: str,
    expected: str,
    revision: str | None,
    *,
    code: str | None = None,
    level: Level = "error",
) -> Finding:
    """Return the finding for an unexpected value; without ``code``, the code is derived from the texts."""
    return Finding(
        place,
        level,
        code or _code(found, expected),
        path_in_words(path),
        in_words(found, expected),
        revision,
        found,
        expected,
    )


def path_in_words(path: Path) -> str:
    """Return a path as ``$.params.name``, with long keys shortened."""
    return json_path(tuple(f"{str(key)[:_LONGEST_KEY]}…" if len(str(key)) > _LONGEST_KEY else key for key in path))


def in_words(found: str, expected: str) -> str:
    """Return a message: ``"video" is not one of "text", "image"``, ``found 3, expected a string``."""
    shown = _shortened(expected)
    if found == NOTHING:
        return "missing" if expected == "this member" else f"missing, expected {shown}"
    if _is_literal(expected):
        return f"{found} is not {shown}"
    return f"found {found}, expected {shown}"


def _code(found: str, expected: str) -> str:
    if found == NOTHING:
        return "missing"
    return "value" if _is_literal(expected) else "type"


def _is_literal(expected: str) -> bool:
    return expected.startswith(('"', 'one of "')) or (expected.startswith("one of ") and expected[7:8].isdigit())


def _shortened(expected: str) -> str:
    head, separator, rest = expected.partition("one of ")
    if not separator or head or rest.count(", ") < _SHOWN:
        return expected
    return f"one of {', '.join(rest.split(', ')[:_SHOWN])}, …"
