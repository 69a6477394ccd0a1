"""Normalisation of command line arguments to the order that the parser needs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping

import click

BARE_VERSION = "--bundled-revisions"
"""Replacement of ``--version`` without a value: an option that lists the revisions."""

_OWN = frozenset({"-V", "-h", "--help"})
"""Options of ``mcp-codegen`` itself."""


class AcceptsErrorCodes(click.Command):
    """A command that accepts negative error codes as arguments: ``explain -32042``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the codes behind ``--``, where they are not parsed as options."""
        codes = [word for word in args if re.fullmatch(r"-\d+", word)]
        if codes and "--" not in args:
            args = [*(word for word in args if word not in codes), "--", *codes]
        return super().parse_args(ctx, args)


def normalise(arguments: list[str], commands: Collection[str], options: Mapping[str, bool]) -> list[str]:
    """Return the arguments with the command first, ``generate`` if there are only options.

    ``options`` are those of all commands, each with whether it has a value.
    """
    if not arguments:
        return ["--help"]
    if arguments == ["--version"]:
        return [BARE_VERSION]
    if sorted(arguments) == ["--json", "--version"]:
        return ["list", "--json"]
    if arguments[0] in commands or arguments[0] in _OWN:
        return arguments
    position = _first_word(arguments, commands, options)
    if position is None:
        return ["generate", *arguments]
    word = arguments[position]
    if word in commands:
        return [word, *arguments[:position], *arguments[position + 1 :]]
    if position and "--version" in arguments[:position]:
        message = f"{word!r} is not a command; write --version before each revision"
        raise click.UsageError(message)
    return arguments[position:]


def _names_a_schema(arguments: list[str]) -> bool:
    """Return whether ``--version`` is the label of a schema, which may be the name of a command, too."""
    return any(word.partition("=")[0] == "--schema" for word in arguments)


def _first_word(arguments: list[str], commands: Collection[str], options: Mapping[str, bool]) -> int | None:
    """Return the index of the first word that is neither an option nor its value; None if there is none."""
    position = 0
    while position < len(arguments):
        word = arguments[position]
        if not word.startswith("-"):
            return position
        option, equals, value = word.partition("=")
        if option not in options:
            # The parser reports it and suggests similar options.
            return None
        if options[option] and not equals:
            position += 1
            value = arguments[position] if position < len(arguments) else "-"
            if option == "--version" and value.startswith("-"):
                message = "--version needs a revision or all; run mcp-codegen --version to list the revisions"
                raise click.UsageError(message)
        if option == "--version" and value in commands and not _names_a_schema(arguments):
            command = shlex.join([value, *arguments[position + 1 :]])
            message = f"{value!r} is a command, not a revision; run: mcp-codegen {command}"
            raise click.UsageError(message)
        position += 1
    return None
