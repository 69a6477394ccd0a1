"""What is particular to transports over descriptors."""

from __future__ import annotations

import contextlib
import gc
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, MessageTooLarge, RequestTimeout, UsageError
from mcp_bindings_runtime.transports.streams import Streams
from runtime.transports.links import LONG, Running, listening, pipes, python, socket_pair
from runtime.unix_socket import UnixSocket
from support.scripted_peers import descriptors

MIB = 1024 * 1024


@pytest.fixture
def raw() -> Iterator[tuple[int, int, Streams]]:
    """What the other side writes to, what it reads from, and the transport."""
    (reader, to), (come, writer) = os.pipe(), os.pipe()
    streams = Streams(reader, writer)
    yield to, come, streams
    streams.close()
    for fd in (to, come):
        # Some tests end the other side themselves.
        with contextlib.suppress(OSError):
            os.close(fd)


def test_a_message_may_come_a_byte_at_a_time(raw: tuple[int, int, Streams]) -> None:
    to, _, streams = raw
    receiving = Running(streams.receive, LONG)
    for byte in b"\n\r\nslow\r":
        os.write(to, bytes([byte]))
        assert receiving.waits()
    os.write(to, b"\n")
    assert receiving.result() == b"slow"


def test_over_any_stream_a_message_is_a_line() -> None:
    with listening() as (listener, path):
        streams = UnixSocket(path)
        other, _ = listener.accept()
    with other, other.makefile("rwb", buffering=0) as bytes_of:
        streams.send(b'{"a":1}', LONG)
        streams.send(b"{}", LONG)
        assert [bytes_of.readline() for _ in range(2)] == [b'{"a":1}\n', b"{}\n"]
        bytes_of.write(b'{"b":2}\n{}\n')
        assert [streams.receive(LONG) for _ in range(2)] == [b'{"b":2}', b"{}"]
    streams.close()


def test_each_timeout_takes_the_bytes_that_are_there(raw: tuple[int, int, Streams]) -> None:
    to, _, streams = raw
    for byte in b"slow":
        os.write(to, bytes([byte]))
        assert streams.receive(0) is None
    os.write(to, b"\n1\n2\n")
    assert [streams.receive(0) for _ in range(4)] == [b"slow", b"1", b"2", None]


def test_a_flood_without_end_does_not_hold_the_receiver() -> None:
    streams = Streams(os.open("/dev/zero", os.O_RDONLY), os.open(os.devnull, os.O_WRONLY), limit=MIB)
    with pytest.raises(MessageTooLarge):
        streams.receive(0.05)
    assert streams.receive(0.05) is None
    streams.close()


def test_an_unfinished_last_line_is_a_message(raw: tuple[int, int, Streams]) -> None:
    to, _, streams = raw
    os.write(to, b"1\n2")
    os.close(to)
    assert streams.receive(LONG) == b"1"
    assert streams.receive(LONG) == b"2"
    with pytest.raises(ConnectionClosed, match="the other side closed the connection"):
        streams.receive(LONG)


def test_one_can_send_after_the_other_side_has_ended_its_half(raw: tuple[int, int, Streams]) -> None:
    to, come, streams = raw
    os.close(to)
    with pytest.raises(ConnectionClosed):
        streams.receive(LONG)
    streams.send(b"answer", LONG)
    assert os.read(come, 100) == b"answer\n"


def test_one_thread_receives_at_a_time(raw: tuple[int, int, Streams]) -> None:
    _, _, streams = raw
    receiving = Running(streams.receive)
    assert receiving.waits()
    with pytest.raises(UsageError, match="another thread is receiving"):
        streams.receive(0)
    streams.interrupt()
    assert receiving.result() is None


def test_a_message_that_is_taken_in_part_breaks_the_connection(raw: tuple[int, int, Streams]) -> None:
    _, come, streams = raw
    receiving = Running(streams.receive)
    assert receiving.waits()
    with pytest.raises(ConnectionClosed, match=r"took nothing for 0\.1 s after a part of a message"):
        streams.send(b"x" * MIB, 0.1)
    with pytest.raises(ConnectionClosed):
        receiving.result()
    with pytest.raises(ConnectionClosed):
        streams.send(b"x")
    while os.read(come, MIB):
        pass


def test_what_was_sent_by_who_then_left_is_received_after_a_send_has_failed(raw: tuple[int, int, Streams]) -> None:
    to, come, streams = raw
    os.write(to, b"why I leave\n")
    sending = Running(streams.send, b"x" * MIB)
    assert sending.waits()
    os.close(come)
    with pytest.raises(ConnectionClosed, match="the other side closed the connection"):
        sending.result()
    assert streams.receive(LONG) == b"why I leave"


def test_the_timeout_of_send_counts_from_when_something_was_taken(raw: tuple[int, int, Streams]) -> None:
    _, come, streams = raw
    size = MIB
    sending = Running(streams.send, b"x" * size, 1.0)
    taken = 0
    for _ in range(6):
        assert sending.waits()
        threading.Event().wait(0.25)
        taken += len(os.read(come, 10_000))
    # By now it waits for longer than a second altogether.
    while taken <= size:
        taken += len(os.read(come, MIB))
    sending.result()


def test_a_message_that_a_signal_cut_off_is_finished_by_the_next(raw: tuple[int, int, Streams]) -> None:
    _, come, streams = raw

    def leave(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def interrupt() -> None:
        # The pipe holds the beginning of the first message.
        assert select.select([come], [], [], LONG)[0]
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def send_interrupted(data: bytes) -> None:
        Running(interrupt)
        streams.send(data, LONG)

    before = signal.signal(signal.SIGUSR1, leave)
    try:
        for filling in (b"x", b"y"):
            with pytest.raises(KeyboardInterrupt):
                send_interrupted(filling * MIB)
            if filling == b"y":
                # Of this one nothing had been sent, and nothing will be.
                break
        with pytest.raises(RequestTimeout):
            streams.send(b"not yet", 0.05)
    finally:
        signal.signal(signal.SIGUSR1, before)
    other = Streams(os.dup(come), os.open(os.devnull, os.O_WRONLY))
    sending = Running(streams.send, b"after", LONG)
    assert other.receive(LONG) == b"x" * MIB
    assert other.receive(LONG) == b"after"
    sending.result()


@pytest.mark.parametrize("connect", [pipes, socket_pair])
def test_no_signal_whenever_it_comes_breaks_a_message(connect: Callable[[], tuple[Streams, Streams]]) -> None:
    near, far = connect()
    sizes = (10, 3000, 5000, 70_000, 300_000)
    armed = False

    def leave(number: int, frame: object) -> None:
        if armed:
            raise TimeoutError

    def collect() -> list[bytes]:
        received: list[bytes] = []
        while (message := far.receive(LONG)) != b"end":
            received.append(message or b"")
        return received

    receiving = Running(collect)
    messages = [b"%d:" % number + b"x" * sizes[number % 5] for number in range(1000)]
    sent: list[bytes] = []
    before = signal.signal(signal.SIGVTALRM, leave)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005, 0.0005)
    try:
        for message in messages:
            # The outer one is for the moments in which it is not sent yet, or sent already.
            with contextlib.suppress(TimeoutError):
                try:
                    armed = True
                    near.send(message, LONG)
                    armed = False
                    sent.append(message)
                finally:
                    armed = False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    near.send(b"end", LONG)
    received = receiving.result()
    # What was cut off may have been sent or not, but whole, in its place, and once.
    assert [message for message in messages if message in set(received)] == received
    assert set(sent) <= set(received)
    near.close()
    far.close()


def test_ctrl_c_leaves_it_usable() -> None:
    done = subprocess.run(python("ctrl_c.py"), capture_output=True, text=True, timeout=LONG, check=False)
    assert (done.stdout, done.stderr) == ("usable\n", "")


def test_the_blocking_mode_of_what_is_written_is_put_back() -> None:
    near, far = (end.detach() for end in socket.socketpair())
    reader, writer = os.pipe()
    kept = [os.dup(near), os.dup(writer)]
    over_socket, over_pipe = Streams(near, near), Streams(reader, writer)
    assert [os.get_blocking(fd) for fd in kept] == [False, False]
    over_socket.close()
    over_pipe.close()
    assert [os.get_blocking(fd) for fd in kept] == [True, True]
    for fd in (*kept, far):
        os.close(fd)


def test_a_fork_that_ends_leaves_the_blocking_mode_alone() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


FORKS = """
import os, sys
from mcp_bindings_runtime.transports.streams import Streams
reader, writer = os.pipe()
streams = Streams(reader, writer)
pid = os.fork()
if not pid:
    streams.close()
    sys.exit()
os.waitpid(pid, 0)
print(os.get_blocking(writer))
"""


def test_files_are_read_to_their_end_and_written(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"1\n" + b"2" * 300_000 + b"\n3")
    streams = Streams(os.open(source, os.O_RDONLY), os.open(target, os.O_WRONLY | os.O_CREAT))
    assert [streams.receive(0) for _ in range(3)] == [b"1", b"2" * 300_000, b"3"]
    with pytest.raises(ConnectionClosed):
        streams.receive(0)
    streams.send(b"4" * 300_000, 1)
    streams.send(b"5")
    streams.close()
    assert target.read_bytes() == b"4" * 300_000 + b"\n5\n"


def test_a_terminal_carries_messages_and_its_end_is_noticed() -> None:
    terminal, other = pty.openpty()
    tty.setraw(other)
    near, far = Streams(other, other), Streams(terminal, terminal)
    near.send(b"there", LONG)
    assert far.receive(LONG) == b"there"
    far.send(b"back", LONG)
    assert near.receive(LONG) == b"back"
    far.close()
    with pytest.raises(ConnectionClosed):
        near.receive(LONG)
    near.close()


def test_descriptors_are_given_back_by_close_and_when_it_is_forgotten() -> None:
    gc.collect()
    before = descriptors()
    for _ in range(50):
        near, far = pipes()
        near.close()
        del far
    assert not descriptors() - before


def test_no_number_is_given_back_while_a_thread_uses_it() -> None:
    """What another thread opens at once would get that number, and what is not meant for it."""
    for _ in range(150):
        near, far = pipes()
        waiting = [Running(near.receive), Running(keep_sending, near)]
        Running(far.receive, 0.001).result()
        near.close()
        opened = [os.pipe() for _ in range(4)]
        for each in waiting:
            with pytest.raises(ConnectionClosed):
                each.result()
        near.interrupt()
        for reader, writer in opened:
            os.set_blocking(reader, False)
            with pytest.raises(BlockingIOError):
                os.read(reader, 1)
            os.close(reader)
            os.close(writer)
        far.close()


def keep_sending(streams: Streams) -> None:
    while True:
        streams.send(b"x" * 20_000)
