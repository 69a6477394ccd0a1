"""A module that another thread is still importing is waited for, and not used before it is complete."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.scripted_peers import PATIENCE, environment

PROGRAM = """
import builtins, sys, threading

builtins.begun, builtins.go_on = threading.Event(), threading.Event()
{prepare}
importing = threading.Thread(target=lambda: __import__("{module}"))
importing.start()
begun.wait({patience})
results = []

def use():
    try:
        results.append({use})
    except Exception as error:
        results.append(repr(error))

using = threading.Thread(target=use)
using.start()
using.join(0.2)
early = list(results)
go_on.set()
importing.join()
using.join()
print(early, results)
"""
SLOW = "import builtins\nbuiltins.begun.set()\nbuiltins.go_on.wait()\n"


def run(folder: Path, **parts: str) -> str:
    """Run a program in which one thread imports a slow module of this folder and another one needs it."""
    program = PROGRAM.format(patience=PATIENCE, **parts)
    found = environment()
    found["PYTHONPATH"] = f"{folder}:{found.get('PYTHONPATH', '')}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("prepare", "use"),
    [
        ("from mcp_bindings_runtime.logs import write_log", "write_log('info', 'x')"),
        (
            "from mcp_bindings_runtime.client.activity_log import log_failure\n"
            "from mcp_bindings_runtime.errors import McpError",
            "log_failure(McpError('x'))",
        ),
    ],
    ids=["events", "activity of clients"],
)
def test_logging(tmp_path: Path, prepare: str, use: str) -> None:
    logger = "class Logger:\n    def info(self, *_): pass\n    def isEnabledFor(self, _): return True\n"
    (tmp_path / "logging.py").write_text(f"{SLOW}{logger}def getLogger(_): return Logger()\n", encoding="utf-8")
    assert run(tmp_path, prepare=prepare, use=use, module="logging") == "[] [None]"


def test_a_revision(tmp_path: Path) -> None:
    """The facts of a revision are read while its package is imported."""
    prepare = """
import importlib.abc, importlib.machinery, importlib.util
from mcp_bindings_runtime import installed_revisions
name = "mcp_bindings.v2025_06_18.revision"

class Slow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, wanted, path, target=None):
        if wanted != name:
            return None
        self.spec = importlib.machinery.PathFinder.find_spec(name, path)
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module):
        begun.set()
        go_on.wait()
        self.spec.loader.exec_module(module)

import mcp_bindings
sys.meta_path.insert(0, Slow())
"""
    use = "installed_revisions._facts('2025-06-18').label"
    assert run(tmp_path, prepare=prepare, use=use, module="mcp_bindings.v2025_06_18.revision") == "[] ['2025-06-18']"
