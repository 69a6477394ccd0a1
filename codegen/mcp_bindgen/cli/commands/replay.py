"""``mcp-codegen replay``: serve the answers of a recording, or compare them with those of a live server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_file, complete_revision
from mcp_bindgen.cli.http_options import HttpOptions, http_options
from mcp_bindgen.cli.output_format import text_or_json
from mcp_bindgen.cli.server_options import AcceptsServerCommand, ServerOptions, server_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcp_bindings_runtime.replay.recording import RecordedMessage

    from mcp_bindgen.calling.http_address import HttpAddress
    from mcp_bindgen.replay.verification import Mismatch


FORMAT = "mcp-replay/1"


@click.command("replay", cls=AcceptsServerCommand, short_help="Serve the recorded answers of a server.")
@click.argument("path", metavar="FILE", shell_complete=complete_file)
@http_options
@click.option(
    "--ignore",
    multiple=True,
    metavar="POINTER",
    help="JSON Pointer to a part of messages that may differ, such as /params/arguments/date. Repeatable.",
)
@click.option(
    "--revision", metavar="REVISION", shell_complete=complete_revision, help="Revision of a recording that names none."
)
@click.option("--verify", is_flag=True, help="Send the recorded requests to a server and compare its answers.")
@server_options
@text_or_json
@click.pass_context
def command(
    ctx: click.Context,
    path: str,
    ignore: tuple[str, ...],
    revision: str | None,
    verify: bool,  # click passes it by name
    http: HttpOptions,
    reached: ServerOptions,
    form: str,
) -> int:
    """Serve the answers in FILE, which --record or record= has written.

    \b
      mcp-codegen replay session.jsonl                over stdio
      mcp-codegen replay session.jsonl --http 8000    at 127.0.0.1:8000/mcp
      mcp-codegen replay session.jsonl --ignore /params/arguments/date
      mcp-codegen replay session.jsonl --verify -- python server.py

    Requests are matched by method and params. Equal requests get their answers
    in the order of the recording, and the last one again and again. A request
    that is not in the recording gets an error that describes the nearest one.
    In pointers, * stands for every member or element.

    With --verify each recorded request is sent to the server, and the answers
    that differ are listed, or printed as JSON with --json.

    The exit status is 0, or 1 if answers differ or the server failed, or 2 if
    the command line is wrong or FILE is not a valid recording.
    """
    from mcp_bindgen.replay.reading import read_valid

    typed = f"mcp-codegen replay {path} --verify"
    if not verify and reached.names_server(ctx):
        message = f"a server is only compared with --verify; run: {typed} …"
        raise click.UsageError(message, ctx)
    address = http.address(ctx)
    if verify and address is not None:
        message = "--verify does not serve; leave out --http"
        raise click.UsageError(message, ctx)
    if form == "json" and not verify:
        message = f"--json prints the result of --verify; run: {typed} --json …"
        raise click.UsageError(message, ctx)
    messages = read_valid(path, revision)
    if verify:
        server = reached.server(ctx, typed)

        from mcp_bindgen.calling.connection import open_transport

        return _verify(messages, ignore, revision, lambda label: open_transport(server, label), form)
    _serve(messages, ignore, revision, address)
    return 0


def _serve(
    messages: list[RecordedMessage], ignore: tuple[str, ...], revision: str | None, address: HttpAddress | None
) -> None:
    from mcp_bindings_runtime.replay.server import Replay

    replay = Replay(messages, ignore=ignore, revision=revision)
    for unused in replay.unused:
        output.note(f"{unused.place}: not replayed: {unused.reason}")
    if address is None:
        from mcp_bindings import serve

        serve.stdio(*replay.servers)
    else:
        address.serve(*replay.servers)


def _verify(
    messages: list[RecordedMessage],
    ignore: tuple[str, ...],
    revision: str | None,
    open_transport: Callable[[str], Any],
    form: str,
) -> int:
    from mcp_bindings_runtime.replay.sessions import sessions_of

    from mcp_bindgen.replay.verification import Verification

    sessions = sessions_of(messages, revision)
    compared = 0
    found: list[Mismatch] = []
    for session in sessions:
        label = session.binding.facts.label
        verification = Verification(lambda label=label: open_transport(label), ignore=ignore)  # type: ignore[misc]
        for unsent in verification.unsent(session):
            output.note(f"{unsent.place}: not sent: {unsent.reason}")
        for mismatch in verification.mismatches(session):
            found.append(mismatch)
            if form == "text":
                _print(mismatch)
        compared += verification.compared
    if form == "json":
        output.print_json({"format": FORMAT, "compared": compared, "mismatches": [_document(each) for each in found]})
    else:
        differ = "differs" if len(found) == 1 else "differ"
        output.note(f"{compared} answer{'' if compared == 1 else 's'} compared; {len(found)} {differ}")
    return 1 if found else 0


def _print(mismatch: Mismatch) -> None:
    if mismatch.failure is not None:
        output.print_line(f"{mismatch.place}: {mismatch.method}: no answer: {mismatch.failure}")
    for each in mismatch.differences:
        output.print_line(f"{mismatch.place}: {mismatch.method}: {each}")


def _document(mismatch: Mismatch) -> dict[str, Any]:
    document: dict[str, Any] = {"place": mismatch.place, "method": mismatch.method}
    if mismatch.failure is not None:
        return {**document, "failure": mismatch.failure}
    return {**document, "differences": [each.document() for each in mismatch.differences]}
