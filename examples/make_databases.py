"""Make the databases that the examples read: ``books.db`` and ``orders.db`` in this folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).parent
BOOKS = [("Dune", 1965), ("Emma", 1815)]
ORDERS = [("ada", "tea"), ("bob", "ham")]


def main() -> None:
    """Make each database, in place of an earlier one."""
    with closing(sqlite3.connect(FOLDER / "books.db")) as database, database:
        database.execute("DROP TABLE IF EXISTS books")
        database.execute("CREATE TABLE books (title TEXT, year INTEGER)")
        database.executemany("INSERT INTO books VALUES (?, ?)", BOOKS)
    with closing(sqlite3.connect(FOLDER / "orders.db")) as database, database:
        database.execute("DROP TABLE IF EXISTS orders")
        database.execute("CREATE TABLE orders (user TEXT, item TEXT)")
        database.executemany("INSERT INTO orders VALUES (?, ?)", ORDERS)


if __name__ == "__main__":
    main()
