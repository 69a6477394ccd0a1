"""A server for one SQLite database: ``python sqlite_server.py DATABASE``. It can only read."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Annotated

from mcp_bindings import v2026_07_28 as mcp

ROWS = 100
SECONDS = 5.0

database = Path(sys.argv[1] if len(sys.argv) > 1 else "books.db")
server = mcp.Server("sqlite", "1.0", instructions="Read the resource sqlite://schema before you write SQL.")


def connect() -> sqlite3.Connection:
    """Open the database for reading; stop statements that run for too long."""
    connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)
    end = monotonic() + SECONDS
    connection.set_progress_handler(lambda: monotonic() > end, 10_000)
    return connection


@server.tool(annotations=mcp.ToolAnnotations(read_only_hint=True))
def query(sql: Annotated[str, "one SELECT statement"]) -> list[dict[str, str | int | float | None]]:
    """Run a query and return its first hundred rows."""
    with closing(connect()) as connection:
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute(sql).fetchmany(ROWS)]
        except sqlite3.Error as error:
            # The model reads the message and corrects its statement.
            raise mcp.ToolError(f"SQLite: {error}") from error


@server.resource("sqlite://schema", mime_type="application/sql")
def schema() -> str:
    """Return the statements that created the tables."""
    with closing(connect()) as connection:
        return "\n".join(f"{sql};" for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL"))


if __name__ == "__main__":
    if not database.is_file():
        sys.exit(f"there is no database {database}; for an example, run: python make_databases.py")
    server.run_stdio()
