"""Completion of words in the shell: revisions, and the names of types, constants and methods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcp_bindgen import catalog

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

_NAMES = re.compile(r'^export (?:interface|type|const) (\w+)|^  method: "([^"]+)"', re.MULTILINE)
"""Declarations of a schema, and the methods of its messages. Parsing all schemas would take seconds."""


def complete_revision(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the bundled revisions and extensions that begin with a word."""
    return _beginning((*catalog.revisions(), *catalog.extensions()), incomplete)


def complete_revision_or_all(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the values of ``--version`` that begin with a word."""
    return _beginning((*catalog.revisions(), *catalog.extensions(), "all"), incomplete)


def complete_revision_or_file(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str] | list[CompletionItem]:
    """Return the same, or let the shell complete the name of a file if there is none."""
    from click.shell_completion import CompletionItem

    return complete_revision(ctx, parameter, incomplete) or [CompletionItem(incomplete, type="file")]


def complete_file(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_subject(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the types, constants and methods of all bundled schemas that begin with a word."""
    found: set[str] = set()
    for label in (*catalog.revisions(), *catalog.extensions()):
        text = catalog.schema_file(label).read_text(encoding="utf-8")
        found.update(name or method for name, method in _NAMES.findall(text))
    return _beginning(sorted(found), incomplete)


def complete_method(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the methods of all bundled schemas that begin with a word."""
    return [name for name in complete_subject(ctx, parameter, incomplete) if name[0].islower()]


def _beginning(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
