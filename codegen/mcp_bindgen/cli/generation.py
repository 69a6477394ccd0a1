"""Generation in memory, with its progress and its warnings on the terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from mcp_bindgen.cli import output

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_bindgen.emit.runtime_files import Purpose
    from mcp_bindgen.generate import Input, Run


def render(inputs: list[Input], target: Path, purpose: Purpose = "all") -> Run:
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
        run = generate(
            inputs,
            progress,
            copy_runtime=not resources.has_installed_runtime(target),
            present=present,
            purpose=purpose,
            folder=target.name or target.resolve().name,
            beside=_other_modules(target, {catalog.package_name(each.label) for each in inputs}),
        )
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
    for package in run.packages:
        for text in package.notes:
            output.warning(f"{package.label}: {text}")
    return run


def packages_in(target: Path) -> list[str]:
    """Return the names of the packages of schemas that were generated into a folder before."""
    from mcp_bindgen.emit.header import HEADER

    found = sorted(target.glob("*/types.py"))
    return [file.parent.name for file in found if file.read_bytes().startswith(HEADER.encode())]


def _other_modules(target: Path, names: set[str]) -> dict[str, str]:
    """Return the modules of the other packages in a folder, by path."""
    files = [file for name in packages_in(target) if name not in names for file in sorted((target / name).glob("*.py"))]
    return {f"{file.parent.name}/{file.name}": file.read_text(encoding="utf-8", errors="replace") for file in files}
