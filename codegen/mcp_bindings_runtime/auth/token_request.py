"""Token requests: client authentication, and grants from the responses (RFC 6749, sections 4.1.3, 5 and 6)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote

from ..errors import OAuthError
from .client_identity import ClientIdentity
from .flow import Flow, FlowResponse, error_response, json_object, post_form, text_of
from .proof_key import ProofKey, demands_nonce

_FORM: Final = "application/x-www-form-urlencoded"


class Grant(NamedTuple):
    """Tokens for one MCP server, with all that a refresh needs."""

    issuer: str
    token_endpoint: str
    client: ClientIdentity
    resource: str | None
    access_token: str
    token_type: str
    expires_at: float | None
    """Unix time in seconds; None if the server has not named it."""
    refresh_token: str | None
    scope: str | None
    """The scopes of the access token, separated by blanks; None if unknown."""
    proof_key: ProofKey | None = None
    """The key to which the tokens are bound (DPoP); None for bearer tokens."""

    def __repr__(self) -> str:
        return f"<{self.token_type} token of {self.issuer} for {self.resource}>"

    def to_json(self) -> dict[str, Any]:
        """Return the grant as a JSON object."""
        members = {**self._asdict(), "client": self.client.to_json()}
        if self.proof_key is None:
            del members["proof_key"]
        else:
            members["proof_key"] = self.proof_key.to_json()
        return members

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Grant:
        """Return the grant in a JSON object. Raise ``KeyError`` or ``TypeError`` if it is none."""
        values: dict[str, Any] = {name: members[name] for name in cls._fields if name not in cls._field_defaults}
        values["client"] = ClientIdentity.from_json(values["client"])
        jwk = members.get("proof_key")
        values["proof_key"] = None if jwk is None else ProofKey(jwk)
        return cls(**values)


class TokenTarget(NamedTuple):
    """The recipient of token requests and the subject of the tokens."""

    issuer: str
    token_endpoint: str
    client: ClientIdentity
    resource: str | None
    proof_key: ProofKey | None = None


def request_tokens(
    target: TokenTarget,
    form: Mapping[str, str],
    *,
    scope: str | None = None,
    before: Grant | None = None,
    assertion: Mapping[str, str] | None = None,
) -> Flow[Grant]:
    """Return the grant for a form, to which ``resource`` and the client authentication are added.

    ``scope`` is the requested one, ``before`` the grant that is refreshed. The parameters ``assertion`` authenticate the
    client instead of a secret.
    """
    body = dict(form)
    if target.resource is not None:
        body["resource"] = target.resource
    headers = {}
    if assertion is not None:
        body.update(assertion)
    else:
        headers = authenticate_client(target.client, body)
    response = yield from _send(target, body, headers)
    if not 200 <= response.status < 300:
        raise error_response(response, f"the token request at {target.issuer}")
    return _grant(target, response, scope, before)


def _send(target: TokenTarget, body: Mapping[str, str], headers: Mapping[str, str]) -> Flow[FlowResponse]:
    """Return the response to a token request, which is sent again if the server demands a nonce (RFC 9449, section 8)."""
    url, key = target.token_endpoint, target.proof_key
    if key is None:
        return (yield post_form("token request", url, body, headers))
    response = yield post_form("token request", url, body, {**headers, "DPoP": key.proof("POST", url)})
    key.read_response(url, response.headers)
    if response.status not in {400, 401} or not demands_nonce(error_response(response, "").error):
        return response
    response = yield post_form("token request", url, body, {**headers, "DPoP": key.proof("POST", url)})
    key.read_response(url, response.headers)
    return response


def refresh(grant: Grant) -> Flow[Grant]:
    """Return a new grant for the refresh token of an old one, with the same scopes."""
    if grant.refresh_token is None:
        text = f"{grant.issuer} has issued no refresh token"
        raise OAuthError(text, "invalid_grant")
    # No scope: it would be that of the grant anyway, and some servers refuse it.
    form = {"grant_type": "refresh_token", "refresh_token": grant.refresh_token}
    target = TokenTarget(grant.issuer, grant.token_endpoint, grant.client, grant.resource, grant.proof_key)
    return (yield from request_tokens(target, form, before=grant))


def authenticate_client(client: ClientIdentity, body: dict[str, str]) -> dict[str, str]:
    """Add the client's id and secret to the body of a request, or return the header with them."""
    if client.auth_method == "client_secret_basic":
        # RFC 6749, section 2.3.1. A blank is %20, which every decoder of forms understands.
        pair = f"{quote(client.client_id, safe='')}:{quote(client.client_secret or '', safe='')}"
        return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}
    body["client_id"] = client.client_id
    if client.auth_method == "client_secret_post":
        body["client_secret"] = client.client_secret or ""
    return {}


def _grant(target: TokenTarget, response: FlowResponse, scope: str | None, before: Grant | None) -> Grant:
    what = f"the token response of {target.issuer}"
    if response.headers.get("content-type", "").startswith(_FORM):
        members: Mapping[str, Any] = dict(parse_qsl(response.body.decode("utf-8", "replace")))
    else:
        members = json_object(response, what)
    if text_of(members, "error") is not None:
        raise error_response(response, what)
    token, kind = text_of(members, "access_token"), text_of(members, "token_type") or ""
    wanted = "Bearer" if target.proof_key is None else "DPoP"
    if token is None or kind.lower() != wanted.lower() or not (token.isascii() and token.isprintable()):
        text = f"{what} must have an access token of the type {wanted}, got the type {kind[:50]!r}"
        raise OAuthError(text)
    kept = None if before is None else before.refresh_token
    return Grant(
        target.issuer,
        target.token_endpoint,
        target.client,
        target.resource,
        token,
        kind,
        _expiry(members.get("expires_in"), response.received_at),
        text_of(members, "refresh_token") or kept,
        text_of(members, "scope") or (scope if before is None else before.scope),
        target.proof_key,
    )


def _expiry(expires_in: Any, now: float) -> float | None:
    # Some servers send the number as text.
    try:
        seconds = float(expires_in)
    except (TypeError, ValueError):
        return None
    return now + seconds if 0 <= seconds < float("inf") else None
