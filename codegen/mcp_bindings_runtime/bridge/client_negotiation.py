"""Negotiation of a client with a server that does not use the client's own revision.

2026-07-28, Versioning and Compatibility; stdio and Streamable HTTP: Backward Compatibility.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..client.negotiation import Agreed, Negotiation
from ..client.transport_factories import recorded
from ..errors import (
    ConnectionClosed,
    DecodeError,
    HttpError,
    McpError,
    ProtocolError,
    RequestTimeout,
    ResponseError,
    UnsupportedRevision,
)
from ..http.client.statuses import rejects_message
from ..installed_revisions import bridged_revisions, other_revisions
from ..jsonrpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, STATELESS_ERRORS, UNSUPPORTED_VERSION
from .bridged_connection import BridgedConnection
from .bridged_tasks import client_tasks_module
from .program import Program
from .translation import translators
from .twin_client import Twin, twin_class

if TYPE_CHECKING:
    from ..connection.connection import Connection
    from ..facts import Era
    from ..transports import Transport

_TASK_RESULT = "tasks/result"
_REFUSALS = frozenset({INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, *STATELESS_ERRORS})
"""Codes by which a server may refuse ``initialize`` because it has no handshake."""


def negotiate(
    program: Program,
    transport: Transport,
    connection: Connection,
    fault: McpError,
    attached: Callable[[Connection], object],
) -> Any:
    """Return the connection of a client whose attempt in its own revision has failed with ``fault``.

    ``attached`` is called with each connection on the wire that takes the place of the one before. Raise the error if it
    says nothing about the revision, or there is no other one; and what the further attempts raise.
    """
    own = program.binding
    others = _others(program)
    offer = getattr(connection.session, "counter_offer", None)
    if not others or (own.era == "handshake" and offer is None and not _may_be_stateless(fault)):
        raise fault
    if isinstance(fault, ConnectionClosed) and (fault.unread or not connection.closed):
        # The server has not read the message, or (HTTP) did not get it.
        raise fault
    negotiation = TwinNegotiation(program, others, transport, connection, attached)
    try:
        found = negotiation.resume(fault, offer)
    except (ProtocolError, RequestTimeout, ConnectionClosed) as later:
        died_again = isinstance(fault, ConnectionClosed) and isinstance(later, ConnectionClosed)
        if own.era == "handshake" or died_again or isinstance(later, UnsupportedRevision):
            # The first error says as much: the server may be of the first era, or there is no common revision.
            fault.__context__ = later
            raise fault from fault.__cause__
        raise
    _drop_tracebacks(fault)
    return found


def _drop_tracebacks(fault: BaseException | None) -> None:
    """Drop the frames of an error that was dealt with: they would keep the client until garbage is collected."""
    while fault is not None:
        fault.__traceback__ = None
        fault = fault.__cause__ or fault.__context__


def _others(program: Program) -> list[str]:
    """Return the labels of the revisions in which the client may be represented by a twin, newest first."""
    facts, options = program.binding.facts, program.options
    others = other_revisions(facts.label, options.revisions)
    known = bridged_revisions(facts) if others else ()
    return [label for label in sorted(others, reverse=True) if label in known]


def _may_be_stateless(fault: McpError) -> bool:
    """Return whether a refusal of ``initialize`` may come from a server without handshake."""
    if isinstance(fault, UnsupportedRevision):
        return True
    if isinstance(fault, HttpError):
        return rejects_message(fault.status)
    if isinstance(fault, ResponseError):
        return fault.code in _REFUSALS
    return isinstance(fault, ProtocolError) and not isinstance(fault, DecodeError)


class TwinNegotiation(Negotiation):
    """The rest of a negotiation that a client has begun in its own revision.

    The client of another revision is a *twin*, which acts for the user's client.
    """

    def __init__(
        self,
        program: Program,
        others: list[str],
        transport: Transport,
        connection: Connection,
        attached: Callable[[Connection], object],
    ) -> None:
        options = program.options
        own = program.binding
        self._negotiate: Callable[[], Transport] | None = getattr(program.open_transport, "negotiate", None)
        """Opens another transport than the first, which only servers of the client's own revision have."""
        start = self._negotiate or program.open_transport

        def open_transport() -> Transport:
            return recorded(start(), options.record, options.redact)

        probe = getattr(options, "probe", options.timeout)
        revisions = [own.facts.label, *others]
        super().__init__(open_transport, revisions=revisions, probe=probe, timeout=options.timeout)
        self._program = program
        self._own = own
        self._first = connection
        self._transport = transport
        self._last_id = connection.session.requests_sent
        self._noise = connection.noise
        self._attached = attached

    def resume(self, fault: McpError, offer: Any) -> Any:
        """Return the client's connection. Raise as ``Client.connect``."""
        try:
            if offer is not None:
                agreed = self._accept(self._program.client, self._first, offer)
            elif self._negotiate is not None:
                # HTTP+SSE was refused, not a revision.
                self._close()
                agreed = self._agree()
            else:
                mutual = self._judge(self._own.era, fault)
                agreed = self._agree() if mutual is None else self._open_in(mutual)
            return self._bridged(agreed)
        except BaseException:
            self._close()
            raise

    def _bridged(self, agreed: Agreed) -> Any:
        twin: Any = agreed.client
        connection = agreed.connection
        if not isinstance(twin, Twin):
            # The server uses the client's own revision after all.
            return connection
        acting: Any = twin
        # The session of the first attempt checks what the client sends from now on.
        view = _view_class(self._own.era, acting.binding.era)(self._program, acting, connection, self._first.session)
        acting.adopt(connection)
        acting.translators.ledger.log_revisions()
        return view

    def _attach(self, client: Any) -> Connection:
        connection = super()._attach(client)
        self._attached(connection)
        return connection

    def _client(self, cls: type[Any]) -> Any:
        client = self._program.client
        if cls.binding is self._own or cls.binding.revision == self._own.revision:
            return client
        options = self._program.options
        make: Callable[..., Any] = twin_class(cls)
        more: dict[str, Any] = {}
        if self._own.extension is not None or _TASK_RESULT in self._own.requests:
            more = client_tasks_module().twin_options(cls.binding)
        twin = make(
            self._open,
            name=options.name,
            version=options.version,
            timeout=options.timeout,
            limit=options.limit,
            workers=options.workers,
            limits=False,
            extensions=options.extensions,
            **more,
        )
        # The server may yet refuse this revision, too.
        twin.represent(self._program, translators(self._own, twin.binding, "client", quiet=True))
        return twin


def _view_class(own: Era, wire: Era) -> type[BridgedConnection]:
    """Return the class of the connections between a client and a server of these eras."""
    if own == wire == "handshake":
        return BridgedConnection
    if own == wire:
        from .stateless_pair import StatelessPair

        return StatelessPair
    if wire == "stateless":
        from .stateless_wire import StatelessWire

        return StatelessWire
    from .handshake_wire import HandshakeWire

    return HandshakeWire
