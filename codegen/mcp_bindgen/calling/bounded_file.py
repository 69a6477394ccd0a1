"""Reading of a file that a user named, up to a limit."""

from __future__ import annotations

from pathlib import Path

from mcp_bindgen.errors import BindgenError


def read_bounded(file: Path, limit: int, kind: str) -> bytes:
    """Return the content of a file.

    Raise `BindgenError` if it cannot be read, or has more than ``limit`` bytes, the limit for files of its ``kind``.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        message = f"cannot read {file}: {reason}"
        raise BindgenError(message) from problem
    if len(data) > limit:
        message = f"{file} is larger than {limit >> 20} MiB, the limit for {kind}"
        raise BindgenError(message)
    return data
