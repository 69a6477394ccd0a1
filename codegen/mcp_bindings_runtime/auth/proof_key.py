"""Keys that prove the possession of access tokens, so that a stolen token is useless (DPoP, RFC 9449)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from secrets import token_urlsafe
from time import time
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from ..distribution import install_command
from ..errors import OAuthError, UsageError
from .urls import url_origin

ALGORITHM: Final = "ES256"
"""The algorithm of proofs, which every server of RFC 9449 that names its algorithms names most often."""
_CURVE: Final = "P-256"
_NONCE_ERROR: Final = "use_dpop_nonce"


class ProofKey:
    """A private key, and the nonces that servers demand in its proofs. Thread-safe."""

    def __init__(self, jwk: Mapping[str, Any]) -> None:
        key_type = _key_type()
        from joserfc.errors import JoseError

        try:
            self._key = key_type.import_key(dict(jwk))
            usable = self._key.is_private and jwk["crv"] == _CURVE
        except (JoseError, ValueError, KeyError, TypeError):
            usable = False
        if not usable:
            # The cause may quote the key.
            text = "the stored DPoP key is not a private key for ES256; log in again"
            raise OAuthError(text)
        self._header = {"typ": "dpop+jwt", "alg": ALGORITHM, "jwk": self._key.as_dict(private=False)}
        self._nonces: dict[str, str] = {}
        """The last nonce of each origin."""

    @classmethod
    def generate(cls) -> ProofKey:
        """Return a new key. Raise ``UsageError`` without the extra ``oauth``."""
        return cls(_key_type().generate_key(_CURVE, private=True).as_dict(private=True))

    def __repr__(self) -> str:
        return f"<DPoP key {self.thumbprint()}>"

    def to_json(self) -> dict[str, Any]:
        """Return the private key as a JSON Web Key (RFC 7517)."""
        members: dict[str, Any] = self._key.as_dict(private=True)
        return members

    def thumbprint(self) -> str:
        """Return the thumbprint of the public key (RFC 7638), to which servers bind codes and tokens."""
        text: str = self._key.thumbprint()
        return text

    def proof(self, method: str, url: str, access_token: str | None = None) -> str:
        """Return a new proof for one request (RFC 9449, section 4.2), with the access token that it carries, if any."""
        from joserfc import jwt

        claims: dict[str, Any] = {
            "jti": token_urlsafe(16),
            "htm": method,
            "htu": urlunsplit(urlsplit(url)._replace(query="", fragment="")),
            "iat": int(time()),
        }
        if access_token is not None:
            claims["ath"] = urlsafe_b64encode(sha256(access_token.encode()).digest()).rstrip(b"=").decode()
        nonce = self._nonces.get(url_origin(url))
        if nonce is not None:
            claims["nonce"] = nonce
        return jwt.encode(self._header, claims, self._key, algorithms=[ALGORITHM])

    def read_response(self, url: str, headers: Mapping[str, str]) -> None:
        """Keep the nonce of a response for the next proof (RFC 9449, sections 8.2 and 9)."""
        nonce = headers.get("dpop-nonce")
        if nonce:
            self._nonces[url_origin(url)] = nonce


def demands_nonce(error: str | None) -> bool:
    """Return whether an error code means that a request may be sent again with the nonce of the response."""
    return error == _NONCE_ERROR


def _key_type() -> Any:
    try:
        from joserfc.jwk import ECKey
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"joserfc", "cryptography"}:
            raise
        text = f"DPoP needs joserfc, which is not installed: {install_command('oauth')}"
        raise UsageError(text) from None
    return ECKey
