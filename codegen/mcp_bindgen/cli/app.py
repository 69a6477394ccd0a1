"""The command line application: commands, dispatch and error handling."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.arguments import normalise, options_of, usage_message
from mcp_bindgen.cli.missing_extra import MISSING_EXTRA
from mcp_bindgen.cli.quiet_and_help import help_option, with_quiet_and_help

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "generate": "mcp_bindgen.cli.commands.generate",
    "check": "mcp_bindgen.cli.commands.check",
    "list": "mcp_bindgen.cli.commands.list",
    "explain": "mcp_bindgen.cli.commands.explain",
    "model": "mcp_bindgen.cli.commands.model",
    "validate": "mcp_bindgen.cli.commands.validate",
    "convert": "mcp_bindgen.cli.commands.convert",
    "replay": "mcp_bindgen.cli.commands.replay",
    "bridge": "mcp_bindgen.cli.commands.bridge",
    "call": "mcp_bindgen.cli.commands.call",
    "client": "mcp_bindgen.cli.commands.client",
    "diff": "mcp_bindgen.cli.commands.diff",
    "history": "mcp_bindgen.cli.commands.history",
    "matrix": "mcp_bindgen.cli.commands.matrix",
    "tools": "mcp_bindgen.cli.commands.tools",
}
"""Module by command name; only the command that runs is imported."""

SUCCESS, FINDINGS, FAILURE, INTERRUPTED, CLOSED_OUTPUT = 0, 1, 2, 130, 141


class App(click.Group):
    """``mcp-codegen``: options without a command are those of ``generate``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return with_quiet_and_help(command)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the command to the front, ``generate`` if there is none."""
        if ctx.resilient_parsing and args == ["--version"]:
            # Its value is being completed.
            args = ["generate", *args]
        elif not args and not ctx.resilient_parsing and _is_configured():
            args = ["generate"]
        try:
            args = normalise(args, COMMANDS, self._options(ctx))
        except click.UsageError:
            if not ctx.resilient_parsing:
                raise
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions of the first word: commands and options, with those of ``generate``."""
        found = super().shell_complete(ctx, incomplete)
        default = self.get_command(ctx, "generate")
        if incomplete.startswith("-") and default is not None:
            names = {item.value for item in found}
            found += [item for item in default.shell_complete(ctx, incomplete) if item.value not in names]
        return found

    def _options(self, ctx: click.Context) -> dict[str, int]:
        """Return the options of all commands, each with the number of its values."""
        return options_of(command for name in COMMANDS if (command := self.get_command(ctx, name)) is not None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names."""
        word = args[0]
        if word not in COMMANDS:
            raise click.UsageError(_unknown_command(word), ctx)
        return super().resolve_command(ctx, args)


def _is_configured() -> bool:
    """Return whether the project has settings; that they name nothing to generate is an error of ``generate``."""
    from mcp_bindgen.settings import read_settings

    return read_settings(Path.cwd()).file is not None


def _unknown_command(word: str) -> str:
    if word in catalog.revisions():
        return f"{word!r} is a revision, not a command; run: mcp-codegen --version {word}"
    near = catalog.nearest(word, COMMANDS, 1)
    hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(COMMANDS)}"
    return f"unknown command {word!r}; {hint}"


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from mcp_bindgen import __version__

        output.print_line(f"mcp-codegen {__version__}")
        ctx.exit()


_HELP = """\
Typed Python bindings for the Model Context Protocol, generated from its TypeScript schema.

\b
  mcp-codegen --version 2025-03-26         generate one revision
  mcp-codegen --version all                generate all of them
  mcp-codegen --version                    list the revisions
  mcp-codegen                              generate what pyproject.toml names
  mcp-codegen check                        compare without writing
  mcp-codegen explain tools/call           show documentation
  mcp-codegen validate session.jsonl       check recorded messages
  mcp-codegen convert --from R --to S FILE convert recorded messages
  mcp-codegen replay session.jsonl         serve recorded answers
  mcp-codegen bridge -- python server.py   serve clients of any revision
  mcp-codegen call -- python server.py     use a server from the shell
  mcp-codegen client --out F -- COMMAND    write a typed client of a server
  mcp-codegen diff 2025-06-18 2025-11-25   list changes and whom they break
  mcp-codegen history Tool.outputSchema    show when it changed, and how
  mcp-codegen matrix                       count breaking changes per pair
  mcp-codegen tools check -- COMMAND       compare a server with its lock

Options without a command are those of generate; see mcp-codegen generate --help.

The exit status is 0 on success, 1 if something was found or a server failed, and 2 if the command line or an input is wrong.
"""

APP = App(
    name="mcp-codegen",
    help=_HELP,
    # It and its commands have a help option of their own.
    context_settings={"help_option_names": [], "max_content_width": 100},
    params=[
        click.Option(
            ["-V"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version of mcp-codegen.",
        ),
        help_option(),
    ],
)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status; report every error instead of raising it."""
    output.prepare()
    try:
        status = _invoke(arguments)
        output.flush()
    except output.ClosedOutputError:
        output.discard()
        return CLOSED_OUTPUT
    except output.OutputError as problem:
        output.discard()
        output.error(str(problem))
        return FAILURE
    except (KeyboardInterrupt, click.Abort):
        output.error("interrupted")
        return INTERRUPTED
    except Exception as problem:  # noqa: BLE001 - users get a message, not a traceback
        return _explain(problem, arguments)
    return status


def _explain(problem: Exception, arguments: list[str]) -> int:
    """Print an error and return the exit status."""
    # Not at the top: `--version` needs neither them nor attrs.
    from mcp_bindings_runtime.errors import McpError, UsageError

    from mcp_bindgen.errors import BindgenError, SchemaError

    match problem:
        case click.UsageError():
            from mcp_bindgen.cli.suggestions import instead_of

            output.error(instead_of(arguments, problem) or usage_message(problem))
            output.detail(f"see: {problem.ctx.command_path if problem.ctx else 'mcp-codegen'} --help")
        case click.ClickException():
            output.error(problem.format_message())
        case SchemaError():
            output.detail(str(problem))
            count = len(problem.faults)
            output.error(f"{count} fault{'' if count == 1 else 's'} in the schema")
        case BindgenError() | UsageError():
            output.error(str(problem))
        case McpError():
            # The command line is right, and a server failed.
            output.error(str(problem))
            return FINDINGS
        case RecursionError():
            output.error("the types of the schema are nested too deeply, or refer to each other in too long a chain")
        case MemoryError():
            output.error("not enough memory for this schema")
        case ModuleNotFoundError(name="jinja2" | "tree_sitter" | "tree_sitter_typescript"):
            sys.stderr.write(MISSING_EXTRA)
        case _:
            _report(problem)
    return FAILURE


def _invoke(arguments: list[str]) -> int:
    if "_MCP_CODEGEN_COMPLETE" in os.environ:
        from mcp_bindgen.cli.shells import register_shells

        register_shells()
        APP.main(arguments, prog_name="mcp-codegen")
    try:
        # Not APP.main(), which handles broken pipes differently.
        with APP.make_context("mcp-codegen", arguments) as context:
            status = APP.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return status if isinstance(status, int) else SUCCESS


def _report(problem: Exception) -> None:
    if os.environ.get("MCP_CODEGEN_TRACEBACK"):
        import traceback

        output.detail("".join(traceback.format_exception(problem)).rstrip())
    output.error(f"internal error, please report it ({type(problem).__name__}: {problem})")
    output.detail("set MCP_CODEGEN_TRACEBACK=1 to see the traceback")
