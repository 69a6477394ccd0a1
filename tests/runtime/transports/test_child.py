"""Servers that are started, that end in all ways, and that are ended."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT
from mcp_bindings_runtime.errors import ConnectionClosed, UsageError
from mcp_bindings_runtime.transports import server_process
from mcp_bindings_runtime.transports.child import Child
from runtime.transports.links import LONG, Running, fill, python
from support.scripted_peers import descriptors

SHORT = {"grace": 0.2, "terminate": 0.2}


def shell(script: str, **options: object) -> Child:
    return Child(["sh", "-c", script], **options)


def end_of(child: Child) -> str:
    with pytest.raises(ConnectionClosed) as problem:
        child.receive(LONG)
    child.close()
    return str(problem.value)


def runs(pid: int) -> bool:
    """Whether there is such a process; one that nobody has reaped counts."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid: int) -> bool:
    """Whether it ends soon; init reaps what has lost its parent, which takes a moment."""
    deadline = time.monotonic() + LONG
    while runs(pid) and state(pid) not in {"Z", ""}:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


@pytest.fixture
def started() -> Iterator[list[int]]:
    """Numbers of processes that must not outlive the test."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


LONG_PROGRAM = "import sys\n" + "# nothing to see here\n" * 2000 + "sys.exit(3)"
"""A program as tests and scripts give it after ``-c``."""


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ([sys.executable, "-c", LONG_PROGRAM], "-c 'import sys\N{HORIZONTAL ELLIPSIS}'"),
        ([sys.executable, "-c", "import sys; " * 500 + "sys.exit(3)"], "-c 'import sys; import sys; "),
        ([sys.executable, "-c", "import sys; sys.exit(3)", *"ab" * 1000], "-c 'import sys; sys.exit(3)' a b a b"),
    ],
)
def test_a_message_shows_the_beginning_of_a_long_command(command: list[str], shown: str) -> None:
    text = end_of(Child(command, inherit_env=True))
    assert shown in text
    assert text.endswith("exited with status 3")
    assert len(text) < 400
    assert "\n" not in text


def test_a_long_command_that_cannot_be_started_is_shown_by_its_beginning() -> None:
    for command in (["/missing/" + "x" * 100 + "\n" * 100], [sys.executable, "-c", LONG_PROGRAM, "a\0b"]):
        with pytest.raises(UsageError) as problem:
            Child(command)
        assert len(str(problem.value)) < 400
        assert "cannot start " in str(problem.value)


@pytest.mark.parametrize("watch", ["pidfd", "thread"])
@pytest.mark.parametrize(
    ("script", "how"),
    [
        (
            "exit 0",
            "exited with status 0 without reading a message; an MCP server reads its standard input until that is closed",
        ),
        ("exit 3", "exited with status 3"),
        ("kill -KILL $$", "was killed by SIGKILL"),
        ("kill -40 $$", "was killed by signal 40"),
        ("sleep 60 & exit 4", "exited with status 4"),
    ],
)
def test_how_a_server_ended_is_said(script: str, how: str, watch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if watch == "thread":
        monkeypatch.delattr(os, "pidfd_open")
        monkeypatch.setattr(server_process.sys, "platform", "other")
    child = shell(script, **SHORT, inherit_env=True)
    assert end_of(child) == f"the server {'sh -c ' + repr(script)!r} (process {child.pid}) {how}"


def test_a_server_that_has_read_a_message_may_end() -> None:
    child = shell("read line; echo $line", **SHORT)
    child.send(b"1", LONG)
    assert child.receive(LONG) == b"1"
    assert end_of(child).endswith("exited with status 0")


def test_what_was_written_before_the_end_is_received_first() -> None:
    # A process that it has started keeps the pipe, so the end shows in its exit only.
    child = shell("sleep 60 & echo 1; echo 2; printf 3", **SHORT)
    assert [child.receive(LONG) for _ in range(3)] == [b"1", b"2", b"3"]
    assert "exited with status 0" in end_of(child)


def test_a_server_that_closes_its_output_and_lives_on_is_noticed() -> None:
    child = shell("exec >&-; sleep 60", **SHORT)
    assert end_of(child).endswith("has closed its end of the connection, and still runs")


def test_how_it_ended_is_said_when_it_ends_later() -> None:
    child = shell("exec >&-; read line; exit 3")
    with pytest.raises(ConnectionClosed, match="still runs"):
        child.receive(LONG)
    child.send(b"end")
    deadline = time.monotonic() + LONG
    while state(child.pid) != "Z" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "exited with status 3" in end_of(child)


def test_the_number_of_a_server_that_has_ended_is_kept_until_close() -> None:
    child = shell("exit 3")
    for _ in range(2):
        with pytest.raises(ConnectionClosed, match="exited with status 3"):
            child.receive(LONG)
    assert state(child.pid) == "Z"
    child.close()
    assert not runs(child.pid)


def test_who_sends_to_a_server_that_has_ended_learns_how_it_ended() -> None:
    child = shell("exit 3")
    with pytest.raises(ConnectionClosed, match="exited with status 3"):
        fill(child)
    child.close()


def test_garbage_is_handed_on_as_it_came() -> None:
    child = shell(r"printf '\000\377 not JSON\n'")
    assert child.receive(LONG) == b"\x00\xff not JSON"
    child.close()


def test_the_last_lines_of_standard_error_are_kept_and_reported() -> None:
    child = shell("for i in 1 2 3; do echo line $i >&2; done; printf 'no newline' >&2; exit 1", stderr="capture")
    assert end_of(child).endswith(
        "exited with status 1; the last lines of its standard error:\n"
        "    line 1\n    line 2\n    line 3\n    no newline"
    )
    assert child.stderr_lines() == ("line 1", "line 2", "line 3", "no newline")


def test_ten_megabytes_of_standard_error_hold_nobody_up() -> None:
    child = Child(python("server.py", "flood"), inherit_env=True, stderr="capture")
    child.send(b"x")
    assert child.receive(LONG) == b"x"
    child.close()
    lines = child.stderr_lines()
    assert len(lines) == 50
    assert lines[-1] == f"{99_999:099d}"


def test_standard_error_may_be_a_function_or_a_file(tmp_path: Path) -> None:
    lines: list[str] = []
    end_of(shell(r"echo 1 >&2; printf '\377\n' >&2; head -c 100000 /dev/zero >&2", stderr=lines.append))
    assert lines == ["1", "\ufffd", "(a line of more than 65536 bytes)"]
    with (tmp_path / "log").open("w") as log:
        end_of(shell("echo 1 >&2", stderr=log))
    assert (tmp_path / "log").read_text() == "1\n"


def test_a_function_for_standard_error_that_fails_is_not_called_again(caplog: pytest.LogCaptureFixture) -> None:
    lines: list[str] = []

    def fail(line: str) -> None:
        lines.append(line)
        raise ValueError(line)

    child = shell("echo 1 >&2; echo 2 >&2", stderr=fail)
    end_of(child)
    assert lines == ["1"]
    assert child.stderr_lines() == ("1", "2")
    assert [record.name for record in caplog.records] == ["mcp_bindings.runtime"]


def test_a_server_gets_the_harmless_part_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "secret")
    monkeypatch.setenv("TERM", "() { echo function; }")
    for options, seen in (
        ({}, b"[] [] []"),
        ({"env": {"MORE": "1", "TERM": "dumb"}}, b"[] [1] [dumb]"),
        ({"inherit_env": True, "env": {"MORE": "1"}}, b"[secret] [1] [() { echo function; }]"),
    ):
        child = shell('echo "[$API_TOKEN] [$MORE] [$TERM]"', **options)
        assert child.receive(LONG) == seen
        child.close()


def test_a_program_may_be_given_as_a_path() -> None:
    child = Child([Path("/bin/sh"), "-c", "exit 3"])
    assert end_of(child).startswith('the server "/bin/sh -c')


def test_a_server_starts_where_it_is_told(tmp_path: Path) -> None:
    child = shell("pwd", cwd=tmp_path)
    assert child.receive(LONG) == str(tmp_path).encode()
    child.close()


def not_executable(folder: Path) -> list[str]:
    (folder / "plain").write_text("#!/bin/sh\n")
    return [str(folder / "plain")]


def no_interpreter(folder: Path) -> list[str]:
    (folder / "script").write_text("#!/no/such/interpreter\n")
    (folder / "script").chmod(0o755)
    return [str(folder / "script")]


def relative(folder: Path) -> list[str]:
    """A path that is there in the working directory of this process, and not in that of the server."""
    (folder / "plain").touch()
    return [os.path.relpath(folder / "plain")]


def no_first_line(folder: Path) -> list[str]:
    (folder / "data").write_bytes(b"\0\1\2")
    (folder / "data").chmod(0o755)
    return [str(folder / "data")]


@pytest.mark.parametrize(
    ("command", "options", "advice"),
    [
        (["no-such-program"], {}, r"no such program in PATH \(.+\); install it, or give its full path"),
        (["server.py"], {}, r"it is not a program; name its interpreter before it, as in \['python', 'server\.py'\]"),
        (["./no-such-program"], {}, "there is no such file; give the path of a program"),
        (["bin/there"], {"cwd": "/"}, r"its path starts at the folder '/' \(cwd\), where there is no such file$"),
        (
            relative,
            # Far below the root, to which a path that begins with many `..` would lead from other folders.
            {"cwd": str(Path(__file__).parent)},
            r"where there is no such file; write the absolute path '/.*/plain'$",
        ),
        (["sh -c true"], {}, r"it is a program with arguments, in one string; write \['sh', '-c', 'true'\]"),
        ("sh", {}, r"write the program and its arguments in one list, as in \['sh', 'argument'\]"),
        (["http://127.0.0.1/mcp"], {}, "it is a URL; to connect to it, use Client.http or connect.http"),
        (["sh"], {"cwd": "/no/such"}, r"the folder '/no/such' \(cwd\) is not there; create it"),
        (not_executable, {}, r"it may not be executed; chmod \+x it"),
        (no_interpreter, {}, "the interpreter that the first line of .*script names is not there"),
        (no_first_line, {}, r"it is not a program \(no #! line\); name its interpreter before it"),
        ([], {}, r"a command must be a list of str, such as \['python', 'server.py'\], got \[\]"),
        ("python server.py", {}, r"got 'python server.py'; use shlex\.split\(\) to split a line"),
        (["sh", "\0"], {}, "embedded null byte"),
        (["sh", 1], {}, r"cannot start \['sh', 1\]: expected str, bytes or os\.PathLike object, not int"),
        ("http://127.0.0.1/mcp", {}, r"to connect to a URL, use Client\.http or connect\.http"),
        (["sh"], {"stderr": "stdout"}, "stderr is 'stdout'; give 'inherit', 'capture', an open file or a function"),
        (
            ["sh"],
            {"stderr": None},
            r"stderr is None, which has no descriptor; give subprocess\.DEVNULL to drop it, or a",
        ),
        (["sh"], {"limit": 0}, "at least 1"),
    ],
)
def test_a_server_that_cannot_be_started_is_explained(
    command: object, options: dict[str, object], advice: str, tmp_path: Path
) -> None:
    before = descriptors()
    with pytest.raises(UsageError, match=advice):
        Child(command(tmp_path) if callable(command) else command, **options)
    assert not descriptors() - before


def test_running_out_of_descriptors_is_explained_and_leaves_nothing_behind() -> None:
    done = subprocess.run(python("few_descriptors.py"), capture_output=True, text=True, timeout=LONG, check=False)
    assert (done.stdout, done.stderr) == ("as before\n", "")


@pytest.mark.parametrize("failing", ["exit_descriptor", "StderrLines"])
def test_what_fails_after_the_start_leaves_nothing_behind(failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> int:
        if failing == "StderrLines":
            os.close(args[0])
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(f"mcp_bindings_runtime.transports.child.{failing}", fail)
    before = descriptors()
    with pytest.raises(
        ConnectionClosed, match=r"cannot start the server 'cat' \(process \d+\): Too many open files"
    ) as told:
        Child(["cat"], stderr="capture")
    deadline = time.monotonic() + LONG
    while descriptors() - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not descriptors() - before
    pid = int(re.search(r"process (\d+)", str(told.value))[1])
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def test_closing_asks_first() -> None:
    child = shell("while read line; do :; done; echo bye >&2", stderr="capture", grace=LONG)
    child.close()
    assert child.stderr_lines() == ("bye",)


def test_what_a_server_still_writes_does_not_hold_it_up() -> None:
    child = shell("while read line; do :; done; head -c 1000000 /dev/zero; echo bye >&2", stderr="capture", grace=LONG)
    child.close()
    assert child.stderr_lines() == ("bye",)


def test_a_server_that_does_not_read_is_sent_sigterm(tmp_path: Path) -> None:
    child = shell(f"trap 'echo told > {tmp_path}/log; exit' TERM; echo; while :; do sleep 0.01; done", grace=0.1)
    assert child.receive(0.5) is None
    child.close()
    assert (tmp_path / "log").read_text() == "told\n"
    assert not runs(child.pid)


def test_a_server_that_ignores_sigterm_is_killed() -> None:
    child = Child(python("server.py", "stubborn"), inherit_env=True, **SHORT)
    child.send(b"x")
    assert child.receive(LONG) == b"x"
    child.close()
    assert not runs(child.pid)


@pytest.mark.parametrize("trap", ["", "trap '' TERM;"])
@pytest.mark.parametrize("parent", ["sleep 60", "exit"])
def test_what_a_server_has_started_ends_with_it(trap: str, parent: str, started: list[int]) -> None:
    child = shell(f"({trap} while :; do sleep 0.1; done) & echo $!; {parent}", **SHORT)
    started.append(int(child.receive(LONG) or b""))
    assert runs(started[0])
    child.close()
    assert not runs(child.pid)
    assert gone(started[0])


def test_a_ctrl_c_in_the_terminal_does_not_reach_the_server() -> None:
    child = shell("echo $$; read line")
    assert child.receive(LONG) == b"%d" % child.pid
    assert os.getpgid(child.pid) == child.pid != os.getpgid(0)
    assert os.getsid(child.pid) != os.getsid(0)
    child.close()


def test_an_exception_while_closing_kills_at_once(started: list[int]) -> None:
    def leave(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    child = shell("trap '' TERM; while :; do sleep 0.1; done")
    started.append(child.pid)
    before = signal.signal(signal.SIGUSR1, leave)
    try:
        timer = Running(lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGUSR1)))
        with pytest.raises(KeyboardInterrupt):
            child.close()
        timer.result()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not runs(child.pid)


def test_nothing_is_left_of_two_hundred_servers() -> None:
    gc.collect()
    before = descriptors()
    for number in range(200):
        child = Child(["cat"], stderr="capture" if number % 4 == 0 else "inherit")
        if number % 2:
            child.send(b"x")
            assert child.receive(LONG) == b"x"
        child.close()
        assert not runs(child.pid)
    deadline = time.monotonic() + LONG
    while descriptors() - before and time.monotonic() < deadline:
        # A thread that reads standard error gives it back itself.
        time.sleep(0.01)
    assert not descriptors() - before


def test_a_sigchld_handler_and_other_children_of_the_program_do_no_harm() -> None:
    def collect(number: int, frame: object) -> None:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    before = signal.signal(signal.SIGCHLD, collect)
    try:
        child = shell("exit 3")
        text = end_of(child)
        assert "collected its exit status" in text or "exited with status 3" in text
        child = Child(["cat"])
        child.send(b"x")
        assert child.receive(LONG) == b"x"
        child.close()
        assert not runs(child.pid)
    finally:
        signal.signal(signal.SIGCHLD, before)
    other = subprocess.Popen(["sh", "-c", "exit 5"])
    Child(["cat"]).close()
    assert other.wait(LONG) == 5


def test_a_forgotten_server_ends(started: list[int]) -> None:
    child = Child(["cat"])
    started.append(child.pid)
    del child
    gc.collect()
    assert not runs(started[0])


@pytest.mark.parametrize("ending", ["", "sys.exit(1)", "raise KeyboardInterrupt", "fork()"])
def test_the_end_of_the_program_ends_what_it_has_started(ending: str, started: list[int]) -> None:
    done = subprocess.run(
        python("forgets.py", ending), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LONG, check=False
    )
    pid, *rest = done.stdout.split()
    started.append(int(pid))
    assert not runs(int(pid))
    assert rest == ([b"alive"] if ending == "fork()" else [])


def test_what_is_not_used_is_not_imported() -> None:
    program = "import sys; b = {*sys.modules}; import mcp_bindings_runtime.transports.child; print(*{*sys.modules} - b)"
    # Without site, because an environment may import what it likes there.
    options = {"env": {"PYTHONPATH": str(ROOT / "codegen")}, "text": True}
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, check=True, **options)
    assert "mcp_bindings_runtime.transports.streams" in done.stdout
    assert not {"subprocess", "logging", "asyncio", "shutil", "shlex", "pathlib"} & set(done.stdout.split())
