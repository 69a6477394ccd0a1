"""The message for an installation without the generator's dependencies; this module imports none of them."""

from __future__ import annotations

MISSING_EXTRA = 'mcp-codegen needs the extra "codegen"; run: pip install "mcp-bindings[codegen]"\n'
