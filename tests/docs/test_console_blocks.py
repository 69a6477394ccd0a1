"""In console blocks only a line that begins with a dollar sign and a blank is a command."""

from __future__ import annotations

import runpy

import pytest
from checkout import ROOT

shell = pytest.importorskip("pygments.lexers.shell")
from pygments.token import Generic  # noqa: E402

BLOCK = """\
$ mcp-codegen validate session.jsonl
session.jsonl:5: $.result.content[0].type: "video" is not known
$.tools[0]: found "ab" # not a comment
$ ls
"""


def test_only_a_dollar_sign_with_a_blank_is_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell.BashSessionLexer, "_ps1rgx", shell.BashSessionLexer._ps1rgx)
    runpy.run_path(str(ROOT / "docs" / "console_blocks.py"))["on_config"](None)
    tokens = list(shell.BashSessionLexer().get_tokens(BLOCK))
    lines = BLOCK.splitlines(keepends=True)
    assert [text for kind, text in tokens if kind is Generic.Prompt] == ["$ ", "$ "]
    assert [text for kind, text in tokens if kind is Generic.Output] == lines[1:3]
