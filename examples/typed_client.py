"""A client with a typed method for each tool of the server in ``sqlite_server.py``.

Generate the package ``database`` first, and again when the server changes:

    mcp-codegen client --out database -- python sqlite_server.py books.db
    python typed_client.py books.db
"""

from __future__ import annotations

import sys
from pathlib import Path

from database import Database

SERVER = Path(__file__).with_name("sqlite_server.py")


def main(database: str) -> None:
    """Print the titles of all books."""
    with Database.stdio([sys.executable, str(SERVER), database]) as client:
        for row in client.query("SELECT title FROM books ORDER BY title"):
            print(row["title"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "books.db")
