"""The threads of tasks: alarms ring when their time has come, whatever came of those before."""

from __future__ import annotations

import time
from queue import Queue
from typing import Any

from mcp_bindings_runtime.tasks.expiry_timer import ExpiryTimer
from support.scripted_peers import PATIENCE, eventually, threads_of


def test_an_alarm_rings_after_one_that_has_failed(caplog: Any) -> None:
    rung: Queue[None] = Queue()

    def ring() -> None:
        alarm.remove("first")
        rung.put(None)
        text = "the disk is full"
        raise OSError(text)

    alarm = ExpiryTimer(ring, time.time)
    for name in ("first", "second"):
        alarm.set(name, time.time())
        rung.get(timeout=PATIENCE)
        alarm.remove(name)
    eventually(lambda: not threads_of())
    assert "the disk is full" in caplog.text


def test_an_alarm_that_is_set_while_one_rings_is_the_only_one() -> None:
    rung: Queue[None] = Queue()

    def ring() -> None:
        # As where the last has been told, and another begins to wait at that moment.
        alarm.remove("first")
        alarm.set("second", time.time() + 1000 * PATIENCE)
        rung.put(None)

    alarm = ExpiryTimer(ring, time.time)
    alarm.set("first", time.time())
    rung.get(timeout=PATIENCE)
    eventually(lambda: len(threads_of()) == 1)
    alarm.remove("second")
    eventually(lambda: not threads_of())


def test_one_alarm_rings_for_each_of_several_times() -> None:
    rung: Queue[None] = Queue()
    alarm = ExpiryTimer(lambda: rung.put(None), time.time)
    now = time.time()
    for name, seconds in (("later", 0.2), ("first", 0.1), ("never", 1000 * PATIENCE)):
        alarm.set(name, now + seconds)
    for name in ("first", "later"):
        rung.get(timeout=PATIENCE)
        alarm.remove(name)
    eventually(lambda: len(threads_of()) == 1)
    alarm.remove("never")
    eventually(lambda: not threads_of())
