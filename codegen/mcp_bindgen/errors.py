"""Errors about the input of the generator.

    BindgenError            invalid input or options; the command line exits with status 2
    +-- SchemaError         one or more faults of a schema file, each with its position

None of them reports a defect of the generator.
"""

from __future__ import annotations

from attrs import field, frozen

from mcp_bindgen.ir.types import Position


class BindgenError(Exception):
    """Raised for invalid input or options. ``str()`` is the whole message."""


@frozen
class Fault:
    """A fault at one position: what was found and, where it helps, what would be accepted."""

    position: Position
    message: str
    line: str | None = field(default=None, eq=False)
    """The source line, for the caret below it; None if it is not available."""

    def __str__(self) -> str:
        text = f"{self.position}: {self.message}"
        if self.line is None:
            return text
        shown, column = _window(self.line, self.position.column - 1)
        return f"{text}\n    {shown}\n    {' ' * column}^"


class SchemaError(BindgenError):
    """Raised with all faults of a schema, sorted by position."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(
            faults, key=lambda fault: (fault.position.file, fault.position.line, fault.position.column)
        )
        super().__init__("\n".join(str(fault) for fault in self.faults))


def _window(line: str, column: int, width: int = 96) -> tuple[str, int]:
    """Return the part of a long line around ``column``, in printable characters, and the column within it."""
    start = max(0, min(column - width // 2, len(line) - width))
    part = line[start : start + width]
    shown = "".join(
        char if char.isprintable() else " " if char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in part
    )
    return shown, min(column, len(line)) - start
