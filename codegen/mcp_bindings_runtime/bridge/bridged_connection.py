"""The connection of a client whose messages are converted: it sends them by its twin, in the revision on the wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..connection.connection import Connection
from ..errors import NotExpressible, ResponseError
from ..methods import NotificationMethod, RequestMethod
from ..session.capabilities import declared_by
from ..session.events import Notified
from .translation import Translator
from .twin_client import translated_error

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from ..connection.calls import Call
    from ..connection.leader_followers import SerialQueue
    from ..errors import ConnectionClosed
    from ..http.client.repeater import Retry
    from ..session.session import Session
    from .connection_ledger import ConnectionLedger
    from .program import Program

R = TypeVar("R")
Key = RequestMethod[Any, Any] | NotificationMethod[Any]


class BridgedConnection:
    """A connection in the revision of a client, over the connection of its twin in the revision of the server.

    It has the interface of ``Connection`` as far as clients use it. ``session`` checks what the client sends, and knows the
    server as that revision describes it. Requests raise ``NotExpressible``, before anything is sent, if the revision of the
    server has no form for them.
    """

    def __init__(self, program: Program, twin: Any, wire: Connection, session: Any) -> None:
        self.program = program
        self.twin = twin
        self.wire = wire
        """The connection of the twin."""
        self.session: Session = session
        self.ledger: ConnectionLedger
        self.outward: Translator
        self.inward: Translator
        self.outward, self.inward, self.ledger = twin.translators
        self.timeout = wire.timeout
        self.limit = wire.limit
        peer: Any = wire.session
        session.peer_info = self.inward.implementation(peer.peer_info)
        session.peer_capabilities = self.capabilities_of(peer)
        session.instructions = peer.instructions
        session.state = "open"
        # For the contexts of handlers.
        session.peer_revision, session.ledger = self.ledger.peer_revision, self.ledger
        self._sendable: set[Key] = set()
        """Methods that the client may send; capabilities do not change while the connection lasts."""
        program.connection = self

    def capabilities_of(self, peer: Session) -> Any:
        """Return the capabilities of the server in the client's revision."""
        converted = self.inward.capabilities("server", peer.peer_capabilities)
        own, wire = self.inward.target, self.inward.source
        undeclarable = [
            key.capability
            for name, key in own.requests.items()
            if key.capability is not None and name in wire.requests and wire.requests[name].capability is None
        ]
        if not undeclarable:
            return converted
        # The server cannot declare them in its revision; its response tells.
        return declared_by(own, "server", (), more=converted, also=undeclarable)

    # Requests and notifications of the client.

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        sending: Callable[[Call], object] | None = None,
    ) -> R:
        """Send a request and wait for its result, as ``Connection.request``; raise ``NotExpressible``, too."""
        answered = self.answer_here(key, params, timeout)
        if answered is not None:
            return answered
        if key not in self._sendable:
            if key.name not in self.program.binding.requests:
                return self._request_undeclared(key, params, timeout, on_progress)
            self.session.require_sendable(key, request=True)
            self._sendable.add(key)
        params = self.prepare(key, params, timeout)
        tasks = self.session.tasks
        if tasks is not None:
            # The id is that of no request: the server has declared no tasks, or not those of the client's revision.
            tasks.check_request(key, params, 0, self.session.peer_capabilities)
        wire_key, wire_params = self.outward.request(key, params)
        if on_progress is not None:
            on_progress = self._translated_progress(on_progress)
        try:
            result = self.call(wire_key, wire_params, timeout, on_progress, sending)
        except ResponseError as error:
            raise translated_error(self.inward, key.name, error) from error
        translated: R = self.inward.result(key, result)
        return translated

    def answer_here(self, key: RequestMethod[Any, R], params: Any, timeout: float | None) -> R | None:
        """Return the result of a request that has no form on the wire; None for one that has."""
        return None

    def prepare(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Return the params of a request with what the client's revision adds to them."""
        return params

    def call(
        self,
        key: RequestMethod[Any, Any],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
        sending: Callable[[Call], object] | None,
    ) -> Any:
        """Return the result of a request on the wire."""
        return self.wire.request(key, params, timeout=timeout, on_progress=on_progress, sending=sending)

    def _request_undeclared(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> R:
        """Return the result of a request whose messages are not converted: of an extension, or without a schema."""
        from ..extensions.extended_binding import raw_request
        from ..extensions.wire_methods import UncheckedRequest, WireRequest

        if isinstance(key, UncheckedRequest):
            key = UncheckedRequest(key.method, self.twin.binding)
        elif isinstance(key, WireRequest):
            key = raw_request(self.twin.binding, key.name)
        if on_progress is not None:
            on_progress = self._translated_progress(on_progress)
        result: R = self.twin.request(key, params, timeout=timeout, on_progress=on_progress)
        return result

    def _translated_progress(self, on_progress: Callable[[Any], object]) -> Callable[[Any], object]:
        key, translate = self.inward.source.notifications["notifications/progress"], self.inward.notification

        def report(params: Any) -> None:
            found = translate(key, params)
            if found is not None:
                on_progress(found[1])

        return report

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Send a notification, as ``Connection.notify``; do nothing if the server's revision does without it."""
        if key.name not in self.program.binding.notifications:
            self.wire.notify(key, params)
            return
        self.session.require_sendable(key, request=False)
        found = self.outward.notification(key, params)
        if found is not None:
            self.wire.notify(*found)

    def batch(self, messages: Sequence[tuple[Key, Any]], timeout: float | None) -> list[Any]:
        """Send messages one after the other, and return the results; see ``Client.batch``."""
        results: list[Any] = []
        for key, params in messages:
            if isinstance(key, NotificationMethod):
                self.notify(key, params)
                continue
            try:
                results.append(self.request(key, params, timeout=timeout))
            except ResponseError as error:
                results.append(error)
        return results

    def post(self, key: RequestMethod[Any, Any], params: Any) -> None:
        """Send a request without waiting for its answer."""
        self.wire.post(*self.outward.request(key, params))

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Send a notification that the session has made, such as the progress of a handler."""
        codec = self.program.binding.codec
        message = codec.decode(line, sender="client")
        key = self.program.binding.notifications[message.method]
        found = self.outward.notification(key, message.params)
        if found is not None:
            with self.wire.lock:
                line = self.wire.session.notify(*found)
            self.wire.send(line, optional=optional)

    # Messages of the server.

    def receive(self, notified: Notified) -> None:
        """Handle a notification of the server by the client's handlers."""
        try:
            found = self.inward.notification(notified.key, notified.params)
        except NotExpressible:
            # It is in the ledger.
            return
        if found is not None:
            self.program.receive(self, Notified(*found))

    def listen(self) -> None:
        """Let the twin register for what the client has handlers for by now."""
        self.twin.mirror_notifications()
        self.wire.listen()

    # The state of the connection.

    @property
    def lock(self) -> AbstractContextManager[object]:
        """The lock to hold while calling the session."""
        return self.wire.lock

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        return self.wire.closed

    @property
    def end(self) -> ConnectionClosed | None:
        """The reason for which the connection has ended; None while it is open."""
        return self.wire.end

    @property
    def notifications(self) -> SerialQueue:
        """The notifications of the server that wait to be handled."""
        return self.wire.notifications

    @property
    def retrying(self) -> tuple[Retry, ...]:
        """The requests and streams of the transport that failed and wait to be tried again (HTTP)."""
        return self.wire.retrying

    @property
    def last_received(self) -> float:
        """Time of the last message of the server, by ``time.monotonic``."""
        return self.wire.last_received

    def start(self) -> None:
        """Do nothing: the twin has started to read."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; return False after ``timeout`` seconds (None: no limit)."""
        return self.wire.wait(timeout)

    def drain(self, grace: float) -> None:
        """Answer the requests that run for at most ``grace`` seconds, and close."""
        self.wire.drain(grace)

    def close(self, lines: Iterable[bytes] = (), *, why: str | None = None) -> None:
        """End the connection; idempotent, from any thread."""
        del lines
        self.session.close()
        if why is None:
            self.twin.close()
        else:
            self.wire.close(why=why)

    def leave(self) -> None:
        """Let the thread that reads end the connection."""
        self.wire.leave()
