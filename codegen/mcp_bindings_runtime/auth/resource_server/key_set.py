"""``KeySet``: the public keys of an authorization server, which are fetched again when a token has an unknown key."""

from __future__ import annotations

import warnings
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple

from ...distribution import install_command
from ...errors import UsageError
from ...logs import RareWarning
from .token_validator import ValidatorUnavailable

INTERVAL: Final = 10.0
"""Seconds for which the keys of an authorization server are not fetched again, even if a token names an unknown key."""
LIFETIME: Final = 3600.0
"""Seconds after which the keys of an authorization server are fetched again."""
_NAMELESS: Final = 4
"""Limit on the keys that are tried for a token that names no key."""
_MIN_BITS: Final = 2048
_PUBLIC: Final = frozenset({"kty", "use", "key_ops", "alg", "kid", "n", "e", "crv", "x", "y"})
_CURVES: Final = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "EdDSA": "Ed25519", "Ed25519": "Ed25519"}
_RSA: Final = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})

ALGORITHMS: Final = (*sorted(_RSA), *_CURVES)
"""Signature algorithms with a public key (RFC 7518, section 3.1; RFC 8037). Those with a shared secret are not supported."""


class PublicKey(NamedTuple):
    """A public key for signatures (RFC 7517)."""

    kid: str | None
    alg: str | None
    curve: str | None
    """None for RSA."""
    key: Any

    def verifies(self, algorithm: str) -> bool:
        """Return whether signatures of an algorithm can be verified with the key."""
        return algorithm in ALGORITHMS and self.curve == _CURVES.get(algorithm) and self.alg in {None, algorithm}


class KeySet:
    """The public keys for signatures. Thread-safe.

    ``load`` returns JSON Web Keys (RFC 7517) or raises ``ValidatorUnavailable``; if it fails, the keys before stay in use.
    Without it, ``keys`` are all there are. Only keys with which signatures can be verified are used: symmetric ones,
    encryption keys and RSA keys of less than 2048 bits are ignored.
    """

    def __init__(self, load: Callable[[], Sequence[Any]] | None, keys: Sequence[Any] = ()) -> None:
        self._load = load
        self._keys = list(_read(keys))
        self._fetched_at = monotonic() if load is None else float("-inf")
        self._next_fetch = float("-inf")
        self._lock = Lock()
        """Held by the thread that fetches keys."""
        self._failures = RareWarning("the keys of an authorization server cannot be fetched: %s")

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._keys)

    def find(self, kid: str | None, algorithm: str) -> list[Any]:
        """Return the keys that may verify a signature. Raise ``ValidatorUnavailable`` if there are no keys at all."""
        found = self._select(kid, algorithm)
        if self._load is None:
            return found
        outdated = monotonic() >= self._fetched_at + LIFETIME
        if not found or outdated:
            self._fetch(wait=not found)
            found = self._select(kid, algorithm)
        if not self._keys:
            text = "the keys of the authorization server are not known"
            raise ValidatorUnavailable(text)
        return found

    def _select(self, kid: str | None, algorithm: str) -> list[Any]:
        found = [each.key for each in self._keys if (kid is None or each.kid == kid) and each.verifies(algorithm)]
        return found[:_NAMELESS]

    def _fetch(self, *, wait: bool) -> None:
        """Fetch the keys unless another thread is at it, or was a moment ago; ``wait`` for that thread."""
        assert self._load is not None
        if not self._lock.acquire(blocking=wait):
            return
        try:
            now = monotonic()
            if now < self._next_fetch:
                return
            # Whoever sends tokens with invented keys causes no more requests than this.
            self._next_fetch = now + INTERVAL
            self._keys = list(_read(self._load())) or self._keys
            self._fetched_at = now
        except ValidatorUnavailable as fault:
            self._failures.log(fault)
        finally:
            self._lock.release()


def require_joserfc(name: str) -> None:
    """Raise ``UsageError`` without joserfc, which a class of this name needs."""
    try:
        import_module("joserfc")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"joserfc", "cryptography"}:
            raise
        text = f"{name} needs joserfc, which is not installed: {install_command('oauth')}"
        raise UsageError(text) from missing


def public_key(members: Mapping[str, Any]) -> PublicKey | None:
    """Return the key in a JSON Web Key, without its private members; None if it is not for signatures, or weak."""
    from joserfc.errors import JoseError
    from joserfc.jwk import import_key

    if not _is_for_signatures(members):
        return None
    public: dict[str, Any] = {name: value for name, value in members.items() if name in _PUBLIC}
    try:
        key = import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        # A key of a kind that this library does not know.
        return None
    return PublicKey(members.get("kid"), members.get("alg"), members.get("crv"), key)


def _read(keys: Sequence[Any]) -> Iterator[PublicKey]:
    for each in keys:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = public_key(each) if each.__class__ is dict else None
        if found is not None:
            yield found


def _is_for_signatures(members: Mapping[str, Any]) -> bool:
    """Return whether a key is a public key for signatures."""
    operations = members.get("key_ops")
    if members.get("use") not in {None, "sig"} or (operations is not None and "verify" not in operations):
        return False
    if members.get("kty") == "RSA":
        return _bits(members.get("n")) >= _MIN_BITS
    return members.get("kty") in {"EC", "OKP"} and members.get("crv") in _CURVES.values()


def _bits(value: Any) -> int:
    try:
        return int.from_bytes(urlsafe_b64decode(value + "=" * (-len(value) % 4))).bit_length()
    except (TypeError, ValueError):
        return 0
