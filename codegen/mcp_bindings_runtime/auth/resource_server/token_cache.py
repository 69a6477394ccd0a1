"""``TokenCache``: the callers whose tokens were valid a moment ago, so that a token is not validated at every request."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from hashlib import sha256
from math import inf
from threading import BoundedSemaphore, Lock
from time import time
from typing import Final

from ...session.caller import Caller

MAX_TOKENS: Final = 4096
"""Limit on the valid tokens that are remembered; the oldest are forgotten first."""
MAX_VALIDATIONS: Final = 8
"""Limit on the tokens that are validated at the same time, because each may wait for the authorization server."""


class TokenCache:
    """Remembers the callers that ``validate`` returns, for ``lifetime`` seconds and until they expire. Thread-safe.

    Tokens are kept as digests only, so that nobody who can read the memory finds any. Invalid ones are not remembered.
    """

    def __init__(self, validate: Callable[[str], Caller], lifetime: float) -> None:
        self._validate = validate
        self._lifetime = lifetime
        self._callers: dict[bytes, tuple[float, Caller]] = {}
        """Digest of a token to the time until which it need not be validated, and its caller."""
        self._running: dict[bytes, Future[Caller]] = {}
        """Digest of a token to its validation, while that runs: requests that come meanwhile wait for it."""
        self._lock = Lock()
        self._validating = BoundedSemaphore(MAX_VALIDATIONS)

    def __len__(self) -> int:
        """Return the number of remembered tokens."""
        return len(self._callers)

    def find(self, token: str) -> Caller | None:
        """Return the caller of a token that was valid a moment ago; None if it has to be validated."""
        # As in ``_digest``: this is on the path of every request.
        found = self._callers.get(sha256(token.encode("utf-8", "surrogatepass")).digest())
        return None if found is None or time() >= found[0] else found[1]

    def validated(self, token: str) -> Caller:
        """Return the caller of a token, which is validated unless it was a moment ago. Raise what ``validate`` raises.

        Requests with the same token share one validation.
        """
        found = self.find(token)
        if found is not None:
            # It does not wait for the validation of others.
            return found
        digest, mine = _digest(token), Future[Caller]()
        with self._lock:
            # Another thread may have validated the token meanwhile.
            found = self.find(token)
            if found is not None:
                return found
            running = self._running.setdefault(digest, mine)
        if running is not mine:
            return running.result()
        try:
            with self._validating:
                caller = self._validate(token)
        except BaseException as error:
            with self._lock:
                del self._running[digest]
            mine.set_exception(error)
            raise
        with self._lock:
            self._remember(digest, caller)
            del self._running[digest]
        mine.set_result(caller)
        return caller

    def _remember(self, digest: bytes, caller: Caller) -> None:
        """Keep a caller. The lock is held."""
        expires_at = inf if caller.expires_at is None else caller.expires_at
        until = min(time() + self._lifetime, expires_at)
        self._callers.pop(digest, None)
        if len(self._callers) >= MAX_TOKENS:
            del self._callers[next(iter(self._callers))]
        self._callers[digest] = until, caller


def _digest(token: str) -> bytes:
    # Header values may hold any characters of Latin-1.
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
