"""Sends failed requests again, as the retry policy decides: waits, logs, and shows what it waits for."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple, TypeVar

from ...errors import ConnectionClosed, HttpError, McpError, RequestTimeout
from ...logs import CLIENT_LOGGER, write_log
from .exchange import Exchange
from .retry import FLOOR, RetryPolicy, failure_of

T = TypeVar("T")


class Retry(NamedTuple):
    """A request or stream that has failed and will be tried again."""

    what: str
    """The method of the request, or a description of the stream."""
    reason: str
    """The failure."""
    failures: int
    """The number of failures in a row."""
    pause: float
    """Seconds from the failure to the next attempt."""
    least: float | None = None
    """Seconds after which the response to another request ends the pause; None if none does."""


class Repeater:
    """Tries again what has failed in the exchanges of one transport. Thread-safe."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy
        self._waiting: dict[Exchange, Retry] = {}
        self._server_responds: set[Exchange] = set()
        """Those waiting that a response to another request has been noted for."""

    @property
    def waiting(self) -> tuple[Retry, ...]:
        """The requests and streams that wait to be tried again."""
        # A copy in one step: other threads change it.
        return (*self._waiting.copy().values(),)

    def send(self, method: str, exchange: Exchange, attempt: Callable[[], T]) -> T:
        """Return what ``attempt`` returns; call it again as long as the policy allows it. Raise its last failure."""
        try:
            return attempt()
        except (HttpError, ConnectionClosed) as fault:
            failed = fault
        return self.send_again(method, exchange, failed, attempt)

    def send_again(self, method: str, exchange: Exchange, fault: McpError, attempt: Callable[[], T]) -> T:
        """Do the same after a first attempt that has failed with ``fault``."""
        failures = 1
        while isinstance(fault, HttpError | ConnectionClosed) and not exchange.exhausted:
            left = exchange.deadline - monotonic()
            pause = self.policy.before_repeating(method, failure_of(fault, exchange), failures, left)
            if pause is None or self.wait(exchange, Retry(exchange.what, _reason(exchange, fault), failures, pause)):
                break
            exchange.forget_attempt()
            try:
                return attempt()
            except (HttpError, ConnectionClosed) as again:
                fault = again
            failures += 1
        # A request that this one depends on is not counted twice.
        exchange.exhausted = True
        raise exchange.closed() if exchange.ended else fault

    def before_resuming(
        self,
        fault: Exception | None,
        exchange: Exchange,
        failures: int,
        *,
        wanted: bool = False,
        server_delay: float | None = None,
    ) -> Retry | None:
        """Return the next attempt to open a stream, or None if there is none; see ``RetryPolicy.before_resuming``."""
        if not wanted and not isinstance(fault, HttpError | ConnectionClosed | RequestTimeout | None):
            return None
        failure = None if fault is None else failure_of(fault, exchange)
        pause = self.policy.before_resuming(failure, failures, wanted=wanted, server_delay=server_delay)
        if pause is None:
            return None
        # A server that responds is there again. A refusal says nothing about that.
        unreachable = failure is not None and failure.status is None
        least = min(pause, max(FLOOR, server_delay or 0.0)) if unreachable else None
        reason = "the stream ended" if fault is None else _reason(exchange, fault)
        return Retry(exchange.what, reason, failures, pause, least)

    def note_response(self) -> None:
        """End the pauses of streams whose server could not be reached: it has responded to a request."""
        if self._waiting:
            for exchange, retry in self._waiting.copy().items():
                if retry.least is not None:
                    self._server_responds.add(exchange)
                    exchange.wake()

    def wait(self, exchange: Exchange, retry: Retry) -> bool:
        """Wait for the next attempt; return whether the exchange has ended meanwhile."""
        if exchange.ended:
            return True
        write_log("info", "%s: %s; trying again in %.2f s", retry.what, retry.reason, retry.pause, logger=CLIENT_LOGGER)
        self._waiting[exchange] = retry
        try:
            return self._sleep(exchange, retry)
        finally:
            del self._waiting[exchange]
            self._server_responds.discard(exchange)

    def _sleep(self, exchange: Exchange, retry: Retry) -> bool:
        """Sleep as long as ``retry`` says; return whether the exchange has ended meanwhile."""
        begun = monotonic()
        while (event := exchange.new_event()) is not None:
            seconds = retry.pause
            if retry.least is not None and exchange in self._server_responds:
                seconds = retry.least
            left = begun + seconds - monotonic()
            if left <= 0:
                return False
            event.wait(left)
        return True


def _reason(exchange: Exchange, fault: Exception) -> str:
    """Return the text of a failure without the name of the exchange, which stands before it."""
    return str(fault).removeprefix(f"{exchange.what}: ")
