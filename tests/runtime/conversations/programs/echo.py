"""A server over stdio: ``echo.py REVISION [every] [pump] [unlimited] [option=seconds]``.

It serves clients of its own revision, or of ``every`` one.
"""

import sys
from typing import Any

from support.echo_server import echo_server

revision, *rest = sys.argv[1:]
options: dict[str, Any] = {name: float(value) for name, _, value in (each.partition("=") for each in rest) if value}
if "every" in rest:
    options["revisions"] = None
server, seen = echo_server(revision, limits="unlimited" not in rest, **options)
if "pump" in rest:
    while server.pump(None):
        pass
else:
    server.run_stdio()
