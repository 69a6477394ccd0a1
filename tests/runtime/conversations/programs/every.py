"""Servers of all revisions behind the standard input and output."""

from checkout import REVISIONS
from mcp_bindings import serve
from support.echo_server import echo_server

serve.stdio(*(echo_server(revision)[0] for revision in REVISIONS))
