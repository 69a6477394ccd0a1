"""Negotiation of the revision with a server.

2026-07-28, Versioning and Compatibility; stdio: Backward Compatibility.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..connection.call_scope import CallScope
from ..connection.connection import Connection
from ..connection.handler_results import converting
from ..connection.opening_noise import OpeningNoise
from ..errors import (
    ConnectionClosed,
    DecodeError,
    HttpError,
    McpError,
    MissingCapability,
    ProtocolError,
    RequestTimeout,
    ResponseError,
    UnsupportedRevision,
    UsageError,
)
from ..http.client.statuses import rejects_message, shows_stateless_server
from ..installed_revisions import client_class, facts_of, installed_revisions, select_revisions
from ..logs import log_warning
from ..methods import NotificationMethod, RequestMethod
from ..session.capabilities import check_paths
from ..validation import require_callable, require_seconds
from .activity_log import log_failure, log_opening
from .options import (
    ONLY_OF_ONE_REVISION,
    ClientOptions,
    HandshakeClientOptions,
    NegotiationOptions,
    StatelessClientOptions,
)
from .transport_factories import TransportFactory, recorded

if TYPE_CHECKING:
    import os

    from ..facts import Era
    from ..transports import Transport
    from .any_client import AnyClient

_STATELESS_ONLY = StatelessClientOptions.names() - HandshakeClientOptions.names() - ONLY_OF_ONE_REVISION
"""Options that handshake clients neither have nor need."""


class Agreed(NamedTuple):
    """The result of a negotiation, before the client has adopted the connection."""

    client: Any
    """The client of the negotiated revision."""
    connection: Connection


class Negotiation:
    """Tries revisions, in order of preference, until the server accepts one.

    ``options`` are those of ``NegotiationOptions`` and of the clients. A client gets the options that its revision has, and
    the handlers of methods that its servers send. Raise ``UsageError`` for an option that is not valid.
    """

    def __init__(self, open_transport: Callable[[], Transport], **options: Any) -> None:
        own = NegotiationOptions.names() & options.keys()
        chosen = NegotiationOptions(**{name: options.pop(name) for name in own})
        if "discover" in options:
            message = "`discover` is for clients of one revision; negotiation always asks the server for its revisions"
            raise UsageError(message)
        if options.pop("restart", False):
            message = (
                "`restart` is for clients of one revision, such as v2026_07_28.Client; call `connect` again if the "
                "connection has ended"
            )
            raise UsageError(message)
        if options.get("version") in installed_revisions():
            log_warning(
                "`version` is that of the client itself; for a revision, pass revisions=[%r]", options["version"]
            )
        self._labels = select_revisions(chosen.revisions)
        """Protocol versions to the labels of their packages."""
        self._revisions = tuple(self._labels)
        if not self._revisions:
            message = "`revisions` is empty; name at least one"
            raise UsageError(message)
        self._open = open_transport
        self._handlers = dict(chosen.handlers or {})
        self._probe = chosen.probe
        self._record: str | os.PathLike[str] | None = options.pop("record", None)
        self._redact: Sequence[str] = options.pop("redact", ())
        self._options = options
        self._timeout: float = options.get("timeout", ClientOptions.timeout)
        self._transport: Transport | None = None
        self._last_id = 0
        self._connection: Connection | None = None
        """The connection of the latest attempt."""
        self._noise = OpeningNoise()
        self._tried: dict[Era, McpError] = {}
        """The eras that the server has refused, each with its error."""
        self._probe_id: int | None = None
        """The id of the ``server/discover`` that was not answered in time."""
        self._named = False
        """Whether the server has named its revisions."""

    def connect(self) -> AnyClient:
        """Return a connected client of the negotiated revision. Raise as ``Client.connect``.

        If both eras fail, the error of the second is raised, with that of the first as its cause. All of it has the
        client's ``timeout``, and probing at most half of that.
        """
        require_seconds(timeout=self._timeout)
        try:
            with CallScope(self._timeout):
                client, connection = self._agree()
                client.adopt(connection)
        except BaseException as fault:
            log_failure(fault)
            self._close()
            raise
        connected: AnyClient = client
        return connected

    def _agree(self) -> Agreed:
        """Try the eras that were not tried yet, until the server accepts a revision."""
        last: McpError | None = None
        for revision in self._revisions:
            era = self._class(revision).binding.era
            if era in self._tried:
                continue
            try:
                return self._open_in(revision)
            except McpError as fault:
                mutual = self._judge(era, fault)
            if mutual is not None:
                # It may be the one that was refused: then this is the one retry that the text requires.
                return self._open_mutual(mutual)
            last = self._tried[era]
            if isinstance(last, ConnectionClosed) and last.unread:
                # It has not read the request, and would have ended without it, too.
                break
        if self._probe_id is not None and isinstance(self._failure(), ResponseError):
            # It has refused the handshake before it came to answer the probe.
            return self._open_stateless()
        raise self._failure()

    def _open_stateless(self) -> Agreed:
        """Open in the preferred revision without handshake, or else in one that the server names instead."""
        try:
            return self._open_in(next(each for each in self._revisions if self._is_stateless(each)))
        except UnsupportedRevision as fault:
            mutual = self._judge("stateless", fault)
            if mutual is None:
                raise
        return self._open_mutual(mutual)

    def _is_stateless(self, revision: str) -> bool:
        return bool(self._class(revision).binding.era == "stateless")

    def _open_mutual(self, revision: str) -> Agreed:
        """Open in a revision that the server has named, which it may have done in a late answer to the probe.

        ``initialize`` was sent then, and some servers take that for the choice of an era for as long as they run: such a
        server is started once more.
        """
        self._named = True
        late = self._probe_id is not None
        try:
            return self._open_in(revision)
        except (ProtocolError, ConnectionClosed):
            if not late:
                raise
        self._close()
        return self._open_in(revision)

    def _open_in(self, revision: str) -> Agreed:
        cls = self._class(revision)
        return self._discover(cls) if self._is_stateless(revision) else self._shake_hands(cls)

    def _judge(self, era: Era, fault: McpError) -> str | None:
        """Return the revision to use according to a server that names its revisions; None if the other era is to be tried.

        Raise the error if it says nothing about the revision, and ``UnsupportedRevision`` if there is no common one.
        """
        if isinstance(fault, UnsupportedRevision) and fault.supported:
            mutual = next((each for each in self._revisions if each in fault.supported), None)
            if mutual is None:
                raise UnsupportedRevision(", ".join(self._revisions), fault.supported) from None
            return mutual
        if isinstance(fault, HttpError | ResponseError):
            # Any other error shows a server of the other era, unless it says nothing about the message at all.
            shows_own_era = era == "stateless" and shows_stateless_server(fault)
            if shows_own_era or (isinstance(fault, HttpError) and not rejects_message(fault.status)):
                raise fault
        elif isinstance(fault, ConnectionClosed):
            if self._connection is not None and not self._connection.closed:
                # HTTP: the request failed, but not because of the server's revision.
                raise fault
            # The server did not survive the request. The next process gets that of the other era.
            self._close()
        elif not isinstance(fault, UnsupportedRevision | DecodeError | RequestTimeout):
            raise fault
        elif era == "stateless" and isinstance(fault, RequestTimeout):
            # A slow start may be the reason, so the answer still counts while the handshake waits for its own.
            self._probe_id = self._last_id
        self._tried[era] = fault
        return None

    def _failure(self) -> McpError:
        """Return the error to raise when no era is left."""
        first, *rest = self._tried.values()
        if rest:
            rest[-1].__cause__ = first
            return rest[-1]
        return first

    def _discover(self, cls: type[Any]) -> Agreed:
        client = self._client(cls)
        connection = self._attach(client)
        try:
            client.greet(connection, timeout=self._probe_timeout())
        finally:
            self._last_id = connection.session.requests_sent
        return Agreed(client, connection)

    def _probe_timeout(self) -> float:
        """Return the seconds to wait for the first response: a server of the other era may never send one.

        Once the handshake was refused, no other era is left to try, so the server has all the time.
        """
        facts = map(facts_of, self._revisions)
        if (
            not self._named
            and "handshake" not in self._tried
            and any(each is not None and each.handshake for each in facts)
        ):
            return min(self._probe, self._timeout / 2)
        return self._timeout

    def _shake_hands(self, cls: type[Any]) -> Agreed:
        client = self._client(cls)
        connection = self._attach(client)
        session: Any = connection.session
        self._await_discovery(session)
        try:
            result = connection.open(session.start_handshake, client.binding.requests["initialize"])
        finally:
            self._last_id = session.requests_sent
        return self._accept(client, connection, result)

    def _await_discovery(self, session: Any) -> None:
        """Let the late answer to a probe that was given up count, or be expected at least."""
        if self._probe_id is not None:
            session.await_discovery(self._probe_id, [each for each in self._revisions if self._is_stateless(each)])

    def _accept(self, client: Any, connection: Connection, result: Any) -> Agreed:
        """Complete a handshake in the revision that the server has chosen, which is not always the one offered."""
        agreed = result.protocol_version
        if agreed not in self._revisions or self._class(agreed).binding.era != "handshake":
            raise UnsupportedRevision(", ".join(self._revisions), [agreed])
        if agreed != client.binding.revision:
            client, connection, result = self._switch(client, self._class(agreed), result)
        client.settle(connection, result)
        return Agreed(client, connection)

    def _switch(self, offered: Any, cls: type[Any], result: Any) -> tuple[Any, Connection, Any]:
        """Continue in the revision that the server has chosen, which decodes the answer."""
        initialize = cls.binding.requests["initialize"]
        read = cls.binding.codec.structure(offered.binding.codec.unstructure(result), initialize.result)
        client = self._client(cls)
        connection = self._attach(client)
        connection.session.state = "offered"
        self._await_discovery(connection.session)
        return client, connection, read

    def _attach(self, client: Any) -> Connection:
        if self._transport is None:
            self._transport = recorded(self._open(), self._record, self._redact)
        connection: Connection = log_opening(client.attach(self._transport))
        self._connection = connection
        # Ids continue: an answer to an earlier request must not be taken for one to a later.
        connection.session.requests_sent = self._last_id
        connection.noise = self._noise
        return connection

    def _client(self, cls: type[Any]) -> Any:
        """Return a new client of a revision, with the options and handlers that it has."""
        start = (
            self._open.but(_not_again, NegotiationOptions.names())
            if isinstance(self._open, TransportFactory)
            else _not_again
        )
        client = cls(start, **self._offered(cls))
        keys: dict[str, RequestMethod[Any, Any] | NotificationMethod[Any]] = {
            **cls.binding.requests,
            **cls.binding.notifications,
        }
        for method, function in self._handlers.items():
            key = keys.get(method)
            if key is not None and "server" in key.sent_by:
                require_callable(f"the handler of {method}", function, ("params", "context"))
                client.handles(
                    key, converting(cls.binding, key, function) if isinstance(key, RequestMethod) else function
                )
            elif method not in self._known():
                text = (
                    f"no server of {', '.join(self._revisions)} sends {method!r}; use one of {', '.join(self._known())}"
                )
                raise UsageError(text)
        return client

    def _class(self, version: str) -> type[Any]:
        """Return the client class for a protocol version."""
        cls: type[Any] = client_class(self._labels[version])
        return cls

    def _offered(self, cls: type[Any]) -> Mapping[str, Any]:
        """Return the options that a revision has. Raise ``MissingCapability`` if it lacks a required capability."""
        required = frozenset(self._options.get("require") or ())
        try:
            check_paths(cls.binding, "server", required)
        except UsageError:
            others = [self._class(revision).binding.capabilities["server"] for revision in self._revisions]
            if not required <= frozenset().union(*others):
                raise
            raise MissingCapability(sorted(required - cls.binding.capabilities["server"])) from None
        # `tasks` means something else in each era, so a store is never left out; a bool is for clients without handshake.
        lacking = cls.options_class.lacking_in(cls.binding) - {"tasks"}
        if cls.binding.era == "handshake":
            lacking |= _STATELESS_ONLY
            if isinstance(self._options.get("tasks"), bool):
                lacking |= {"tasks"}
        return {name: each for name, each in self._options.items() if name not in lacking}

    def _known(self) -> Sequence[str]:
        """Return the methods that servers of any of the revisions send."""
        bindings = [self._class(revision).binding for revision in self._revisions]
        requests = {name for each in bindings for name, key in each.requests.items() if "server" in key.sent_by}
        notifications = {
            name for each in bindings for name, key in each.notifications.items() if "server" in key.sent_by
        }
        return sorted(requests | notifications)

    def _close(self) -> None:
        self._noise.end()
        if self._transport is not None:
            self._transport.close()
            self._transport = self._probe_id = None


def _not_again() -> Transport:
    message = "this client was connected by negotiation and cannot be connected again; call `connect` again"
    raise UsageError(message)
