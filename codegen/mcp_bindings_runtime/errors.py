"""The exceptions of the runtime. All are subclasses of ``McpError``.

    McpError
    +-- UsageError                  the local program made a mistake
    |   +-- EncodeError             a value does not match its type
    |   +-- Undecidable             a value fits several types
    |   +-- NotDeclared             a capability was not declared
    |   +-- NotExpressible          the peer's revision lacks the message
    +-- ProtocolError               the peer made a mistake
    |   +-- DecodeError             a message does not match the revision
    |   +-- ResponseError           the peer answered with an error
    |   +-- HttpError               the server answered with an HTTP error
    |   |   +-- HttpResponseError   it has a JSON-RPC error, too
    |   +-- UnsupportedRevision     the peer does not support the revision
    |   +-- OutputMismatch          a result does not match its schema
    |   +-- DataMismatch            a result is not of the expected type
    |   +-- ToolsChanged            the tools differ from the lock file
    |   +-- MissingCapability       the peer lacks a required capability
    |   +-- MessageTooLarge         a message exceeds the size limit
    +-- OAuthError                  the client got no access token
    +-- ToolError                   raised by tools to report a failure
    +-- ToolFailed                  a tool's result reports a failure
    +-- RequestTimeout              no response before the deadline
    +-- CallCancelled               a call was cancelled locally
    +-- TaskCancelled               a task was cancelled before its end
    +-- ConnectionClosed            the connection is closed

Types of the schema whose names end in ``Error`` are data, not exceptions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .codec.error_wording import json_path, mismatch_at
from .distribution import PACKAGE

__all__ = [
    "CallCancelled",
    "Challenge",
    "ConnectionClosed",
    "DataMismatch",
    "DecodeError",
    "EncodeError",
    "HttpError",
    "HttpResponseError",
    "McpError",
    "MessageTooLarge",
    "MissingCapability",
    "NotDeclared",
    "NotExpressible",
    "OAuthError",
    "OutputMismatch",
    "ProtocolError",
    "RequestTimeout",
    "ResponseError",
    "TaskCancelled",
    "ToolError",
    "ToolFailed",
    "ToolsChanged",
    "Undecidable",
    "UnsupportedRevision",
    "UsageError",
]


class McpError(Exception):
    """Base of all exceptions of this package."""


class UsageError(McpError):
    """The local program made a mistake, such as a wrong argument. Nothing was sent.

    The message says what to change.
    """


class ProtocolError(McpError):
    """The peer broke the protocol, or reported an error."""


class _LocatedError(McpError):
    """An error at a place in a JSON value; picklable, so that it can cross process borders."""

    def __init__(self, path: tuple[str | int, ...], found: str, expected: str, revision: str) -> None:
        super().__init__(path, found, expected, revision)
        self.keys: tuple[str | int, ...] = path
        """The keys and indices that lead to the place, from the top."""
        self.found: str = found
        """A description of the value at that place."""
        self.expected: str = expected
        """A description of the values that are accepted there."""
        self.revision: str = revision
        """The protocol version whose types were expected."""

    @property
    def path(self) -> str:
        """The place in JSONPath notation: ``$.params.content[2].type``."""
        return json_path(self.keys)

    @property
    def pointer(self) -> str:
        """The place as a JSON Pointer (RFC 6901): ``/params/content/2/type``; empty for the whole value."""
        return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in self.keys)

    def __str__(self) -> str:
        return f"{mismatch_at(self.path, self.found, self.expected)} ({self.revision})"


class EncodeError(_LocatedError, UsageError):
    """A value does not match the type that it is sent as; nothing was written.

    ``path`` and ``pointer`` locate the first mistake; ``found`` and ``expected`` describe it. Correct the value there.
    """


class Undecidable(UsageError):
    """A value does not show to which type of a union it belongs; the error message says what would show the type."""


class NotDeclared(UsageError):
    """A message needs a capability that this side or the peer has not declared; it was not sent.

    Check the peer's capabilities first, or declare the capability when the client or server is made.
    """


class NotExpressible(UsageError):
    """A message of one revision has no form in the revision of the peer; it was not sent.

    Check ``peer_revision`` first, or do not use the feature that ``reason`` names.
    """

    def __init__(self, method: str, revision: str, reason: str, section: str) -> None:
        super().__init__(method, revision, reason, section)
        self.method: str = method
        """The method of the message, or of the request that it answers."""
        self.revision: str = revision
        """The revision that cannot express it."""
        self.reason: str = reason
        """The reason, in a sentence."""
        self.section: str = section
        """The section of the specification that the reason refers to."""

    def __str__(self) -> str:
        return f"{self.method} cannot be expressed in {self.revision}: {self.reason} ({self.section})"


class DecodeError(_LocatedError, ProtocolError):
    """A JSON value does not match the types of the revision.

    ``path`` and ``pointer`` locate the first mistake; ``found`` and ``expected`` describe it. Decode with
    ``mode="lenient"`` to get the value together with all mistakes.
    """


class ResponseError(ProtocolError):
    """The peer answered a request with an error (JSON-RPC 2.0, section 5.1).

    Handlers raise it to answer with an error of their own.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data)
        self.code: int = code
        """The error code; ``jsonrpc`` has names for the standard ones."""
        self.message: str = message
        """The peer's description of the error."""
        self.data: Any = data
        """Further details, a JSON value; None if there are none."""

    def __str__(self) -> str:
        data: Any = self.data
        # `uri` is the resource that was not found.
        details: list[Any] = [data.get("reason"), data.get("uri")] if data.__class__ is dict else []
        shown = [each for each in details if isinstance(each, str) and each not in self.message]
        more = f": {shown[0]}" if shown else ""
        return f"{self.message}{more} ({self.code})"


class HttpError(ProtocolError):
    """The server answered an HTTP request with an error status, such as 401 (see ``challenges``) or 503."""

    def __init__(
        self,
        status: int,
        reason: str,
        text: str = "",
        error: Any = None,
        challenges: Sequence[Challenge] = (),
        url: str = "",
        retry_after: float | None = None,
    ) -> None:
        # HttpResponseError has two bases, whose arguments differ.
        Exception.__init__(self, status, reason, text, error, tuple(challenges), url, retry_after)
        self.status: int = status
        """The status code."""
        self.reason: str = reason
        """The reason phrase; may be empty."""
        self.text: str = text
        """The beginning of the body, or the message of the error in it."""
        self.error: Any = error
        """The body if it is a JSON-RPC error response; else None."""
        self.challenges: tuple[Challenge, ...] = tuple(challenges)
        """The challenges of the ``WWW-Authenticate`` headers (RFC 9110, section 11.6.1)."""
        self.url: str = url
        """The URL of the request."""
        self.retry_after: float | None = retry_after
        """Seconds to wait before a retry (``Retry-After``; RFC 9110, section 10.2.3); None if the server names none."""

    def __str__(self) -> str:
        # The query may hold a secret.
        place = self.url.partition("?")[0]
        parts = [f"{place or 'the server'} answered with HTTP status {self.status}"]
        if self.reason:
            parts.append(f" {self.reason}")
        # Servers often repeat the reason phrase.
        text = self.text.removeprefix(self.reason).removeprefix(": ")
        parts.append(f": {text}" if text else "")
        if self.status in {404, 405} and self.error is None and not place.rstrip("/").endswith("/mcp"):
            parts.append(" (the path of an MCP server is usually /mcp)")
        if self.status == 401 and not self.challenges:
            parts.append(" (pass `headers=` or `auth=`)")
        if self.challenges:
            schemes = ", ".join(each.scheme for each in self.challenges)
            refused = next((each.parameters["error"] for each in self.challenges if "error" in each.parameters), None)
            parts.append(f" ({schemes}: {refused or 'pass `headers=` or `auth=`'})")
        if self.retry_after is not None:
            parts.append(f" (retry after {self.retry_after:g} s)")
        return "".join(parts)


class HttpResponseError(HttpError, ResponseError):
    """The server answered with an HTTP error status and a JSON-RPC error response.

    It has the attributes of both bases; ``code``, ``message`` and ``data`` are those of ``error``.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        text: str,
        error: Mapping[str, Any],
        challenges: Sequence[Challenge] = (),
        url: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(status, reason, text, error, challenges, url, retry_after)
        details = error["error"]
        self.code = details["code"]
        self.message = details["message"]
        self.data = details.get("data")

    def __str__(self) -> str:
        return f"{ResponseError.__str__(self)}; {HttpError.__str__(self)}"


class Challenge(NamedTuple):
    """An authentication challenge of a server (RFC 9110, section 11.3)."""

    scheme: str
    """The authentication scheme as the server writes it, such as ``Bearer``."""
    parameters: Mapping[str, str]
    """Parameters by lower-case name: ``realm``, ``resource_metadata``, ``scope``, ``error`` and so on."""


class OAuthError(McpError):
    """The client got no access token: the authorization server or the user refused, or a response cannot be trusted."""

    def __init__(self, text: str, error: str | None = None, description: str | None = None) -> None:
        super().__init__(text, error, description)
        self.error: str | None = error
        """The error code of the authorization server, such as ``access_denied`` (RFC 6749, sections 4.1.2.1 and 5.2)."""
        self.description: str | None = description
        """The explanation of the authorization server."""

    def __str__(self) -> str:
        return str(self.args[0])


class MessageTooLarge(ProtocolError):
    """A message exceeds the receiver's size limit. It is skipped; later messages are received."""

    def __init__(self, seen: int, limit: int) -> None:
        super().__init__(seen, limit)
        self.seen: int = seen
        """Bytes of the message that had been received when the limit was exceeded."""
        self.limit: int = limit
        """The limit in bytes."""

    def __str__(self) -> str:
        return f"a message of {self.seen} bytes or more was skipped: the limit is {self.limit} bytes"


class UnsupportedRevision(ProtocolError):
    """The peer does not support the revision of the client; the function ``connect`` negotiates one."""

    def __init__(self, wanted: str, supported: Sequence[str]) -> None:
        super().__init__(wanted, supported)
        self.wanted: str = wanted
        """The revision that was requested."""
        self.supported: tuple[str, ...] = tuple(supported)
        """The revisions that the peer supports; empty if it does not say."""

    def __str__(self) -> str:
        if not self.supported:
            return (
                f"the peer does not support {self.wanted} and does not say what it supports; "
                f"use `{PACKAGE}.connect`, which negotiates the revision"
            )
        supported = ", ".join(self.supported)
        if self.wanted in self.supported:
            return f"the connection does not use {self.wanted}; the peer supports {supported}"
        return f"the peer does not support {self.wanted}; it supports {supported}"


class MissingCapability(ProtocolError):
    """The peer has not declared capabilities that the client requires (``require=``)."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(missing)
        self.missing: tuple[str, ...] = tuple(missing)
        """Dotted paths of the missing capabilities."""

    def __str__(self) -> str:
        return f"the peer has not declared the required capabilities {', '.join(self.missing)}"


class OutputMismatch(ProtocolError):
    """The ``structuredContent`` of a result does not match the ``outputSchema`` of its tool."""

    def __init__(self, tool: str, faults: Sequence[str], result: Any) -> None:
        super().__init__(tool, faults, result)
        self.tool: str = tool
        """The name of the tool."""
        self.faults: tuple[str, ...] = tuple(faults)
        """One text for each mismatch: its place, the value found and the value expected."""
        self.result: Any = result
        """The whole result."""

    def __str__(self) -> str:
        return (
            f"the structuredContent of {self.tool} does not match the tool's outputSchema: {'; '.join(self.faults)} "
            "(the `result` of this error holds it; check_output=False accepts any)"
        )


class ToolsChanged(ProtocolError):
    """Schemas, descriptions or annotations of a server's tools differ from those in the lock file."""

    def __init__(self, path: str, *, changed: Sequence[str], added: Sequence[str], removed: Sequence[str]) -> None:
        super().__init__(path, tuple(changed), tuple(added), tuple(removed))
        self.path: str = path
        """The path of the lock file."""
        self.changed: tuple[str, ...] = tuple(changed)
        """Names of tools whose digest (a hash of the tool's definition) differs from that in the lock file."""
        self.added: tuple[str, ...] = tuple(added)
        """Names of tools that the lock file does not contain."""
        self.removed: tuple[str, ...] = tuple(removed)
        """Names of tools that the server does not have."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _tools_changed, (self.path, self.changed, self.added, self.removed)

    def __str__(self) -> str:
        kinds = (("changed", self.changed), ("added", self.added), ("removed", self.removed))
        found = "; ".join(f"{kind}: {', '.join(map(repr, names[:8]))}" for kind, names in kinds if names)
        return f"the tools of the server differ from {self.path} ({found}); to see how, run mcp-codegen tools check"


def _tools_changed(path: str, changed: Sequence[str], added: Sequence[str], removed: Sequence[str]) -> ToolsChanged:
    """Return the error, for pickle."""
    return ToolsChanged(path, changed=changed, added=added, removed=removed)


class DataMismatch(ProtocolError):
    """The data of a tool's result is not of the type that the caller expects; raised by the result's ``as_``."""

    def __init__(self, expected: str, faults: Sequence[str], result: Any) -> None:
        super().__init__(expected, faults, result)
        self.expected: str = expected
        """The expected type, as it is written in code."""
        self.faults: tuple[str, ...] = tuple(faults)
        """One text for each mismatch: its place, the value found and the value expected."""
        self.result: Any = result
        """The whole result."""

    def __str__(self) -> str:
        return f"the data of the tool's result is not of the type {self.expected}: {'; '.join(self.faults)}"


class ToolError(McpError):
    """Raise it in a tool to report a failure: the caller gets the message in a result with ``is_error``.

    Other exceptions are reported in the same way, but are logged too, as they are defects of the tool.
    """


class ToolFailed(McpError):
    """A tool's result reports a failure; raised by the result's ``raise_for_error``."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text, result)
        self.text: str = text
        """The text of the result."""
        self.result: Any = result
        """The whole result."""

    def __str__(self) -> str:
        return self.text


class RequestTimeout(McpError, TimeoutError):
    """No response arrived before the deadline. The peer may still have acted on the request."""


class CallCancelled(McpError):
    """A call was cancelled locally, for instance by ``RunningCall.cancel``."""

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(reason)
        self.reason: str | None = reason
        """The reason that was passed to ``cancel``; None if there was none."""

    def __str__(self) -> str:
        return f"the call was cancelled: {self.reason}" if self.reason else "the call was cancelled"


class TaskCancelled(McpError):
    """A task was cancelled before it had a result."""


class ConnectionClosed(McpError, ConnectionError):
    """The connection is closed: nothing can be sent or received. Connect again to go on."""

    unread = False
    """Whether the peer is known to have ended before it read anything, so that a retry is safe."""

    def again(self) -> ConnectionClosed:
        """Return a copy to raise in another thread, with a traceback of its own."""
        copy = self.__class__(*self.args)
        copy.__dict__.update(self.__dict__)
        return copy
