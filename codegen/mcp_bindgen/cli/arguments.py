"""Command line arguments: their normalisation to the order that the parser needs, and the errors for unknown options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli.quiet_and_help import HELP_NAMES

BARE_VERSION = "--bundled-revisions"
"""Replacement of ``--version`` without a value: an option of ``list``."""

_BESIDE_BARE_VERSION = {"--json": 0, "--format": 1, "-q": 0, "--quiet": 0}
"""Options that may stand beside ``--version`` without a value, each with its number of values."""

_OWN = frozenset({"-V", *HELP_NAMES})
"""Options of ``mcp-codegen`` itself."""


class AcceptsErrorCodes(click.Command):
    """A command that accepts negative error codes as arguments: ``explain -32042``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the codes behind ``--``, where they are not parsed as options."""
        codes = [word for word in args if re.fullmatch(r"-\d+", word)]
        if codes and "--" not in args:
            args = [*(word for word in args if word not in codes), "--", *codes]
        return super().parse_args(ctx, args)


def usage_message(error: click.UsageError) -> str:
    """Return the message of an error; it suggests an option only for a similar name."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message()
    message = f"unknown option {error.option_name}"
    names = {} if error.ctx is None else {name.lstrip("-"): name for name in options_of([error.ctx.command])}
    near = catalog.nearest(error.option_name.lstrip("-"), names, 1)
    return f"{message}; did you mean {names[near[0]]}?" if near else message


def options_of(commands: Iterable[click.Command]) -> dict[str, int]:
    """Return the options of commands, each with the number of its values; the smallest if the commands differ."""
    found: dict[str, int] = {}
    for command in commands:
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                count = 0 if parameter.is_flag else parameter.nargs
                found.update((name, min(count, found.get(name, count))) for name in parameter.opts)
    return found


class CommandFirst(click.Group):
    """A group that accepts the options of its commands also before the name of the command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order in which they were added."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the command to the front. Raise ``click.UsageError`` if there are options of commands, and no command."""
        options = options_of(self.commands.values())
        position = _first_word(args, self.commands, options)
        is_option = bool(args) and args[0].partition("=")[0] in options.keys() - set(HELP_NAMES)
        if position is None and is_option and ctx.resilient_parsing:
            # The command is being completed.
            args = []
        elif position is None and is_option:
            names = ", ".join(self.commands)
            message = f"{args[0]} is an option of the commands of {self.name}; name one of them: {names}"
            raise click.UsageError(message, ctx)
        return super().parse_args(ctx, args if position is None else _with_first(position, args))


def normalise(arguments: list[str], commands: Collection[str], options: Mapping[str, int]) -> list[str]:
    """Return the arguments with the command first, ``generate`` if there are only options.

    ``options`` are those of all commands, each with the number of its values.
    """
    if not arguments:
        return ["--help"]
    beside = _beside_bare_version(arguments)
    if beside is not None:
        return ["list", BARE_VERSION, *beside]
    if arguments[0] in commands or arguments[0] in _OWN:
        return arguments
    position = _first_word(arguments, commands, options)
    if position is None:
        return ["generate", *arguments]
    word = arguments[position]
    if word in commands:
        return _with_first(position, arguments)
    if position and "--version" in arguments[:position]:
        message = f"{word!r} is not a command; write --version before each revision"
        raise click.UsageError(message)
    return arguments[position:]


def _names_a_schema(arguments: list[str]) -> bool:
    """Return whether ``--version`` is the label of a schema, which may be the name of a command, too."""
    return any(word.partition("=")[0] == "--schema" for word in arguments)


def _with_first(position: int, arguments: list[str]) -> list[str]:
    return [arguments[position], *arguments[:position], *arguments[position + 1 :]]


def _beside_bare_version(arguments: list[str]) -> list[str] | None:
    """Return the options beside ``--version`` if it has no value; None if it has one, or other arguments are given."""
    if "--version" not in arguments:
        return None
    place = arguments.index("--version")
    others = [*arguments[:place], *arguments[place + 1 :]]
    words = iter(others)
    for word in words:
        option, equals, _ = word.partition("=")
        if option not in _BESIDE_BARE_VERSION:
            return None
        if _BESIDE_BARE_VERSION[option] and not equals:
            next(words, None)
    return others


def _first_word(arguments: list[str], commands: Collection[str], options: Mapping[str, int]) -> int | None:
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
            position += options[option]
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
