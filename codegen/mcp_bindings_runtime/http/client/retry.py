"""The retry policy of the HTTP client: which requests are sent again after which failure, how often, and after how long.

The policy decides; it neither waits nor sends (``repeater`` does). ``TABLE`` has a row for each kind of request and a column
for each failure; ``docs/http-client.md`` shows it. Four cases are outside the table, as the request has to change first:

- A request that was refused for want of credentials is sent again if ``auth`` returns others (``endpoint``).
- A request whose session the server has ended is sent again in a new one (Session Management): ``lost_session``.
- A tool call without the headers that the tool requires is sent again with them (2026-07-28): ``lacks_headers``.
- A stream that cannot be resumed from its last event (400) is opened without ``Last-Event-ID``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import HttpError, UsageError
from ...jsonrpc import HEADER_MISMATCH
from ...validation import require_callable, require_seconds
from .statuses import INITIALIZE, error_of

if TYPE_CHECKING:
    from .exchange import Exchange

RETRIES: Final = 3
"""Default limit on the retries of one request."""
FLOOR: Final = 0.1
"""Least number of seconds of a pause, whatever the server asks for."""
OPENING: Final = 60.0
"""Seconds in which a server has to send the response headers of a stream that a client opens again."""

_READS: Final = frozenset(
    {
        "ping",
        "server/discover",
        "subscriptions/listen",
        "tools/list",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
        "logging/setLevel",
        "tasks/list",
        "tasks/get",
        "tasks/result",
    }
)
"""Methods that may reach a server twice without harm."""


class Reaction(StrEnum):
    """The reaction to a failure."""

    REPEAT = "repeated"
    """Send the request again."""
    REPEAT_IF_DELAYED = "repeated after `Retry-After`, else reported"
    """Send it again if the server has named a time: then it has not processed the request."""
    RESUME_OR_REPEAT = "resumed, else repeated"
    """Resume the stream of the response after its last event; send the request again if it has no event id."""
    RESUME_OR_REPORT = "resumed, else reported"
    """Resume the stream of the response after its last event; report the failure if it has no event id."""
    RESUME = "resumed"
    """Open the stream of server messages again, after its last event if that has an id."""
    REPORT = "reported"
    """Raise the failure."""
    IGNORE = "ignored"
    """Do nothing: the client is being closed."""


class Row(StrEnum):
    """A kind of HTTP request."""

    INITIALIZE = "`initialize`"
    READ = "reads and lists"
    CALL = "`tools/call` and all others"
    STREAM = "GET (stream of the server)"
    DELETE = "DELETE"


UNSENT: Final = "disconnected before the request was sent"
SENT: Final = "disconnected after the request was sent"
COLUMNS: Final = (408, 425, 429, 500, 502, 503, 504, UNSENT, SENT)
"""The failures: HTTP statuses, and connections that end or cannot be opened."""


def _row(reaction: Reaction, **others: Reaction) -> Mapping[int | str, Reaction]:
    return {each: others.get(f"_{each}" if isinstance(each, int) else each.split()[1], reaction) for each in COLUMNS}


TABLE: Final[Mapping[Row, Mapping[int | str, Reaction]]] = {
    Row.INITIALIZE: _row(Reaction.REPEAT),
    Row.READ: _row(Reaction.REPEAT, after=Reaction.RESUME_OR_REPEAT),
    # Servers answer with 408, 425 and 429 before they process a request (RFC 9110, section 15.5.9; RFC 8470, section 5.2;
    # RFC 6585, section 4). With 500, 502, 504 they may have done so. Some proxies send 503 when a server closes the
    # connection in the middle of a request; but only a server that is unavailable names a time.
    Row.CALL: _row(
        Reaction.REPORT,
        _408=Reaction.REPEAT,
        _425=Reaction.REPEAT,
        _429=Reaction.REPEAT,
        _503=Reaction.REPEAT_IF_DELAYED,
        before=Reaction.REPEAT,
        after=Reaction.RESUME_OR_REPORT,
    ),
    Row.STREAM: _row(Reaction.RESUME),
    Row.DELETE: _row(Reaction.IGNORE),
}
"""The reaction to each failure of each kind of request."""


class Failure(NamedTuple):
    """A failed attempt to send a request or to open a stream."""

    status: int | None = None
    """The HTTP status; None if the connection failed."""
    sent: bool = True
    """Whether any of the request was sent."""
    retry_after: float | None = None
    """Seconds that the server has set (``Retry-After``)."""
    idle: bool = False
    """Whether the server had closed the connection while it was idle: no part of a response has arrived."""

    @property
    def column(self) -> int | str:
        """The column of ``TABLE``; a status outside the table is its own."""
        return self.status if self.status is not None else SENT if self.sent else UNSENT


class RetryPolicy:
    """The limit on retries of a failed HTTP request, and the pauses before them in seconds.

    A request is sent again at most ``retries`` times, and only until the ``timeout`` of its call; streams are opened again
    without a limit. The first pause is ``pause``; each further pause is twice as long, up to ``longest``. Each pause is
    shortened by a random part, at most half, so that the clients of a restarted server do not reconnect at the same time;
    ``random`` returns numbers from 0 up to 1. If the server requests a longer pause (``Retry-After``), the client waits that
    long; if it exceeds ``longest``, the request is not sent again. A request that might do harm if the server executes it
    twice is never sent again.

    Raise ``UsageError`` for invalid arguments.
    """

    __slots__ = ("_random", "longest", "pause", "retries")

    def __init__(
        self,
        retries: int = RETRIES,
        *,
        pause: float = 0.5,
        longest: float = 60.0,
        random: Callable[[], float] | None = None,
    ) -> None:
        self.retries = _checked_number(retries)
        """Limit on the retries of one request."""
        require_seconds(pause=pause, longest=longest)
        if random is not None:
            require_callable("random", random, ())
        self.pause = pause
        """Seconds to wait before the first retry."""
        self.longest = longest
        """Upper bound for the seconds to wait before a retry."""
        self._random = random or Random().random  # noqa: S311  # no secret depends on it

    def __repr__(self) -> str:
        return f"RetryPolicy({self.retries}, pause={self.pause:g}, longest={self.longest:g})"

    def seconds(self, failures: int, server_delay: float | None = None) -> float:
        """Return the pause after so many failures in a row; ``server_delay`` are the seconds that the server has set."""
        own = min(self.pause * 2.0 ** min(max(failures, 1) - 1, 30), self.longest) * (1 - self._random() / 2)
        if server_delay is None:
            return max(FLOOR, own)
        # It is the same for all clients.
        return max(FLOOR, server_delay * (1 + self._random() / 10), own if failures else 0.0)

    def before_repeating(self, method: str, failure: Failure, failures: int, left: float) -> float | None:
        """Return the pause before a request is sent again; None if its failure is to be reported.

        ``failures`` counts the failed attempts, ``left`` are the seconds until the deadline of the call.
        """
        reaction = TABLE[row_of(method)].get(failure.column, Reaction.REPORT)
        repeats = reaction in _REPEATS or (reaction is Reaction.REPEAT_IF_DELAYED and failure.retry_after is not None)
        if not repeats:
            return None
        if failure.idle and failures == 1:
            # RFC 9112, section 9.3.1.
            return 0.0
        delay = failure.retry_after
        if failures > self.retries or (delay is not None and delay > self.longest):
            return None
        pause = self.seconds(failures, delay)
        return pause if pause < left else None

    def before_resuming(
        self, failure: Failure | None, failures: int, *, wanted: bool = False, server_delay: float | None = None
    ) -> float | None:
        """Return the pause before a stream is opened again; None if it is not.

        ``failure`` is None after a stream that has ended in order. A ``wanted`` stream was open before, and is opened again
        after any failure. ``server_delay`` are the seconds that the stream has set (``retry``).
        """
        if failure is not None:
            if not (wanted or failure.column in TABLE[Row.STREAM]):
                return None
            if failure.retry_after is not None:
                server_delay = max(server_delay or 0.0, min(failure.retry_after, self.longest))
        return self.seconds(failures, server_delay)


_REPEATS: Final = frozenset({Reaction.REPEAT, Reaction.RESUME_OR_REPEAT})


def row_of(method: str) -> Row:
    """Return the row of ``TABLE`` for a method of JSON-RPC."""
    return Row.INITIALIZE if method == INITIALIZE else Row.READ if method in _READS else Row.CALL


def policy_from(retries: Any) -> RetryPolicy:
    """Return the policy for the option ``retries`` of clients. Raise ``UsageError`` if it is invalid."""
    if isinstance(retries, RetryPolicy):
        return retries
    return RetryPolicy(0 if retries is False else retries)


def _checked_number(retries: Any) -> int:
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        text = f"`retries` must be an integer >= 0, a RetryPolicy or False, got {retries!r}"
        raise UsageError(text)
    return retries


def failure_of(fault: Exception, exchange: Exchange) -> Failure:
    """Return the failure of the last attempt in an exchange, which ``fault`` reports."""
    if isinstance(fault, HttpError):
        return Failure(fault.status, retry_after=fault.retry_after)
    idle = exchange.sent == "reused" and not exchange.response_began
    return Failure(sent=exchange.sent is not None, idle=idle)


def lost_session(refusal: HttpError, method: str, session: str | None) -> bool:
    """Return whether a refusal means that the server has ended the session of a request."""
    return refusal.status == 404 and session is not None and method != INITIALIZE


def lacks_headers(refusal: HttpError) -> bool:
    """Return whether a refusal means that the headers of a tool call do not match the schema of the tool."""
    return error_of(refusal).get("code") == HEADER_MISMATCH
