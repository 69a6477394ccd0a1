"""What the tests of transports share: connected ends, and an end to every wait."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator

import pytest
from runtime.transports.links import KINDS, Ends

PATIENCE = 40
"""Seconds after which a test that still waits has failed."""


@pytest.fixture(autouse=True)
def _no_wait_is_endless() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def fail(number: int, frame: object) -> None:
        message = f"this test waited for {PATIENCE} seconds"
        raise TimeoutError(message)

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def ends(request: pytest.FixtureRequest) -> Iterator[Ends]:
    """Two connected transports; the first is the one under test."""
    connect: Callable[[], Ends] = request.param
    near, far = connect()
    yield near, far
    near.close()
    far.close()
