"""The identity of a client at an authorization server: pre-registered, a metadata document, or dynamic registration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..errors import OAuthError
from .discovery import AuthorizationServer
from .flow import Flow, error_response, json_object, post_json, text_of
from .rules import AuthorizationRules
from .urls import is_loopback

SECRET_METHODS: Final = ("client_secret_basic", "client_secret_post")
"""Client authentication with a secret, the preferred first (RFC 6749, section 2.3.1)."""
_OF_CODE_FLOW: Final = (*SECRET_METHODS, "none")


class ClientIdentity(NamedTuple):
    """The id and secret of a client, and the server that issued them."""

    issuer: str
    client_id: str
    auth_method: str
    """``token_endpoint_auth_method`` (RFC 7591, section 2)."""
    client_secret: str | None = None
    secret_expires_at: float | None = None
    """Unix time in seconds; None if the secret does not expire."""

    def __repr__(self) -> str:
        return f"<client {self.client_id!r} of {self.issuer}>"

    def to_json(self) -> dict[str, Any]:
        """Return the identity as a JSON object."""
        return self._asdict()

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> ClientIdentity:
        """Return the identity in a JSON object."""
        return cls(**{name: members[name] for name in cls._fields if name in members})

    def is_usable(self, now: float) -> bool:
        """Return whether the secret, if there is one, has not expired."""
        return self.secret_expires_at is None or now < self.secret_expires_at


def preregistered(server: AuthorizationServer, client_id: str, client_secret: str | None) -> ClientIdentity:
    """Return the identity of a client that was registered by hand. Raise ``OAuthError`` if the server refuses its kind."""
    return ClientIdentity(server.issuer, client_id, auth_method_of(server, client_secret), client_secret)


def auth_method_of(server: AuthorizationServer, client_secret: str | None) -> str:
    """Return the client authentication for a client with or without a secret."""
    possible = SECRET_METHODS if client_secret is not None else ("none",)
    found = next((each for each in possible if each in server.auth_methods), None)
    if found is not None:
        return found
    if client_secret is None:
        # Many servers list the methods of confidential clients only.
        return "none"
    text = f"{server.issuer} accepts no client secret; it supports {', '.join(server.auth_methods)[:200]}"
    raise OAuthError(text)


def document_identity(server: AuthorizationServer, url: str) -> ClientIdentity:
    """Return the identity of a client whose id is the URL of its metadata document."""
    return ClientIdentity(server.issuer, url, "none")


def register(
    server: AuthorizationServer,
    rules: AuthorizationRules,
    *,
    client_name: str,
    grant_type: str,
    redirect_uri: str | None,
    scope: str | None,
) -> Flow[ClientIdentity]:
    """Register a client dynamically (RFC 7591), for a grant type without a redirect URI if that is None."""
    if server.registration_endpoint is None:
        text = (
            f"{server.issuer} does not register clients; register one by hand, and pass its `client_id=` "
            "(and `client_secret=` if it has one)"
        )
        raise OAuthError(text)
    metadata: dict[str, Any] = {
        "client_name": client_name,
        "redirect_uris": [] if redirect_uri is None else [redirect_uri],
        "grant_types": [grant_type, "refresh_token"],
        "response_types": [] if redirect_uri is None else ["code"],
        "token_endpoint_auth_method": _preferred(server.auth_methods),
    }
    if scope is not None:
        metadata["scope"] = scope
    if rules.application_type:
        metadata["application_type"] = "native" if redirect_uri is None or is_loopback(redirect_uri) else "web"
    response = yield post_json("client registration", server.registration_endpoint, metadata)
    if response.status not in {200, 201}:
        raise error_response(response, f"the registration of the client at {server.issuer}")
    members = json_object(response, "the response to a client registration")
    client_id = text_of(members, "client_id")
    secret = text_of(members, "client_secret")
    # RFC 7591, section 3.2.1: the server may have replaced what was requested.
    method = text_of(members, "token_endpoint_auth_method") or metadata["token_endpoint_auth_method"]
    if client_id is None:
        text = f"{server.issuer} registered the client without a `client_id`"
        raise OAuthError(text)
    if method not in _OF_CODE_FLOW or (method != "none" and secret is None):
        text = f"{server.issuer} registered the client for {method!r}{'' if secret else ' without a secret'}"
        raise OAuthError(text)
    expires_at = members.get("client_secret_expires_at")
    expiry = float(expires_at) if isinstance(expires_at, int | float) and expires_at > 0 else None
    kept = secret if method != "none" else None
    return ClientIdentity(server.issuer, client_id, method, kept, expiry)


def _preferred(offered: Sequence[str]) -> str:
    """Return the client authentication to register: a native client cannot keep a secret (RFC 8252, section 8.5)."""
    return next((each for each in ("none", *SECRET_METHODS) if each in offered), "none")
