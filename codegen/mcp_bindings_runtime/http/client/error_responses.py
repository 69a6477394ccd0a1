"""Exceptions for HTTP responses that are not successful."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from time import monotonic, time
from typing import TYPE_CHECKING, Any, Final

from ...errors import Challenge, HttpError, McpError
from .exchange import Exchange
from .messages import members
from .wire import NEEDS_PROXY_HEADERS, close, next_part

if TYPE_CHECKING:
    from .wire import Response

_MOST: Final = 64 * 1024
"""Limit on the bytes of the body of an error response that are read."""
_BODY_TIME: Final = 2.0
"""Seconds in which the body of an error response has to arrive, or half of the remaining timeout if that is less.
Without the body, the error only has the status.
"""
_LONGEST: Final = 200

_PART = re.compile(
    r"""
    (?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)
    (?: \s*=\s* (?: "(?P<quoted>(?:[^"\\]|\\.)*)" | (?P<plain>[^\s",=]+) ) (?=\s*(?:,|$))
      | (?P<scheme>) (?: [ ]+ (?P<token>[0-9A-Za-z._~+/-]+=*) (?=\s*(?:,|$)) )?
    )
    """,
    re.VERBOSE,
)


def http_error_of(response: Response, exchange: Exchange) -> HttpError:
    """Return the exception for a response, whose body is read up to a limit and then closed."""
    data = b""
    deadline, now = exchange.deadline, monotonic()
    # The caller has to have the status before its own deadline.
    exchange.deadline = now + min(_BODY_TIME, (deadline - now) / 2)
    try:
        while len(data) < _MOST and (part := next_part(response, exchange)):
            data += part
    except McpError:
        # The status is enough.
        data = b""
    finally:
        exchange.deadline = deadline
        close(response)
    error = _error(data)
    message = _message_of(members(error.get("error"))) if error is not None else None
    if response.status == 407:
        message = NEEDS_PROXY_HEADERS
    return HttpError(
        response.status,
        response.reason or "",
        _first_line(str(message) if message else _text(data, response.headers.get("Content-Type", ""))),
        error,
        challenges(response.headers.getlist("WWW-Authenticate")),
        exchange.url,
        retry_after(response.headers),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of ``Retry-After`` (RFC 9110, section 10.2.3); None if it is missing or invalid.

    A date is compared with the server's ``Date``, as clocks differ.
    """
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdecimal():
        seconds = float(value)
        # Hundreds of digits are infinite, which is no time to wait.
        return seconds if isfinite(seconds) else None
    at = _time(value)
    if at is None:
        return None
    now = _time(headers.get("Date", ""))
    return max(0.0, at - (time() if now is None else now))


def _time(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _message_of(error: Mapping[str, Any]) -> Any:
    """Return the message of an error, with the reason in its data that our servers add."""
    message, reason = error.get("message"), members(error.get("data")).get("reason")
    return f"{message}: {reason}" if message and isinstance(reason, str) else message


def _error(data: bytes) -> Mapping[str, Any] | None:
    """Return a body that is an error response of JSON-RPC; None for any other."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(members(members(value).get("error")).get("code"), int) else None


def _text(data: bytes, kind: str) -> str:
    # The first line of an HTML page is of no use.
    return "" if kind.startswith("text/html") else data.decode("utf-8", "replace")


def _first_line(text: str) -> str:
    """Return the first line of a text, without control characters."""
    # One character more than is kept shows whether the line is too long.
    line = text.strip().partition("\n")[0].strip()[: _LONGEST + 1]
    line = "".join(each if each.isprintable() else " " for each in line)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def challenges(headers: list[str]) -> list[Challenge]:
    """Return the challenges of ``WWW-Authenticate`` (RFC 9110, section 11.6.1); skip what is invalid."""
    found: list[tuple[str, dict[str, str]]] = []
    for header in headers:
        at = 0
        first = len(found)
        while part := _PART.search(header, at):
            at = part.end()
            name, plain = part["name"], part["plain"]
            if part["quoted"] is not None:
                plain = re.sub(r"\\(.)", r"\1", part["quoted"])
            if plain is None:
                found.append((name, {} if part["token"] is None else {"token68": part["token"]}))
            elif len(found) > first:
                found[-1][1].setdefault(name.lower(), plain)
    return [Challenge(scheme, parameters) for scheme, parameters in found]
