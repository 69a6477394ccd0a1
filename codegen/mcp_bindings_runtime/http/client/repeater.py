"""Sends failed requests again, as the retry policy decides: waits, logs, and shows what it waits for."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple, TypeVar

from ...errors import ConnectionClosed, HttpError, McpError, RequestTimeout
from ...logs import CLIENT_LOGGER, write_log
from .exchange import Exchange
from .retry import RetryPolicy, failure_of

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


class Repeater:
    """Tries again what has failed in the exchanges of one transport. Thread-safe."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy
        self._waiting: dict[Exchange, Retry] = {}

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
            if pause is None or self.wait(exchange, Retry(exchange.what, str(fault), failures, pause)):
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
    ) -> float | None:
        """Return the pause before a stream is opened again; see ``RetryPolicy.before_resuming``."""
        if not wanted and not isinstance(fault, HttpError | ConnectionClosed | RequestTimeout | None):
            return None
        failure = None if fault is None else failure_of(fault, exchange)
        return self.policy.before_resuming(failure, failures, wanted=wanted, server_delay=server_delay)

    def wait(self, exchange: Exchange, retry: Retry) -> bool:
        """Wait for the next attempt; return whether the exchange has ended meanwhile."""
        if exchange.ended:
            return True
        write_log("info", "%s: %s; trying again in %.2f s", retry.what, retry.reason, retry.pause, logger=CLIENT_LOGGER)
        self._waiting[exchange] = retry
        try:
            return exchange.sleep(retry.pause)
        finally:
            del self._waiting[exchange]
