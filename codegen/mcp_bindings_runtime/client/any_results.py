"""The interfaces that results, listed items and callbacks of all revisions share. For type checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

Bytes: TypeAlias = bytes
"""The builtin, for classes with an attribute of that name."""
T = TypeVar("T")


class AnyImplementation(Protocol):
    """The software of a client or server, in any revision."""

    name: str
    version: str
    extra: dict[str, Any] | None


class AnyListCapability(Protocol):
    """The capability of a server that has tools or prompts, in any revision."""

    list_changed: bool | None
    extra: dict[str, Any] | None


class AnyResourcesCapability(AnyListCapability, Protocol):
    """The capability of a server that has resources, in any revision."""

    subscribe: bool | None


class AnyServerCapabilities(Protocol):
    """The capabilities of a server in any revision."""

    extra: dict[str, Any] | None

    @property
    def experimental(self) -> Mapping[str, Mapping[str, Any]] | None:
        """Capabilities that the protocol does not define."""
        ...

    @property
    def logging(self) -> Mapping[str, Any] | None:
        """Set if the server sends log messages."""
        ...

    @property
    def prompts(self) -> AnyListCapability | None:
        """Set if the server has prompts."""
        ...

    @property
    def resources(self) -> AnyResourcesCapability | None:
        """Set if the server has resources."""
        ...

    @property
    def tools(self) -> AnyListCapability | None:
        """Set if the server has tools."""
        ...


class AnyTextContent(Protocol):
    """A text in any revision."""

    type: ClassVar[Literal["text"]]
    text: str
    extra: dict[str, Any] | None


class AnyImageContent(Protocol):
    """An image in any revision."""

    type: ClassVar[Literal["image"]]
    data: str
    mime_type: str
    extra: dict[str, Any] | None

    @property
    def bytes(self) -> Bytes:
        """The decoded data."""
        ...


class AnyAudioContent(Protocol):
    """A sound in any revision that has them (2025-03-26)."""

    type: ClassVar[Literal["audio"]]
    data: str
    mime_type: str
    extra: dict[str, Any] | None

    @property
    def bytes(self) -> Bytes:
        """The decoded data."""
        ...


class AnyResourceLink(Protocol):
    """A link to a resource in any revision that has them (2025-06-18)."""

    type: ClassVar[Literal["resource_link"]]
    uri: str
    name: str
    description: str | None
    mime_type: str | None
    extra: dict[str, Any] | None


class AnyTextResourceContents(Protocol):
    """The text of a resource in any revision."""

    uri: str
    mime_type: str | None
    text: str
    extra: dict[str, Any] | None


class AnyBlobResourceContents(Protocol):
    """The bytes of a resource in any revision."""

    uri: str
    mime_type: str | None
    blob: str
    extra: dict[str, Any] | None

    @property
    def bytes(self) -> Bytes:
        """The decoded data."""
        ...


AnyResourceContents: TypeAlias = AnyTextResourceContents | AnyBlobResourceContents
"""Contents of a resource; the class of a revision distinguishes them, and ``text`` of the result reads the texts."""


class AnyEmbeddedResource(Protocol):
    """The contents of a resource among other content, in any revision."""

    type: ClassVar[Literal["resource"]]
    extra: dict[str, Any] | None

    @property
    def resource(self) -> AnyResourceContents:
        """The contents."""
        ...


AnyContentBlock: TypeAlias = AnyTextContent | AnyImageContent | AnyAudioContent | AnyResourceLink | AnyEmbeddedResource
"""A content block; its ``type`` distinguishes the members."""


class AnyCallToolResult(Protocol):
    """The result of a tool in any revision; ``CallToolResult`` of each package documents the members."""

    is_error: bool | None
    extra: dict[str, Any] | None

    @property
    def content(self) -> Sequence[AnyContentBlock]:
        """Content blocks, in the classes of the revision."""
        ...

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

    def raise_for_error(self) -> Self:
        """Return the result, or raise ``ToolFailed`` if the tool failed."""
        ...


class AnyReadResourceResult(Protocol):
    """The contents of a resource in any revision."""

    extra: dict[str, Any] | None

    @property
    def contents(self) -> Sequence[AnyResourceContents]:
        """The contents, in the classes of the revision."""
        ...

    @property
    def text(self) -> str:
        """The text of all text contents, joined by line ends."""
        ...


class AnyPromptMessage(Protocol):
    """A message of a prompt in any revision."""

    role: Literal["user", "assistant"]
    extra: dict[str, Any] | None

    @property
    def content(self) -> AnyContentBlock:
        """The content, in the class of the revision."""
        ...


class AnyGetPromptResult(Protocol):
    """A prompt in any revision."""

    description: str | None
    extra: dict[str, Any] | None

    @property
    def messages(self) -> Sequence[AnyPromptMessage]:
        """The messages, in the class of the revision."""
        ...


class AnyCompletion(Protocol):
    """Possible values of an argument, in any revision."""

    values: list[str]
    total: int | None
    has_more: bool | None
    extra: dict[str, Any] | None


class AnyCompleteResult(Protocol):
    """The result of a completion in any revision."""

    extra: dict[str, Any] | None

    @property
    def completion(self) -> AnyCompletion:
        """The values."""
        ...


class AnyToolInputSchema(Protocol):
    """The JSON Schema of a tool's arguments in any revision."""

    type: ClassVar[Literal["object"]]
    extra: dict[str, Any] | None

    @property
    def properties(self) -> Mapping[str, Any] | None:
        """The schemas of the arguments, by name."""
        ...

    @property
    def required(self) -> Sequence[str] | None:
        """The names of the arguments that must be passed."""
        ...


class AnyTool(Protocol):
    """A tool in any revision."""

    name: str
    description: str | None
    extra: dict[str, Any] | None

    @property
    def input_schema(self) -> AnyToolInputSchema:
        """JSON Schema of the arguments."""
        ...


class AnyResource(Protocol):
    """A resource in any revision."""

    uri: str
    name: str
    description: str | None
    mime_type: str | None
    extra: dict[str, Any] | None


class AnyResourceTemplate(Protocol):
    """A resource template in any revision."""

    uri_template: str
    name: str
    description: str | None
    mime_type: str | None
    extra: dict[str, Any] | None


class AnyPromptArgument(Protocol):
    """An argument of a prompt in any revision."""

    name: str
    description: str | None
    required: bool | None
    extra: dict[str, Any] | None


class AnyPrompt(Protocol):
    """A prompt that a server offers, in any revision."""

    name: str
    description: str | None
    extra: dict[str, Any] | None

    @property
    def arguments(self) -> Sequence[AnyPromptArgument] | None:
        """The arguments that it accepts; None for none."""
        ...


class AnyPage(Protocol):
    """A page of a list in any revision."""

    next_cursor: str | None
    extra: dict[str, Any] | None


class AnyListToolsResult(AnyPage, Protocol):
    """A page of the tools in any revision."""

    @property
    def tools(self) -> Sequence[AnyTool]:
        """The tools."""
        ...


class AnyListResourcesResult(AnyPage, Protocol):
    """A page of the resources in any revision."""

    @property
    def resources(self) -> Sequence[AnyResource]:
        """The resources."""
        ...


class AnyListResourceTemplatesResult(AnyPage, Protocol):
    """A page of the resource templates in any revision."""

    @property
    def resource_templates(self) -> Sequence[AnyResourceTemplate]:
        """The resource templates."""
        ...


class AnyListPromptsResult(AnyPage, Protocol):
    """A page of the prompts in any revision."""

    @property
    def prompts(self) -> Sequence[AnyPrompt]:
        """The prompts."""
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
