"""Clients of the revisions without a handshake, since 2026-07-28."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from ..connection.call_scope import CallScope
from ..connection.connection import Connection
from ..errors import HttpError, ProtocolError, ResponseError, UnsupportedRevision, UsageError
from ..installed_revisions import other_revisions
from ..logs import CLIENT_LOGGER, log_warning
from ..methods import RequestMethod
from ..session.stateless import CHANGES, LISTEN, StatelessClientSession
from .client import Client
from .options import StatelessClientOptions

if TYPE_CHECKING:
    from ..session.events import Notified
    from ..tasks.polled_task import PolledTask
    from .change_feed import ChangeFeed
    from .result_cache import CachedRequests, ResultCache
    from .subscription import Subscription

R = TypeVar("R")
Params = TypeVar("Params")

_NO_LOG_LEVEL = (
    "`on_log` is set without `log_level`: in %s no log message arrives without a level; write log_level='info'"
)


class StatelessClient(Client):
    """A client of a revision without handshake. ``options`` are those of ``StatelessClientOptions``.

    A connection that is opened again (``restart``) loses requests in flight (``ConnectionClosed``) and the subscriptions
    of ``listen``. The result of a tool call that became a task (``tasks``) is awaited for at most ``limit`` seconds.
    """

    options_class = StatelessClientOptions

    def __init__(self, open_transport: Callable[[], Any], **options: Any) -> None:
        self._stateless_options = chosen = StatelessClientOptions(self.binding, open_transport, **options)
        if chosen.tasks:
            from ..tasks.extension_binding import with_tasks

            self.binding = with_tasks(self.binding)
        self._subscribing = Lock()
        super().__init__(open_transport, chosen)
        self._cached = None if chosen.cache is False else self._cached_requests(chosen.cache, open_transport)
        self._subscription: ChangeFeed | None = None

    def _cached_requests(self, cache: ResultCache | bool, start: Callable[[], Any]) -> CachedRequests:
        from .result_cache import CachedRequests, cache_of

        return CachedRequests(cache_of(cache), self, start)

    @property
    def capabilities(self) -> Any:
        """The declared capabilities: those of the handlers, ``tasks`` and the option ``capabilities``."""
        if self.binding.extension is None:
            return super().capabilities
        from ..tasks.extension_binding import declare_tasks

        return declare_tasks(super().capabilities)

    @property
    def server_capabilities(self) -> Any:
        """The capabilities that the server has declared; raise `UsageError` if they are unknown (``discover=False``)."""
        declared = super().server_capabilities
        if declared is None:
            text = (
                "the client has not asked for the server's capabilities; leave out discover=False, or write "
                "client.discover().capabilities"
            )
            raise UsageError(text)
        return declared

    def _session(self) -> Any:
        return StatelessClientSession(
            self.binding, info=self.info, capabilities=self.capabilities, log_level=self._options.log_level
        )

    def _receive_notifications(self, connection: Connection | None) -> None:
        """Open the subscription to changes if there are handlers for them."""
        if connection is None or not CHANGES & self._handlers.methods:
            return
        self._change_feed().open(connection)

    def _change_feed(self) -> ChangeFeed:
        with self._subscribing:
            if self._subscription is None:
                from .change_feed import ChangeFeed

                self._subscription = ChangeFeed(self)
            return self._subscription

    def subscribe(self, uri: str) -> None:
        """Subscribe the handler of ``notifications/resources/updated`` to updates of a resource.

        All resources share one stream, which is opened again for each further resource; a change at that moment may be
        reported twice. Raise ``UsageError`` if there is no such handler or the server does not offer these updates, and as
        ``request``.
        """
        self._change_feed().watch([uri])

    def unsubscribe(self, uri: str) -> None:
        """Unsubscribe from updates of a resource."""
        self._change_feed().unwatch(uri)

    def _adopted(self, connection: Connection) -> None:
        super()._adopted(connection)
        options = self._stateless_options
        if options.on_log is not None and options.log_level is None:
            log_warning(_NO_LOG_LEVEL, self.binding.revision, logger=CLIENT_LOGGER)

    def greet(self, connection: Connection, *, timeout: float | None = None) -> None:
        """Send ``server/discover``, unless ``discover`` is off; ``timeout`` is in seconds."""
        if self._stateless_options.discover:
            session: Any = connection.session
            try:
                result = connection.request(
                    self.binding.requests["server/discover"], timeout=self._probe_timeout(timeout)
                )
            except (HttpError, ResponseError) as error:
                from ..http.client.statuses import shows_handshake_server

                if not shows_handshake_server(error):
                    raise
                raise UnsupportedRevision(self.binding.revision, []) from error
            with connection.lock:
                session.record_discovery(result)

    def _probe_timeout(self, timeout: float | None) -> float | None:
        """Return the seconds to wait for the first response: a server of another revision may never send one."""
        options = self._stateless_options
        if timeout is not None or not other_revisions(self.binding.facts.label, options.revisions):
            return timeout
        return min(options.probe, self.timeout / 2)

    @property
    def connection(self) -> Connection:
        """The connection, opened again if necessary. Raise ``ConnectionClosed`` before ``connect``."""
        connection = super().connection
        if self._stale(connection):
            self.connect()
            connection = super().connection
        return connection

    def close(self) -> None:
        """Close the connection, or end the attempt to open one in another thread. Idempotent; from any thread."""
        super().close()
        if self._cached is not None:
            self._cached.close()

    def _stale(self, connection: Connection) -> bool:
        return self._stateless_options.restart and connection.closed and not self._closed

    def meta(self, entries: Mapping[str, Any] | None = None) -> Any:
        """Return ``_meta`` of a request of this client, with further entries by their wire names."""
        # A connection that has ended will do: only the request itself opens another one, within its timeout.
        session: Any = (self._connection or self.connection).session
        return session.meta(entries)

    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Return the result of a request; the client's handlers provide input that the server requests on the way.

        See ``Client.request``. ``timeout`` bounds all rounds together and the task that the request becomes; without it each
        round has the client's timeout, and all together have ``limit``. Raise ``ProtocolError`` if no handler provides the
        input, or it is requested more than ``rounds`` times. Exceptions of handlers propagate.
        """
        with self._scope(timeout):
            result = self._request_in_rounds(key, params, timeout, on_progress)
            if self.binding.extension is not None and result.__class__ is self.binding.task_result_class:
                result = self._outcome(self.task(key, result))
        if key.name in self.followed:
            self.follow(key, params, result)
        final: R = result
        return final

    def _scope(self, timeout: float | None) -> CallScope:
        return CallScope(self.limit if timeout is None else timeout, self.limit)

    @staticmethod
    def _outcome(task: PolledTask[R]) -> R:
        try:
            return task.result()
        except BaseException:
            # No other caller knows the task.
            task.abandon()
            raise

    def task(self, key: RequestMethod[Any, Any], answer: Any, params: Any = None) -> PolledTask[Any]:
        """Return a ``PolledTask`` for the answer to a request: for the task in it, or for the result.

        With the ``params`` of the request its result is validated against the output schema of the tool.
        """
        from ..tasks.polled_task import PolledTask

        if answer.__class__ is self.binding.task_result_class:
            return PolledTask(self, key, answer, limit=self.limit, params=params)
        return PolledTask(self, key, None, limit=self.limit, answer=answer, params=params)

    def rounds(
        self,
        key: RequestMethod[Any, Any],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> Any:
        """Return the answer to a request after all rounds: its result or, for a client with ``tasks``, a task.

        See ``request``.
        """
        with self._scope(timeout):
            return self._request_in_rounds(key, params, timeout, on_progress)

    def _request_in_rounds(
        self,
        key: RequestMethod[Any, Any],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> Any:
        wanted: Any = self.binding.types.InputRequiredResult
        # Results of further rounds are not cached.
        send = self.connection.request if self._cached is None else self._cached.request
        result: Any = send(key, params, timeout=timeout, on_progress=on_progress)
        rounds = 0
        while result.__class__ is wanted:
            rounds += 1
            if rounds > self._stateless_options.rounds:
                text = f"{key.name}: the server requested input more than {self._stateless_options.rounds} times"
                raise ProtocolError(text)
            if result.input_requests is None and result.request_state is None:
                text = f"{key.name}: the server requested input with neither `inputRequests` nor `requestState`"
                raise ProtocolError(text)
            questions: Mapping[str, Any] = result.input_requests or {}
            answers = {name: self.provide(key, each) for name, each in questions.items()}
            params = params.__replace__(input_responses=answers or None, request_state=result.request_state)
            result = self.connection.request(key, params, timeout=timeout, on_progress=on_progress)
        return result

    def provide(self, key: RequestMethod[Any, Any], request: Any) -> Any:
        """Return the answer of the client's handlers to a request for input.

        Raise ``ProtocolError`` if there is no handler for it.
        """
        wanted = self.binding.requests[request.method]
        if wanted.name not in self._handlers.methods:
            text = (
                f"{key.name}: the server requests {wanted.name}, which this client does not handle and did not declare"
            )
            raise ProtocolError(text)
        return self._handlers.handle(wanted, request.params, self.context(self, self.connection, None))

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        resource: Iterable[str] = (),
        task: Iterable[str] = (),
        timeout: float | None = None,
    ) -> Subscription:
        """Subscribe to changes of the lists of tools, prompts and resources, and of the resources with these URIs.

        ``task`` are ids of tasks, for a client with ``tasks``. ``timeout`` is the number of seconds for the server to
        acknowledge the subscription; ``acknowledged`` of the result is what it has agreed to. Use the result in a ``with``
        block, and iterate over it.
        """
        from .subscription import Subscription

        key = self.binding.requests[LISTEN]
        wanted = self.binding.types.SubscriptionFilter(
            tools_list_changed=tools or None,
            prompts_list_changed=prompts or None,
            resources_list_changed=resources or None,
            resource_subscriptions=list(resource) or None,
            extra={"taskIds": task_ids} if (task_ids := list(task)) else None,
        )
        params = key.params(meta=self.meta(), notifications=wanted)
        seconds = self.timeout if timeout is None else timeout
        with CallScope(seconds):
            return Subscription(self, key, params, seconds)

    def forget_outdated(self, notified: Notified) -> None:
        """Drop what a notification makes outdated."""
        super().forget_outdated(notified)
        if self._cached is not None:
            self._cached.forget_outdated(notified)
