"""Digests of tools: one text for all that a model or a caller sees of a tool.

``tools.lock.json`` has one for each tool. A client that compares them notices every change, also one of a description alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

COVERED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution")
"""Members of a tool that its digest covers. ``icons`` and ``_meta`` are not among them."""


def tool_digest(tool: Mapping[str, Any]) -> str:
    """Return the digest of a tool as JSON: ``sha256:`` and 64 hexadecimal digits.

    It is the SHA-256 of the covered members as JSON with sorted keys, without spaces, in UTF-8. Absent members are left out.
    """
    covered = {name: tool[name] for name in COVERED if name in tool}
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
