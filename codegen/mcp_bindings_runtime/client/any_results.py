"""The interfaces that results, listed items and callbacks of all revisions share. For type checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar

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


class AnyElicitResult(Protocol):
    """The outcome of a form or page in any revision."""

    @property
    def action(self) -> str:
        """Whether the user accepts: ``accept``, ``decline`` or ``cancel``."""
        ...

    @property
    def content(self) -> Mapping[str, Any] | None:
        """The values of the fields of an accepted form."""
        ...


class AnyCreateMessageResult(Protocol):
    """A message of a language model in any revision."""

    @property
    def role(self) -> str:
        """The author: ``assistant`` or ``user``."""
        ...

    @property
    def model(self) -> str:
        """The name of the model."""
        ...

    @property
    def content(self) -> Any:
        """A content block or, in revisions that have that, a list of them."""
        ...


ElicitationCallback: TypeAlias = Callable[[Any, Any], AnyElicitResult | Mapping[str, Any]]
"""A callback for forms or pages: the result is of any revision, or a dict with its members."""
SamplingCallback: TypeAlias = Callable[[Any, Any], AnyCreateMessageResult | Mapping[str, Any]]
"""A callback for messages of a language model: the result is of any revision, or a dict with its members."""
