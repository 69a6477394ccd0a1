"""What the JSON Schemas of our documents are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_bindgen.diff.changes import VERDICTS

Json = dict[str, Any]

LEVELS = list(reversed(VERDICTS))
PAIRINGS = ("old_client_new_server", "new_client_old_server")

TEXT: Json = {"type": "string", "minLength": 1}
TEXT_OR_NULL: Json = {"type": ["string", "null"]}
NAMES: Json = {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}
COUNT: Json = {"type": "integer", "minimum": 0}
LEVEL: Json = {"$ref": "#/$defs/level"}


def closed(description: str, required: Mapping[str, Json], optional: Mapping[str, Json] | None = None) -> Json:
    """An object with nothing but these members."""
    return {
        "description": description,
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def told(description: str, schema: Json) -> Json:
    """A schema that says what it is for."""
    return {"description": description, **schema}
