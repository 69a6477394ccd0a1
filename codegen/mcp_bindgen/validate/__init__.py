"""Validation of recorded messages against a revision: files, logs and documentation.

from mcp_bindgen.validate import validate

report = validate("session.jsonl", version="2025-06-18", rules=True)
assert report.ok, str(report)
"""

from __future__ import annotations

from mcp_bindgen.validate.findings import Finding, Level, Place
from mcp_bindgen.validate.limits import Limits
from mcp_bindgen.validate.report import Report
from mcp_bindgen.validate.run import validate, validate_messages
from mcp_bindgen.validate.sources import InputError

__all__ = ["Finding", "InputError", "Level", "Limits", "Place", "Report", "validate", "validate_messages"]
