"""``mcp-codegen model``: the resolved model of a schema."""

from __future__ import annotations

from typing import Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.options import SchemaOptions, choose_one, schema_options
from mcp_bindgen.cli.output_format import output_format


@click.command("model", short_help="Print the model of a schema as JSON or JSON Schema.")
@schema_options("Bundled revision; by default the newest. With --schema: label of that schema.")
@output_format(
    ("json", "jsonschema"), "Output format: the model itself (json), or a JSON Schema 2020-12.", default="json"
)
def command(form: str, **options: Any) -> int:
    """Print the resolved model of a schema: its types, fields and methods, without Python names.

    \b
      mcp-codegen model --version 2025-03-26
      mcp-codegen model --schema acme.ts --format jsonschema
    """
    from mcp_bindgen.generate import understood

    protocol = understood(choose_one(SchemaOptions(**options)))
    output.warnings(protocol.revision, protocol.warnings)
    if form == "json":
        from mcp_bindgen.describe.model import describe_model

        output.print_json(describe_model(protocol))
    else:
        from mcp_bindgen.describe.jsonschema import describe_jsonschema

        output.print_json(describe_jsonschema(protocol))
    return 0
