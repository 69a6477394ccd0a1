"""Paths in the checkout of the tests, the revisions that it bundles, and why tests are skipped that need more than it."""

from __future__ import annotations

import os
from pathlib import Path

from mcp_bindgen import catalog

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "generated" / "mcp_bindings"
REVISIONS = catalog.revisions()
"""The bundled revisions, oldest first: the one list that tests read. ``support.revisions`` says what each has."""
PACKAGES = [catalog.package_name(revision) for revision in REVISIONS]
UPSTREAM = Path(os.environ.get("MCP_UPSTREAM") or ROOT / ".upstream")
"""The folder of the official files; it need not exist."""
MISSING = "needs official files that are missing; fetch them with: nox -s upstream"
"""The reason for which tests are skipped that compare with official files."""
