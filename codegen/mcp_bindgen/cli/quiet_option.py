"""The option ``--quiet`` of all commands."""

from __future__ import annotations

import click

from mcp_bindgen.cli import output


def with_quiet_option(command: click.Command) -> click.Command:
    """Return a command, and the commands below it, with the option."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            with_quiet_option(each)
    elif all("--quiet" not in parameter.opts for parameter in command.params):
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
    return command


def _silence(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        output.silence()
