"""Completion of words in the shell: revisions, names of the protocol, rules, and kinds of changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcp_bindgen import catalog

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

_NAMES = re.compile(r'^export (interface|type|const) (\w+)|^  method: "([^"]+)"', re.MULTILINE)
"""Declarations of a schema, and the methods of its messages. Parsing all schemas would take seconds."""


def complete_revision(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the bundled revisions and extensions that begin with a word."""
    return _beginning((*catalog.revisions(), *catalog.extensions()), incomplete)


def complete_revision_or_all(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the values of ``--version`` that begin with a word."""
    return _beginning((*catalog.revisions(), *catalog.extensions(), "all"), incomplete)


def complete_revision_or_auto(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the values of ``--version`` of ``validate`` that begin with a word."""
    return _beginning((*catalog.revisions(), *catalog.extensions(), "auto"), incomplete)


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
    """Return the names of all bundled schemas that begin with a word: types, constants, methods and their keys in Python.

    After a dot, return the fields.
    """
    if "." in incomplete:
        return _fields(incomplete)
    return _beginning(sorted({name for name, _ in _declared()}), incomplete)


def complete_type(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the types of all bundled schemas that begin with a word."""
    return _beginning(sorted({name for name, kind in _declared() if kind in {"interface", "type"}}), incomplete)


def complete_method(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the methods of all bundled schemas that begin with a word."""
    return _beginning(sorted({name for name, kind in _declared() if kind == "method"}), incomplete)


def complete_kind(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the kinds of changes that begin with a word."""
    from mcp_bindgen.diff.finding_kinds import KINDS

    return _beginning(KINDS, incomplete)


def complete_rule(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the rules by which changes of a revision are judged that begin with a word."""
    from mcp_bindgen.diff import RULES

    return _beginning(RULES, incomplete)


def complete_lint_rule(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the rules of ``tools lint`` that begin with a word."""
    from mcp_bindgen.lint.host_rules import HOST_RULES

    return _beginning(HOST_RULES, incomplete)


def _declared() -> Iterator[tuple[str, str]]:
    """Yield the names of all bundled schemas, each with its kind."""
    from mcp_bindgen.emit.naming import constant_name

    for label in (*catalog.revisions(), *catalog.extensions()):
        interface = ""
        for kind, name, method in _NAMES.findall(catalog.schema_file(label).read_text(encoding="utf-8")):
            if not method:
                interface = name
                yield name, kind
            else:
                yield method, "method"
                suffix = "Notification" if interface.endswith("Notification") else "Request"
                yield constant_name(interface, suffix), "key"


def _fields(path: str) -> list[str]:
    """Return the paths of fields that begin with a path, in the newest revision that has its start."""
    from mcp_bindgen.describe import revision_span

    start, _, incomplete = path.rpartition(".")
    found = revision_span.newest_with(start)
    if found is None:
        return []
    return [f"{start}.{name}" for name in _beginning(revision_span.lookup(found[0]).fields(found[1]), incomplete)]


def _beginning(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
