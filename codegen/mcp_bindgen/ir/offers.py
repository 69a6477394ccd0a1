"""The model of a server: its tools, prompts and resources, with the types of their arguments and results."""

from __future__ import annotations

from attrs import frozen

from mcp_bindgen.ir.protocol import Protocol, Type


@frozen
class ToolOffer:
    """A tool."""

    name: str
    doc: str
    arguments: Type | None
    """Type of the arguments; None for a tool without arguments."""
    result: Type | None
    """Type of the structured content; None without an output schema."""


@frozen
class PromptOffer:
    """A prompt; its arguments are strings."""

    name: str
    doc: str
    arguments: tuple[TextArgument, ...]


@frozen
class TemplateOffer:
    """A resource template (RFC 6570); its variables are strings."""

    name: str
    doc: str
    template: str
    arguments: tuple[TextArgument, ...]


@frozen
class ResourceOffer:
    """A resource at a fixed URI."""

    name: str
    doc: str
    uri: str


@frozen
class TextArgument:
    """An argument whose value is a string."""

    name: str
    doc: str
    required: bool


@frozen
class ServerOffers:
    """The offers of a server; ``protocol`` declares the types of its tools, and no messages."""

    protocol: Protocol
    tools: tuple[ToolOffer, ...]
    prompts: tuple[PromptOffer, ...]
    templates: tuple[TemplateOffer, ...]
    resources: tuple[ResourceOffer, ...] = ()
    notes: tuple[str, ...] = ()
    """The places that could not be typed, each with the reason."""
