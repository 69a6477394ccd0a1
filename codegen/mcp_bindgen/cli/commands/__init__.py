"""One module for each command: its options, and which parts of the generator it calls.

Each module exports ``command``, and is listed in ``COMMANDS`` of ``cli/app.py``.
"""
