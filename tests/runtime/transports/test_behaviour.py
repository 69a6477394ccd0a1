"""What every transport does, whatever carries its messages."""

from __future__ import annotations

import signal
import threading

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, MessageTooLarge, RequestTimeout, UsageError
from mcp_bindings_runtime.transports import Transport
from runtime.transports.links import LIMIT, LONG, Ends, Running, fill

MIB = 1024 * 1024


def drain(transport: Transport) -> None:
    """Receives until nothing more comes, which is to be an exception."""
    while transport.receive(LONG) is not None:
        pass


def test_messages_arrive_in_order_both_ways(ends: Ends) -> None:
    for one, other in (ends, ends[::-1]):
        messages = [b"%d" % number for number in range(100)]
        for message in messages:
            one.send(message, LONG)
        assert [other.receive(LONG) for _ in messages] == messages


def test_messages_of_eight_senders_do_not_mix(ends: Ends) -> None:
    near, far = ends
    count = 150

    def send(sender: int) -> None:
        for number in range(count):
            # Below and above what a pipe takes at once, and what it takes whole.
            near.send(b"%d %d " % (sender, number) + b"%d" % sender * (1, 5000, 90_000)[number % 50 % 3 - 2], LONG)

    senders = [Running(send, sender) for sender in range(8)]
    seen = dict.fromkeys(range(8), 0)
    for _ in range(8 * count):
        message = far.receive(LONG)
        assert message is not None
        sender, number, filling = message.split()
        assert int(number) == seen[int(sender)]
        assert set(filling) == set(sender)
        seen[int(sender)] += 1
    for each in senders:
        each.result()
    assert far.receive(0) is None


def test_large_messages_go_both_ways_at_once(ends: Ends) -> None:
    near, far = ends
    there, back = b"<" * 8 * MIB, b">" * 8 * MIB
    sending = [Running(near.send, there, LONG), Running(far.send, back, LONG)]
    receiving = Running(far.receive, LONG)
    assert near.receive(LONG) == back
    assert receiving.result() == there
    for each in sending:
        each.result()


@pytest.mark.parametrize("timeout", [0.05, 0, -1])
def test_receive_gives_none_when_nothing_came_in_time(ends: Ends, timeout: float) -> None:
    near, far = ends
    assert near.receive(timeout) is None
    far.send(b"late")
    assert near.receive(LONG) == b"late"


def test_a_timeout_that_is_no_number_of_seconds_is_refused(ends: Ends) -> None:
    with pytest.raises(UsageError, match="nan"):
        ends[0].receive(float("nan"))


def test_a_timeout_may_be_longer_than_the_system_counts(ends: Ends) -> None:
    near, far = ends
    for timeout in (1e12, float("inf")):
        received = Running(near.receive, timeout)
        assert received.waits()
        far.send(b"x", timeout)
        assert received.result() == b"x"


def test_an_interrupt_ends_the_receive_that_waits(ends: Ends) -> None:
    near, far = ends
    for _ in range(3):
        receiving = Running(near.receive)
        assert receiving.waits()
        near.interrupt()
        assert receiving.result() is None
    far.send(b"x")
    assert near.receive(LONG) == b"x"


def test_an_interrupt_before_makes_the_next_receive_give_none_once(ends: Ends) -> None:
    near, far = ends
    far.send(b"1")
    assert near.receive(LONG) == b"1"
    far.send(b"2")
    far.send(b"3")
    near.interrupt()
    near.interrupt()
    assert near.receive(LONG) is None
    assert near.receive(LONG) == b"2"
    near.interrupt()
    assert near.receive(LONG) is None
    assert near.receive(LONG) == b"3"
    assert near.receive(0) is None


def test_an_interrupt_does_not_disturb_who_sends(ends: Ends) -> None:
    near, far = ends
    sending = Running(near.send, b"x" * 4 * MIB)
    if sending.waits():
        near.interrupt()
    received = far.receive(LONG)
    sending.result()
    assert received == b"x" * 4 * MIB


def test_a_signal_handler_may_interrupt(ends: Ends) -> None:
    near, _ = ends
    before = signal.signal(signal.SIGUSR1, lambda number, frame: near.interrupt())
    try:
        timer = threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGUSR1))
        timer.start()
        assert near.receive(LONG) is None
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_an_exception_of_a_signal_handler_leaves_it_usable(ends: Ends) -> None:
    near, far = ends

    def leave(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, leave)
    try:
        for _ in range(3):
            timer = threading.Timer(0.05, signal.pthread_kill, (threading.main_thread().ident, signal.SIGUSR1))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                near.receive(LONG)
            timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    far.send(b"x", LONG)
    assert near.receive(LONG) == b"x"
    near.send(b"y", LONG)
    assert far.receive(LONG) == b"y"


def test_who_takes_nothing_makes_send_time_out_and_can_go_on(ends: Ends) -> None:
    near, far = ends
    sent = fill(near)
    assert sent
    one_more, never = b"more" * 500, b"none" * 500
    waiting = Running(near.send, one_more, LONG)
    assert waiting.waits()
    with pytest.raises(RequestTimeout, match=r"took nothing for 0\.1 s"):
        near.send(never, 0.1)
    for number in range(sent):
        assert (far.receive(LONG) or b"")[:7] == b"%07d" % number
    waiting.result()
    assert far.receive(LONG) == one_more
    assert far.receive(0.05) is None


def test_close_ends_all_that_waits_in_other_threads(ends: Ends) -> None:
    near, _ = ends
    fill(near)
    waiting = [Running(near.receive), Running(near.send, b"x" * 2000), Running(near.send, b"y" * 100_000)]
    assert all(each.waits() for each in waiting)
    near.close()
    for each in waiting:
        with pytest.raises(ConnectionClosed, match="closed on this side"):
            each.result()


def test_what_is_closed_stays_closed(ends: Ends) -> None:
    near, far = ends
    far.send(b"too late")
    near.close()
    near.close()
    near.interrupt()
    for _ in range(2):
        with pytest.raises(ConnectionClosed, match="closed on this side"):
            near.receive(LONG)
        with pytest.raises(ConnectionClosed, match="closed on this side"):
            near.send(b"x", LONG)
    with pytest.raises(ConnectionClosed):
        drain(far)


def test_what_was_sent_before_the_end_is_received(ends: Ends) -> None:
    near, far = ends
    far.send(b"last")
    far.send(b"very last")
    far.close()
    assert near.receive(LONG) == b"last"
    assert near.receive(LONG) == b"very last"
    for _ in range(2):
        with pytest.raises(ConnectionClosed):
            near.receive(LONG)


def test_who_sends_to_nobody_is_told(ends: Ends) -> None:
    near, far = ends
    far.close()
    with pytest.raises(ConnectionClosed):
        fill(near)


def test_the_end_of_the_other_side_ends_all_that_waits(ends: Ends) -> None:
    near, far = ends
    fill(near)
    waiting = [Running(near.receive), Running(near.send, b"x" * 2000)]
    assert all(each.waits() for each in waiting)
    far.close()
    for each in waiting:
        with pytest.raises(ConnectionClosed):
            each.result()


def test_a_message_that_is_too_large_is_skipped_and_said_once(ends: Ends) -> None:
    near, far = ends
    messages = [b"before", b"x" * LIMIT, b"x" * (LIMIT + 1), b"y" * (LIMIT + 3 * MIB), b"after"]

    def send() -> None:
        for message in messages:
            far.send(message, LONG)

    sending = Running(send)
    assert near.receive(LONG) == b"before"
    assert near.receive(LONG) == messages[1]
    for _ in range(2):
        with pytest.raises(MessageTooLarge, match=f"the limit is {LIMIT} bytes") as problem:
            near.receive(LONG)
        assert problem.value.seen > problem.value.limit == LIMIT
    assert near.receive(LONG) == b"after"
    sending.result()


@pytest.mark.parametrize(("message", "fault"), [(b"", "is empty"), (b"{\n}", "has a newline at byte 1")])
def test_what_would_not_arrive_as_one_message_is_refused(ends: Ends, message: bytes, fault: str) -> None:
    near, far = ends
    with pytest.raises(UsageError, match=fault):
        near.send(message)
    near.send(b"{}")
    assert far.receive(LONG) == b"{}"
