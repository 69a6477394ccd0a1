"""Colours of console blocks: only a line that begins with ``$ `` is a command; MkDocs calls this before it builds the site.

Pygments also takes output such as ``session.jsonl:5: $.result`` for a prompt with a command.
"""

from __future__ import annotations

import re
from typing import Any

from pygments.lexers.shell import BashSessionLexer

PROMPT = re.compile(r"^(\$ )(.*\n?)")


def on_config(config: Any) -> Any:
    """Set the prompt that the lexer of console blocks knows."""
    BashSessionLexer._ps1rgx = PROMPT  # noqa: SLF001 (there is no other way to set it)
    return config
