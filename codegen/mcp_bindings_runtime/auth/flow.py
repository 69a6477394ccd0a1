"""Flows: generators that yield HTTP requests, receive the responses, and return a result, without a socket or a clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlencode

from ..errors import OAuthError

T = TypeVar("T")

_FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = "application/json"
_SHOWN: Final = 200
"""Limit on the characters of an authorization server's text that an error message repeats."""


class FlowRequest(NamedTuple):
    """A request to an authorization server, or for metadata."""

    purpose: str
    """Description for error messages."""
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None

    def __repr__(self) -> str:
        # Headers and body hold secrets.
        return f"<{self.method} {self.url.partition('?')[0]}: {self.purpose}>"


class FlowResponse(NamedTuple):
    """The response to a request of a flow."""

    status: int
    headers: Mapping[str, str]
    """Header fields by lower-case name."""
    body: bytes
    received_at: float
    """Unix time in seconds."""

    def __repr__(self) -> str:
        # The body holds tokens.
        return f"<HTTP status {self.status}, {len(self.body)} bytes>"


Flow: TypeAlias = Generator[FlowRequest, FlowResponse, T]
"""Yields requests, receives their responses, and returns a result. Raises ``OAuthError``."""


def run_flow(flow: Flow[T], send: Callable[[FlowRequest], FlowResponse]) -> T:
    """Return the result of a flow, whose requests ``send`` sends."""
    try:
        request = next(flow)
        while True:
            request = flow.send(send(request))
    except StopIteration as end:
        result: T = end.value
        return result


def get_json(purpose: str, url: str, headers: Mapping[str, str] | None = None) -> FlowRequest:
    """Return a request for a JSON document."""
    return FlowRequest(purpose, "GET", url, {"Accept": _JSON, **(headers or {})})


def post_json(purpose: str, url: str, value: Any) -> FlowRequest:
    """Return a request with a JSON body."""
    headers = {"Accept": _JSON, "Content-Type": _JSON}
    return FlowRequest(purpose, "POST", url, headers, json.dumps(value).encode())


def post_form(purpose: str, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> FlowRequest:
    """Return a request with a form as its body."""
    headers = {"Accept": _JSON, "Content-Type": _FORM, **headers}
    return FlowRequest(purpose, "POST", url, headers, urlencode(form).encode())


def json_object(response: FlowResponse, what: str) -> dict[str, Any]:
    """Return the JSON object in a body. Raise ``OAuthError`` for anything else."""
    try:
        value: Any = json.loads(response.body)
    except (ValueError, RecursionError):
        value = None
    if value.__class__ is not dict:
        # The body may hold tokens, or details of an internal server.
        text = f"{what} must be a JSON object, got something else (HTTP status {response.status})"
        raise OAuthError(text)
    found: dict[str, Any] = value
    return found


def text_of(members: Mapping[str, Any], name: str) -> str | None:
    """Return a member that is a string; None if it is absent, null or empty. Raise ``OAuthError`` for another type."""
    value = members.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        text = f"the member {name!r} of the response must be a string, got {type(value).__name__}"
        raise OAuthError(text)
    return value


def texts_of(members: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """Return a member that is a list of strings; None if it is absent or null. Raise ``OAuthError`` for another type."""
    value: Any = members.get(name)
    if value is None:
        return None
    if value.__class__ is not list or not all(each.__class__ is str for each in value):
        text = f"the member {name!r} of the response must be a list of strings"
        raise OAuthError(text)
    return tuple(value)


def error_response(response: FlowResponse, what: str) -> OAuthError:
    """Return the exception for an error response of an authorization server (RFC 6749, section 5.2)."""
    try:
        members = json_object(response, what)
        code = text_of(members, "error")
        description = text_of(members, "error_description")
    except OAuthError:
        code = description = None
    return oauth_error(f"{what} failed with HTTP status {response.status}", code, description)


def oauth_error(what: str, code: str | None, description: str | None) -> OAuthError:
    """Return the exception for an error code of an authorization server."""
    code, description = printable(code), printable(description)
    text = f"{what}: {code}" if code else what
    return OAuthError(f"{text} ({description})" if description else text, code, description)


def printable(text: str | None) -> str | None:
    """Return the beginning of a server's text, without control characters."""
    if text is None:
        return None
    return "".join(char if char.isprintable() else " " for char in text[:_SHOWN])
