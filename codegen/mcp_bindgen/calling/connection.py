"""Client of the server that a command line names, with handlers for its requests and notifications."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_bindgen import catalog
from mcp_bindgen.appended_file import open_for_appending
from mcp_bindgen.calling.forms import Answer, fill_in, question
from mcp_bindgen.calling.terminal import Terminal
from mcp_bindgen.escaping import visible

if TYPE_CHECKING:
    from mcp_bindings_runtime.client.client import Client
    from mcp_bindings_runtime.errors import ResponseError
    from mcp_bindings_runtime.http.client.credentials import Authenticator
    from mcp_bindings_runtime.transports import Transport

NAME = "mcp-codegen"
_LONGEST = 86400.0
"""Maximum duration of a call in seconds, as long as it progresses."""

Notify = Callable[[str], None]


class Options(NamedTuple):
    """Options of the connection."""

    revision: str | None
    """Revision; None to negotiate it."""
    timeout: float
    """Timeout of each response, or of its next progress, in seconds."""
    record: Path | None
    redact: Sequence[str]
    """Rules of ``transports.redaction.Redaction`` for the record."""
    log_level: str | None
    """Least severe log messages to request; None for the server's default, ``info`` in 2026-07-28."""
    notify: Notify
    """Callback for log messages, progress and questions that nobody can answer."""
    trace: Callable[[str, bytes], None] | None
    """Callback for each message and its sender, ``client`` or ``server``."""
    quiet: bool = False
    """Whether the standard error of a started server is shown only if it ends."""


class Server(NamedTuple):
    """A server: a command or a URL."""

    command: Sequence[str] = ()
    """Command that starts it."""
    url: str | None = None
    headers: Mapping[str, str] = {}
    """Additional headers of each HTTP request."""
    auth: Authenticator | None = None
    """Source of access tokens for the URL; None for none."""
    environment: Mapping[str, str] = {}
    """Additional environment variables of the command."""
    folder: str | None = None
    """Working directory of the command; None for that of this process."""
    entry: str | None = None
    """Its entry in a configuration file; None if it is not from one."""


class RegisteredClient(NamedTuple):
    """A client that was registered by hand at an authorization server."""

    id: str | None = None
    secret: str | None = None


def open_client(server: Server, options: Options) -> Client:
    """Return a connected client; a started server inherits the environment of this process.

    Raise `BindgenError` for an unknown revision, and the errors of ``mcp_bindings.connect``.
    """
    from mcp_bindings_runtime.client.negotiation import Negotiation
    from mcp_bindings_runtime.installed_revisions import client_class, select_revisions

    from mcp_bindgen import __version__

    if options.revision is not None and options.revision not in catalog.revisions():
        raise catalog.unknown_revision(options.revision)

    def start() -> Transport:
        transport = open_transport(server, options.revision, quiet=options.quiet)
        return transport if options.trace is None else TracedTransport(transport, options.trace)

    if options.record is not None:
        # A record that cannot be written is an error before the server is started.
        open_for_appending(options.record, "--record").close()
    revisions = select_revisions(None if options.revision is None else [options.revision])
    # Handlers for methods that only some revisions have are allowed.
    keys = [client_class(each).binding for each in revisions.values()]
    known = {name for each in keys for name in (*each.requests, *each.notifications)}
    client: Any = Negotiation(
        start,
        revisions=[*revisions.values()],
        handlers={name: function for name, function in _handlers(options.notify).items() if name in known},
        probe=min(5.0, options.timeout),
        record=options.record,
        redact=options.redact,
        name=NAME,
        version=__version__,
        timeout=options.timeout,
        limit=max(options.timeout, _LONGEST),
        log_level=options.log_level or "info",
        tasks=True,
    ).connect()
    if options.log_level is not None and "logging/setLevel" in client.binding.requests:
        key = client.binding.requests["logging/setLevel"]
        if client.binding.declares(client.server_capabilities, "logging"):
            client.request(key, key.params(level=options.log_level))
    connected: Client = client
    return connected


def earlier_revision(client: Client, problem: ResponseError) -> str | None:
    """Return the revision in which a call may succeed, if the error names a request that servers sent only until then.

    Since 2026-07-28 such a request is part of a result. A server that was not changed for that refuses the call.
    """
    from mcp_bindings_runtime.installed_revisions import facts_of, installed_revisions
    from mcp_bindings_runtime.jsonrpc import MISSING_CLIENT_CAPABILITY

    embedded = [name for name, key in client.binding.requests.items() if key.embedded]
    if problem.code == MISSING_CLIENT_CAPABILITY or not any(name in problem.message for name in embedded):
        return None
    known = ((each, facts_of(each)) for each in installed_revisions())
    return next((each for each, facts in known if facts is not None and facts.handshake), None)


def open_transport(server: Server, revision: str | None, *, quiet: bool = False) -> Transport:
    """Start or contact a server; ``revision`` is None if it is negotiated. See ``Options.quiet``."""
    if server.url is not None:
        from mcp_bindings_runtime.client.transport_factories import open_http
        from mcp_bindings_runtime.http.client.options import HttpClientOptions
        from mcp_bindings_runtime.installed_revisions import client_class

        facts = None if revision is None else client_class(revision).binding.facts
        return open_http(server.url, HttpClientOptions(headers=server.headers, auth=server.auth), facts=facts)
    from mcp_bindings_runtime.transports.child import Child

    # A command from a shell runs in the shell's environment.
    return Child(
        server.command,
        env=server.environment or None,
        inherit_env=True,
        cwd=server.folder,
        environment_advice=(
            "set it in this shell: export NAME=value" if server.entry is None else f"add it to 'env' of {server.entry}"
        ),
        stderr="capture" if quiet else "inherit",
    )


class TracedTransport:
    """A transport that passes each message to a callback."""

    def __init__(self, transport: Transport, trace: Callable[[str, bytes], None]) -> None:
        self._transport = transport
        self._trace = trace
        self.interrupt = transport.interrupt
        self.close = transport.close
        # HTTP transports have a stream to listen to.
        self.listen = getattr(transport, "listen", None)
        self.peer = getattr(transport, "peer", "the server")

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Receive a message, see ``Transport.receive``."""
        message = self._transport.receive(timeout)
        if message is not None:
            self._trace("server", message)
        return message

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """Send a message, see ``Transport.send``."""
        self._trace("client", message)
        self._transport.send(message, timeout)


def _handlers(notify: Notify) -> Mapping[str, Callable[[Any, Any], Any]]:
    terminal = Terminal()

    def elicit(params: Any, context: Any) -> Any:
        binding = context.peer.binding
        form = binding.codec.unstructure(params)
        answer = _answer(form, terminal, notify)
        return binding.types.ElicitResult(action=answer.action, content=answer.content)

    def log(params: Any, _context: Any) -> None:
        logger = f" {visible(params.logger)}" if params.logger else ""
        data = params.data if isinstance(params.data, str) else json.dumps(params.data, ensure_ascii=False)
        notify(f"[{params.level}]{logger} {visible(data)}")

    return {"elicitation/create": elicit, "notifications/message": log}


def _answer(form: Any, terminal: Terminal, notify: Notify) -> Answer:
    from mcp_bindings_runtime.errors import ResponseError

    mode = form.get("mode", "form")
    if mode != "form":
        raise ResponseError(
            -32602, "Invalid params", {"reason": f"this client supports elicitation in mode 'form' only, got {mode!r}"}
        )
    if not terminal.interactive:
        notify(question(form))
        notify("declined, because standard input is not a terminal; run the command in a terminal to answer")
        return Answer("decline")
    with terminal.lock:
        return fill_in(form, terminal)
