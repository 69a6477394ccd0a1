"""The matrix of revisions: how many changes break a client of one revision with a server of another."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import combinations

from attrs import frozen

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.assessment import verdict
from mcp_bindgen.diff.changes import PAIRINGS, Change, Pairing, Revision, Verdict
from mcp_bindgen.diff.comparison import compare
from mcp_bindgen.diff.document import COUNT, LEVELS, NAMES, TEXT, Json, closed, described
from mcp_bindgen.diff.selection import Selection
from mcp_bindgen.ir.protocol import Protocol, Side

_OLD: Mapping[Pairing, Side] = {"old_client_new_server": "client", "new_client_old_server": "server"}


@frozen(kw_only=True)
class Cell:
    """A client and a server of two revisions that do not negotiate."""

    client: str
    server: str
    pairing: Pairing
    """The pairing that tells which of the two is the old one."""
    breaking: int
    """The number of changes that break this pairing."""
    risky: int
    compatible: int

    @property
    def perspective(self) -> Side:
        """The side that is the old one: the value of ``--perspective``."""
        return _OLD[self.pairing]

    @property
    def old(self) -> str:
        """The older of the two revisions."""
        return self.client if self.perspective == "client" else self.server

    @property
    def new(self) -> str:
        """The newer of the two revisions."""
        return self.server if self.perspective == "client" else self.client

    @property
    def level(self) -> Verdict:
        """The worst level of a change."""
        return "breaking" if self.breaking else "risky" if self.risky else "compatible"


@frozen
class Matrix:
    """All pairings of some revisions."""

    revisions: tuple[Revision, ...]
    """The revisions, the oldest first."""
    cells: tuple[Cell, ...]
    """By client, then by server, in the order of the revisions; none for a revision with itself."""
    methods: tuple[str, ...]
    """If not empty, only changes in the messages of these methods were counted."""

    def cell(self, client: str, server: str) -> Cell | None:
        """Return one pairing; None if both are of the same revision."""
        return next((cell for cell in self.cells if (cell.client, cell.server) == (client, server)), None)


def matrix(protocols: Sequence[Protocol], *, methods: Sequence[str] = ()) -> Matrix:
    """Return how many changes break what, for every client with every server.

    ``protocols`` are the revisions, the oldest first. ``methods``: count only changes in their messages. Raises
    BindgenError for a method that no revision has.
    """
    selection = Selection(methods=tuple(methods))
    selection.check(*protocols)
    places = {protocol.revision: place for place, protocol in enumerate(protocols)}
    found: list[Cell] = []
    for old, new in combinations(protocols, 2):
        changes = selection.of(compare(old, new)).changes
        found += [_cell(old.revision, new.revision, pairing, changes) for pairing in PAIRINGS]
    found.sort(key=lambda cell: (places[cell.client], places[cell.server]))
    revisions = tuple(Revision(protocol.revision, protocol.source) for protocol in protocols)
    return Matrix(revisions, tuple(found), tuple(methods))


def _cell(old: str, new: str, pairing: Pairing, changes: Sequence[Change]) -> Cell:
    levels = [verdict(change, pairing) for change in changes]
    is_client_old = _OLD[pairing] == "client"
    return Cell(
        client=old if is_client_old else new,
        server=new if is_client_old else old,
        pairing=pairing,
        breaking=levels.count("breaking"),
        risky=levels.count("risky"),
        compatible=levels.count("compatible"),
    )


FORMAT = "mcp-matrix/1"


def command(matrix: Matrix, cell: Cell, typed: Mapping[str, str]) -> str:
    """Return the command that shows the changes of a cell. ``typed``: arguments for revisions that are not bundled."""
    sides = [typed.get(revision, revision) for revision in (cell.old, cell.new)]
    methods = [word for method in matrix.methods for word in ("--method", method)]
    return shlex.join(["mcp-codegen", "diff", *sides, "--perspective", cell.perspective, *methods])


def to_document(matrix: Matrix, typed: Mapping[str, str] | None = None) -> Json:
    """Return the document. ``typed``: arguments for revisions that are not bundled, such as the path of a file."""
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
    "A client and a server of two revisions that do not negotiate.",
    {
        "client": described("The revision of the client.", TEXT),
        "server": described("The revision of the server.", TEXT),
        "pairing": described(
            "The side with the older revision, as in the verdicts of a change.", {"enum": list(PAIRINGS)}
        ),
        "by_level": closed("Numbers of changes by their effect on this pairing.", dict.fromkeys(LEVELS, COUNT)),
        "command": described("The command that shows the changes.", TEXT),
    },
)

SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"Breaking changes for each client with each server, {FORMAT}",
    **closed(
        "All pairings of two different revisions, by client and then by server.",
        {
            "format": {"const": FORMAT},
            "revisions": described(
                "The revisions, the oldest first.",
                {
                    "type": "array",
                    "items": closed(
                        "One revision.",
                        {
                            "revision": described("Its id.", TEXT),
                            "source": described("The file from which its schema was read.", TEXT),
                        },
                    ),
                },
            ),
            "cells": {"type": "array", "items": _CELL},
        },
        {"methods": described("The methods whose messages were compared; only changes in these were counted.", NAMES)},
    ),
}
"""JSON Schema 2020-12."""
