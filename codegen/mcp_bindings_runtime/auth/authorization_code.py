"""The authorization code grant with PKCE (RFC 6749, section 4.1; RFC 7636): ``begin`` and ``finish``.

Between the two the user visits a page of the authorization server. Another process may finish what one has begun.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from ..errors import OAuthError
from .client_identity import ClientIdentity
from .discovery import AuthorizationServer, Discovery, ServerChoice
from .flow import Flow, oauth_error
from .proof_key import ProofKey
from .rules import AuthorizationRules
from .token_request import Grant, TokenTarget, request_tokens


class PendingAuthorization(NamedTuple):
    """An authorization that has begun: the user still has to grant it."""

    url: str
    """The page of the authorization server that the user has to visit."""
    record: Mapping[str, Any]
    """A JSON object to pass to ``finish``. It contains secrets, so keep it on the server of your web program, for this
    user only.
    """

    def __repr__(self) -> str:
        return f"<authorization at {self.url.partition('?')[0]}>"

    @property
    def state(self) -> str:
        """The ``state`` of the request, which identifies its response."""
        state: str = self.record["state"]
        return state


def begin_authorization(
    discovery: Discovery,
    rules: AuthorizationRules,
    client: ClientIdentity,
    *,
    redirect_uri: str,
    scope: str | None,
    proof_key: ProofKey | None = None,
    exact_issuer: bool = True,
    without_pkce_metadata: bool = False,
) -> PendingAuthorization:
    """Return the URL of an authorization request (RFC 6749, section 4.1.1), and its record.

    The code and the tokens are bound to ``proof_key``, if there is one (RFC 9449, section 10). ``exact_issuer`` is whether
    a slash at the end of ``iss`` counts. ``without_pkce_metadata`` accepts a server that does not advertise S256.
    """
    server = discovery.server
    if server.authorization_endpoint is None or server.token_endpoint is None:
        text = f"{server.issuer} has no authorization endpoint; it does not support the authorization code grant"
        raise OAuthError(text)
    _check_pkce(server, rules, accepted=without_pkce_metadata)
    verifier, state = token_urlsafe(64), token_urlsafe(32)
    query = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": redirect_uri,
        "state": state,
        "code_challenge": urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    if discovery.resource is not None:
        query["resource"] = discovery.resource
    if scope is not None:
        query["scope"] = scope
        if "offline_access" in scope.split():
            # OpenID Connect Core 1.0, section 11.
            query["prompt"] = "consent"
    if proof_key is not None:
        query["dpop_jkt"] = proof_key.thumbprint()
    parts = urlsplit(server.authorization_endpoint)
    whole = "&".join(filter(None, (parts.query, urlencode(query))))
    record = {
        "state": state,
        "verifier": verifier,
        "redirect_uri": redirect_uri,
        "server_url": discovery.server_url,
        "issuer": server.issuer,
        "sends_issuer": server.sends_issuer,
        "token_endpoint": server.token_endpoint,
        "client": client.to_json(),
        "resource": discovery.resource,
        "scope": scope,
        "exact_issuer": exact_issuer,
        "proof_key": None if proof_key is None else proof_key.to_json(),
    }
    return PendingAuthorization(urlunsplit(parts._replace(query=whole, fragment="")), record)


def finish_authorization(redirect_url: str, record: Mapping[str, Any]) -> Flow[Grant]:
    """Return the grant for the authorization response in a URL. Raise ``OAuthError`` unless it is for the record."""
    code = _code_of(redirect_url, record)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": record["redirect_uri"],
        "code_verifier": record["verifier"],
    }
    client = ClientIdentity.from_json(record["client"])
    jwk = record.get("proof_key")
    key = None if jwk is None else ProofKey(jwk)
    target = TokenTarget(record["issuer"], record["token_endpoint"], client, record["resource"], key)
    return (yield from request_tokens(target, form, scope=record["scope"]))


def is_response_to(query: Mapping[str, list[str]], state: str) -> bool:
    """Return whether the query of a redirect has the ``state`` of a request, and has it once."""
    found = query.get("state", [])
    return len(found) == 1 and compare_digest(found[0].encode(), state.encode())


def _code_of(redirect_url: str, record: Mapping[str, Any]) -> str:
    """Return the code of an authorization response (RFC 6749, section 4.1.2; RFC 9207, section 2.4)."""
    query = parse_qs(urlsplit(redirect_url).query, keep_blank_values=True)
    if not is_response_to(query, record["state"]):
        text = "the authorization response is not for this request: its `state` is missing or different"
        raise OAuthError(text)
    if any(len(query.get(name, [])) > 1 for name in ("iss", "code", "error")):
        text = "the authorization response repeats a parameter"
        raise OAuthError(text)
    issuer = query.get("iss", [None])[0]
    if issuer is None and record["sends_issuer"]:
        text = f"the authorization response lacks `iss`, which {record['issuer']} always sends"
        raise OAuthError(text)
    choice = ServerChoice(without_exact_issuer=not record.get("exact_issuer", True))
    if issuer is not None and not choice.is_same_issuer(issuer, record["issuer"]):
        # A mix-up attack; the rest of the response is the attacker's.
        text = f"the authorization response is not from {record['issuer']}: its `iss` names another issuer"
        raise OAuthError(text)
    error = query.get("error", [None])[0]
    if error is not None:
        what = f"{record['issuer']} refused the authorization"
        raise oauth_error(what, error, query.get("error_description", [None])[0])
    code = query.get("code", [""])[0]
    if not code:
        text = "the authorization response has neither a code nor an error"
        raise OAuthError(text)
    return code


def _check_pkce(server: AuthorizationServer, rules: AuthorizationRules, *, accepted: bool) -> None:
    methods = server.challenge_methods
    if methods is not None and "S256" in methods:
        return
    if methods is None and (accepted or not rules.pkce_advertised):
        return
    text = f"{server.issuer} does not advertise PKCE with S256"
    if methods is None:
        text += "; pass `without_pkce_metadata=True` if you know that it supports it"
    raise OAuthError(text)


def requested_scope(challenge: str | None, discovery: Discovery, before: str | None = None) -> str | None:
    """Return the scopes to request (2025-11-25, Scope Selection Strategy), separated by blanks; None for none.

    They are those of the challenge, else all that the MCP server lists, in addition to those ``before``.
    """
    wanted = challenge.split() if challenge else [*discovery.scopes_supported]
    scopes = [*dict.fromkeys([*(before or "").split(), *wanted])]
    if scopes and "offline_access" in discovery.server.scopes_supported:
        scopes = [*dict.fromkeys([*scopes, "offline_access"])]
    return " ".join(scopes) or None
