"""``mcp-codegen tools snapshot``: write the contract of a server to a file."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.commands.tools.sources import Live, live_options
from mcp_bindgen.cli.files import require_writable, write_file
from mcp_bindgen.cli.output_format import require_ending, text_or_json
from mcp_bindgen.cli.server_options import AcceptsServerCommand

FORMAT = "mcp-snapshot/1"


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
@text_or_json
@click.pass_context
def snapshot(ctx: click.Context, source: Path | None, file: Path, meta: bool, live: Live, form: str) -> int:
    """Write the contract of a server to tools.lock.json.

    \b
      mcp-codegen tools snapshot -- python server.py
      mcp-codegen tools snapshot --url http://127.0.0.1:8000/mcp -o main.lock.json

    The contract has the tools, resources, resource templates and prompts of
    the server, and a digest of each tool. Equal contracts give equal bytes.
    With --json, a summary is printed: the file, whether it has changed, and
    the number of items of each kind.

    The exit status is 0 on success, and 2 if the server or FILE cannot be read.
    """
    from mcp_bindgen.contracts.contract import contract_of
    from mcp_bindgen.contracts.lock_file import lock_text
    from mcp_bindgen.diff.reports.wording import counted

    require_ending("-o", file, ".json", "JSON")
    require_writable("-o", file)
    contract = contract_of(live.listing_or_file(ctx, source, "mcp-codegen tools snapshot"), meta=meta)
    text = lock_text(contract)
    if str(file) == "-":
        output.write(text)
        return 0
    unchanged = file.is_file() and file.read_bytes() == text.encode("utf-8", "backslashreplace")
    if not unchanged:
        write_file(file, text)
    if form == "json":
        counts = {
            kind: len(getattr(contract, kind)) for kind in ("tools", "resources", "resource_templates", "prompts")
        }
        output.print_json(
            {"format": FORMAT, "file": str(file), "changed": not unchanged, "server": contract.title, **counts}
        )
    else:
        items = f"{counted(len(contract.tools), 'tool')}, {counted(len(contract.prompts), 'prompt')}"
        output.confirm(f"{contract.title}: {items} -> {output.shown(file)}{': unchanged' if unchanged else ''}")
    return 0
