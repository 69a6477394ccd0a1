"""A connection as the handlers of another revision see it: what they send is translated, what comes back, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import ResponseError
from ..jsonrpc import ErrorObject
from ..methods import NotificationMethod, RequestMethod
from ..session.handshake import HandshakeServerSession
from .incoming_view import IncomingView
from .translation import Translator, Translators

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..connection.channel import Channel
    from ..server.server import Server
    from ..session.session import Session
    from .parked_calls import ParkedCall

SendQuestion = Callable[[RequestMethod[Any, Any], Any, "float | None", "Callable[[Call], object] | None"], Any]
"""Sends a question, in the revision on the wire, and returns its answer; a stateless connection has no other way."""
SendNotification = Callable[[NotificationMethod[Any], Any], None]
"""Sends a notification, in the revision on the wire."""


class SessionView:
    """The session of a connection in the revision of the program.

    ``peer_info`` and ``peer_capabilities`` are those of the client, on the wire; ``log_level`` is the least severity that
    a request of the stateless era asks for.
    """

    side = "server"
    tasks = None

    def __init__(
        self,
        server: Server,
        wire: Session,
        translators: Translators,
        *,
        peer_info: Any,
        peer_capabilities: Any,
        log_level: Any = None,
    ) -> None:
        self.server = server
        self.binding = server.binding
        self.wire = wire
        self.translators = translators
        self.ledger = translators.ledger
        self.peer_revision = wire.binding.revision
        self._wire_info, self._wire_capabilities = peer_info, peer_capabilities
        self.outward = translators.outward
        self.feature_state: dict[str, Any] = wire.feature_state.setdefault("features of the other revision", {})
        self._log_level = log_level
        self._subscribed: set[str] = set()

    # A view of a stateless request lives for that request, and its handler may need none of these.

    @cached_property
    def peer_info(self) -> Any:
        """The ``Implementation`` of the client; None if it is unknown."""
        return self.translators.inward.implementation(self._wire_info)

    @cached_property
    def peer_capabilities(self) -> Any:
        """The capabilities of the client; None if they are unknown."""
        found = self._wire_capabilities
        return None if found is None else self.translators.inward.capabilities("client", found)

    @cached_property
    def inward(self) -> Translator:
        """The translator of what the client sends."""
        found = self.translators.inward
        if not found.adds_meta:
            return found
        codec = self.binding.codec
        return found.for_client(
            None if self.peer_info is None else codec.unstructure(self.peer_info),
            None if self.peer_capabilities is None else codec.unstructure(self.peer_capabilities),
        )

    @property
    def info(self) -> Any:
        """The ``Implementation`` of the server."""
        return self.server.info

    @property
    def capabilities(self) -> Any:
        """The capabilities that the server declares."""
        return self.server.capabilities

    @property
    def state(self) -> Any:
        """The state of the session on the wire."""
        return self.wire.state

    @property
    def log_level(self) -> Any:
        """The least severity of the log messages that the client wants; None if it wants none."""
        return getattr(self.wire, "log_level", self._log_level)

    @log_level.setter
    def log_level(self, level: Any) -> None:
        # A session of the handshake era keeps it, and over HTTP saves it.
        if isinstance(self.wire, HandshakeServerSession):
            self.wire.log_level = level
        else:
            self._log_level = level

    @property
    def subscribed(self) -> set[str]:
        """URIs of the resources to whose updates the client has subscribed."""
        found: set[str] = getattr(self.wire, "subscribed", self._subscribed)
        return found

    def progress(
        self, incoming: IncomingView, value: float, total: float | None = None, message: str | None = None
    ) -> bytes | None:
        """Return the line that reports progress, as ``Session.progress``."""
        return self.wire.progress(incoming.original, value, total, message)

    def response_line(self, incoming: IncomingView, result: Any) -> bytes:
        """Return the line of a response, as ``Session.response_line``."""
        made = self.outward.result(incoming.key, result, incoming.id)
        return self.wire.response_line(incoming.original, made)

    def error_response_line(self, incoming: IncomingView, error: ErrorObject) -> bytes:
        """Return the line of an error response, as ``Session.error_response_line``."""
        return self.wire.error_response_line(
            incoming.original, self.outward.error(incoming.key.name, error, incoming.id)
        )

    def settle(self, incoming: IncomingView, line: bytes) -> bytes | None:
        """Complete a request, as ``Session.settle``."""
        return self.wire.settle(incoming.original, line)


class ChannelView:
    """A ``Channel`` in the revision of the program.

    ``send_question`` is for a wire without requests of servers, and for tasks; ``send_notification`` for tasks, whose
    messages name them.
    """

    task: Any = None
    """The task that the handler runs as; None if it is none."""
    parked: ParkedCall | None = None
    """The call that may be parked while its handler waits; None if it never is."""

    def __init__(
        self,
        session: SessionView,
        wire: Channel,
        send_question: SendQuestion | None = None,
        send_notification: SendNotification | None = None,
    ) -> None:
        self.view = session
        self.session: Any = session
        self.wire = wire
        self._send_question = send_question
        self._send_notification = send_notification or wire.notify

    @property
    def lock(self) -> AbstractContextManager[object]:
        """The lock of the session on the wire."""
        return self.wire.lock

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        return self.wire.closed

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Send a line of the session."""
        self.wire.send(line, optional=optional)

    def send_after_replies(self, make_lines: Callable[[], Iterable[bytes]]) -> None:
        """Send lines of the session after all its replies so far."""
        self.wire.send_after_replies(make_lines)

    def request(
        self,
        key: RequestMethod[Any, Any],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        sending: Callable[[Call], object] | None = None,
    ) -> Any:
        """Send a request in the revision on the wire, and return its result in that of the program."""
        view = self.view
        wire_key, wire_params = view.outward.request(key, params)
        if self._send_question is not None:
            result = self._send_question(wire_key, wire_params, timeout, sending)
        else:
            report = None if on_progress is None else self._translated(on_progress)
            try:
                result = self.wire.request(wire_key, wire_params, timeout=timeout, on_progress=report, sending=sending)
            except ResponseError as error:
                found = view.inward.error(key.name, ErrorObject(error.code, error.message, error.data))
                raise ResponseError(*found) from error
        return view.inward.result(wire_key, result)

    def _translated(self, on_progress: Callable[[Any], object]) -> Callable[[Any], object]:
        key = self.view.wire.binding.notifications["notifications/progress"]

        def report(params: Any) -> None:
            found = self.view.inward.notification(key, params)
            if found is not None:
                on_progress(found[1])

        return report

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Send a notification in the revision on the wire; do nothing if that does without it."""
        found = self.view.outward.notification(key, params)
        if found is not None:
            self._send_notification(*found)

    def hold(self, incoming: Any) -> None:
        """Announce that ``reply`` answers a request later."""
        self.wire.hold(incoming.original)

    def reply(self, incoming: Any, line: bytes | None) -> None:
        """Send the line that answers a request."""
        self.wire.reply(incoming.original, line)

    def pause(self, retry: int) -> None:
        """Ask the client to come back, where the revision on the wire lets clients do so."""
        if self.view.wire.binding.facts.polling:
            self.wire.pause(retry)

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """End the connection."""
        self.wire.close(lines)
