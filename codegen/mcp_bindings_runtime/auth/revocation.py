"""The revocation of tokens at the authorization server that issued them (RFC 7009)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import OAuthError
from .discovery import issuer_metadata
from .flow import error_response, post_form, text_of
from .token_request import authenticate_client

if TYPE_CHECKING:
    from .flow import Flow
    from .token_request import Grant


def revoke(grant: Grant) -> Flow[bool]:
    """Revoke the tokens of a grant; return False if the authorization server does not offer it.

    The refresh token is revoked first, because the grant ends with it (RFC 7009, section 2.1). Raise ``OAuthError`` if the
    server refuses, or cannot be asked.
    """
    members = yield from issuer_metadata(grant.issuer)
    if members.get("issuer") != grant.issuer:
        # The tokens could be those of another server.
        text = f"the metadata of {grant.issuer} must name it as issuer, got {str(members.get('issuer'))[:200]!r}"
        raise OAuthError(text)
    url = text_of(members, "revocation_endpoint")
    if url is None:
        return False
    for hint, token in (("refresh_token", grant.refresh_token), ("access_token", grant.access_token)):
        if token is not None:
            body = {"token": token, "token_type_hint": hint}
            headers = authenticate_client(grant.client, body)
            response = yield post_form("revocation", url, body, headers)
            if not 200 <= response.status < 300:
                raise error_response(response, f"the revocation at {grant.issuer}")
    return True
