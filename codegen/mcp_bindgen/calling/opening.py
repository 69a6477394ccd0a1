"""A client of the server that a command line names, with what it does when the server asks or tells something."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_bindgen import catalog
from mcp_bindgen.calling.forms import Answer, fill_in, question
from mcp_bindgen.calling.terminal import Terminal
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.escaping import visible

if TYPE_CHECKING:
    from mcp_bindings_runtime.client.client import Client
    from mcp_bindings_runtime.transports import Transport

NAME = "mcp-codegen"
_LONGEST = 86400.0
"""Seconds that a call may take altogether, as long as it progresses."""

Tell = Callable[[str], None]


class Options(NamedTuple):
    """How to speak with the server."""

    revision: str | None
    """None: whatever both sides speak."""
    timeout: float
    """Seconds for each answer, or from one sign of progress to the next."""
    record: Path | None
    log_level: str | None
    """The least severity of the server's log messages; None: what the server sends by itself, ``info`` in 2026-07-28."""
    tell: Tell
    """Where log messages, progress and questions that nobody can answer are told."""
    see: Callable[[str, bytes], None] | None
    """Is shown each message, with ``client`` or ``server`` for its sender."""


class Server(NamedTuple):
    """Which server is meant: one of the two."""

    command: Sequence[str] = ()
    """What starts it."""
    url: str | None = None
    headers: Mapping[str, str] = {}
    """What each HTTP request carries besides."""


def open_client(server: Server, options: Options) -> Client:
    """The client, connected; a server that is started has all of this process's environment.

    Raises BindgenError for a revision that is not bundled, and what ``mcp_bindings.connect`` raises.
    """
    from mcp_bindings_runtime.client.negotiation import Negotiation
    from mcp_bindings_runtime.installed_revisions import client_class, select_revisions

    from mcp_bindgen import __version__

    if options.revision is not None and options.revision not in catalog.revisions():
        raise catalog.unknown_revision(options.revision)

    def start() -> Transport:
        transport = _open(server, options)
        return transport if options.see is None else Seen(transport, options.see)

    _check_writable(options.record)
    revisions = select_revisions(None if options.revision is None else [options.revision])
    # What some of them have and others do not is no mistake here.
    keys = [client_class(each).binding for each in revisions]
    known = {name for each in keys for name in (*each.requests, *each.notifications)}
    client = Negotiation(
        start,
        revisions,
        client_class,
        handlers={name: function for name, function in _handlers(options.tell).items() if name in known},
        probe=min(5.0, options.timeout),
        record=options.record,
        name=NAME,
        version=__version__,
        timeout=options.timeout,
        limit=max(options.timeout, _LONGEST),
        log_level=options.log_level or "info",
    ).connect()
    if options.log_level is not None and "logging/setLevel" in client.binding.requests:
        key = client.binding.requests["logging/setLevel"]
        if client.binding.declares(client.server_capabilities, "logging"):
            client.request(key, key.params(level=options.log_level))
    return client


def _open(server: Server, options: Options) -> Transport:
    if server.url is not None:
        from mcp_bindings_runtime.client.transport_factories import open_http
        from mcp_bindings_runtime.installed_revisions import client_class

        facts = None if options.revision is None else client_class(options.revision).binding.facts
        return open_http(server.url, facts=facts, headers=server.headers)
    from mcp_bindings_runtime.transports.child import Child

    # What is typed in a shell starts with the shell's environment.
    return Child(server.command, inherit_env=True)


class Seen:
    """A transport that shows what passes through it."""

    def __init__(self, transport: Transport, see: Callable[[str, bytes], None]) -> None:
        self._transport = transport
        self._see = see
        self.interrupt = transport.interrupt
        self.close = transport.close
        # As of HTTP, where there is a stream to listen to.
        self.listen = getattr(transport, "listen", None)

    def receive(self, timeout: float | None = None) -> bytes | None:
        """As ``Transport.receive``."""
        message = self._transport.receive(timeout)
        if message is not None:
            self._see("server", message)
        return message

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """As ``Transport.send``."""
        self._see("client", message)
        self._transport.send(message, timeout)


def _check_writable(record: Path | None) -> None:
    """A record that cannot be written is told before a server is started."""
    if record is None:
        return
    try:
        record.open("a", encoding="utf-8").close()
    except OSError as problem:
        message = f"cannot write {str(record)!r}: {problem.strerror}; give --record a file that can be written"
        raise BindgenError(message) from problem


def _handlers(tell: Tell) -> Mapping[str, Callable[[Any, Any], Any]]:
    terminal = Terminal()

    def elicit(params: Any, context: Any) -> Any:
        binding = context.peer.binding
        asked = binding.codec.unstructure(params)
        answer = _answer(asked, terminal, tell)
        return binding.types.ElicitResult(action=answer.action, content=answer.content)

    def log(params: Any, _context: Any) -> None:
        logger = f" {visible(params.logger)}" if params.logger else ""
        data = params.data if isinstance(params.data, str) else json.dumps(params.data, ensure_ascii=False)
        tell(f"[{params.level}]{logger} {visible(data)}")

    return {"elicitation/create": elicit, "notifications/message": log}


def _answer(asked: Any, terminal: Terminal, tell: Tell) -> Answer:
    from mcp_bindings_runtime.errors import ResponseError

    mode = asked.get("mode", "form")
    if mode != "form":
        raise ResponseError(-32602, "Invalid params", {"reason": f"this client declares forms only, not mode {mode!r}"})
    if not terminal.there:
        tell(question(asked))
        tell("declined, as standard input is no terminal on which somebody could answer")
        return Answer("decline")
    with terminal.lock:
        return fill_in(asked, terminal)
