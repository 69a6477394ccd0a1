"""What decoding promises about any text, and so what a fuzzer looks for a breach of."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any

from mcp_bindgen.catalog import package_name, revisions
from mcp_bindings_runtime.codec.json_text import Backend
from mcp_bindings_runtime.errors import DecodeError
from support.json_backends import NAMES, backend

from fuzz.mutating import IDS

PACKAGES: Mapping[str, Any] = {
    revision: importlib.import_module(f"mcp_bindings.{package_name(revision)}") for revision in revisions()
}


class Broken(AssertionError):
    """A promise that a text breaks."""


def check(data: bytes, revision: str) -> bool:
    """Whether the text is a message of the revision; raises Broken, or whatever decoding should not raise."""
    package = PACKAGES[revision]
    verdicts = [_verdict(package, backend(name), data) for name in NAMES]
    if verdicts[0] != verdicts[1]:
        message = f"{NAMES[0]}: {verdicts[0]}; {NAMES[1]}: {verdicts[1]}"
        raise Broken(message)
    return verdicts[0].startswith("message")


def _verdict(package: Any, by: Backend, data: bytes) -> str:
    package.converter.CODEC.use(by)
    results = {key: package.methods.REQUESTS[method] for method, key in IDS.items()}
    lenient = package.decode(data, results=results, mode="lenient")
    try:
        made = package.decode(data, results=results)
    except DecodeError as error:
        if not lenient.violations:
            message = f"refused ({error}), and yet nothing is said to be wrong"
            raise Broken(message) from None
        first = lenient.violations[0]
        if (first.path, first.found, first.expected) != (error.path, error.found, error.expected):
            message = f"strict says {error}, lenient {first}"
            raise Broken(message) from None
        return f"refused: {error}"
    if lenient.violations:
        message = f"taken, and yet something is said to be wrong: {lenient.violations[0]}"
        raise Broken(message)
    if repr(lenient.value) != repr(made):
        message = f"strict makes {made!r}, lenient {lenient.value!r}"
        raise Broken(message)
    written = package.encode(made)
    if _spelled(written) != _spelled(data):
        message = f"written back as {written!r}"
        raise Broken(message)
    return f"message: {made!r}"


def _spelled(data: bytes) -> str:
    """JSON with sorted keys, in which 1 and 1.0 differ."""
    return json.dumps(json.loads(data), sort_keys=True)
