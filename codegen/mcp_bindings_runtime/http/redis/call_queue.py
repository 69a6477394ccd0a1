"""Requests from one process to another, and their answers, in Redis."""

from __future__ import annotations

from typing import Final

from ...logs import log_exception
from ..server.event_log import EventLog
from ..server.store import CallReceiver, CallsBusy, ProcessState
from . import call_scripts
from .client import RedisClient
from .event_log import LocalReaders, RedisEventLog

MAX_QUEUED: Final = 64
"""Limit on the requests from other processes that a process has not read yet."""
ANSWER_TIME: Final = 60.0
"""Seconds for which Redis keeps the response to a request of another process while nobody reads it."""
_BATCH: Final = 100


class RedisCallQueue:
    """Sends requests to other processes, and receives theirs. A process counts as dead ``alive`` seconds after a heartbeat.

    ``memory`` limits the bytes of the answers for one source.
    """

    def __init__(self, client: RedisClient, readers: LocalReaders, *, alive: float, memory: int) -> None:
        self._client = client
        self._readers = readers
        self._alive = int(alive * 1000)
        self._memory = memory
        self._receivers: list[CallReceiver] = []
        self._batch = 0
        """Number of the batch of requests that is received next."""

    @property
    def process(self) -> str:
        """See ``CallQueue.process`` of the stores."""
        return self._readers.process

    def on_call(self, receive: CallReceiver) -> None:
        """See ``CallQueue.on_call`` of the stores."""
        self._receivers.append(receive)

    def send(self, process: str, call_id: str, source: str, request: bytes) -> ProcessState:
        """See ``CallQueue.send`` of the stores."""
        limits = int(ANSWER_TIME * 1000), MAX_QUEUED, self._alive
        sent = self._client.run(call_scripts.SEND, call_scripts.SESSION, call_id, process, source, *limits, request)
        if sent == -1:
            raise CallsBusy
        return ProcessState.ALIVE if sent == 1 else ProcessState.DEAD if sent == 0 else ProcessState.UNKNOWN

    def answer(self, call_id: str) -> EventLog:
        """See ``CallQueue.answer`` of the stores."""
        return RedisEventLog(
            self._client,
            self._readers,
            call_scripts.SESSION,
            call_id,
            lifetime=ANSWER_TIME,
            memory=self._memory,
        )

    def receive(self) -> None:
        """Pass the requests for this process to the receivers. Raise ``StoreUnavailable``."""
        while requests := self._client.run(call_scripts.RECEIVE, self.process, _BATCH, self._batch):
            self._batch += 1
            for request in requests:
                for receive in list(self._receivers):
                    try:
                        receive(request)
                    except Exception as error:  # noqa: BLE001  # one bad request must not stop the thread
                        log_exception(error, "a request of another process could not be handled: %s", error)
