"""Errors about the input of the generator.

    BindgenError            invalid input or options; the command line exits with status 2
    +-- OverrideError       an entry of overrides.toml that cannot be read, or that matches nothing
    +-- SchemaError         one or more faults of a schema file, each with its position
    +-- JsonSchemaError     one or more faults of a JSON document, each with its JSON Pointer

None of them reports a defect of the generator.
"""

from __future__ import annotations

from attrs import field, frozen

from mcp_bindgen.escaping import visible
from mcp_bindgen.ir.types import Position


class BindgenError(Exception):
    """Raised for invalid input or options. ``str()`` is the whole message."""


def parser_message(problem: Exception) -> str:
    """Return why a parser of the standard library refused a text; it recurses into nested values."""
    return "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)


class OverrideError(BindgenError):
    """Raised for an override that cannot be read, or that matches nothing."""


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


@frozen
class JsonFault:
    """A fault at one place of a JSON document: what was found and, where it helps, what would be accepted."""

    source: str
    """Name of the document."""
    pointer: str
    """JSON Pointer (RFC 6901); empty for the whole document."""
    message: str

    def __str__(self) -> str:
        return f"{visible(self.source)}#{visible(self.pointer)}: {visible(self.message)}"


class JsonSchemaError(BindgenError):
    """Raised with all faults of a JSON document, in its order."""

    def __init__(self, faults: list[JsonFault]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


def _window(line: str, column: int, width: int = 96) -> tuple[str, int]:
    """Return the part of a long line around ``column``, in printable characters, and the column within it."""
    start = max(0, min(column - width // 2, len(line) - width))
    part = line[start : start + width]
    shown = "".join(
        char if char.isprintable() else " " if char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in part
    )
    return shown, min(column, len(line)) - start
