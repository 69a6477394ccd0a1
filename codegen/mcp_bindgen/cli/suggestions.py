"""Commands to run instead of those that cannot be parsed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from mcp_bindgen.cli.arguments import usage_message

_SERVER = frozenset({"--", "--url", "--config"})
"""Words that begin a server."""
_ACTIONS = ("list", "read", "prompt")
"""Words of ``call`` that are taken for commands, when ``call`` is left out."""
_KINDS = ("tools", "resources", "templates", "prompts")
"""Words that ``call list`` accepts."""


def instead_of(arguments: Sequence[str], problem: click.UsageError) -> str:
    """Return the message with what to write instead; empty if that cannot be guessed."""
    # Without what others would suggest.
    is_option = isinstance(problem, click.NoSuchOption)
    found = (usage_message(problem) if is_option else problem.message).partition(";")[0].rstrip(".")
    names_server = not _SERVER.isdisjoint(word.partition("=")[0] for word in arguments)
    words = _of_call(arguments)
    if names_server and words is not None:
        return f"{found}; to use a server, run: mcp-codegen call {shlex.join(words)}"
    if isinstance(problem, click.NoSuchOption) and [*arguments[:2]] == ["call", "call"]:
        name = problem.option_name.lstrip("-")
        return f"{found}; an argument of the tool is written {name}=VALUE"
    return ""


def _of_call(arguments: Sequence[str]) -> Sequence[str] | None:
    """Return the words after ``call``, if an action of it was written without ``call``; else None."""
    first, *others = arguments or [""]
    if first in _KINDS:
        # `tools` is a command, too, with commands of its own.
        if others[:1] == ["list"]:
            return ["list", first, *others[1:]]
        return ["list", first, *others] if not others or others[0].startswith("-") else None
    return arguments if first in _ACTIONS else None
