"""What can go wrong, and whose fault it is.

    McpError
    +-- UsageError              local misuse: an object or a call of one's own is wrong
    |   +-- EncodeError         a value does not fit the type it is written as
    |   +-- Undecidable         a payload does not tell which member of a union it is
    |   +-- NotDeclared         it takes a capability that was not declared
    +-- ProtocolError           the other side's fault
    |   +-- DecodeError         what it sent is not what the revision declares
    |   +-- ResponseError       it answered a request with an error
    |   +-- HttpError           it answered an HTTP request with an error status
    |   |   +-- HttpResponseError (a ResponseError, too) and with the JSON-RPC error of that request
    |   +-- UnsupportedRevision it does not speak the revision that is wanted here
    |   +-- OutputMismatch      a tool's result is not what the tool promises
    |   +-- MissingCapability   it has not declared what is wanted of it here
    |   +-- MessageTooLarge     it sent a message beyond the limit
    +-- ToolError               a tool cannot do what it was asked for
    +-- ToolFailed              a tool's result says that it has failed
    +-- RequestTimeout          no answer in time
    +-- CallCancelled           a call was cancelled on this side before it had a result
    +-- TaskCancelled           a task was stopped before it had a result
    +-- ConnectionClosed        the connection ended, or was never open

Schema types whose name ends in ``Error`` are data, not exceptions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = [
    "CallCancelled",
    "Challenge",
    "ConnectionClosed",
    "DecodeError",
    "EncodeError",
    "HttpError",
    "HttpResponseError",
    "McpError",
    "MessageTooLarge",
    "MissingCapability",
    "NotDeclared",
    "OutputMismatch",
    "ProtocolError",
    "RequestTimeout",
    "ResponseError",
    "TaskCancelled",
    "ToolError",
    "ToolFailed",
    "Undecidable",
    "UnsupportedRevision",
    "UsageError",
]


class McpError(Exception):
    """Base of every exception of this package."""


class UsageError(McpError):
    """Something local is wrong: a call out of place, an object that cannot be sent."""


class ProtocolError(McpError):
    """The other side did something that the protocol does not allow."""


class _Located(McpError):
    """A fault with a place in a JSON value. Picklable, as exceptions cross process borders."""

    def __init__(self, path: tuple[str | int, ...], found: str, expected: str, revision: str) -> None:
        super().__init__(path, found, expected, revision)
        self.keys = path
        self.found = found
        self.expected = expected
        self.revision = revision

    @property
    def path(self) -> str:
        """Where, for people: ``$.params.content[2].type``."""
        return json_path(self.keys)

    @property
    def pointer(self) -> str:
        """Where, as a JSON Pointer (RFC 6901): ``/params/content/2/type``; empty for the whole value."""
        return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in self.keys)

    def __str__(self) -> str:
        return f"{self.path}: found {self.found}, expected {self.expected} ({self.revision})"


class EncodeError(_Located, UsageError):
    """A value cannot be written as the type it stands for; nothing was written.

    ``path`` and ``pointer`` say where, ``found`` what is there, ``expected`` what could be, ``revision`` by whose rules.
    """


class Undecidable(UsageError):
    """Which member of a union a payload is cannot be told from the payload; the message says what tells."""


class NotDeclared(UsageError):
    """A message takes a capability that the other side, or this one, has not declared; it was not sent."""


class DecodeError(_Located, ProtocolError):
    """A JSON value is not what the revision declares.

    ``path`` and ``pointer`` say where, ``found`` what is there, ``expected`` what would have been accepted, ``revision``
    by whose rules. One fault gives one error: the first, where there are several.
    """


class ResponseError(ProtocolError):
    """A request was answered with an error: its ``code``, ``message`` and ``data`` (JSON-RPC 2.0, section 5.1)."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        data: Any = self.data
        reason: Any = data.get("reason") if data.__class__ is dict else None
        more = f": {reason}" if isinstance(reason, str) and reason not in self.message else ""
        return f"{self.message}{more} ({self.code})"


class HttpError(ProtocolError):
    """An HTTP request was answered with an error status.

    ``status`` is the status and ``reason`` its phrase, ``url`` the URL that the request was sent to. ``text`` is how the
    body begins, or the message of its error; ``error`` is the body if it is a JSON-RPC error response, else None.
    ``retry_after`` is how many seconds the server asks to wait (``Retry-After``; RFC 9110, section 10.2.3), None where it
    does not. ``challenges`` are those of the headers ``WWW-Authenticate`` (RFC 9110, section 11.6.1), each with its
    ``scheme`` and ``parameters``.
    """

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
        self.status = status
        self.reason = reason
        self.text = text
        self.error = error
        self.challenges = tuple(challenges)
        self.url = url
        self.retry_after = retry_after

    def __str__(self) -> str:
        # The query may hold a secret.
        said = [f"{self.url.partition('?')[0] or 'the server'} answered with HTTP status {self.status}"]
        if self.reason:
            said.append(f" {self.reason}")
        if self.text:
            said.append(f": {self.text}")
        if self.challenges:
            said.append(f" (it asks for {', '.join(each.scheme for each in self.challenges)}: `headers=` or `auth=`)")
        if self.retry_after is not None:
            said.append(f" (retry after {self.retry_after:g} s)")
        return "".join(said)


class HttpResponseError(HttpError, ResponseError):
    """A request was answered with a JSON-RPC error, and with an HTTP error status.

    It has the attributes of both bases; ``error`` is the JSON-RPC response that ``code``, ``message`` and ``data`` are of.
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
        found = error["error"]
        self.code = found["code"]
        self.message = found["message"]
        self.data = found.get("data")

    def __str__(self) -> str:
        return f"{ResponseError.__str__(self)}; {HttpError.__str__(self)}"


class Challenge(NamedTuple):
    """What a server asks for before it lets somebody in."""

    scheme: str
    """``Bearer``, for instance, as the server spells it."""
    parameters: Mapping[str, str]
    """By name, in lower case: ``realm``, ``resource_metadata``, ``scope``, ``error`` and so on."""


class MessageTooLarge(ProtocolError):
    """A message is larger than the receiver allows; it is skipped, and the next one can be received.

    ``seen`` is how many bytes of it had come when that was noticed, ``limit`` how many it may have.
    """

    def __init__(self, seen: int, limit: int) -> None:
        super().__init__(seen, limit)
        self.seen = seen
        self.limit = limit

    def __str__(self) -> str:
        return f"a message of {self.seen} bytes or more was skipped: the limit is {self.limit} bytes"


class UnsupportedRevision(ProtocolError):
    """The other side speaks ``supported`` and not ``wanted``."""

    def __init__(self, wanted: str, supported: Sequence[str]) -> None:
        super().__init__(wanted, supported)
        self.wanted = wanted
        self.supported = tuple(supported)

    def __str__(self) -> str:
        if not self.supported:
            return (
                f"the other side does not speak {self.wanted}, and does not say what it speaks; "
                "`connect` of the package finds out"
            )
        return f"the other side does not speak {self.wanted}; it offers: {', '.join(self.supported)}"


class MissingCapability(ProtocolError):
    """The other side has not declared capabilities without which it is of no use here: ``missing``, dotted paths."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(missing)
        self.missing = tuple(missing)

    def __str__(self) -> str:
        return f"the other side has not declared what is required of it: {', '.join(self.missing)}"


class OutputMismatch(ProtocolError):
    """The ``structuredContent`` of a result does not fit the ``outputSchema`` of its ``tool``.

    ``faults`` say where, what was found and what is wanted; ``result`` is all that the tool has given.
    """

    def __init__(self, tool: str, faults: Sequence[str], result: Any) -> None:
        super().__init__(tool, faults, result)
        self.tool = tool
        self.faults = tuple(faults)
        self.result = result

    def __str__(self) -> str:
        return (
            f"the structuredContent of {self.tool} does not fit the tool's outputSchema: {'; '.join(self.faults)} "
            "(`result` of this error has it; check_output=False takes all)"
        )


class ToolError(McpError):
    """A tool cannot do what it was asked for, and its message says why, for the one who asked.

    To be raised in a tool: its caller gets a result with ``is_error`` and the message, as for any exception, and nothing
    is logged, as nothing is wrong with the tool.
    """


class ToolFailed(McpError):
    """A tool has failed: its message is the text of the ``result``, which ``raise_for_error`` was called on."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text, result)
        self.text = text
        self.result = result

    def __str__(self) -> str:
        return self.text


class RequestTimeout(McpError, TimeoutError):
    """No answer arrived before the deadline."""


class CallCancelled(McpError):
    """A call was cancelled on this side, as by ``RunningCall.cancel``; ``reason`` is why, None where that was not said."""

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the call was cancelled: {self.reason}" if self.reason else "the call was cancelled"


class TaskCancelled(McpError):
    """The task that a request has become was stopped, so that there is no answer."""


class ConnectionClosed(McpError, ConnectionError):
    """The connection is closed, so nothing can be sent or received on it."""

    unread = False
    """Whether the other side is known to have ended without having read anything, and so not because of it."""

    def again(self) -> ConnectionClosed:
        """Return the same exception for another thread, which has a traceback of its own."""
        fresh = self.__class__(*self.args)
        fresh.__dict__.update(self.__dict__)
        return fresh


def json_path(keys: tuple[str | int, ...]) -> str:
    """``$.a.b[2]["odd key"]``."""
    parts = ["$"]
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        elif key.isidentifier() or key.removeprefix("$").isidentifier():
            parts.append(f".{key}")
        else:
            parts.append(f"[{_quoted(key)}]")
    return "".join(parts)


def _quoted(text: str) -> str:
    """As a JSON string, in which nothing is left that a terminal would obey."""
    printed = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in printed)
