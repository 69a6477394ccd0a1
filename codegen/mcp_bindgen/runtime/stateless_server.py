"""Servers of 2026-07-28, where every request stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from .events import Incoming
from .methods import NotificationMethod
from .server import Server
from .session import Session
from .stateless import StatelessServer as Core
from .suspended import Suspended

if TYPE_CHECKING:
    from .links import Link
    from .replay import Replay, States


class StatelessServer(Server):
    """A server of a revision without handshake; what is said of ``Server`` holds, and this.

    ``state_key`` signs what handlers that ask the client for input carry from round to round, and is the ``cursor_key``
    where none is given: 32 secret bytes or more, the same in all processes that serve one endpoint; by default it is
    drawn anew by each server object.
    ``state_lifetime`` is for how many seconds a client may take to answer. ``versions`` are all revisions that are
    spoken where the server is.
    """

    def __init__(
        self,
        name: str,
        version: str,
        *,
        state_key: bytes | None = None,
        state_lifetime: float = 600.0,
        versions: Sequence[str] = (),
        cursor_key: bytes | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, version, cursor_key=cursor_key or state_key, **options)
        self.versions = tuple(versions)
        self._state_key = state_key
        self._state_lifetime = state_lifetime
        self._states: States | None = None

    def session(self) -> Session:
        """A session of this server with a client that has not been heard yet."""
        return Core(
            self.binding,
            info=self.info,
            capabilities=self.capabilities,
            instructions=self.instructions,
            versions=self.versions,
        )

    def freshness(self, method: str, name: str | None = None) -> dict[str, Any]:
        """``ttl_ms`` and ``cache_scope`` of the result of a method (Caching: Cacheable Results)."""
        return {"ttl_ms": 0, "cache_scope": "private"}

    def replay(self, incoming: Incoming) -> Replay:
        """The questions that the handler of a request has asked so far."""
        from .replay import Replay

        return Replay(self.binding, self._seal(), incoming.key, incoming.params, incoming.principal)

    def _seal(self) -> States:
        if self._states is None:
            import os
            import time

            from .replay import States

            self._states = States(self._state_key or os.urandom(32), self._state_lifetime, time.time)
        return self._states

    def run(self, connection: Link, incoming: Incoming) -> bytes | None:
        """Has a request handled; a question to the client is an answer, too (Multi Round-Trip Requests)."""
        try:
            return super().run(connection, incoming)
        except Suspended as question:
            result = self.binding.types.InputRequiredResult(
                # The schema declares the field without the value that the text gives it.
                result_type="input_required",
                input_requests={question.name: question.request},
                request_state=question.state,
            )
            line = connection.session.answer_line(incoming, result)
            with connection.lock:
                return connection.session.settle(incoming, line)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Tells all who have subscribed to it of a change (Subscriptions)."""
        super().notify(key, params)

    def _tell(self, connection: Link, key: NotificationMethod[Any], params: Any) -> None:
        # A subscription is acknowledged before anything is told on it (Subscriptions: Acknowledgment).
        connection.say(lambda: _core(connection).publish(key, params))

    def _last_words(self, connection: Link) -> list[bytes]:
        with connection.lock:
            return _core(connection).end_subscriptions()


def _core(connection: Link) -> Core:
    return cast("Core", connection.session)
