"""The official schema files, and the protocols that they and the bundled transcriptions declare."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.reader import read_schema

REVISIONS = catalog.revisions()

_FETCHED = Path(__file__).resolve().parents[2] / ".upstream"


def official_file(upstream: Path, revision: str, name: str) -> Path:
    """``schema.ts`` or ``schema.json`` of a revision; skips where it is not here.

    A folder that is named in the environment may hold only one of the two; the other is looked for where
    ``nox -s upstream`` puts it.
    """
    for folder in (upstream, _FETCHED):
        path = folder / revision / name
        if path.is_file():
            return path
    pytest.skip(f"the official {name} of {revision} is not here; fetch it with: nox -s upstream")


@cache
def ours(revision: str) -> Protocol:
    """The protocol that the bundled transcription declares."""
    return resolved(catalog.schema_file(revision).read_bytes(), revision)


def resolved(schema: bytes, revision: str, base: str | None = None) -> Protocol:
    """The protocol that the text of a schema file declares; ``base`` is the revision itself by default."""
    return resolve_protocol(read_schema(schema, "schema.ts"), revision=revision, base=base or revision)


@cache
def _document(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_bytes())
    return document


def official_json(upstream: Path, revision: str) -> dict[str, Any]:
    """The official ``schema.json``. It is read once: copy it to change it."""
    return _document(official_file(upstream, revision, "schema.json"))


def definitions(document: dict[str, Any]) -> dict[str, Any]:
    """The types in a ``schema.json``; the key is another one since 2025-11-25."""
    found: dict[str, Any] = document["definitions"] if "definitions" in document else document["$defs"]
    return found
