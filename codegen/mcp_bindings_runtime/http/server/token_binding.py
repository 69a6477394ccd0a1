"""``TokenBinding``: whether a server accepts, or requires, access tokens that are bound to a key (DPoP, RFC 9449)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from ...auth.resource_server.token_validator import check_bearer
from ...errors import UsageError
from ...session.caller import Caller

DpopPolicy: TypeAlias = Literal["accepted", "required"]

_POLICIES: Final = ("accepted", "required")


class TokenBinding:
    """The policy of a server at the URL ``resource``. Raises ``UsageError`` for another policy, and without joserfc."""

    def __init__(self, policy: DpopPolicy, resource: str) -> None:
        if policy not in _POLICIES:
            text = f"`dpop` must be 'accepted', 'required' or None, got {policy!r}"
            raise UsageError(text)
        from ...auth.resource_server.key_set import ALGORITHMS
        from ...auth.resource_server.proof_validator import ProofValidator

        self._proofs = ProofValidator(resource)
        self.schemes = ("DPoP",) if policy == "required" else ("Bearer", "DPoP")
        """Authentication schemes of requests."""
        self.algorithms = " ".join(ALGORITHMS)
        """Signature algorithms of proofs, separated by blanks (RFC 9449, section 7.1)."""
        self.metadata: Mapping[str, Any] = {"dpop_signing_alg_values_supported": [*ALGORITHMS]}
        """Members of the protected resource metadata (RFC 9728, section 2)."""
        if policy == "required":
            self.metadata = {**self.metadata, "dpop_bound_access_tokens_required": True}

    def check(self, environ: Mapping[str, Any], scheme: str, token: str, caller: Caller) -> None:
        """Check that a bound token comes with a proof, and another one as a bearer token.

        Raise ``InvalidToken``, ``InvalidProof`` and ``ValidatorUnavailable``.
        """
        if scheme == "DPoP":
            self._proofs.check(environ, token, caller)
        else:
            check_bearer(caller)
