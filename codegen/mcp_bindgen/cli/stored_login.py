"""The place of the tokens of logins, and the module that uses them, which needs the extra ``http``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


def token_file() -> Path:
    """Return the file with the tokens, in the user's configuration folder."""
    return Path(click.get_app_dir("mcp-codegen")) / "tokens.json"


def import_logins() -> Any:
    """Return the module ``mcp_bindgen.calling.logins``. Raise ``BindgenError`` if a library is missing."""
    try:
        from mcp_bindgen.calling import logins
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "urllib3":
            raise
        from mcp_bindgen.errors import BindgenError

        message = "HTTP needs urllib3, which is not installed: pip install 'mcp-bindings[http]'"
        raise BindgenError(message) from None
    return logins
