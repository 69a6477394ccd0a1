"""What sets one revision apart, as data: the generator derives it from the schema, and the runtime asks nothing else.

A package may be made from any schema and be called anything, so neither its label nor a date says how its peers behave.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Era: TypeAlias = Literal["handshake", "stateless"]
"""Whether a session starts with ``initialize``, or every request stands alone."""


class Facts(NamedTuple):
    """The facts about one revision; ``revision.py`` of each package has its own, called ``FACTS``."""

    label: str
    """What the package was generated as: ``--version``."""
    version: str
    """The protocol version that peers name to each other: ``LATEST_PROTOCOL_VERSION`` of the schema, else the label."""
    base: str
    """The bundled revision whose prose holds where a schema says nothing, for example on error codes."""

    # Messages.
    handshake: bool
    """Whether a session begins with ``initialize``; otherwise every request stands alone."""
    batches: bool
    """Whether a JSON array of messages is a message."""
    null_id: bool
    """Whether an error on an id that could not be read carries null; otherwise it carries no ``id``."""
    progress_messages: bool
    """Whether a progress notification has a ``message``."""
    introduction: frozenset[str]
    """What ``Implementation`` declares besides name and version, by attribute."""

    # Tools.
    structured_results: Literal["none", "object", "any"]
    """What ``structuredContent`` of a tool's result may be."""
    output_schemas: bool
    """Whether tools have an ``outputSchema``."""
    tool_execution: bool
    """Whether tools say by ``execution`` if they may become tasks."""
    tool_names: bool
    """Whether the names of tools have a syntax."""
    argument_faults_in_results: bool
    """Whether arguments that do not fit a tool are reported by a result with ``isError``, not by an error."""
    parameter_headers: bool
    """Whether ``x-mcp-header`` in the schema of a tool has a meaning."""
    content_blocks: tuple[str, ...]
    """The types of content blocks that a tool may return."""

    # Other features.
    unknown_resource_code: int
    """The code of the error for an unknown resource."""
    completion_context: bool
    """Whether a request for completion has the other arguments."""
    form_types: tuple[str, str] | None
    """The names of the params that ask for a form, and of the schema in them; None where there are no forms."""
    form_defaults: bool
    """Whether all fields of a form may have a default."""
    form_choices: bool
    """Whether a form may ask for several values of a list, and titles its options by ``oneOf``."""
    page_errors: bool
    """Whether an error may say which pages the user has to visit first."""
    cached: frozenset[str]
    """The methods whose results say how long they may be kept."""
    resumable: frozenset[str]
    """The methods whose result may ask for input, after which they are sent again."""

    # HTTP.
    only_sse: bool
    """Whether HTTP with SSE is the only transport over HTTP."""
    version_header: bool
    """Whether requests of a session carry ``MCP-Protocol-Version``."""
    polling: bool
    """Whether a server may close the stream of a request, and the client comes back for the rest."""
