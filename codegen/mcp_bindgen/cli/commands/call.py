"""``mcp-codegen call``: use a server from the shell."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_revision
from mcp_bindgen.cli.login import LoginOptions
from mcp_bindgen.cli.output_format import text_or_json
from mcp_bindgen.cli.server_options import AcceptsServerCommand, ServerOptions, server_options
from mcp_bindgen.escaping import visible

if TYPE_CHECKING:
    from mcp_bindings_runtime.client.client import Client

    from mcp_bindgen.calling.connection import Options, Server

_DRAIN_TIMEOUT = 1.0
"""Seconds to wait for log messages received before the result."""
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Invocation(NamedTuple):
    """The words and output options of an action."""

    words: Sequence[str]
    json: bool
    save: Path | None
    expected: Path | None
    """File with the expected result."""
    on_progress: Callable[[Any], object]
    """Progress callback."""


def _complete_words(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the actions that begin with a word, or after ``list`` the kinds."""
    from mcp_bindgen.calling import offers

    words: Sequence[str] = ctx.params.get("words") or ()
    known = _ACTIONS if not words else offers.KINDS if words[0] == "list" else ()
    return [name for name in known if name.startswith(incomplete)]


@click.command("call", cls=AcceptsServerCommand, short_help="Use the tools, resources and prompts of a server.")
@click.argument("words", nargs=-1, metavar="[list|call|read|prompt] [ARGUMENT]…", shell_complete=_complete_words)
@click.option(
    "--version",
    "revision",
    metavar="REVISION",
    help="Revision to use; by default negotiated with the server.",
    shell_complete=complete_revision,
)
@server_options
@text_or_json
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Save images and other binary content to this folder.",
)
@click.option(
    "--expect",
    "expected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare the result with the JSON of this file, as printed by --json; differences make the exit status 1.",
)
@click.option("--raw", is_flag=True, help="Print each message sent or received to standard error.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Append each message to this file.")
@click.option(
    "--redact",
    multiple=True,
    metavar="RULE",
    help="Replace values in the record: a JSON Pointer such as /params/arguments/key, or a regular expression.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=86400),
    metavar="SECONDS",
    help="Time to wait for a response or its next progress; by default 60, in a terminal 600.",
)
@click.option(
    "--log", "log_level", type=click.Choice(LEVELS), metavar="LEVEL", help="Lowest level of log messages to request."
)
@click.option("--login", metavar="URL", help="Log in at a server, and keep the tokens for --url.")
@click.option("--device", is_flag=True, help="With --login: log in on another device, by a code.")
@click.option("--scope", metavar="SCOPES", help="With --login: scopes to request, separated by blanks.")
@click.option("--logout", metavar="URL", help="Remove the tokens for a server.")
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    revision: str | None,
    reached: ServerOptions,
    form: str,
    save: Path | None,
    expected: Path | None,
    raw: bool,
    record: Path | None,
    redact: tuple[str, ...],
    timeout: float | None,
    log_level: str | None,
    login: str | None,
    device: bool,
    scope: str | None,
    logout: str | None,
) -> int:
    """Use the tools, resources and prompts of a server.

    \b
      mcp-codegen call -- python server.py                      list everything
      mcp-codegen call list tools -- python server.py
      mcp-codegen call call add a=1 b=2 -- python server.py     call a tool
      mcp-codegen call read file:///a.txt -- python server.py   read a resource
      mcp-codegen call prompt greet name=Ada -- python server.py
      mcp-codegen call list --url http://127.0.0.1:8000/mcp
      mcp-codegen call --login https://example.com/mcp          log in, for --url

    Values are converted to the types of the tool's input schema:

    \b
      text=hello  count=3  deep=true  tag=a tag=b  point='{"x": 1}'
      key:=JSON    JSON, passed without conversion
      key=@FILE    the text of a file; key=@- reads standard input
      key:=@FILE   the JSON of a file
      @FILE        all arguments, as a JSON object; or the JSON itself: '{"a": 1}'

    If the server requests input, its form is shown on the terminal; without a
    terminal it is declined. Results are printed to standard output; progress,
    log messages, forms and the server's standard error to standard error.

    The exit status is 0 on success, 1 if the tool or the server failed or the
    result differs from --expect, and 2 if the command line has a wrong name or
    argument.
    """
    from mcp_bindings_runtime.errors import ResponseError, UnsupportedRevision

    from mcp_bindgen.calling import connection

    run = LoginOptions(login, device, scope, logout).action(ctx, words, reached)
    if run is None:
        action, rest = _action(words)
        server = reached.server(ctx, " ".join(["mcp-codegen call", *words]))
        invocation = Invocation(rest, form == "json", save, expected, _print_progress)
        run = partial(_use, action, server, invocation)
    options = connection.Options(
        revision=revision,
        timeout=timeout or (600.0 if sys.stdin is not None and sys.stdin.isatty() else 60.0),
        record=record,
        redact=redact,
        log_level=log_level,
        notify=output.note,
        trace=_show if raw else None,
        quiet=output.is_quiet(),
    )
    try:
        return run(options)
    except ResponseError as problem:
        output.error(f"the server returned an error: {problem.message} ({problem.code})")
        if problem.data is not None:
            output.detail(output.json_text(problem.data, sys.stderr).rstrip())
        for hint in getattr(problem, "__notes__", ()):
            output.note(hint)
    except UnsupportedRevision as problem:
        hint = "" if revision is None else "; leave out --version to negotiate the revision"
        output.error(f"{str(problem).partition(';')[0]}{hint}" if not problem.supported else f"{problem}{hint}")
    return 1


Action = Callable[["Client", Invocation], int]


def _use(action: Action, server: Server, invocation: Invocation, options: Options) -> int:
    from mcp_bindings_runtime.errors import ResponseError

    from mcp_bindgen.calling.connection import earlier_revision, open_client

    with contextlib.closing(open_client(server, options)) as client:
        try:
            status = action(client, invocation)
        except ResponseError as problem:
            earlier = earlier_revision(client, problem)
            if earlier is not None:
                problem.add_note(
                    f"if the server sends requests itself, which {client.binding.revision} does not have, add --version "
                    f"{earlier}"
                )
            raise
        # Log messages received before the result may still be queued.
        client.connection.drain(_DRAIN_TIMEOUT)
        return status


def _action(words: Sequence[str]) -> tuple[Action, Sequence[str]]:
    """Return the action of the first word, and the other words."""
    from mcp_bindgen import catalog
    from mcp_bindgen.errors import BindgenError

    if not words:
        return _list, ()
    name, *rest = words
    if name not in _ACTIONS:
        near = catalog.nearest(name, _ACTIONS, 1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(_ACTIONS)}; {_instead(words)}"
        message = f"unknown action {name!r}; {hint}"
        raise BindgenError(message)
    needed = _ACTIONS[name][1]
    if needed and not rest:
        message = f"{name} needs {needed}; run `mcp-codegen call list -- COMMAND…` to list them"
        raise BindgenError(message)
    return _ACTIONS[name][0], rest


def _instead(words: Sequence[str]) -> str:
    """Return what to write instead of words that begin with no action."""
    import shlex
    import shutil

    from mcp_bindgen.calling import offers

    name = words[0]
    if name in offers.KINDS:
        return f"to list them, write: list {name}"
    if name.startswith(("http://", "https://")):
        return f"for a running server, write: mcp-codegen call --url {name}"
    if shutil.which(name) is not None:
        return f"to start a server, write: mcp-codegen call -- {shlex.join(words)}"
    return f"to call a tool, write: call {name}"


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
    found = offers.fetch(client, kinds, output.warning)
    if invocation.expected is not None:
        return _compare(offers.document(client, found), invocation.expected)
    if invocation.json:
        output.print_json(offers.document(client, found))
    else:
        _print_lines(offers.as_text(client, found, output.width()))
    return 0


def _call(client: Client, invocation: Invocation) -> int:
    from mcp_bindgen.calling import arguments, offers, schemas

    name, *words = invocation.words
    tool = offers.find(client, "tools", name, output.warning)
    values = arguments.for_tool(name, tool.get("inputSchema") or {}, words)
    execution = schemas.as_object(tool.get("execution"))
    begin: Any = getattr(client, "call_tool_as_task", None)
    if execution.get("taskSupport") == "required" and begin is not None:
        task = begin(name, values or None, on_progress=invocation.on_progress)
        result = _as_json(client, task.result())
    else:
        result = _invoke(client, "call_tool", invocation, name, values or None)
    if invocation.expected is not None:
        return _compare(result, invocation.expected)
    _print(result, invocation, lambda contents: contents.of_tool(name, result))
    if result.get("isError"):
        output.error(f"the tool {name!r} failed")
        return 1
    return 0


def _read(client: Client, invocation: Invocation) -> int:
    uri = _only(invocation.words, "read", "URI")
    result = _invoke(client, "read_resource", invocation, uri)
    if invocation.expected is not None:
        return _compare(result, invocation.expected)
    _print(result, invocation, lambda contents: contents.of_resource(result))
    return 0


def _prompt(client: Client, invocation: Invocation) -> int:
    from mcp_bindgen.calling import arguments, offers, schemas

    name, *words = invocation.words
    prompt = offers.find(client, "prompts", name, output.warning)
    values = arguments.for_prompt(name, schemas.as_list(prompt.get("arguments")), words)
    result = _invoke(client, "get_prompt", invocation, name, values or None)
    if invocation.expected is not None:
        return _compare(result, invocation.expected)
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


def _compare(result: Any, file: Path) -> int:
    """Print the differences of a result from the expected one; return the exit status."""
    from mcp_bindgen.calling.expectation import differences, read_expected

    lines = differences(read_expected(file), result, str(file))
    if not lines:
        output.confirm(f"as expected in {output.shown(file)}")
        return 0
    _print_lines(lines)
    output.error(f"the result differs from {output.shown(file)}; if it is right, write it there with --json")
    return 1


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
    output.note(f"progress: {params.progress:g}{total}{f' {visible(message)}' if message else ''}")


def _show(sender: str, message: bytes) -> None:
    output.detail(f"{'-->' if sender == 'client' else '<--'} {message.decode('utf-8', 'replace').strip()}")
