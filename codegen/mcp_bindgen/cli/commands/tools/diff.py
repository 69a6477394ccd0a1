"""``mcp-codegen tools diff``: changes from one contract to another, and whom they break."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_bindgen.cli.commands.tools.reporting import Reporting, report, reporting_options
from mcp_bindgen.cli.commands.tools.sources import read_contract
from mcp_bindgen.cli.files import json_for, print_or_write, require_writable
from mcp_bindgen.cli.output_format import require_text_or_json


@click.command("diff", short_help="List the changes between two contracts and whom they break.")
@click.argument("old", required=False, type=click.Path(path_type=Path))
@click.argument("new", required=False, type=click.Path(path_type=Path))
@reporting_options
@click.option("--list-rules", is_flag=True, help="List the rules by which changes are judged, without comparing.")
@click.option("--json-schema", is_flag=True, help="Print the JSON Schema of what --format json prints.")
def diff(old: Path | None, new: Path | None, reporting: Reporting, list_rules: bool, json_schema: bool) -> int:
    """List the changes from OLD to NEW and whom they break.

    \b
      mcp-codegen tools diff main.lock.json tools.lock.json
      mcp-codegen tools diff old.lock.json new.lock.json -o changes.html

    OLD and NEW are each a lock, the result of tools/list, or a recording that
    contains it. A change is breaking, risky, compatible or undecided for
    callers that were written for OLD. Each breaking change of a schema has a
    witness: the smallest call or result found that shows it.

    The exit status is 0 if no change is at or above --fail-on, 1 if one is,
    and 2 if the comparison failed.
    """
    if json_schema:
        from mcp_bindgen.diff.tools.document import TOOLS_SCHEMA

        print_or_write(json_for(TOOLS_SCHEMA, reporting.file), reporting.file, "JSON Schema")
        return 0
    if list_rules:
        return _list_rules(reporting)
    if old is None or new is None:
        message = (
            "OLD and NEW are missing; run: mcp-codegen tools diff OLD NEW, each a file, for example tools.lock.json"
        )
        raise click.UsageError(message if old is None else message.replace("OLD and NEW are", "NEW is", 1))
    require_writable("-o", reporting.file, [old, new])
    return report(read_contract(old), read_contract(new), reporting)


def _list_rules(reporting: Reporting) -> int:
    from mcp_bindgen.diff.tools.rules import TOOL_RULES, rules_as_json

    require_text_or_json(reporting.form)
    if reporting.form == "json":
        text = json_for(rules_as_json(), reporting.file)
    else:
        text = "".join(f"{rule.id:<32}{rule.verdict:<12}{rule.explanation}\n" for rule in TOOL_RULES.values())
    print_or_write(text, reporting.file, f"{len(TOOL_RULES)} rules")
    return 0
