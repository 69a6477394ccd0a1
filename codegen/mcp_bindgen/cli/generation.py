"""Generation in memory, with its progress and its warnings on the terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from mcp_bindgen.cli import output

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_bindgen.generate import Input, Run


def render(inputs: list[Input], target: Path) -> Run:
    """Generate in memory what belongs into ``target``; on a terminal, show progress after a second."""
    from mcp_bindgen import catalog, resources
    from mcp_bindgen.generate import generate

    started = time.perf_counter()
    shown = False

    def progress(label: str) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.perf_counter() - started > 1:
            sys.stderr.write(f"\r\x1b[Kgenerating {label} …")
            sys.stderr.flush()
            shown = True

    present = [each for each in catalog.revisions() if (target / catalog.package_name(each) / "types.py").is_file()]
    try:
        run = generate(inputs, progress, copy_runtime=not resources.has_installed_runtime(target), present=present)
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
    for package in run.packages:
        for text in package.protocol.warnings:
            output.warning(f"{package.label}: {text}")
    return run
