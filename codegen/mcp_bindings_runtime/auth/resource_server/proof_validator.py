"""``ProofValidator``: whether the sender of a request holds the key of its access token (DPoP, RFC 9449, section 4.3)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from time import time
from typing import Any, Final
from urllib.parse import quote, urlsplit

from ...errors import OAuthError
from ...session.caller import Caller
from ..urls import url_origin
from .jwt_parts import unverified_header
from .key_set import PublicKey, public_key, require_joserfc
from .proof_memory import PROOF_LIFETIME, ProofMemory
from .token_validator import InvalidProof, InvalidToken

_TYPE: Final = "dpop+jwt"
_MAX_SIZE: Final = 8 * 1024
"""Limit on the characters of a DPoP proof."""


class ProofValidator:
    """Validates the proofs of requests to an MCP server at the URL ``resource``. Thread-safe.

    The URL in a proof is compared with ``resource``, or with the requested path on its host, and never with headers of the
    request. Raises ``UsageError`` without joserfc.
    """

    def __init__(self, resource: str) -> None:
        require_joserfc("`dpop`")
        self._origin = url_origin(resource)
        self._resource = _target(resource)
        self._memory = ProofMemory()

    def check(self, environ: Mapping[str, Any], token: str, caller: Caller) -> None:
        """Check the proof of a request with an access token, which is that of ``caller``.

        Raise ``InvalidProof``; ``InvalidToken`` if the token is not bound to the key of the proof; and
        ``ValidatorUnavailable``.
        """
        proof: str | None = environ.get("HTTP_DPOP")
        if proof is None or len(proof) > _MAX_SIZE:
            text = f"a request with a bound token needs a proof of at most {_MAX_SIZE} characters in the header DPoP"
            raise InvalidProof(text)
        key, algorithm = _key_of(unverified_header(proof))
        thumbprint: str = key.thumbprint()
        bound_to = thumbprint_of(caller)
        if bound_to is None or not compare_digest(thumbprint, bound_to):
            text = "the access token is not bound to the key of the DPoP proof"
            raise InvalidToken(text)
        claims = _verified(proof, key, algorithm)
        self._check_request(claims, environ, token)
        now, issued_at, jti = time(), _any(claims, "iat"), _any(claims, "jti")
        # Integers of any length can be compared.
        if issued_at.__class__ not in (int, float) or not now - PROOF_LIFETIME <= issued_at <= now + PROOF_LIFETIME:
            text = f"the DPoP proof is more than {PROOF_LIFETIME:g} s old, or of the future; check the clocks"
            raise InvalidProof(text)
        if jti.__class__ is not str or not jti:
            text = "the DPoP proof has no `jti`"
            raise InvalidProof(text)
        if not self._memory.add(thumbprint, jti, issued_at):
            text = "the DPoP proof was used before; each request needs a new one"
            raise InvalidProof(text)

    def _check_request(self, claims: Mapping[str, Any], environ: Mapping[str, Any], token: str) -> None:
        if claims.get("htm") != environ["REQUEST_METHOD"]:
            text = "the DPoP proof is for another method"
            raise InvalidProof(text)
        path = quote(f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1"))
        if _target(claims.get("htu")) not in {self._resource, f"{self._origin}{path.rstrip('/')}"}:
            text = "the DPoP proof is for another URL"
            raise InvalidProof(text)
        expected = urlsafe_b64encode(sha256(token.encode()).digest()).rstrip(b"=").decode()
        if claims.get("ath") != expected:
            text = "the DPoP proof is for another access token"
            raise InvalidProof(text)


def thumbprint_of(caller: Caller) -> str | None:
    """Return the thumbprint of the key to which the token of a caller is bound (RFC 9449, section 6.1); None for none."""
    confirmation = _any(caller.claims, "cnf")
    found = _any(confirmation, "jkt") if confirmation.__class__ is dict else None
    return found if isinstance(found, str) and found.isascii() else None


def _key_of(header: Mapping[str, Any] | None) -> tuple[Any, str]:
    """Return the public key in the header of a proof, and its algorithm. Raise ``InvalidProof``."""
    if header is None or header.get("typ") != _TYPE:
        text = f"the header DPoP must hold one JWT of the type {_TYPE}"
        raise InvalidProof(text)
    algorithm, members = _any(header, "alg"), _any(header, "jwk")
    key: PublicKey | None = public_key(members) if members.__class__ is dict and "d" not in members else None
    if key is None or not isinstance(algorithm, str) or not key.verifies(algorithm):
        text = "the DPoP proof must have a public key in `jwk`, and an algorithm of it such as ES256"
        raise InvalidProof(text)
    return key.key, algorithm


def _any(members: Mapping[str, Any], name: str) -> Any:
    return members.get(name)


def _verified(proof: str, key: Any, algorithm: str) -> Mapping[str, Any]:
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jws import JWSRegistry

    registry = JWSRegistry(algorithms=[algorithm], strict_check_header=False)
    # An RSA key is longer than the header of other JWTs.
    registry.max_header_length = _MAX_SIZE
    try:
        claims: Mapping[str, Any] = jwt.decode(proof, key, algorithms=[algorithm], registry=registry).claims
    except (JoseError, ValueError, TypeError):
        text = "the signature of the DPoP proof is not valid"
        raise InvalidProof(text) from None
    return claims


def _target(url: Any) -> str | None:
    """Return a URL without its query and fragment, in a form to compare (RFC 9449, section 4.3); None for anything else."""
    try:
        return f"{url_origin(url)}{urlsplit(url).path.rstrip('/')}" if isinstance(url, str) else None
    except OAuthError:
        return None
