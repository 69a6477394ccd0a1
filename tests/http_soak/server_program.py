"""The servers under test: ``make_app()`` for gunicorn, or ``python server_program.py PORT`` for ``serve.http``.

Each tool call has a key of its own, and writes it to a journal when it begins and when it ends. The program imports nothing
of the tests, so that its memory is that of a server.
"""

import importlib
import os
import sys
import time

from attrs import define
from mcp_bindings import RedisStore, serve

STATE = "soak://state"
"""URI of the resource that changes."""
THREADS = 32
KEY = b"a key for the soak, of 32 bytes!"

_journal = os.open(os.environ.get("HTTP_SOAK_JOURNAL", os.devnull), os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def write(event, key):
    """Append an event to the journal; a short line is written as a whole, also by several processes."""
    os.write(_journal, f"{event} {key}\n".encode())


@define
class Form:
    answer: str


def add_tools(mcp, server, servers):
    @server.tool
    def echo(key: str, text: str) -> str:
        write("begin", key)
        write("end", key)
        return f"{key} {text}"

    @server.tool
    def wait(key: str, seconds: float) -> str:
        write("begin", key)
        time.sleep(seconds)
        write("end", key)
        return key

    @server.tool
    def stream(context: mcp.Context, key: str, steps: int) -> str:
        write("begin", key)
        for step in range(steps):
            context.progress(step + 1, total=steps)
            time.sleep(0.02)
        write("end", key)
        return key

    @server.tool
    def ask(context: mcp.Context, key: str) -> str:
        outcome = context.elicit_form(key, Form)
        # In a stateless revision the function runs once for each round; what it does after the answer is done once.
        write("begin", key)
        write("end", key)
        return f"{key} {outcome.value.answer}" if isinstance(outcome, mcp.Accepted) else f"{key} without an answer"

    @server.tool
    def huge(key: str, size: int) -> str:
        write("begin", key)
        write("end", key)
        return key + "x" * size

    @server.tool
    def change(key: str) -> str:
        write("begin", key)
        for each in servers:
            each.resources.updated(STATE)
        write("end", key)
        return key

    server.resources.add_text(STATE, "the state")


def make_servers():
    packages = [importlib.import_module(name) for name in os.environ["HTTP_SOAK_PACKAGES"].split()]
    # Any process continues what another one began.
    keys = {"handshake": {"cursor_key": KEY}, "stateless": {"state_key": KEY}}
    servers = [mcp.Server("soak", "1", **keys[mcp.Server.binding.era]) for mcp in packages]
    for mcp, server in zip(packages, servers, strict=True):
        add_tools(mcp, server, servers)
    return servers


def make_options():
    url = os.environ.get("HTTP_SOAK_REDIS")
    return {"threads": THREADS} | ({"store": RedisStore(url)} if url else {})


def make_app():
    application = serve.wsgi_app(*make_servers(), **make_options())
    proxy = os.environ.get("HTTP_SOAK_PROXY")
    return application if proxy is None else behind(proxy, application)


def behind(proxy, application):
    """Return the application with the addresses that a trusted proxy names."""

    def respond(environ, start_response):
        if environ["REMOTE_ADDR"] == proxy:
            environ["REMOTE_ADDR"] = environ.get("HTTP_X_REAL_IP", proxy)
        return application(environ, start_response)

    respond.close = application.close
    return respond


if __name__ == "__main__":
    serve.http(*make_servers(), port=int(sys.argv[1]), **make_options())
