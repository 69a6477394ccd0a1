"""``tools.lock.json``: a contract as a canonical text, so that equal contracts give equal bytes."""

from __future__ import annotations

import json
from typing import Any

from mcp_bindings_runtime.features.tool_digest import tool_digest

from mcp_bindgen.contracts.contract import Contract

FORMAT = "mcp-tools-lock/1"


def lock_document(contract: Contract) -> dict[str, Any]:
    """Return the document of a contract; lists of which nothing is known are left out."""
    lists = {
        "tools": contract.tools,
        "resources": contract.resources,
        "resourceTemplates": contract.resource_templates,
        "prompts": contract.prompts,
    }
    return {
        "format": FORMAT,
        "revision": contract.revision,
        "server": None if contract.server is None else dict(contract.server),
        "digests": {name: tool_digest(tool) for name, tool in contract.tools.items()},
        **{kind: [*items.values()] for kind, items in lists.items() if kind in contract.listed},
    }


def lock_text(contract: Contract) -> str:
    """Return the text of the file: sorted keys, two spaces, UTF-8."""
    return json.dumps(lock_document(contract), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
