"""``mcp-codegen call``: use a server from the shell."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mcp_bindgen.cli import output

if TYPE_CHECKING:
    from mcp_bindings_runtime.client.client import Client

    from mcp_bindgen.calling.connection import Server

_COMMAND = "mcp_bindgen.cli.commands.call.command"
_DRAIN_TIMEOUT = 1.0
"""Seconds to wait for log messages received before the result."""
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class AcceptsServerCommand(click.Command):
    """A command whose arguments after ``--`` are the command of the server."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Store the server's command, and parse the rest."""
        place = args.index("--") if "--" in args else len(args)
        ctx.meta[_COMMAND] = args[place + 1 :]
        return super().parse_args(ctx, args[:place])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the words of the usage line."""
        return [*super().collect_usage_pieces(ctx), "--", "COMMAND…"]


class Invocation(NamedTuple):
    """The words and output options of an action."""

    words: Sequence[str]
    json: bool
    save: Path | None
    on_progress: Callable[[Any], object]
    """Progress callback."""


@click.command("call", cls=AcceptsServerCommand, short_help="Use the tools, resources and prompts of a server.")
@click.argument("words", nargs=-1, metavar="[list|call|read|prompt] [ARGUMENT]…")
@click.option(
    "--version", "revision", metavar="REVISION", help="Revision to use; by default negotiated with the server."
)
@click.option("--url", metavar="URL", help="URL of a running HTTP server, instead of COMMAND.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="NAME:VALUE",
    help="With --url: header of each HTTP request. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Save images and other binary content to this folder.",
)
@click.option("--raw", is_flag=True, help="Print each message sent or received to standard error.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Append each message to this file.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=86400),
    metavar="SECONDS",
    help="Time to wait for a response or its next progress; by default 60, in a terminal 600.",
)
@click.option(
    "--log", "log_level", type=click.Choice(LEVELS), metavar="LEVEL", help="Lowest level of log messages to request."
)
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    revision: str | None,
    url: str | None,
    headers: tuple[str, ...],
    as_json: bool,
    save: Path | None,
    raw: bool,
    record: Path | None,
    timeout: float | None,
    log_level: str | None,
) -> int:
    """Use the tools, resources and prompts of a server.

    \b
      mcp-codegen call -- python server.py                      list everything
      mcp-codegen call list tools -- python server.py
      mcp-codegen call call add a=1 b=2 -- python server.py     call a tool
      mcp-codegen call read file:///a.txt -- python server.py   read a resource
      mcp-codegen call prompt greet name=Ada -- python server.py
      mcp-codegen call list --url http://127.0.0.1:8000/mcp

    Values are converted to the types of the tool's input schema:

    \b
      text=hello  count=3  deep=true  tag=a tag=b  point='{"x": 1}'
      key:=JSON    JSON, passed without conversion
      key=@FILE    the text of a file; key=@- reads standard input
      key:=@FILE   the JSON of a file
      @FILE        all arguments, as a JSON object

    If the server requests input, its form is shown on the terminal; without a
    terminal it is declined. Results are printed to standard output; progress,
    log messages, forms and the server's standard error to standard error.

    The exit status is 0 on success, 1 if the tool or the server failed, and 2
    if the command line has a wrong name or argument.
    """
    from mcp_bindings_runtime.errors import McpError, ResponseError, UnsupportedRevision, UsageError

    from mcp_bindgen.calling.connection import Options, open_client
    from mcp_bindgen.errors import BindgenError

    action, rest = _action(words)
    server = _server(ctx, words, url, headers)
    options = Options(
        revision=revision,
        timeout=timeout or (600.0 if sys.stdin is not None and sys.stdin.isatty() else 60.0),
        record=record,
        log_level=log_level,
        notify=output.note,
        trace=_show if raw else None,
    )
    try:
        with contextlib.closing(open_client(server, options)) as client:
            status = action(client, Invocation(rest, as_json, save, _print_progress))
            # Log messages received before the result may still be queued.
            client.connection.drain(_DRAIN_TIMEOUT)
            return status
    except UsageError as problem:
        raise BindgenError(str(problem)) from problem
    except ResponseError as problem:
        output.error(f"the server returned an error: {problem.message} ({problem.code})")
        if problem.data is not None:
            output.note(output.json_text(problem.data, sys.stderr).rstrip())
    except UnsupportedRevision as problem:
        hint = "" if revision is None else "; leave out --version to negotiate the revision"
        output.error(f"{str(problem).partition(';')[0]}{hint}" if not problem.supported else f"{problem}{hint}")
    except McpError as problem:
        output.error(str(problem))
    return 1


def _server(ctx: click.Context, words: Sequence[str], url: str | None, headers: Sequence[str]) -> Server:
    """Return the server that the command line names."""
    from mcp_bindgen.calling.connection import Server

    command: list[str] = ctx.meta[_COMMAND]
    if bool(command) == (url is not None):
        typed = " ".join(["mcp-codegen call", *words])
        which = "two servers given" if command else "no server given"
        message = f"{which}; run: {typed} -- COMMAND…, for example -- python server.py, or: {typed} --url URL"
        raise click.UsageError(message, ctx)
    if headers and url is None:
        message = "--header requires --url; pass values to a command in its environment"
        raise click.UsageError(message, ctx)
    pairs = [header.partition(":") for header in headers]
    for name, colon, _ in pairs:
        if not colon or not name.strip():
            message = f"--header must have the form 'NAME: VALUE', got {name + colon!r}"
            raise click.UsageError(message, ctx)
    return Server(command, url, {name.strip(): value.strip() for name, _, value in pairs})


Action = Callable[["Client", Invocation], int]


def _action(words: Sequence[str]) -> tuple[Action, Sequence[str]]:
    """Return the action of the first word, and the other words."""
    from mcp_bindgen import catalog
    from mcp_bindgen.errors import BindgenError

    if not words:
        return _list, ()
    name, *rest = words
    if name not in _ACTIONS:
        near = catalog.nearest(name, _ACTIONS, 1)
        hint = (
            f"did you mean {near[0]}?"
            if near
            else f"use one of {', '.join(_ACTIONS)}; to call a tool, write: call {name}"
        )
        message = f"unknown action {name!r}; {hint}"
        raise BindgenError(message)
    needed = _ACTIONS[name][1]
    if needed and not rest:
        message = f"{name} needs {needed}; run `mcp-codegen call list -- COMMAND…` to list them"
        raise BindgenError(message)
    return _ACTIONS[name][0], rest


def _list(client: Client, invocation: Invocation) -> int:
    from mcp_bindgen import catalog
    from mcp_bindgen.calling import offers
    from mcp_bindgen.errors import BindgenError

    for word in invocation.words:
        if word not in offers.KINDS:
            near = catalog.nearest(word, offers.KINDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join(offers.KINDS)}"
            message = f"cannot list {word!r}; {hint}"
            raise BindgenError(message)
    kinds = [kind for kind in offers.KINDS if kind in invocation.words or not invocation.words]
    for word in invocation.words:
        if not offers.declares(client, word):
            output.note(f"the server offers no {word}")
    found = offers.fetch(client, kinds)
    if invocation.json:
        output.print_json(offers.document(client, found))
    else:
        _print_lines(offers.as_text(client, found, output.width()))
    return 0


def _call(client: Client, invocation: Invocation) -> int:
    from mcp_bindgen.calling import arguments, offers

    name, *words = invocation.words
    tool = offers.find(client, "tools", name)
    values = arguments.for_tool(name, tool.get("inputSchema") or {}, words)
    execution: Any = tool.get("execution") or {}
    begin: Any = getattr(client, "call_tool_as_task", None)
    if execution.get("taskSupport") == "required" and begin is not None:
        task = begin(name, values or None, on_progress=invocation.on_progress)
        result = _as_json(client, task.result())
    else:
        result = _invoke(client, "call_tool", invocation, name, values or None)
    _print(result, invocation, lambda contents: contents.of_tool(name, result))
    if result.get("isError"):
        output.error(f"the tool {name!r} failed")
        return 1
    return 0


def _read(client: Client, invocation: Invocation) -> int:
    uri = _only(invocation.words, "read", "URI")
    result = _invoke(client, "read_resource", invocation, uri)
    _print(result, invocation, lambda contents: contents.of_resource(result))
    return 0


def _prompt(client: Client, invocation: Invocation) -> int:
    from mcp_bindgen.calling import arguments, offers

    name, *words = invocation.words
    prompt = offers.find(client, "prompts", name)
    values = arguments.for_prompt(name, prompt.get("arguments") or (), words)
    result = _invoke(client, "get_prompt", invocation, name, values or None)
    _print(result, invocation, lambda contents: contents.of_prompt(name, result))
    return 0


_ACTIONS: dict[str, tuple[Action, str]] = {
    "list": (_list, ""),
    "call": (_call, "the name of a tool"),
    "read": (_read, "the URI of a resource"),
    "prompt": (_prompt, "the name of a prompt"),
}
"""Actions by name, with the argument that each requires."""


def _invoke(client: Client, method: str, invocation: Invocation, *members: Any) -> Any:
    """Call a method of the client and return its result as JSON."""
    result = getattr(client, method)(*members, on_progress=invocation.on_progress)
    return _as_json(client, result)


def _as_json(client: Client, result: Any) -> Any:
    from mcp_bindings_runtime.codec.unknown_content import unstructure_result

    return unstructure_result(client.binding, result)


def _print(result: Any, invocation: Invocation, lines: Callable[[Any], Iterable[str]]) -> None:
    from mcp_bindgen.calling.contents import Contents

    if invocation.json:
        output.print_json(result)
        if invocation.save is None:
            return
    contents = Contents(invocation.save, plain=sys.stdout.isatty())
    if invocation.json:
        # Only for writing the files.
        list(lines(contents))
        return
    _print_lines(lines(contents))
    if contents.unsaved:
        output.note("add --save FOLDER to save the content in brackets to files")


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        output.print_line(line)


def _only(words: Sequence[str], action: str, what: str) -> str:
    from mcp_bindgen.errors import BindgenError

    if len(words) != 1:
        message = f"{action} takes one {what}, got {len(words)} arguments"
        raise BindgenError(message)
    return words[0]


def _print_progress(params: Any) -> None:
    total = "" if params.total is None else f"/{params.total:g}"
    message = getattr(params, "message", None)
    output.note(f"progress: {params.progress:g}{total}{f' {message}' if message else ''}")


def _show(sender: str, message: bytes) -> None:
    output.note(f"{'-->' if sender == 'client' else '<--'} {message.decode('utf-8', 'replace').strip()}")
