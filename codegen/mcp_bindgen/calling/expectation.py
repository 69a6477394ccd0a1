"""Comparison of a result with the one in a file."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_bindings_runtime.codec.json_text import NotJson, parse

from mcp_bindgen.errors import BindgenError


def read_expected(file: Path) -> Any:
    """Return the JSON value in a file; raise ``BindgenError`` if it cannot be read."""
    try:
        return parse(file.read_bytes())
    except OSError as problem:
        hint = "; write it with --json, and redirect standard output to it" if not file.exists() else ""
        message = f"cannot read {file}: {problem.strerror}{hint}"
        raise BindgenError(message) from problem
    except NotJson as problem:
        message = f"{file} is not JSON: {problem}"
        raise BindgenError(message) from problem


def differences(expected: Any, found: Any, name: str) -> Sequence[str]:
    """Return the lines of a diff from the expected JSON value to the found one; none if they are equal.

    The order of keys does not count; 1 and 1.0 differ, and so do 1 and true.
    """
    before, after = _lines(expected), _lines(found)
    return list(difflib.unified_diff(before, after, name, "result", lineterm=""))


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
