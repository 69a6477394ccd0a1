"""Official schema files, and the protocols that they and the bundled transcriptions declare."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checkout import MISSING
from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

_FETCHED = Path(__file__).resolve().parents[2] / ".upstream"


def official_file(upstream: Path, revision: str, name: str) -> Path:
    """Return the path of ``schema.ts`` or ``schema.json`` of a revision; skip the test if it is missing.

    The folder that the environment names may hold only one of the two; the other may be in the folder of ``nox -s
    upstream``.
    """
    for folder in (upstream, _FETCHED):
        path = folder / revision / name
        if path.is_file():
            return path
    pytest.skip(MISSING)


@cache
def ours(revision: str) -> Protocol:
    """Return the protocol of the bundled transcription."""
    return resolved(catalog.schema_file(revision).read_bytes(), revision)


def resolved(schema: bytes, revision: str, base: str | None = None) -> Protocol:
    """Return the protocol of a schema text; ``base`` is by default the revision itself."""
    return resolve_protocol(read_schema(schema, "schema.ts"), revision=revision, base=base or revision)


@cache
def _document(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_bytes())
    return document


def official_json(upstream: Path, revision: str) -> dict[str, Any]:
    """Return the official ``schema.json``, which is cached: copy it before you change it."""
    return _document(official_file(upstream, revision, "schema.json"))


def definitions(document: dict[str, Any]) -> dict[str, Any]:
    """Return the types in a ``schema.json``, whose key changed in 2025-11-25."""
    found: dict[str, Any] = document["definitions"] if "definitions" in document else document["$defs"]
    return found
