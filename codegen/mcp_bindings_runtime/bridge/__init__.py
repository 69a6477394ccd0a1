"""Conversion of messages from one revision to another, by emitted tables, with a ledger of the differences.

``ledger`` holds the entries, ``step_tables`` the format of the tables, ``step`` applies the tables of one step to JSON, and
``bridge`` composes steps between neighbouring revisions. ``translation`` does so for typed messages of a connection, whose
ledger is in ``connection_ledger``. Nothing here does I/O or imports the package of a revision.
"""
