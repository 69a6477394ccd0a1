"""The facts that set one revision apart. The generator derives them from the schema; the runtime asks nothing else.

A package may be made from any schema and have any label, so neither labels nor dates tell how its peers behave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

Era: TypeAlias = Literal["handshake", "stateless"]
"""The beginning of sessions: with ``initialize``, or none because each request is independent."""


class Facts(NamedTuple):
    """The facts about one revision, which each package has as ``FACTS`` in ``revision.py``."""

    label: str
    """The argument of ``--version`` with which the package was generated."""
    version: str
    """The protocol version on the wire: ``LATEST_PROTOCOL_VERSION`` of the schema, else the label."""
    base: str
    """The bundled revision whose prose holds where a schema says nothing, for example on error codes."""

    # Messages.
    handshake: bool
    """Whether sessions begin with ``initialize``; otherwise each request is independent."""
    batches: bool
    """Whether a JSON array of messages is a message."""
    null_id: bool
    """Whether an error response to an unreadable id carries null; otherwise it carries no ``id``."""
    progress_messages: bool
    """Whether progress notifications have a ``message``."""
    introduction: frozenset[str]
    """The optional members of ``Implementation``, by attribute."""
    meta_classes: Mapping[str, str]
    """Method to the class of ``_meta`` in its params, ``dict`` for a JSON object. Other params do not declare it."""
    result_meta: str
    """The class of ``_meta`` in results, ``dict`` for a JSON object."""
    task_methods: frozenset[str]
    """The requests whose params have ``task``, by which they become tasks."""

    # Tools.
    structured_results: Literal["none", "object", "any"]
    """The kind of value that ``structuredContent`` of a tool's result may hold."""
    output_schemas: bool
    """Whether tools have an ``outputSchema``."""
    tool_execution: bool
    """Whether tools declare in ``execution`` if they may become tasks."""
    tool_names: bool
    """Whether the names of tools have a syntax."""
    argument_faults_in_results: bool
    """Whether invalid arguments of a tool are reported by a result with ``isError``, not by an error."""
    parameter_headers: bool
    """Whether ``x-mcp-header`` in the schema of a tool has a meaning."""
    content_blocks: tuple[str, ...]
    """The types of content blocks that a tool may return."""

    # Other features.
    unknown_resource_code: int
    """The code of the error for an unknown resource."""
    completion_context: bool
    """Whether completion requests carry the other arguments."""
    form_types: tuple[str, str] | None
    """The class of the params that request a form, and the class of the schema in them; None without forms."""
    form_defaults: bool
    """Whether all fields of a form may have a default."""
    form_choices: bool
    """Whether a form may have multiple-choice fields, and titles options by ``oneOf``."""
    page_errors: bool
    """Whether an error may list pages that the user must visit first."""
    cached: frozenset[str]
    """The requests whose results limit how long they may be cached."""
    resumable: frozenset[str]
    """The requests whose results may ask for input, after which they are sent again."""

    # HTTP.
    only_sse: bool
    """Whether HTTP with SSE is the only HTTP transport."""
    version_header: bool
    """Whether requests of a session carry ``MCP-Protocol-Version``."""
    polling: bool
    """Whether a server may close the stream of a response, for which the client then polls."""
