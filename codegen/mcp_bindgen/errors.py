"""What can be wrong with an input of the generator, said so that a person can mend it.

    BindgenError            everything the command line turns into exit status 2
    +-- SchemaError         one or more faults of a schema file, each at its place

None of them is a fault of the generator itself.
"""

from __future__ import annotations

from attrs import field, frozen

from mcp_bindgen.ir.types import Position


class BindgenError(Exception):
    """A fault of the user's input or options. ``str()`` is the whole message, without a traceback's help."""


@frozen
class Fault:
    """One thing wrong at one place: what was found and, where it helps, what would be accepted instead."""

    position: Position
    message: str
    line: str | None = field(default=None, eq=False)
    """The source line, for the caret below it; None where there is none to show."""

    def __str__(self) -> str:
        text = f"{self.position}: {self.message}"
        if self.line is None:
            return text
        shown, column = _window(self.line, self.position.column - 1)
        return f"{text}\n    {shown}\n    {' ' * column}^"


class SchemaError(BindgenError):
    """Everything wrong with a schema, found in one run and sorted by place."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(
            faults, key=lambda fault: (fault.position.file, fault.position.line, fault.position.column)
        )
        super().__init__("\n".join(str(fault) for fault in self.faults))


def _window(line: str, column: int, width: int = 96) -> tuple[str, int]:
    """The part of a long line around ``column``, in printable characters, and where the column is in it."""
    start = max(0, min(column - width // 2, len(line) - width))
    part = line[start : start + width]
    shown = "".join(
        char if char.isprintable() else " " if char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in part
    )
    return shown, min(column, len(line)) - start
