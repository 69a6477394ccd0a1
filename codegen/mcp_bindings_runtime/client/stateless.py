"""Clients of 2026-07-28, where every request stands alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from ..connection.call_scope import CallScope
from ..connection.connection import Connection
from ..errors import HttpError, ProtocolError, ResponseError, UnsupportedRevision, UsageError
from ..methods import RequestMethod
from ..session.stateless import CHANGES, LISTEN, StatelessClientSession
from .client import Client

if TYPE_CHECKING:
    from ..session.events import Notified
    from ..tasks.polled_task import PolledTask
    from .change_feed import ChangeFeed
    from .result_cache import CachedRequests, ResultCache
    from .subscription import Subscription

R = TypeVar("R")


class StatelessClient(Client):
    """A client of a revision without handshake; what is said of ``Client`` holds, and this.

    No log messages come without ``log_level``. ``rounds`` is how often the server may ask for input during one
    request. With ``discover`` the client asks the server who it is when it connects, which shows at once whether it
    speaks the revision; without, requests are sent in good faith. With ``restart`` a connection that has ended by
    itself is opened anew when something is to be sent: a server process is started again. What was in flight when it
    ended is lost (ConnectionClosed), and so are subscriptions. With ``tasks`` the server may answer tool calls with
    tasks; ``call_tool`` then waits for the result, ``limit`` seconds at most. ``cache`` keeps results for as long as the
    server says that they may be kept: True for this client, a ``ResultCache`` for all that are given it.
    """

    def __init__(
        self,
        open_transport: Callable[[], Any],
        *,
        rounds: int = 16,
        discover: bool = True,
        restart: bool = False,
        tasks: bool = False,
        cache: ResultCache | bool = False,
        **options: Any,
    ) -> None:
        if tasks:
            from .extending import with_tasks

            self.binding = with_tasks(self.binding)
        self._subscribing = Lock()
        super().__init__(open_transport, **options)
        self._rounds = rounds
        self._discover = discover
        self._restart = restart
        self._cached = None if cache is False else self._cached_requests(cache, open_transport)
        self._subscription: ChangeFeed | None = None
        if self._required and not discover:
            text = "`require` takes a server that is asked what it can; leave out discover=False"
            raise UsageError(text)

    def _cached_requests(self, cache: ResultCache | bool, start: Callable[[], Any]) -> CachedRequests:
        from .result_cache import CachedRequests, cache_of

        return CachedRequests(cache_of(cache), self, start)

    @property
    def capabilities(self) -> Any:
        """What the client declares: what its handlers, ``tasks`` and ``capabilities`` amount to."""
        if self.binding.task_result_class is None:
            return super().capabilities
        from .extending import declaring

        return declaring(super().capabilities)

    def _session(self) -> Any:
        return StatelessClientSession(
            self.binding, info=self.info, capabilities=self.capabilities, log_level=self._log_level
        )

    def _receive_notifications(self, connection: Connection | None) -> None:
        """There are handlers for changes, which servers of this era tell to subscribers only."""
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
        """Has the handler of ``notifications/resources/updated`` hear of changes of a resource.

        For all that it hears of there is one stream, which is opened anew for each further resource; what changes just
        then may be told of twice. Raises UsageError where there is no such handler, or the server does not tell of these
        changes, and as ``request``.
        """
        self._change_feed().watch([uri])

    def unsubscribe(self, uri: str) -> None:
        """Has it hear of a resource no longer."""
        self._change_feed().unwatch(uri)

    def greet(self, connection: Connection, *, timeout: float | None = None) -> None:
        """Comes to terms with the server, as the revision does it; ``timeout`` is how many seconds it has."""
        if self._discover:
            session: Any = connection.session
            try:
                result = connection.request(self.binding.requests["server/discover"], timeout=timeout)
            except (HttpError, ResponseError) as error:
                from ..http.client.statuses import shows_handshake_server

                if not shows_handshake_server(error):
                    raise
                raise UnsupportedRevision(self.binding.revision, []) from error
            with connection.lock:
                session.record_discovery(result)

    @property
    def connection(self) -> Connection:
        """The connection, opened anew if need be; raises ConnectionClosed before ``connect``."""
        connection = super().connection
        if self._stale(connection):
            self.connect()
            connection = super().connection
        return connection

    def close(self) -> None:
        """Ends the connection, or the attempt at it in another thread. Idempotent; from any thread."""
        super().close()
        if self._cached is not None:
            self._cached.close()

    def _stale(self, connection: Connection) -> bool:
        return self._restart and connection.closed and not self._closed

    def meta(self, entries: Mapping[str, Any] | None = None) -> Any:
        """``_meta`` of a request of this client, with further entries by their wire names."""
        # Of a connection that has ended, too: only the request itself opens another one, within its time.
        session: Any = (self._connection or self.connection).session
        return session.meta(entries)

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """The result of a request; the client's handlers give the input that the server asks for on the way.

        What is said of ``Client.request`` holds. ``timeout`` is for all rounds together, and for the task that the request
        becomes; without it each round has the client's, and all together have ``limit``. Raises ProtocolError too, where
        the server asks for something that no handler gives, or more than ``rounds`` times; what a handler raises comes
        out here.
        """
        with self._scope(timeout):
            result = self._request_in_rounds(key, params, timeout, on_progress)
            if self.binding.task_result_class is not None and result.__class__ is self.binding.task_result_class:
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
            # Nobody else knows of it.
            task.abandon()
            raise

    def task(self, key: RequestMethod[Any, Any], answer: Any, params: Any = None) -> PolledTask[Any]:
        """What has become of a request that was answered so: a task, or the answer.

        With the ``params`` of the request its result is held against what the tool promises.
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
        """What a request is answered with after all rounds of questions: its result or, for a client with ``tasks``, a task.

        What is said of ``request`` holds.
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
        # What comes of further rounds is not kept, and neither is a question.
        send = self.connection.request if self._cached is None else self._cached.request
        result: Any = send(key, params, timeout=timeout, on_progress=on_progress)
        rounds = 0
        while result.__class__ is wanted:
            rounds += 1
            if rounds > self._rounds:
                text = f"{key.name}: the server asked for input more than {self._rounds} times"
                raise ProtocolError(text)
            if result.input_requests is None and result.request_state is None:
                text = f"{key.name}: the server asked for input with neither `inputRequests` nor `requestState`"
                raise ProtocolError(text)
            questions: Mapping[str, Any] = result.input_requests or {}
            answers = {name: self.provide(key, each) for name, each in questions.items()}
            params = params.__replace__(input_responses=answers or None, request_state=result.request_state)
            result = self.connection.request(key, params, timeout=timeout, on_progress=on_progress)
        return result

    def provide(self, key: RequestMethod[Any, Any], request: Any) -> Any:
        """What the client's handlers answer to a question that a server asks on the way to the result of a request.

        Raises ProtocolError where there is no handler for it.
        """
        wanted = self.binding.requests[request.method]
        if wanted.name not in self._handlers.methods:
            text = f"{key.name}: the server asks for {wanted.name}, which this client has no handler for and did not declare"
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
        """Subscribes to changes of the lists of tools, prompts and resources, and of the resources with these URIs.

        ``task`` are the ids of tasks to hear of, for a client with ``tasks``.

        ``timeout`` is how many seconds the server may take to agree; what it has agreed to is ``acknowledged`` of what
        is returned. Use that in a ``with`` block, and iterate over it.
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
        """Forgets what is not good any more after a notification."""
        super().forget_outdated(notified)
        if self._cached is not None:
            self._cached.forget_outdated(notified)
