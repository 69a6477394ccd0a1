"""``ProofMemory``: the DPoP proofs of the last minutes, so that none is accepted twice (RFC 9449, section 11.1)."""

from __future__ import annotations

from hashlib import sha256
from heapq import heappop, heappush
from threading import Lock
from time import time
from typing import Final

from .token_validator import ValidatorUnavailable

PROOF_LIFETIME: Final = 300.0
"""Seconds after which a DPoP proof is no longer accepted. A proof may also be dated that many seconds in the future."""
MAX_PROOFS: Final = 65_536
"""Limit on the DPoP proofs that are remembered."""
MAX_PROOFS_OF_KEY: Final = 16_384
"""Limit on the DPoP proofs of one key that are remembered; beyond it, the oldest proofs are forgotten, and proofs that
are as old as these or older are refused.
"""
_FEW_KEYS: Final = 1024


class ProofMemory:
    """Remembers proofs until they have expired. Thread-safe.

    A key with more proofs than the limit has a shorter lifetime for them, so that no proof that was forgotten is accepted
    again. Only the holder of a key can cause that, and for that key only.
    """

    def __init__(self) -> None:
        self._keys: dict[str, _Key] = {}
        """Thumbprints of keys to their proofs."""
        self._count = 0
        self._sweep_at = _FEW_KEYS
        """Number of keys at which those without proofs are dropped."""
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of proofs."""
        return self._count

    def add(self, thumbprint: str, jti: str, issued_at: float) -> bool:
        """Add a proof; return False if it was added before, or has expired.

        Raise ``ValidatorUnavailable`` if there is no room for a proof of another key.
        """
        digest = sha256(jti.encode("utf-8", "surrogatepass")).digest()[:16]
        now = time()
        with self._lock:
            key = self._keys.get(thumbprint)
            if key is None:
                key = self._new_key(thumbprint, now)
            self._count -= key.drop_before(now - PROOF_LIFETIME)
            if issued_at <= key.accepted_after or digest in key.digests:
                return False
            if key.proofs and (len(key.proofs) >= MAX_PROOFS_OF_KEY or self._count >= MAX_PROOFS):
                self._count -= key.drop_oldest()
                if issued_at <= key.accepted_after:
                    return False
            key.add(digest, issued_at)
            self._count += 1
            return True

    def _new_key(self, thumbprint: str, now: float) -> _Key:
        if self._count >= MAX_PROOFS or len(self._keys) >= self._sweep_at:
            self._drop_expired(now - PROOF_LIFETIME)
            self._sweep_at = max(_FEW_KEYS, 2 * len(self._keys))
        if self._count >= MAX_PROOFS:
            text = "too many proofs of other keys were received"
            raise ValidatorUnavailable(text)
        key = self._keys[thumbprint] = _Key()
        return key

    def _drop_expired(self, issued_at: float) -> None:
        for thumbprint, key in [*self._keys.items()]:
            self._count -= key.drop_before(issued_at)
            if not key.proofs and key.accepted_after <= issued_at:
                del self._keys[thumbprint]


class _Key:
    """The proofs of one key."""

    __slots__ = ("accepted_after", "digests", "proofs")

    def __init__(self) -> None:
        self.proofs: list[tuple[float, bytes]] = []
        """A heap of times of issue and digests."""
        self.digests: set[bytes] = set()
        self.accepted_after = float("-inf")
        """Time of issue up to which proofs may have been forgotten."""

    def add(self, digest: bytes, issued_at: float) -> None:
        heappush(self.proofs, (issued_at, digest))
        self.digests.add(digest)

    def drop_before(self, issued_at: float) -> int:
        """Drop the proofs that were issued before a time; return their number."""
        self.accepted_after = max(self.accepted_after, issued_at)
        count = 0
        while self.proofs and self.proofs[0][0] <= self.accepted_after:
            self.digests.discard(heappop(self.proofs)[1])
            count += 1
        return count

    def drop_oldest(self) -> int:
        """Drop the oldest proofs, which are all that were issued at one time; return their number."""
        return self.drop_before(self.proofs[0][0])
