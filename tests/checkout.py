"""Paths in the checkout of the tests, and the revisions that it bundles."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "generated" / "mcp_bindings"
REVISIONS = sorted(path.name for path in (ROOT / "schema").iterdir() if path.name[:1].isdigit())
PACKAGES = ["v" + revision.replace("-", "_") for revision in REVISIONS]
