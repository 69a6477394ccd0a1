"""What can be said about Windows elsewhere. How ``ThreadStreams`` behaves is in ``test_behaviour``."""

from __future__ import annotations

import subprocess
import sys

POSIX_ONLY = """
import os, select, signal, sys
for module, names in (
    (os, "eventfd EFD_NONBLOCK pidfd_open waitid waitid_result WEXITED WNOWAIT WNOHANG P_PID killpg fork get_blocking"),
    (select, "poll PIPE_BUF POLLIN POLLOUT"),
    (signal, "SIGKILL"),
):
    for name in names.split():
        delattr(module, name)
sys.modules["fcntl"] = None
sys.platform = "win32"
"""

REFUSED = """
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.transports import child, memory, stdio, streams, windows
for start in (lambda: child.Child(["server"]), stdio.Stdio):
    try:
        start()
    except UsageError as problem:
        print(problem)
"""


def test_all_is_imported_where_posix_is_not_and_says_what_to_use() -> None:
    done = subprocess.run([sys.executable, "-c", POSIX_ONLY + REFUSED], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "starting a server needs POSIX; on Windows use windows.ThreadStreams, whose module says how",
        "taking over standard input and output needs POSIX; on Windows use windows.ThreadStreams(0, 1)",
    ]
