"""``mcp-codegen tools snapshot``: write the contract of a server to a file."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.commands.tools.sources import Live, live_options
from mcp_bindgen.cli.files import write_file
from mcp_bindgen.cli.server_options import AcceptsServerCommand


@click.command("snapshot", cls=AcceptsServerCommand, short_help="Write the contract of a server to tools.lock.json.")
@click.argument("source", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default=Path("tools.lock.json"),
    show_default=True,
    help="File to write; - is standard output.",
)
@click.option("--meta", is_flag=True, help="Keep the member _meta of each item.")
@live_options
@click.pass_context
def snapshot(ctx: click.Context, source: Path | None, file: Path, meta: bool, live: Live) -> int:
    """Write the contract of a server to tools.lock.json.

    The contract has the tools, resources, resource templates and prompts of
    the server, and a digest of each tool. Equal contracts give equal bytes.

    The exit status is 0 on success, and 2 if the server or FILE cannot be read.
    """
    from mcp_bindgen.contracts.contract import contract_of
    from mcp_bindgen.contracts.lock_file import lock_text
    from mcp_bindgen.diff.reports.wording import counted

    contract = contract_of(live.listing_or_file(ctx, source, "mcp-codegen tools snapshot"), meta=meta)
    text = lock_text(contract)
    if str(file) == "-":
        output.write(text)
        return 0
    before = file.read_bytes() if file.is_file() else None
    counts = f"{contract.title}: {counted(len(contract.tools), 'tool')}, {counted(len(contract.prompts), 'prompt')}"
    if before == text.encode("utf-8", "backslashreplace"):
        output.note(f"{counts} -> {output.shown(file)}: unchanged")
        return 0
    write_file(file, text)
    output.note(f"{counts} -> {output.shown(file)}")
    return 0
