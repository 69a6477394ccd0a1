"""Servers of all revisions behind the standard input and output."""

from mcp_bindings import serve
from support.conversing import REVISIONS
from support.echoing import echo_server

serve.stdio(*(echo_server(revision)[0] for revision in REVISIONS))
