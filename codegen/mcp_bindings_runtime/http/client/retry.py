"""The retry policy of the HTTP client: what is sent again, after which failure, how often, and after how long.

- A request is sent again if its connection was closed while idle, it reaches the server twice without harm, and nothing of
  a response has arrived (RFC 9110, section 9.2.2): ``repeats_request``.
- A request that was refused for want of credentials is sent again if ``auth`` returns others: ``wants_credentials``.
- A request whose session the server has ended is sent again in a new one (Session Management): ``lost_session``.
- A tool call without the headers that the tool requires is sent again with them (2026-07-28): ``lacks_headers``.
- The stream of a response is resumed where it broke off (Resumability and Redelivery): ``ATTEMPTS`` times in a row.
- The stream of messages that belong to no request is opened again as long as the client is open.

All but the streams are repeated once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import HttpError
from ...jsonrpc import HEADER_MISMATCH
from .statuses import INITIALIZE, error_of

if TYPE_CHECKING:
    from .exchange import Exchange
    from .wire import Response

DELAY: Final = 1.0
"""Seconds before a stream is opened again, if the server has not sent ``retry``."""
LONGEST_DELAY: Final = 60.0
"""Upper bound, in seconds, for the delays of the standalone stream."""
ATTEMPTS: Final = 5
"""Failures in a row after which the stream of a response is given up."""
OPENING: Final = 60.0
"""Seconds in which the server has to send the response headers of a stream that is opened again."""

_TEMPORARY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_SAFE: Final = frozenset(
    {
        INITIALIZE,
        "ping",
        "server/discover",
        "tools/list",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
        "logging/setLevel",
        "tasks/list",
        "tasks/get",
    }
)
"""Methods that may reach a server twice without harm."""


def is_temporary(status: int) -> bool:
    """Return whether the same request may succeed later."""
    return status in _TEMPORARY


def repeats_request(method: str, exchange: Exchange) -> bool:
    """Return whether to send a request again whose connection was closed."""
    return exchange.reused and method in _SAFE and not (exchange.response_began or exchange.ended)


def wants_credentials(response: Response) -> bool:
    """Return whether a response refuses a request that other credentials may let in."""
    return response.status == 401 or (response.status == 403 and "WWW-Authenticate" in response.headers)


def lost_session(refusal: HttpError, method: str, session: str | None) -> bool:
    """Return whether a refusal means that the server has ended the session of a request."""
    return refusal.status == 404 and session is not None and method != INITIALIZE


def lacks_headers(refusal: HttpError) -> bool:
    """Return whether a refusal means that the headers of a tool call do not match the schema of the tool."""
    return error_of(refusal).get("code") == HEADER_MISMATCH


def longer(delay: float, retry_after: float | None = None) -> float:
    """Return the delay after another failure to resume the stream of a response."""
    return max(delay, DELAY) * 2 if retry_after is None else max(delay, retry_after)


def longer_standalone(delay: float, retry_after: float | None = None) -> float:
    """Return the delay after another failure to open the standalone stream."""
    return min(delay * 2 if retry_after is None else max(retry_after, DELAY), LONGEST_DELAY)


def standalone_delay(delay: float, server_delay: float | None) -> float:
    """Return the delay before the standalone stream is opened again; ``server_delay`` is the ``retry`` of its events."""
    if server_delay is None:
        return delay
    return max(server_delay, delay) if delay > DELAY else server_delay
