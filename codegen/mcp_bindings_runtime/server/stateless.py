"""Servers of 2026-07-28, where every request stands alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..errors import ResponseError, UsageError
from ..jsonrpc import ErrorObject
from ..methods import NotificationMethod
from ..session.control_flow import Detached, InputNeeded
from ..session.events import Incoming
from ..session.session import Session
from ..session.stateless import DISCOVER, StatelessServerSession
from ..validation import require_secret
from .announcements import Announcement, tell_each
from .runnable import RunnableServer

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..features.cache_hints import Caching, Scope
    from ..methods import RequestMethod
    from ..session.multi_round import RequestStates, Round
    from ..tasks.extension_tasks import ExtensionTasks
    from ..tasks.store import MemoryTasks


class StatelessServer(RunnableServer):
    """A server of a revision without handshake; what is said of ``Server`` holds, and this.

    ``state_key`` signs what handlers that ask the client for input carry from round to round, and is the ``cursor_key``
    where none is given: 32 secret bytes or more, the same in all processes that serve one endpoint; by default it is
    drawn anew by each server object.
    ``state_lifetime`` is for how many seconds a client may take to answer. ``versions`` are all revisions that are
    spoken where the server is. Clients may keep results for ``ttl_ms`` milliseconds, each for itself or, where
    ``cache_scope`` is ``public``, for all, unless ``cache`` says otherwise of some.
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
        ttl_ms: int = 0,
        cache_scope: Scope = "private",
        **options: Any,
    ) -> None:
        require_secret("state_key", state_key)
        super().__init__(name, version, cursor_key=cursor_key or state_key, **options)
        self.versions = tuple(versions)
        self._state_key = state_key
        self._state_lifetime = state_lifetime
        self._states: RequestStates | None = None
        self._caching: Caching | None = None
        if (ttl_ms, cache_scope) != (0, "private"):
            self._caching = self._cached(ttl_ms, cache_scope)

    def session(self, versions: Sequence[str] = ()) -> Session:
        """Return a session with a new client, which names ``versions`` as supported, by default those of the server."""
        session = StatelessServerSession(
            self.binding,
            info=self.info,
            capabilities=self.capabilities,
            instructions=self.instructions,
            versions=versions or self.versions,
            freshness=self.freshness(DISCOVER),
        )
        session.current_capabilities = lambda: self.capabilities
        if self._receiver is not None:
            session.select_watched = cast("ExtensionTasks", self._receiver).watched
        return session

    @property
    def capabilities(self) -> Any:
        """What the server declares: what its handlers, ``logging``, ``tasks`` and ``capabilities`` amount to."""
        if self._receiver is None:
            return super().capabilities
        from ..client.extending import declaring

        return declaring(super().capabilities)

    # Tasks.

    def _execute_tasks(self, tasks: MemoryTasks) -> None:
        from ..client.extending import with_tasks
        from ..tasks.extension_tasks import ExtensionTasks

        self.binding = with_tasks(self.binding)
        self._handlers.extend(self.binding)
        self._receiver = ExtensionTasks(self.binding, self._handlers, tasks, self, self._tell_of_task)

    def detach(self, incoming: Incoming, *, required: bool) -> None:
        """The handler of a call goes on as a task; see ``Context.begin_task``."""
        if self._receiver is None:
            text = "this server has no tasks; make it with tasks=MemoryTasks()"
            raise UsageError(text)
        cast("ExtensionTasks", self._receiver).detach(incoming, required=required)

    def _begin_task(self, connection: Channel, incoming: Incoming) -> bytes | None:
        try:
            cast("ExtensionTasks", self._receiver).begin(connection, incoming)
        except ResponseError as error:
            line = self._handlers.refuse(connection, incoming, ErrorObject(error.code, error.message, error.data))
            with connection.lock:
                return connection.session.settle(incoming, line)
        return None

    def _tell_of_task(self, task_id: str, said: Mapping[str, Any]) -> None:
        def tell(connection: Channel) -> None:
            connection.send_after_replies(lambda: _core(connection).publish_task(task_id, said))

        tell_each(self._connections.copy(), tell)

    # What the registries of ``features`` need.

    def cache(self, what: RequestMethod[Any, Any] | str, *, ttl_ms: int, scope: Scope = "private") -> None:
        """Says how long clients may keep some results, and for whom: ``private``, for who has asked, or ``public``.

        ``what`` is the key of a method, such as ``methods.LIST_TOOLS``, or the URI of a resource or the text of a template.
        Of a result that took input from the client it is not said. Raises UsageError for a method whose results are not
        to be kept, for a negative ``ttl_ms``, and for another scope. Caching: Cacheable Results.
        """
        if self._caching is None:
            self._caching = self._cached(0, "private")
        self._caching.say(what, ttl_ms, scope)

    def _cached(self, ttl_ms: int, scope: Scope) -> Caching:
        from ..features.cache_hints import Caching

        return Caching(self.binding, ttl_ms, scope)

    def freshness(self, method: str, name: str | None = None, params: Any = None) -> dict[str, Any]:
        """``ttl_ms`` and ``cache_scope`` of the result of a method (Caching: Cacheable Results)."""
        if self._caching is None:
            return {"ttl_ms": 0, "cache_scope": "private"}
        return self._caching.of(method, name, params)._asdict()

    def replay(self, incoming: Incoming) -> Round:
        """The questions that the handler of a request has asked so far."""
        from ..session.multi_round import Round

        return Round(self.binding, self._seal(), incoming.key, incoming.params, incoming.principal)

    def _seal(self) -> RequestStates:
        if self._states is None:
            import os
            import time

            from ..session.multi_round import RequestStates

            self._states = RequestStates(self._state_key or os.urandom(32), self._state_lifetime, time.time)
        return self._states

    def run(self, connection: Channel, incoming: Incoming) -> bytes | None:
        """Has a request handled; a question to the client is an answer, too (Multi Round-Trip Requests)."""
        try:
            return super().run(connection, incoming)
        except Detached:
            return self._begin_task(connection, incoming)
        except InputNeeded as question:
            result = self.binding.types.InputRequiredResult(
                # The schema declares the field without the value that the text gives it.
                result_type="input_required",
                input_requests={question.name: question.request},
                request_state=question.state,
            )
            line = connection.session.response_line(incoming, result)
            with connection.lock:
                return connection.session.settle(incoming, line)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Tells all who have subscribed to it of a change (Subscriptions)."""
        super().notify(key, params)

    def _tell(self, connection: Channel, announcement: Announcement) -> None:
        key, params, about = announcement.key, announcement.params, announcement.about
        # A subscription is acknowledged before anything is told on it (Subscriptions: Acknowledgment).
        connection.send_after_replies(lambda: _core(connection).publish(key, params, about=about))

    def _last_words(self, connection: Channel) -> list[bytes]:
        with connection.lock:
            return _core(connection).end_subscriptions()


def _core(connection: Channel) -> StatelessServerSession:
    return cast("StatelessServerSession", connection.session)
