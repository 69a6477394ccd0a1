"""The session with a server behind a proxy, for one client of the proxy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..bridge.twin_tasks import without_tasks
from ..bridge.undeclared_capability import UndeclaredCapability
from ..connection.call_scope import OutsideScope, bounded
from ..errors import (
    ConnectionClosed,
    DecodeError,
    McpError,
    ProtocolError,
    RequestTimeout,
    ResponseError,
    TaskCancelled,
)
from ..features.server_requests import undeclared_capability
from ..installed_revisions import package_of
from ..jsonrpc import INTERNAL_ERROR
from ..logs import write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.control_flow import Abandoned
from ..session.stateless import CHANGES, UPDATED
from .backend_tasks import STATUS, BackendTasks, without_related_task
from .followed_changes import FollowedChanges
from .front import Front
from .lenient_pages import read_page
from .server_contact import CONTACT_SECONDS

if TYPE_CHECKING:
    from ..connection.context import Context
    from ..server.subscription_opening import Listener
    from .server_contact import ServerContact

PAUSES: Final = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds before each further start of a server that has ended; the last one repeats."""
QUESTIONS: Final = 256
"""Limit on the requests of a server behind the bridge that wait for responses of the client in one session; further
requests wait in a queue.
"""
_LATE_NOTIFICATIONS: Final = 1.0
"""Seconds to wait until the notifications that came with an answer are passed on."""
_LOOK: Final = 0.25
"""Seconds between two looks whether a request that waits for the start of its server was cancelled."""
_FAILURES: Final = {
    ConnectionClosed: "has ended",
    TaskCancelled: "has cancelled the task",
    RequestTimeout: "did not answer",
    ProtocolError: "sent an invalid answer",
}
_FAILED = "cannot be used for this request"
_UNUSABLE = "cannot be used"
_LIST_TOOLS = "tools/list"
_SET_LEVEL = "logging/setLevel"
_RESOURCES_CHANGED = "notifications/resources/list_changed"


class BackendSession:
    """A client of a server behind that declares and says what a client of the proxy does.

    The server is started or contacted with the first request. If it ends, requests in flight fail with the reason, and it is
    started again at once, and then after growing pauses, in which further requests fail. After ``contact.attempts`` failed
    attempts in a row the server is given up, unless another session has reached it meanwhile.
    """

    def __init__(self, contact: ServerContact, context: Context) -> None:
        self._contact = contact
        self._binding = contact.binding
        self._info = context.peer_info
        self._capabilities = without_tasks(context.peer_capabilities)
        self.front = Front(context)
        self.used = monotonic()
        """Time of the last request, by ``time.monotonic``."""
        self.uris: frozenset[str] | None = None
        """URIs of the resources that the server lists; None if they are not known."""
        self.templates: tuple[str, ...] | None = None
        """Its resource templates; None if they are not known."""
        self._changed = Condition()
        self._supervised = False
        """Whether a thread starts the server, and again when it ends."""
        self._resumes = 0.0
        """Time of the next attempt, by ``time.monotonic``, during a pause; 0 otherwise."""
        self._closed = False
        self._client: Any = None
        self._problem = ""
        """The reason for which there is no server now."""
        self._unanswered = 0
        """Starts since the last answered request."""
        self._level: Any = None
        self._tasks = BackendTasks(contact)
        self._changes = FollowedChanges(contact, self.front, self._announce)

    # Requests and notifications of the client.

    def forward(
        self, key: RequestMethod[Any, Any], params: Any, context: Any, *, timeout: float, progress: bool = True
    ) -> Any:
        """Return the answer of the server to a request; raise ``ResponseError``.

        ``timeout`` is the number of seconds for the answer, or its next progress, which is passed on with ``progress``.
        """
        self.used = monotonic()

        def report(progress: Any) -> None:
            context.progress(progress.progress, progress.total, getattr(progress, "message", None))

        wanted = report if progress and context.wants_progress else None
        params = self._with_log_level(params, context)
        as_task = self._tasks.concerns(key, params, context)
        served = self.front.begin(context, key.name)
        options: dict[str, Any] = {
            "timeout": timeout,
            "on_progress": wanted,
            "sending": partial(self.front.note, served),
        }
        try:
            with nullcontext() if as_task else context.cancellable():
                client = self._connected(context, timeout)
                notifications = client.connection.notifications
                try:
                    self._set_level(client, context)
                    if as_task:
                        result = self._tasks.call(client, key, params, context, **options)
                    else:
                        result = self._request(client, key, params, options)
                except ResponseError:
                    raise
                except McpError as fault:
                    raise self._failure(fault) from fault
                finally:
                    # What the server has said during the request comes before its answer.
                    if notifications.busy:
                        with OutsideScope():
                            notifications.finish(_LATE_NOTIFICATIONS)
        finally:
            self.front.end(served)
        self._remember(key, params)
        self.used = monotonic()
        self._refuse_undeclared(result, context)
        if key.name == _LIST_TOOLS:
            self._contact.learn_task_support(result.tools)
        return result

    def _request(self, client: Any, key: RequestMethod[Any, Any], params: Any, options: dict[str, Any]) -> Any:
        """Return the answer of the server; from a list, what is usable."""
        try:
            return client.connection.request(key, params, **options)
        except DecodeError as mismatch:
            return read_page(client, key, params, mismatch, self._contact.title, options["timeout"])

    def _refuse_undeclared(self, result: Any, context: Any) -> None:
        """Raise ``ResponseError`` (-32021) for a result that asks the client for what it has not declared."""
        binding = self._binding
        if binding.era == "handshake" or result.__class__ is not binding.types.InputRequiredResult:
            return
        by_class = {key.message: key for key in binding.requests.values()}
        requests: Mapping[str, Any] = result.input_requests or {}
        for request in requests.values():
            key = by_class[request.__class__]
            missing = undeclared_capability(binding, context.peer_capabilities, key, request.params)
            if missing is not None:
                raise UndeclaredCapability(key.name, missing)

    def notify(self, key: NotificationMethod[Any], params: Any) -> None:
        """Pass a notification of the client on, unless the server was not contacted yet."""
        client = self._client
        if client is not None and client.connected:
            try:
                client.connection.notify(key, params)
            except McpError as fault:
                write_log("info", "%s of the client is dropped: %s", key.name, fault)

    @property
    def watches(self) -> bool:
        """Whether the updates of a resource are followed."""
        return self._changes.watches

    def watch(self, uris: frozenset[str], context: Any) -> None:
        """Pass updates of these resources on, and of no others, from a server without sessions; raise ``ResponseError``."""
        self.used = monotonic()
        self._connected(context, self._contact.timeout)
        try:
            self._changes.watch(uris)
        except ResponseError:
            raise
        except McpError as fault:
            raise self._failure(fault) from fault

    def listen(self, listener: Listener, uris: frozenset[str], context: Any) -> frozenset[str]:
        """Send changes to a subscription of a client without session, those of resources with these URIs.

        Return the URIs to which the server agrees. Raise ``ResponseError``.
        """
        self.used = monotonic()
        client = self._connected(context, self._contact.timeout)
        try:
            return self._changes.listen(client, listener, uris)
        except ResponseError:
            raise
        except McpError as fault:
            raise self._failure(fault) from fault

    def _failure(self, fault: McpError) -> ResponseError:
        """Return the error for a failure of the server."""
        what = next((text for kind, text in _FAILURES.items() if isinstance(fault, kind)), _FAILED)
        return self._error(f"{what}: {fault}")

    def close(self) -> None:
        """End the session with the server. Idempotent; from any thread."""
        with self._changed:
            self._closed = True
            client = self._client
            self._changed.notify_all()
        if client is not None:
            client.close()

    # The start of the server.

    def _connected(self, context: Any, timeout: float) -> Any:
        """Return the client, connected; start the server if necessary. Raise ``ResponseError`` if there is none now."""
        client = self._client
        if client is not None and client.connected:
            return client
        limit = monotonic() + bounded(timeout)
        with self._changed:
            if not (self._supervised or self._closed):
                self._supervised = True
                self._resumes = 0.0
                Thread(target=self._supervise, name="mcp-backend", daemon=True).start()
            while True:
                client = self._client
                if client is not None and client.connected:
                    return client
                left = limit - monotonic()
                if self._resumes or not self._supervised or left <= 0:
                    break
                if context.cancelled:
                    raise Abandoned
                self._changed.wait(min(left, _LOOK))
            raise self._error(self._absence())

    def _absence(self) -> str:
        """Return why there is no server, and what happens next; hold the lock."""
        if self._closed:
            return "is not used any more: the session was closed"
        if self._resumes:
            return f"{self._problem}; the next attempt follows in {max(0.0, self._resumes - monotonic()):.1f} s"
        return self._problem or "has not answered the first request yet"

    def _supervise(self) -> None:
        """Start the server, and again whenever it ends, as long as that makes sense."""
        failed, began = 0, monotonic()
        while not self._closed:
            try:
                client = self._started()
            except McpError as fault:
                failed += 1
                self._note_end(f"{_UNUSABLE}: {fault}")
                attempts = self._contact.attempts
                if attempts is not None and failed >= attempts and self._contact.abandon(began, str(fault)):
                    break
            else:
                client.connection.wait()
                # Only a start after this, also one for another client, shows that the server can be started.
                failed, began = 0, monotonic()
                self._note_end(f"has ended: {client.connection.end}")
            if self.front.gone or not self._pause():
                break
        with self._changed:
            self._supervised = False
            self._resumes = 0.0
            self._changed.notify_all()

    def _started(self) -> Any:
        """Start or contact the server, and return the connected client. Raise as ``Client.connect``."""
        self._unanswered += 1
        client = self._new_client()
        try:
            client.connect()
            self._restore(client)
        except BaseException:
            client.close()
            raise
        self._contact.note_contact()
        with self._changed:
            self._client = client
            self._changed.notify_all()
            closed = self._closed
        if closed:
            client.close()
        return client

    def _note_end(self, problem: str) -> None:
        with self._changed:
            ended, self._client = self._client, None
            self._problem = problem
            self.uris = self.templates = None
        if ended is not None:
            ended.close()
        if not self._closed:
            write_log("warning", "%s %s", self._contact.title, problem)

    def _pause(self) -> bool:
        """Wait before the next start; return False if the session was closed meanwhile."""
        seconds = PAUSES[min(self._unanswered, len(PAUSES) - 1)]
        with self._changed:
            if seconds:
                self._resumes = monotonic() + seconds
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed, seconds)
                self._resumes = 0.0
            return not self._closed

    def _new_client(self) -> Any:
        """Return a client with the name and capabilities of the proxy's client, to which its handlers pass all on."""
        contact, binding = self._contact, self._binding
        client: Any = package_of(binding.revision).Client(
            contact.open_transport,
            capabilities=self._capabilities,
            timeout=min(contact.timeout, CONTACT_SECONDS),
            limit=contact.limit,
            limits=False,
            workers=QUESTIONS,
            revisions=list(dict.fromkeys([binding.revision, contact.revision])),
            **({"tasks": True} if contact.has_tasks and binding.era == "stateless" else {}),
        )
        if self._info is not None:
            client.info = self._info
        for key in binding.requests.values():
            declared = key.capability is not None and binding.declares(self._capabilities, key.capability)
            if "server" in key.sent_by and not key.embedded and declared:
                client.handles(key, partial(self._request_client, key))
        # Of a server without sessions, they come to the subscription that ``FollowedChanges`` opens.
        followed = CHANGES if binding.era == "stateless" else ()
        for notification in binding.notifications.values():
            of_server = "server" in notification.sent_by and "client" not in notification.sent_by
            if of_server and notification.name not in followed:
                client.handles(notification, _passing_on(self._announce, notification))
        if contact.has_tasks and STATUS in binding.notifications:
            client.handles(binding.notifications[STATUS], _passing_on(self._tasks.note_status, STATUS))
        return client

    def _request_client(self, key: RequestMethod[Any, Any], params: Any, context: Context) -> Any:
        """Send the client a request of the server, within the call that it belongs to; raise ``ResponseError``."""
        call = self._tasks.context_of(params)
        params = without_related_task(params)
        if call is not None:
            return call.request(key, params)
        incoming = context.incoming
        return self.front.request(key, params, frozenset() if incoming is None else incoming.related)

    # What holds for the session.

    def _with_log_level(self, params: Any, context: Any) -> Any:
        """Return params that ask for the log messages that the session of a client with handshake wants."""
        if self._binding.era == "handshake" or not self.front.has_session or params.meta.log_level is not None:
            return params
        level = getattr(context.connection.session, "log_level", None)
        return params if level is None else params.__replace__(meta=params.meta.__replace__(log_level=level))

    def _set_level(self, client: Any, context: Any) -> None:
        """Set the least severity of log messages that a request without session names, if the server has sessions."""
        if self._binding.era == "stateless" or self.front.has_session:
            return
        wanted = context.connection.session.log_level
        known = None if self._level is None else self._level.level
        if wanted in {None, known} or not self._binding.declares(client.server_capabilities, "logging"):
            return
        key = self._binding.requests[_SET_LEVEL]
        level = key.params(level=wanted)
        client.connection.request(key, level)
        self._level = level

    def _remember(self, key: RequestMethod[Any, Any], params: Any) -> None:
        """Remember what holds for the rest of the session."""
        self._unanswered = 0
        if key.name == _SET_LEVEL:
            self._level = params
        else:
            self._changes.note(key, params)

    def _restore(self, client: Any) -> None:
        if self._level is not None:
            try:
                client.connection.request(self._binding.requests[_SET_LEVEL], self._level)
            except ResponseError as error:
                write_log("warning", "%s refuses the log level of its client: %s", self._contact.title, error)
        self._changes.begin(client)

    # Notifications of the server.

    def _announce(self, key: NotificationMethod[Any], params: Any) -> None:
        if key.name == _RESOURCES_CHANGED:
            self.uris = self.templates = None
        self.front.notify(key, params)
        if key.name == UPDATED and not self.front.has_session:
            self._changes.release_unused(self._client)

    def _error(self, what: str) -> ResponseError:
        return ResponseError(INTERNAL_ERROR, "Internal error", {"reason": f"{self._contact.title} {what}"})


def _passing_on(function: Callable[[Any, Any], Any], key: Any) -> Callable[[Any, Any], Any]:
    """Return a handler that calls a function with a key and the params."""

    def handle(params: Any, _context: Any) -> Any:
        return function(key, params)

    return handle
