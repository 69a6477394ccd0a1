"""Memory does not grow with a log, whatever is in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").is_file(), reason="reads the peak of memory from Linux' /proc"
)

PROGRAM = """
import io, json, sys
from pathlib import Path
from mcp_bindgen.validate import Limits, validate
from mcp_bindgen.validate.rules.bounded_map import BoundedMap

# What is remembered up to a limit has reached it in a third of the stream.
BoundedMap.__init__.__defaults__ = (500,)

def lines(kind, size):
    number = 0
    while size > 0:
        number += 1
        line = LINES[kind](number)
        size -= len(line)
        yield line

def message(**members):
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\\n"

PAD = "x" * 900
LINES = {
    "answered": lambda n: message(id=n, method="tools/call", params={"name": PAD}) + message(id=n, result={"content": []}),
    "unanswered": lambda n: message(id=n, method="tools/call", params={"name": PAD}),
    "unknown": lambda n: message(id=n, method=f"acme/{n}{PAD}"),
    "wrong": lambda n: message(id=n, method="tools/call", params={PAD: 1}),
    "nonsense": lambda n: b"nonsense" + PAD.encode() + b"\\n",
    "progress": lambda n: message(method="notifications/progress", params={"progressToken": n, "progress": 1, "message": PAD}),
    "sessions": lambda n: json.dumps({"session": str(n), "message": {"jsonrpc": "2.0", "id": 1, "method": PAD}}).encode() + b"\\n",
    "endless": lambda n: PAD.encode(),
}

class Feed(io.RawIOBase):
    def __init__(self, parts):
        self.parts, self.rest = parts, b""
    def readable(self):
        return True
    def readinto(self, buffer):
        while not self.rest:
            self.rest = next(self.parts, None)
            if self.rest is None:
                self.rest = b""
                return 0
        part, self.rest = self.rest[:len(buffer)], self.rest[len(buffer):]
        buffer[:len(part)] = part
        return len(part)

def peak(kind, version, size):
    sys.stdin = io.TextIOWrapper(io.BufferedReader(Feed(lines(kind, size))))
    limits = Limits(line=1 << 19, kept=1 << 19, open_requests=500, undecided=100)
    report = validate("-", version=version, rules=True, limits=limits)
    for _ in report:
        pass
    # The resource usage of a process includes the peak of the one that has started it.
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])

kind, version, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
before = peak(kind, version, size // 3)
print(peak(kind, version, size) - before)
"""


def grown(kind: str, version: str, size: int) -> int:
    """Return by how many kilobytes the largest memory grows from a third of a stream to all of it."""
    command = [sys.executable, "-c", PROGRAM, kind, version, str(size)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("kind", ["unanswered", "unknown", "wrong", "nonsense", "progress", "sessions", "endless"])
def test_memory_stays_what_it_is(kind: str) -> None:
    assert grown(kind, "2025-06-18", 3_000_000) < 700


@pytest.mark.parametrize("kind", ["unanswered", "wrong"])
def test_it_does_while_the_revision_is_not_known(kind: str) -> None:
    assert grown(kind, "auto", 3_000_000) < 700


def test_it_does_for_a_long_session() -> None:
    assert grown("answered", "2025-06-18", 6_000_000) < 700
