"""The interfaces that results and listed items of all revisions share. For type checkers."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class AnyCallToolResult(Protocol):
    """The result of a tool in any revision; ``CallToolResult`` of each package documents the members."""

    content: list[Any]
    """Content blocks, in the classes of the revision."""
    is_error: bool | None
    extra: dict[str, Any] | None

    @property
    def text(self) -> str:
        """The text of all text blocks, joined by line ends."""
        ...

    @property
    def data(self) -> Any:
        """The structured content or, without any, the text as JSON."""
        ...

    def as_(self, expected: type[T], *, converter: Any = None) -> T:
        """Return the data as a value of a type."""
        ...

    def raise_for_error(self) -> Any:
        """Return the result, or raise ``ToolFailed`` if the tool failed."""
        ...


class AnyReadResourceResult(Protocol):
    """The contents of a resource in any revision."""

    contents: list[Any]
    extra: dict[str, Any] | None

    @property
    def text(self) -> str:
        """The text of all text contents, joined by line ends."""
        ...


class AnyGetPromptResult(Protocol):
    """A prompt in any revision."""

    description: str | None
    messages: list[Any]
    extra: dict[str, Any] | None


class AnyTool(Protocol):
    """A tool in any revision."""

    name: str
    description: str | None
    extra: dict[str, Any] | None

    @property
    def input_schema(self) -> Any:
        """JSON Schema of the arguments."""
        ...


class AnyResource(Protocol):
    """A resource in any revision."""

    uri: str
    name: str
    description: str | None
    mime_type: str | None
    extra: dict[str, Any] | None


class AnyPrompt(Protocol):
    """A prompt that a server offers, in any revision."""

    name: str
    description: str | None
    extra: dict[str, Any] | None

    @property
    def arguments(self) -> Any:
        """The arguments that it accepts; None for none."""
        ...
