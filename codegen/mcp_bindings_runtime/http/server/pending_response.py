"""``PendingResponse``: the response to a request whose handler has not returned yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from .disconnection import ClientGone
from .handler_pool import HandlerPool
from .post_channel import PostChannel
from .responses import Rejection, Response, busy


def _ignore() -> None:
    """Do nothing."""


class PendingResponse:
    """The response that the handlers of a POST produce.

    ``jobs`` run the handlers. ``respond`` returns the response once ``ready``: a streamed one may begin while handlers
    run. ``refuse`` is called if there is no thread for a handler, ``cancel`` if the client has gone; without ``cancel``,
    handlers then continue.
    """

    def __init__(
        self,
        channel: PostChannel,
        jobs: Sequence[Callable[[], None]],
        respond: Callable[[], Response],
        *,
        refuse: Callable[[], object] = _ignore,
        cancel: Callable[[], object] | None = None,
    ) -> None:
        self.channel = channel
        self.environ: Mapping[str, Any] = {}
        """The WSGI environment of the request."""
        self._jobs = jobs
        self._respond = respond
        self._refuse = refuse
        self._cancel = cancel
        self._claimed = False
        self._lock = Lock()

    @property
    def ready(self) -> bool:
        """Whether there is something to send."""
        channel = self.channel
        return channel.log is not None or channel.done

    @property
    def cancellable(self) -> bool:
        """Whether a client that has gone cancels the request."""
        return self._cancel is not None

    def start(self, pool: HandlerPool) -> None:
        """Run the handlers in other threads. Raise ``Rejection`` (503) if that is refused."""
        for job in self._jobs:
            if not pool.start(job, self.channel.source):
                self._refuse()
                raise pool.rejection()

    def run(self, pool: HandlerPool) -> None:
        """Run the handlers, the first one in this thread. Raise ``Rejection`` (503) if that is refused."""
        first, *others = self._jobs
        for job in others:
            if not pool.start(job, self.channel.source):
                self._refuse()
                raise pool.rejection()
        if not pool.run(first, self.channel.source):
            self._refuse()
            raise pool.rejection()

    def claim(self) -> bool:
        """Return whether the caller is the first, and so has to send the response."""
        with self._lock:
            claimed, self._claimed = self._claimed, True
        return not claimed

    def wait(self, keepalive: float, is_gone: Callable[[], bool]) -> Response:
        """Wait for the response. Raise ``Rejection``."""
        try:
            self.channel.wait(keepalive, *((is_gone,) if self.cancellable else ()))
        except ClientGone:
            self.cancel()
            raise Rejection(400, "the client closed the connection before the response") from None
        return self.response()

    def response(self) -> Response:
        """Return the response. Raise ``Rejection`` (503) if a handler failed because a limit was reached."""
        channel = self.channel
        if channel.log is None and channel.overloaded and channel.refusal is not None:
            raise busy(channel.overloaded)
        return self._respond()

    def cancel(self) -> None:
        """Cancel the request, because the client has gone."""
        if self._cancel is not None:
            self._cancel()
