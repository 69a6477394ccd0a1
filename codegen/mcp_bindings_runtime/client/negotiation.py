"""Negotiation of the revision with a server.

2026-07-28, Versioning and Compatibility; stdio: Backward Compatibility.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..connection.call_scope import CallScope
from ..connection.connection import Connection
from ..errors import (
    ConnectionClosed,
    DecodeError,
    HttpError,
    McpError,
    MissingCapability,
    RequestTimeout,
    ResponseError,
    UnsupportedRevision,
    UsageError,
)
from ..http.client.statuses import rejects_message, shows_stateless_server
from ..installed_revisions import client_class, select_revisions
from ..methods import NotificationMethod, RequestMethod
from ..session.capabilities import check_paths
from ..validation import require_seconds
from .client import Client
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

    from ..transports import Transport
    from .handshake import HandshakeClient

_STATELESS_ONLY = StatelessClientOptions.names() - HandshakeClientOptions.names() - ONLY_OF_ONE_REVISION
"""Options that handshake clients neither have nor need."""


class Negotiation:
    """Tries revisions, in order of preference, until the server accepts one.

    ``options`` are those of ``NegotiationOptions`` and of the clients. A client gets the options that its revision has, and
    the handlers of methods that its servers send. Raise ``UsageError`` for an option that is not valid.
    """

    def __init__(self, open_transport: Callable[[], Transport], **options: Any) -> None:
        own = NegotiationOptions.names() & options.keys()
        chosen = NegotiationOptions(**{name: options.pop(name) for name in own})
        if "discover" in options:
            message = "`discover` is for clients of one revision; negotiation always asks the server what it speaks"
            raise UsageError(message)
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
        self._options = options
        self._timeout: float = options.get("timeout", ClientOptions.timeout)
        self._transport: Transport | None = None
        self._last_id = 0

    def connect(self) -> Client:
        """Return a connected client of the negotiated revision. Raise as ``Client.connect``.

        If both eras fail, the error of the second is raised, with that of the first as its cause. All of it has the
        client's ``timeout``, and probing at most half of that.
        """
        require_seconds(timeout=self._timeout)
        try:
            with CallScope(self._timeout):
                return self._connect()
        except BaseException:
            self._close()
            raise

    def _connect(self) -> Client:
        tried: dict[str, McpError] = {}
        for revision in self._revisions:
            cls = self._class(revision)
            era = cls.binding.era
            if era in tried:
                continue
            try:
                return self._discover(cls) if era == "stateless" else self._shake_hands(cls)
            except UnsupportedRevision as fault:
                # A server that names its revisions is believed: use the first of ours among them.
                if not fault.supported:
                    tried[era] = fault
                    continue
                mutual = next((each for each in self._revisions if each in fault.supported), None)
                if mutual is None:
                    raise UnsupportedRevision(", ".join(self._revisions), fault.supported) from None
                # It may be the one that was refused: then this is the one retry that the text requires.
                chosen = self._class(mutual)
                return self._discover(chosen) if chosen.binding.era == "stateless" else self._shake_hands(chosen)
            except (HttpError, ResponseError) as fault:
                # Any other error shows a server of the other era, unless it says nothing about the message at all.
                if shows_stateless_server(fault) or (
                    isinstance(fault, HttpError) and not rejects_message(fault.status)
                ):
                    raise
                tried[era] = fault
            except (DecodeError, RequestTimeout) as fault:
                tried[era] = fault
            except ConnectionClosed as fault:
                # The server did not survive the request. The next process gets that of the other era.
                tried[era] = fault
                self._close()
                if fault.unread:
                    # It has not read the request, and would have ended without it, too.
                    break
        first, *rest = tried.values()
        if not rest:
            raise first
        raise rest[-1] from first

    def _discover(self, cls: type[Client]) -> Client:
        client = self._client(cls)
        connection = self._attach(client)
        try:
            client.greet(connection, timeout=min(self._probe, self._timeout / 2))
        finally:
            self._last_id = connection.session.requests_sent
        client.adopt(connection)
        return client

    def _shake_hands(self, cls: type[Client]) -> Client:
        client = self._client(cls)
        connection = self._attach(client)
        session: Any = connection.session
        try:
            result = connection.open(session.start_handshake, client.binding.requests["initialize"])
        finally:
            self._last_id = session.requests_sent
        agreed = result.protocol_version
        if agreed not in self._revisions or self._class(agreed).binding.era != "handshake":
            raise UnsupportedRevision(", ".join(self._revisions), [agreed])
        if agreed != cls.binding.revision:
            client, connection, result = self._switch(client, self._class(agreed), result)
        cast("HandshakeClient", client).settle(connection, result)
        client.adopt(connection)
        return client

    def _switch(self, offered: Client, cls: type[Client], result: Any) -> tuple[Client, Connection, Any]:
        """Continue in the revision that the server has chosen, which decodes the answer."""
        initialize = cls.binding.requests["initialize"]
        read = cls.binding.codec.structure(offered.binding.codec.unstructure(result), initialize.result)
        client = self._client(cls)
        connection = self._attach(client)
        connection.session.state = "offered"
        return client, connection, read

    def _attach(self, client: Client) -> Connection:
        if self._transport is None:
            self._transport = recorded(self._open(), self._record)
        connection = client.attach(self._transport)
        # Ids continue: an answer to an earlier request must not be taken for one to a later.
        connection.session.requests_sent = self._last_id
        return connection

    def _client(self, cls: type[Client]) -> Client:
        start = self._open.but(_not_again) if isinstance(self._open, TransportFactory) else _not_again
        make: Callable[..., Client] = cls
        client = make(start, **self._offered(cls))
        keys: dict[str, RequestMethod[Any, Any] | NotificationMethod[Any]] = {
            **cls.binding.requests,
            **cls.binding.notifications,
        }
        for method, function in self._handlers.items():
            key = keys.get(method)
            if key is not None and "server" in key.sent_by:
                client.handles(key, function)
            elif method not in self._known():
                text = (
                    f"no server of {', '.join(self._revisions)} sends {method!r}; use one of {', '.join(self._known())}"
                )
                raise UsageError(text)
        return client

    def _class(self, version: str) -> type[Client]:
        """Return the client class for a protocol version."""
        cls: type[Client] = client_class(self._labels[version])
        return cls

    def _offered(self, cls: type[Client]) -> Mapping[str, Any]:
        """Return the options that a revision has. Raise ``MissingCapability`` if it lacks a required capability."""
        required = frozenset(self._options.get("require") or ())
        try:
            check_paths(cls.binding, "server", required)
        except UsageError:
            others = [self._class(revision).binding.capabilities["server"] for revision in self._revisions]
            if not required <= frozenset().union(*others):
                raise
            raise MissingCapability(sorted(required - cls.binding.capabilities["server"])) from None
        # `tasks` means something else in each era, so it is never left out.
        lacking = cls.options_class.lacking_in(cls.binding) - {"tasks"}
        if cls.binding.era == "handshake":
            lacking |= _STATELESS_ONLY
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
        if self._transport is not None:
            self._transport.close()
            self._transport = None


def _not_again() -> Transport:
    message = "this client was connected by negotiation and cannot be connected again; call `connect` again"
    raise UsageError(message)
