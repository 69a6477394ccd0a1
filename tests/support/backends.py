"""Servers behind a proxy: the ways to reach them, and programs that run them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mcp_bindings_runtime.client import transport_factories
from support.scripted_peers import environment

_PROGRAM = """\
import os
import sys
from pathlib import Path

from mcp_bindings import v{package} as mcp

server = mcp.Server("{name}", "1.0", revisions=[mcp.REVISION], instructions="How to use {name}.")
broken = Path(__file__).with_suffix(".broken")
if broken.exists():
    sys.exit(5)


@server.tool
def die() -> str:
    os._exit(3)


@server.tool
def process() -> str:
    return str(os.getpid())


@server.tool
def touch(uri: str) -> str:
    server.resources.updated(uri)
    return "touched"


@server.tool
def change() -> str:
    server.tools.remove("process")
    server.resources.remove("file:///{name}.txt")
    return "changed"


@server.tool
def add_resource(uri: str) -> str:
    server.resource(uri)(notes)
    return "added"


@server.prompt
def greet(whom: str) -> str:
    return f"{name} greets {{whom}}"


@server.resource("file:///{name}.txt")
def notes() -> str:
    return "notes of {name}"


@server.resource_template("{scheme}://{{key}}")
def entry(key: str) -> str:
    return f"{{key}} of {name}"


@server.completion(prompt="greet", argument="whom")
def names(value: str) -> list[str]:
    return ["the friends of {name}"]


server.run_stdio()
"""


def connection_to(server: Any) -> Any:
    """Return the function that contacts a server object, or starts the command of a server."""
    if isinstance(server, list):
        return transport_factories.child(server, env=environment())
    return transport_factories.memory(server)


def write_backend(folder: Path, name: str, revision: str, scheme: str = "demo") -> list[str]:
    """Write a server of one revision to a file; return the command that runs it.

    It exits with status 5 at its start if there is the file ``NAME.broken`` beside it.
    """
    file = folder / f"{name}.py"
    file.write_text(_PROGRAM.format(package=revision.replace("-", "_"), name=name, scheme=scheme), encoding="utf-8")
    return [sys.executable, str(file)]


def break_backend(command: list[str]) -> None:
    """Let the server of a command exit at its next start."""
    Path(command[1]).with_suffix(".broken").touch()


def repair_backend(command: list[str]) -> None:
    """Let the server of a command start again."""
    Path(command[1]).with_suffix(".broken").unlink()
