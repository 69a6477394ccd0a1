"""A server over stdio: ``echo.py REVISION [pump] [unlimited] [option=seconds]``."""

import sys

from support.echo_server import echo_server

revision, *rest = sys.argv[1:]
options = {name: float(value) for name, _, value in (each.partition("=") for each in rest) if value}
server, seen = echo_server(revision, limits="unlimited" not in rest, **options)
if "pump" in rest:
    while server.pump(None):
        pass
else:
    server.run_stdio()
