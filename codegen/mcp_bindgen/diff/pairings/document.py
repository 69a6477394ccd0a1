"""A matrix as the JSON document that ``mcp-codegen matrix --format json`` prints, and its JSON Schema."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.revision_matrix import Cell, Matrix
from mcp_bindgen.diff.schema_terms import COUNT, LEVELS, NAMES, PAIRINGS, TEXT, Json, closed, told

FORMAT = "mcp-matrix/1"


def command(matrix: Matrix, cell: Cell, typed: Mapping[str, str]) -> str:
    """The command that shows the changes of a cell. ``typed``: what to type for revisions that are not bundled."""
    sides = [typed.get(revision, revision) for revision in (cell.old, cell.new)]
    methods = [word for method in matrix.methods for word in ("--method", method)]
    return shlex.join(["mcp-codegen", "diff", *sides, "--perspective", cell.perspective, *methods])


def to_document(matrix: Matrix, typed: Mapping[str, str] | None = None) -> Json:
    """The document. ``typed``: what to type for revisions that are not bundled, such as the path of a file."""
    return {
        "format": FORMAT,
        "revisions": [{"revision": each.revision, "source": each.source} for each in matrix.revisions],
        **({"methods": list(matrix.methods)} if matrix.methods else {}),
        "cells": [
            {
                "client": cell.client,
                "server": cell.server,
                "pairing": cell.pairing,
                "by_level": {"breaking": cell.breaking, "risky": cell.risky, "compatible": cell.compatible},
                "command": command(matrix, cell, typed or {}),
            }
            for cell in matrix.cells
        ],
    }


_CELL = closed(
    "A client of one revision with a server of another one, which do not negotiate.",
    {
        "client": told("The revision of the client.", TEXT),
        "server": told("The revision of the server.", TEXT),
        "pairing": told(
            "Which of the two is the old one: a verdict of a change has this name.", {"enum": list(PAIRINGS)}
        ),
        "by_level": closed(
            "How many changes there are, by what they do to this pairing.", dict.fromkeys(LEVELS, COUNT)
        ),
        "command": told("The command that shows these changes.", TEXT),
    },
)

SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"What breaks for every client with every server, {FORMAT}",
    **closed(
        "All pairings, by client and then by server; none of a revision with itself.",
        {
            "format": {"const": FORMAT},
            "revisions": told(
                "The oldest first.",
                {
                    "type": "array",
                    "items": closed(
                        "One revision.", {"revision": told("Its id.", TEXT), "source": told("Where it was read.", TEXT)}
                    ),
                },
            ),
            "cells": {"type": "array", "items": _CELL},
        },
        {"methods": told("Only changes of what the messages of these methods contain were counted.", NAMES)},
    ),
}
"""JSON Schema 2020-12."""
