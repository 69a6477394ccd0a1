"""The package that users import, and how they install what it may need, as messages name them.

A copy of the runtime lies beside the packages that it was copied for, and has no extras; the installed one serves the
bundled packages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BUNDLED: Final = "mcp_bindings"
PACKAGE: Final = __name__.rpartition(".")[0].rpartition(".")[0] or BUNDLED
"""The package beside the runtime, by the name that it was imported under."""

LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "http": ("urllib3", "cheroot"),
    "oauth": ("joserfc",),
    "otel": ("opentelemetry-api",),
    "redis": ("redis",),
    "schema": ("jsonschema",),
}
"""The libraries of each extra."""


def install_command(extra: str, package: str = PACKAGE) -> str:
    """Return the command that installs the libraries of an extra, for the installed package or for a copy."""
    if package == BUNDLED:
        return f"pip install 'mcp-bindings[{extra}]'"
    return f"pip install {' '.join(LIBRARIES[extra])}"
