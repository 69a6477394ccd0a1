"""How often something may happen: limits per second for what is called, and for what is told.

What is called too often is refused, with a clear error. What is told too often is put together: the latest waits for
its turn, and nothing is told out of order; the last of a burst always comes. Log messages that are dropped so are counted.
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
"""The logger that notices name."""
REQUESTORS = 10_000
"""How many buckets of requestors are kept; of more, the one is dropped that was not used for longest."""


class Limits:
    """Limits of one side: times per second, None for no limit.

    Each is for one connection. Over HTTP, where anybody can begin as many sessions as they like, it is for who asks: the
    principal, or else the address that requests come from (of IPv6 the network of 64 bits), or else all whose address is
    not known. Servers that are given the same object count together there.

    A server limits ``tool_calls`` and ``completions`` of its client, a client ``sampling`` and ``elicitation`` of its
    server, and who executes tasks the requests about them (``tasks``, all methods together); ``progress`` (of each
    request) and ``log`` is what either tells. As many as in ``burst`` seconds may come at once. ``clock`` gives seconds
    that never go back. Raises UsageError for a limit that is not above 0.
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
        """By method, and who asks: their name, and whether that is a principal. Who asked last comes last."""

    def bucket(self, name: str) -> Bucket | None:
        """A fresh bucket for something; None where it has no limit."""
        rate = self.rates[name]
        return None if rate is None else Bucket(rate, max(self.burst * rate, 1.0), self.clock)

    def bucket_of(self, name: str, requestor: str, *, principal: bool) -> Bucket | None:
        """The bucket of who asks for something: a principal, or an address; None where it has no limit."""
        key = name, requestor, principal
        with self._lock:
            if key in self._requestors:
                self._requestors.move_to_end(key)
            else:
                if len(self._requestors) >= REQUESTORS:
                    self._requestors.popitem(last=False)
                self._requestors[key] = self.bucket(name)
            return self._requestors[key]


class Bucket:
    """A token bucket: ``rate`` tokens a second flow in, ``size`` it holds, and it is full at first. Thread-safe."""

    def __init__(self, rate: float, size: float, clock: Clock) -> None:
        self.rate = rate
        self._size = size
        self._clock = clock
        self._tokens = size
        self._filled = clock()
        self._lock = Lock()

    def take(self) -> float:
        """Takes a token and gives 0, or takes none and gives the seconds until there is one."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._size, self._tokens + (now - self._filled) * self.rate)
            self._filled = now
            if self._tokens >= 1.0:
                self._tokens -= 1.0
                return 0.0
            return (1.0 - self._tokens) / self.rate


_SITUATIONS: dict[str, Situation] = {
    "completion/complete": "too many completions",
    "sampling/createMessage": "too many sampling requests",
    "elicitation/create": "too many elicitations",
    "tasks": "too many task requests",
}


def admit(limits: Limits, context: Any, method: str) -> Any:
    """Counts a request. None where it may go on; else what it is answered with is given or raised.

    A tool called too often gives a result with ``isError`` (Tools: Error Handling); other requests are refused with
    ResponseError, in revisions in which they are embedded with ProtocolError.
    """
    session = context.connection.session
    name = "tasks" if method.startswith("tasks/") else method
    bucket = _bucket(limits, context, name)
    wait = 0.0 if bucket is None else bucket.take()
    if not wait:
        return None
    binding = session.binding
    text = f"more than {limits.rates[name]:g} {name} in a second; wait {wait:.3f} s"
    write_log("info", "refused: %s", text)
    if method == "tools/call":
        types = binding.types
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
    if binding.requests[method].embedded:
        message = f"the server asks for {text}"
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


class Delay(Protocol):
    """What calls a function later, as ``threading.Timer`` does."""

    def start(self) -> None: ...  # noqa: D102
    def cancel(self) -> None: ...  # noqa: D102


def _later(seconds: float, function: Callable[[], None]) -> Delay:
    timer = Timer(seconds, function)
    timer.daemon = True
    timer.name = "mcp-later"
    return timer


class Pace:
    """Tells things no faster than a bucket allows; of what comes faster only the latest, as soon as it may.

    ``flush`` tells what still waits at once. ``drop`` is called with each item that a later one takes the place of.
    """

    def __init__(
        self,
        bucket: Bucket,
        tell: Callable[[Any], None],
        later: Callable[[float, Callable[[], None]], Delay] = _later,
        drop: Callable[[Any], None] | None = None,
    ) -> None:
        self._bucket = bucket
        self._tell = tell
        self._later = later
        self._drop = drop
        self._lock = Lock()
        self._waiting: list[Any] = []
        """The latest, if it waits."""
        self._delay: Delay | None = None

    def offer(self, item: Any) -> None:
        """Tells it now, or when its time has come, unless a later one takes its place."""
        with self._lock:
            if self._waiting:
                if self._drop is not None:
                    self._drop(self._waiting[0])
                self._waiting[0] = item
                return
            wait = self._bucket.take()
            if not wait:
                self._tell(item)
                return
            self._waiting.append(item)
            self._wait(wait)

    def flush(self) -> None:
        """Tells what waits, which is the last there is."""
        with self._lock:
            if self._delay is not None:
                self._delay.cancel()
                self._delay = None
            if self._waiting:
                self._tell(self._waiting.pop())

    def _wait(self, seconds: float) -> None:
        self._delay = self._later(seconds, self._due)
        self._delay.start()

    def _due(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            wait = self._bucket.take()
            if wait:
                self._wait(wait)
                return
            self._delay = None
            try:
                self._tell(self._waiting.pop())
            except (ConnectionClosed, RequestTimeout, UsageError) as fault:
                write_log("debug", "what waited to be told could not be: %s", fault)


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


def pace_of(limits: Limits, context: Any, name: str, tell: Callable[[Any], None]) -> Pace | None:
    """What a context tells ``progress`` or ``log`` by; None where there is no limit."""
    if name == "progress":
        bucket = limits.bucket(name)
        return None if bucket is None else Pace(bucket, tell)
    kept = context.connection.session.feature_state
    if name not in kept:
        kept.setdefault(name, limits.bucket(name))
    return None if kept[name] is None else log_pace(kept[name], DroppedLogs(kept[name].rate, tell))


def log_pace(bucket: Bucket, dropped: DroppedLogs) -> Pace:
    """Return the pace of log messages, of which the dropped ones are counted."""
    return Pace(bucket, dropped.send, drop=dropped.drop)
