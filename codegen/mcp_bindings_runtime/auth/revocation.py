"""The revocation of tokens at the authorization server that issued them (RFC 7009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from ..errors import OAuthError
from .discovery import issuer_metadata
from .flow import error_response, post_form, text_of
from .token_request import authenticate_client

if TYPE_CHECKING:
    from .flow import Flow
    from .token_request import Grant

TokenTypeHint: TypeAlias = Literal["refresh_token", "access_token"]
"""A value of ``token_type_hint`` (RFC 7009, section 2.1)."""


def revocation_endpoint(grant: Grant) -> Flow[str | None]:
    """Return the URL at which the tokens of a grant can be revoked; None if the authorization server does not offer it.

    Raise ``OAuthError`` if the server cannot be asked, or if its metadata is of another server.
    """
    members = yield from issuer_metadata(grant.issuer)
    if members.get("issuer") != grant.issuer:
        # The tokens could be those of another server.
        text = f"the metadata of {grant.issuer} must name it as issuer, got {str(members.get('issuer'))[:200]!r}"
        raise OAuthError(text)
    return text_of(members, "revocation_endpoint")


def tokens_to_revoke(grant: Grant) -> list[tuple[TokenTypeHint, str]]:
    """Return the tokens of a grant in the order in which to revoke them.

    The refresh token comes first, because the grant ends with it (RFC 7009, section 2.1).
    """
    tokens: dict[TokenTypeHint, str | None] = {"refresh_token": grant.refresh_token, "access_token": grant.access_token}
    return [(hint, token) for hint, token in tokens.items() if token is not None]


def revoke_token(url: str, grant: Grant, hint: TokenTypeHint, token: str) -> Flow[None]:
    """Revoke a token of a grant at the revocation endpoint.

    Raise ``OAuthError`` if the server refuses, or cannot be asked.
    """
    body = {"token": token, "token_type_hint": hint}
    headers = authenticate_client(grant.client, body)
    response = yield post_form("revocation", url, body, headers)
    if not 200 <= response.status < 300:
        raise error_response(response, f"the revocation at {grant.issuer}")
