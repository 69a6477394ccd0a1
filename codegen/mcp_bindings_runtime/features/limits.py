"""Rate limits of requests and notifications.

A request over the limit is refused. Of notifications over the limit the latest waits and replaces the one that waits
already: order is kept, and the last of a burst is always sent. Replaced log messages are counted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Timer
from time import monotonic
from typing import Any, Protocol

from ..errors import ConnectionClosed, ProtocolError, RequestTimeout, ResponseError, UsageError
from ..logs import write_log
from ..session.log_levels import LEVELS
from ..validation import require_callable, require_positive_numbers
from .error_codes import ERROR_CODES, Situation

Clock = Callable[[], float]

LOGGER = "mcp_bindings"
"""Name of the logger of notices."""
MAX_REQUESTORS = 10_000
"""Limit on the requestors whose rates are measured; the least recently active one is forgotten."""


class Limits:
    """Rate limits of a client or server, in times per second; None for no limit.

    A limit on requests holds for one connection. Over HTTP, where a client can open any number of sessions, it holds
    for one requestor. This is the principal or, without one, the address (for IPv6, the /64 network); all requestors
    without a known address count as one. Servers that share a `Limits` object count the requests of a requestor
    together.

    ``tool_calls`` and ``completions`` limit what a client requests of a server; ``sampling`` and ``elicitation`` limit
    what a server requests of a client. ``tasks`` limits the requests about tasks, all methods together; ``progress``
    (of each request) and ``log`` limit the notifications that are sent. A burst may contain as many messages as the
    limit allows in ``burst`` seconds. ``clock`` returns monotonic seconds. Raise `UsageError` for a limit that is not
    above 0.
    """

    def __init__(
        self,
        *,
        tool_calls: float | None = 1000.0,
        completions: float | None = 100.0,
        sampling: float | None = 10.0,
        elicitation: float | None = 10.0,
        tasks: float | None = 1000.0,
        progress: float | None = 50.0,
        log: float | None = 100.0,
        burst: float = 10.0,
        clock: Clock = monotonic,
    ) -> None:
        self.rates = {
            "tools/call": tool_calls,
            "completion/complete": completions,
            "sampling/createMessage": sampling,
            "elicitation/create": elicitation,
            "tasks": tasks,
            "progress": progress,
            "log": log,
        }
        require_positive_numbers(
            tool_calls=tool_calls,
            completions=completions,
            sampling=sampling,
            elicitation=elicitation,
            tasks=tasks,
            progress=progress,
            log=log,
        )
        require_positive_numbers(burst=burst or 0)
        require_callable("clock", clock, ())
        self.burst = burst
        self.clock = clock
        self._lock = Lock()
        self._requestors: OrderedDict[tuple[str, str, bool], Bucket | None] = OrderedDict()
        """Buckets by method, requestor and whether the requestor is a principal; the least recently used first."""

    def bucket(self, name: str) -> Bucket | None:
        """Return a new bucket for a kind of message; None if it has no limit."""
        rate = self.rates[name]
        return None if rate is None else Bucket(rate, max(self.burst * rate, 1.0), self.clock)

    def bucket_of(self, name: str, requestor: str, *, principal: bool) -> Bucket | None:
        """Return the bucket of a requestor, a principal or an address, for a kind of request; None if it has no limit."""
        key = name, requestor, principal
        with self._lock:
            if key in self._requestors:
                self._requestors.move_to_end(key)
            else:
                if len(self._requestors) >= MAX_REQUESTORS:
                    self._requestors.popitem(last=False)
                self._requestors[key] = self.bucket(name)
            return self._requestors[key]


class Bucket:
    """A token bucket: it holds ``size`` tokens, is full at first and gains ``rate`` tokens a second. Thread-safe."""

    def __init__(self, rate: float, size: float, clock: Clock) -> None:
        self.rate = rate
        self._size = size
        self._clock = clock
        self._tokens = size
        self._filled = clock()
        self._lock = Lock()

    def acquire(self, tokens: float = 1.0) -> float:
        """Remove tokens and return 0, or return the seconds until there are so many; a full bucket always suffices."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._size, self._tokens + (now - self._filled) * self.rate)
            self._filled = now
            missing = min(tokens, self._size) - self._tokens
            if missing <= 0.0:
                self._tokens = max(0.0, self._tokens - tokens)
                return 0.0
            return missing / self.rate


_SITUATIONS: dict[str, Situation] = {
    "completion/complete": "too many completions",
    "sampling/createMessage": "too many sampling requests",
    "elicitation/create": "too many elicitations",
    "tasks": "too many task requests",
}


def admit(limits: Limits, context: Any, method: str) -> Any:
    """Count a request. Return None if it is within the limit, else the result to respond with.

    A tool call over the limit gets a result with ``isError`` (Tools: Error Handling). For other requests raise
    `ResponseError`, or `ProtocolError` in revisions in which they are embedded.
    """
    session = context.connection.session
    name = "tasks" if method.startswith("tasks/") else method
    bucket = _bucket(limits, context, name)
    wait = 0.0 if bucket is None else bucket.acquire()
    if not wait:
        return None
    binding = session.binding
    text = f"more than {limits.rates[name]:g} {name} in a second; wait {wait:.3f} s"
    write_log("info", "refused: %s", text)
    if method == "tools/call":
        types = binding.types
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
    if binding.requests[method].embedded:
        message = f"the server has sent {text}"
        raise ProtocolError(message)
    raise ResponseError(ERROR_CODES[_SITUATIONS[name]], "Too many requests", {"reason": text, "retryAfter": wait})


def _bucket(limits: Limits, context: Any, name: str) -> Bucket | None:
    principal, source = context.principal, context.source
    if source is not None:
        return limits.bucket_of(name, source if principal is None else principal, principal=principal is not None)
    kept = context.connection.session.feature_state
    key = f"limit {name}"
    if key not in kept:
        kept.setdefault(key, limits.bucket(name))
    bucket: Bucket | None = kept[key]
    return bucket


class DelayTimer(Protocol):
    """A timer, such as ``threading.Timer``."""

    def start(self) -> None: ...  # noqa: D102
    def cancel(self) -> None: ...  # noqa: D102


def _later(seconds: float, function: Callable[[], None]) -> DelayTimer:
    timer = Timer(seconds, function)
    timer.daemon = True
    timer.name = "mcp-later"
    return timer


class Throttle:
    """Sends items at the rate that a bucket allows. Of items that arrive faster only the latest is sent.

    ``drop`` is called with each item that a later one replaces.
    """

    def __init__(
        self,
        bucket: Bucket,
        send: Callable[[Any], None],
        later: Callable[[float, Callable[[], None]], DelayTimer] = _later,
        drop: Callable[[Any], None] | None = None,
    ) -> None:
        self._bucket = bucket
        self._send = send
        self._later = later
        self._drop = drop
        self._lock = Lock()
        self._waiting: list[Any] = []
        """The latest item, if it waits."""
        self._delay: DelayTimer | None = None

    def offer(self, item: Any) -> None:
        """Send an item now, or as soon as the rate allows unless a later one replaces it."""
        with self._lock:
            if self._waiting:
                if self._drop is not None:
                    self._drop(self._waiting[0])
                self._waiting[0] = item
                return
            wait = self._bucket.acquire()
            if not wait:
                self._send(item)
                return
            self._waiting.append(item)
            self._wait(wait)

    def flush(self) -> None:
        """Send the item that waits, which is the last."""
        with self._lock:
            if self._delay is not None:
                self._delay.cancel()
                self._delay = None
            if self._waiting:
                self._send(self._waiting.pop())

    def _wait(self, seconds: float) -> None:
        self._delay = self._later(seconds, self._due)
        self._delay.start()

    def _due(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            wait = self._bucket.acquire()
            if wait:
                self._wait(wait)
                return
            self._delay = None
            try:
                self._send(self._waiting.pop())
            except (ConnectionClosed, RequestTimeout, UsageError) as fault:
                write_log("debug", "a delayed notification could not be sent: %s", fault)


class DroppedLogs:
    """Counts the log messages that were dropped, and sends a notice of them before the next message.

    The notice has the highest level of those messages, so a client that wanted one of them wants the notice. ``send``
    sends a message; ``params_of`` returns the params of one, and ``replaced`` a message with other params. Not
    thread-safe: the caller holds a lock.
    """

    def __init__(
        self,
        rate: float,
        send: Callable[[Any], None],
        params_of: Callable[[Any], Any] = lambda message: message,
        replaced: Callable[[Any, Any], Any] = lambda _, params: params,
    ) -> None:
        self._rate = rate
        self._send = send
        self._params_of = params_of
        self._replaced = replaced
        self._count = 0
        self._highest = 0

    def drop(self, message: Any) -> None:
        """Count a message that is not sent."""
        self._count += 1
        self._highest = max(self._highest, LEVELS.index(self._params_of(message).level))

    def send(self, message: Any) -> None:
        """Send a message, after a notice if others were dropped since the last one."""
        if self._count:
            count, level = self._count, LEVELS[self._highest]
            self._count = self._highest = 0
            some = "1 log message was" if count == 1 else f"{count} log messages were"
            text = f"{some} dropped: no more than {self._rate:g} are sent in a second"
            write_log("info", "%s", text)
            params = self._params_of(message).__replace__(level=level, data=text, logger=LOGGER)
            self._send(self._replaced(message, params))
        self._send(message)


def throttle_of(limits: Limits, context: Any, name: str, send: Callable[[Any], None]) -> Throttle | None:
    """Return the throttle of ``progress`` or ``log`` for a context; None if there is no limit."""
    if name == "progress":
        bucket = limits.bucket(name)
        return None if bucket is None else Throttle(bucket, send)
    kept = context.connection.session.feature_state
    if name not in kept:
        kept.setdefault(name, limits.bucket(name))
    return None if kept[name] is None else log_throttle(kept[name], DroppedLogs(kept[name].rate, send))


def log_throttle(bucket: Bucket, dropped: DroppedLogs) -> Throttle:
    """Return a throttle of log messages, which counts the dropped ones."""
    return Throttle(bucket, dropped.send, drop=dropped.drop)
