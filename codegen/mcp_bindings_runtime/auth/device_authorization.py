"""The device authorization grant (RFC 8628): the user enters a code on another device, and the client polls."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import OAuthError
from .flow import error_response, json_object, post_form, printable, text_of
from .token_request import authenticate_client, request_tokens
from .urls import check_scheme

if TYPE_CHECKING:
    from .flow import Flow
    from .token_request import Grant, TokenTarget

DEVICE_CODE: Final = "urn:ietf:params:oauth:grant-type:device_code"
_INTERVAL: Final = 5.0
"""Seconds between token requests, and their increase if the server demands one (RFC 8628, section 3.5)."""
_LIFETIME: Final = 1800.0
"""Seconds in which a user has to enter the code of a device login, even if the authorization server allows more."""


class DeviceCode(NamedTuple):
    """The code that the user has to enter, and the page to enter it on."""

    verification_uri: str
    """The URL of the page, which the user can open on any device."""
    user_code: str
    """The code to enter on the page."""
    complete_uri: str | None
    """A URL that contains the code, for a link or a QR code; None if the server has none."""
    expires_at: float
    """Unix time in seconds at which the code expires."""
    device_code: str
    interval: float
    """Seconds between two token requests of the client."""

    def __repr__(self) -> str:
        # The device code is a secret of the client.
        return f"<device authorization at {self.verification_uri}>"


def request_device_code(endpoint: str, target: TokenTarget, scope: str | None, *, loopback: bool) -> Flow[DeviceCode]:
    """Return a code for the user (RFC 8628, section 3.1). With ``loopback``, its page may be on the local machine."""
    body: dict[str, str] = {}
    if scope is not None:
        body["scope"] = scope
    if target.resource is not None:
        body["resource"] = target.resource
    headers = authenticate_client(target.client, body)
    # RFC 8628, section 3.1: public clients, and those without a header, name themselves.
    body["client_id"] = target.client.client_id
    response = yield post_form("device authorization", endpoint, body, headers)
    what = f"the device authorization at {target.issuer}"
    if response.status != 200:
        raise error_response(response, what)
    members = json_object(response, what)
    device, user = text_of(members, "device_code"), printable(text_of(members, "user_code"))
    page, complete = text_of(members, "verification_uri"), text_of(members, "verification_uri_complete")
    if device is None or user is None or page is None:
        text = f"{what} must return `device_code`, `user_code` and `verification_uri`"
        raise OAuthError(text)
    for each in filter(None, (page, complete)):
        check_scheme(each, "the page for the code", loopback=loopback)
    seconds = min(_seconds(members.get("expires_in"), _LIFETIME), _LIFETIME)
    interval = max(1.0, _seconds(members.get("interval"), _INTERVAL))
    return DeviceCode(page, user, complete, response.received_at + seconds, device, interval)


def poll_once(code: DeviceCode, target: TokenTarget, scope: str | None) -> Flow[Grant | DeviceCode]:
    """Return the grant, or the code if the user has not entered it yet, whose ``interval`` the server may have changed.

    Raise ``OAuthError`` once the user has refused (``access_denied``), or the code has expired (``expired_token``).
    """
    if time() >= code.expires_at:
        text = "the code has expired before the user entered it"
        raise OAuthError(text, "expired_token")
    try:
        return (
            yield from request_tokens(target, {"grant_type": DEVICE_CODE, "device_code": code.device_code}, scope=scope)
        )
    except OAuthError as fault:
        if fault.error == "authorization_pending":
            return code
        if fault.error == "slow_down":
            return code._replace(interval=code.interval + _INTERVAL)
        raise


def _seconds(value: Any, default: float) -> float:
    # Some servers send the number as text.
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return default
    return seconds if 0 < seconds < float("inf") else default
