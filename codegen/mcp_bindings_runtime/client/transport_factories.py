"""Factories of the transports that clients open when they connect."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..distribution import install_command
from ..errors import UsageError
from ..validation import forgotten_call, is_wsgi_application, require_command, require_transport

if TYPE_CHECKING:
    import os

    from ..facts import Facts
    from ..http.client.credentials import AuthFunction, Credentials
    from ..http.client.options import HttpClientOptions
    from ..server.server import Server
    from ..session.caller import Caller
    from ..transports import Transport

F = TypeVar("F", bound=Callable[..., Any])

_WHO = frozenset({"authorization", "cookie"})
"""Headers that identify the user."""
_CALLER = frozenset({"caller"})


class TransportFactory:
    """Opens a transport each time that it is called.

    ``origin`` identifies the server; ``auth`` returns the credentials if the user may change from request to request.
    ``negotiate`` opens a transport for a revision that is not known yet, if that is another one. ``parameters`` are the
    keyword parameters of the function that makes the client, besides the client's options.
    """

    __slots__ = ("_start", "auth", "negotiate", "origin", "parameters")

    def __init__(
        self,
        start: Callable[[], Transport],
        origin: Hashable,
        auth: AuthFunction | None = None,
        negotiate: Callable[[], Transport] | None = None,
        parameters: frozenset[str] = frozenset(),
    ) -> None:
        self._start = start
        self.origin = origin
        self.auth = auth
        self.negotiate = negotiate
        self.parameters = parameters

    def __call__(self) -> Transport:
        """Return an open transport."""
        return self._start()

    def but(self, start: Callable[[], Transport], parameters: frozenset[str] = frozenset()) -> TransportFactory:
        """Return a factory for the same server with another function, and with more ``parameters``."""
        return TransportFactory(start, self.origin, self.auth, parameters=self.parameters | parameters)


def require_factory(value: Any) -> None:
    """Require a function that opens a transport; else raise ``UsageError`` with what to write instead."""
    if callable(value):
        return
    from ..module_calls import connect_instead

    instead = connect_instead(value, "Client")
    text = f"Client must be called with a function that opens a transport, got {value!r}; {instead}"
    raise UsageError(text)


def explain_stdio(function: F) -> F:
    """Decorate ``stdio``: a call with the program apart from its arguments raises ``UsageError`` with the list to write."""

    @wraps(function)
    def checked(*passed: Any, **options: Any) -> Any:
        of_class = bool(passed) and isinstance(passed[0], type)
        words = passed[1:] if of_class else passed
        if len(words) > 1:
            raise UsageError(_one_list(f"{passed[0].__name__ if of_class else 'connect'}.stdio", words))
        return function(*passed, **options)

    return cast("F", checked)


def _one_list(name: str, words: Sequence[Any]) -> str:
    """Return the error for a command in several arguments; each is a part of it or, if it is no text or list, an option."""
    command: list[Any] = []
    for each in words:
        command += [each] if isinstance(each, str) else each if isinstance(each, list | tuple) else []
    return f"{name} takes the program and its arguments in one list, and options by name; write {name}({command!r})"


def child(command: Sequence[str], **options: Any) -> TransportFactory:
    """Return a factory for a server that is started as a child process. ``options`` are those of ``StdioOptions``."""
    require_command(command)
    from ..transports.options import StdioOptions

    chosen = StdioOptions(**options)

    def start() -> Transport:
        from ..transports.child import Child

        return Child(command, env=chosen.env, inherit_env=chosen.inherit_env, cwd=chosen.cwd, stderr=chosen.stderr)

    variables = sorted((chosen.env or {}).items())
    origin = ("stdio", *command, str(chosen.cwd), chosen.inherit_env, *variables)
    return TransportFactory(start, origin, parameters=StdioOptions.names())


def http(url: str, *, facts: Facts | None, **options: Any) -> TransportFactory:
    """Return a factory for the server at a URL.

    ``facts`` are those of the revision, None if it is negotiated. ``options`` are those of ``HttpClientOptions``.
    """
    _require_url(url)
    from ..http.client.credentials import Authenticator
    from ..http.client.options import HttpClientOptions

    chosen = HttpClientOptions(**options)
    headers = chosen.headers or {}
    # Public results are shared by all users of a server.
    others = sorted((name.lower(), value) for name, value in headers.items() if name.lower() not in _WHO)
    origin = ("http", url, chosen.proxy, chosen.tls, *others)
    # An authenticator stands for one user, though its tokens change.
    auth = None if isinstance(chosen.auth, Authenticator) else chosen.auth
    negotiate = None if facts is None or not facts.only_sse else lambda: open_http(url, chosen)
    return TransportFactory(
        lambda: open_http(url, chosen, facts=facts), origin, auth, negotiate, parameters=HttpClientOptions.names()
    )


def _require_url(value: Any) -> None:
    if not isinstance(value, str):
        hint = "; to start a server, use stdio" if isinstance(value, list | tuple) else ""
        text = f"`url` must be a str such as 'https://example.com/mcp', got {value!r}{hint}"
        raise UsageError(text)


def open_http(url: str, options: HttpClientOptions, *, facts: Facts | None = None) -> Transport:
    """Return a transport to the server at ``url``; nothing has been sent over it yet.

    ``facts`` are those of the revision; None if it is negotiated. Raise ``UsageError`` for an invalid URL, and if urllib3
    is missing.
    """
    try:
        from ..http.client.wire import Wire
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "urllib3":
            raise
        text = f"HTTP needs urllib3, which is not installed: {install_command('http')}"
        raise UsageError(text) from None
    from ..http.client.endpoint import Endpoint
    from ..http.client.streamable import StreamableHttp

    wire = Wire(url, options)
    endpoint = Endpoint(wire, options.headers or {}, _credentials(wire.url, options, facts))
    if facts is None:
        return StreamableHttp(endpoint, limit=options.max_message, retries=options.retry_policy)
    return StreamableHttp(
        endpoint,
        limit=options.max_message,
        only_sse=facts.only_sse,
        facts=facts,
        retries=options.retry_policy,
    )


def _credentials(url: str, options: HttpClientOptions, facts: Facts | None) -> Credentials | None:
    from ..http.client.credentials import Authenticator, CallbackCredentials, ConnectionSettings

    if options.auth is None:
        return None
    if not isinstance(options.auth, Authenticator):
        return CallbackCredentials(options.auth)
    return options.auth.credentials(
        ConnectionSettings(url, facts, options.tls, options.proxy, options.proxy_headers, options.connect_timeout)
    )


def memory(server: Any, caller: Caller | str | None = None) -> TransportFactory:
    """Return a factory for a server object of this process; its requests come from ``caller``."""
    if isinstance(server, type) or not callable(getattr(server, "serve", None)):
        text = f"{server!r} is not a server; {_server_instead(server)}"
        raise UsageError(text)
    user = _as_caller(caller)

    def join() -> Transport:
        from ..transports.memory import serve_in_thread

        return serve_in_thread(server.serve if user is None else partial(server.serve, caller=user))

    return TransportFactory(join, ("memory", server, caller), parameters=_CALLER)


def _server_instead(value: Any) -> str:
    """Return what to write for a value that is not a server object."""
    if isinstance(value, str) and "://" in value:
        from ..module_calls import connect_instead

        return connect_instead(value, "Client")
    site = "; for a site, use mcp_url(app) and Client.http(url)" if is_wsgi_application(value) else ""
    return f"pass a server object, such as mcp.Server('demo', '1.0'){site}{forgotten_call(value)}"


def hosted(servers: Sequence[Server], caller: Caller | str | None = None) -> TransportFactory:
    """Return a factory for server objects of this process, one of which the first message selects.

    Its requests come from ``caller``.
    """
    user = _as_caller(caller)

    def join() -> Transport:
        from ..server.multi_revision import MultiRevisionServer
        from ..transports.memory import serve_in_thread

        return serve_in_thread(MultiRevisionServer(servers, caller=user).serve)

    return TransportFactory(join, ("memory", *servers, caller), parameters=_CALLER)


def _as_caller(value: Caller | str | None) -> Caller | None:
    if value is None:
        return None
    from ..session.caller import as_caller

    return as_caller(value)


def replay(path: str | os.PathLike[str], ignore: Sequence[str]) -> TransportFactory:
    """Return a factory for servers of this process that answer from the recording in a file; raise as ``Replay``."""
    from ..replay.server import replay_servers

    factory = hosted(replay_servers(path, ignore))
    return TransportFactory(factory, factory.origin, parameters=frozenset({"ignore"}))


def existing(transport: Transport) -> TransportFactory:
    """Return a factory that returns an existing transport."""
    require_transport(transport)
    return TransportFactory(lambda: transport, ("over", transport))


def recorded(transport: Transport, record: str | os.PathLike[str] | None, redact: Sequence[str] = ()) -> Transport:
    """Return a transport that writes its messages to the file ``record``, if that is set; close it if that fails.

    ``redact`` are the rules of ``Redaction``.
    """
    if record is None:
        return transport
    import os

    from ..transports.recorder import Recorder

    try:
        return Recorder(transport, record, "client", redact=redact)
    except UsageError:
        transport.close()
        raise
    except TypeError as fault:
        transport.close()
        text = f"`record` must be the path of a file, got {record!r}"
        raise UsageError(text) from fault
    except OSError as fault:
        transport.close()
        text = f"cannot write {os.fspath(record)!r}: {fault.strerror}; give record= a file that can be written"
        raise UsageError(text) from fault
