"""The options ``--quiet`` and ``--help`` of all commands, and the order of options in the help."""

from __future__ import annotations

import click

from mcp_bindgen.cli import output

HELP_NAMES = ("-h", "--help")
_OUTPUT_NAMES = frozenset({"--format", "--json", "--output"})


def with_quiet_and_help(command: click.Command) -> click.Command:
    """Return a command, and the commands below it, with the options, which follow those of the output."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            with_quiet_and_help(each)
    elif not _has(command, "--quiet"):
        command.params.sort(key=lambda parameter: not _OUTPUT_NAMES.isdisjoint(parameter.opts))
        command.params.append(
            click.Option(
                ["-q", "--quiet"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_silence,
                help="Print results and errors only, without confirmations, remarks and warnings.",
            )
        )
    if not _has(command, "--help"):
        command.params.append(help_option())
    return command


def help_option() -> click.Option:
    """Return an option that prints the help as any other result, also for a reader that closes standard output early."""
    return click.Option(
        list(HELP_NAMES),
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_help,
        help="Show this message and exit.",
    )


def _has(command: click.Command, name: str) -> bool:
    return any(name in parameter.opts for parameter in command.params)


def _silence(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        output.silence()


def _print_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        output.print_line(ctx.get_help())
        ctx.exit()
