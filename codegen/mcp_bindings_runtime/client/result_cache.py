"""The cache of results that say how long they stay fresh (2026-07-28, Caching)."""

from __future__ import annotations

import json
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ResponseError, UsageError
from ..logs import write_log
from ..methods import RequestMethod
from ..validation import require_positive_integers, require_positive_numbers
from .transport_factories import TransportFactory

if TYPE_CHECKING:
    from ..http.client.credentials import AuthFunction
    from ..session.events import Notified

ENTRIES = 1024
"""Default limit on the results in a cache."""
SIZE = 16 * 1024 * 1024
"""Default limit on the bytes of all results in a cache."""
LONGEST = 86400.0
"""Default number of seconds for which a result is cached, whatever the server allows."""

_READ = "resources/read"
_UPDATED = "notifications/resources/updated"
_OUTDATED: Mapping[str, tuple[str, ...]] = {
    "notifications/tools/list_changed": ("tools/list",),
    "notifications/prompts/list_changed": ("prompts/list",),
    "notifications/resources/list_changed": ("resources/list", "resources/templates/list"),
}
"""A notification to the methods whose results it makes outdated."""
_OVERHEAD = 256
"""Bytes that are counted for an entry in addition to its text."""
_NO_MATTER = frozenset({"progressToken", "io.modelcontextprotocol/logLevel", "traceparent", "tracestate", "baggage"})
"""Entries of ``_meta`` that do not affect the result of a request."""

if sys.platform == "linux":

    def now() -> float:
        """Return a monotonic time in seconds that includes suspension of the machine."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:
    now = time.monotonic


class Owner(NamedTuple):
    """The owner of a private result: a client while its credentials have this digest."""

    client: object
    admission: bytes


class CacheKey(NamedTuple):
    """The key of a result (Caching: Cache Key)."""

    origin: Hashable
    """The server."""
    owner: Owner | None
    """None for a result that all clients of the server share."""
    method: str
    params: bytes
    uri: str | None
    """The URI of the resource that is read."""


class CachedResult(NamedTuple):
    """A result as JSON, and the time until which it is fresh."""

    text: bytes
    until: float
    size: int


class ResultCache:
    """A cache that keeps results for as long as their ``ttlMs`` allows. Thread-safe; several clients may share it.

    Results with the ``cacheScope`` ``public`` are shared by all clients of the same server: the same URL, the same command
    with the same folder and environment, or the same server object. A ``private`` result is only for the client that
    requested it, as long as its ``auth`` returns the same headers. The cache keeps at most ``entries`` results of ``size``
    bytes in total, and drops the least recently used ones first. It keeps no result for more than ``longest`` seconds, by
    default a day. ``clock`` returns the time in seconds. Raise ``UsageError`` for bounds below 1.
    """

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        size: int = SIZE,
        longest: float = LONGEST,
        clock: Callable[[], float] = now,
    ) -> None:
        require_positive_integers(entries=entries, size=size)
        require_positive_numbers(longest=longest)
        self._most = entries
        self._largest = size
        self._longest = longest
        self._clock = clock
        self._kept: OrderedDict[CacheKey, CachedResult] = OrderedDict()
        self._size = 0
        self._changes = 0
        """Number of calls of ``forget``."""
        self._lock = Lock()

    @property
    def count(self) -> int:
        """Number of results, including those that have expired but were not requested since."""
        return len(self._kept)

    @property
    def size(self) -> int:
        """Size of all results in bytes."""
        return self._size

    def clear(self) -> None:
        """Drop all results."""
        self.forget(bool)

    def forget(self, which: Callable[[CacheKey], bool]) -> None:
        """Drop some results, and do not store those that are being requested now."""
        with self._lock:
            self._changes += 1
            for place in [place for place in self._kept if which(place)]:
                self._drop(place)

    def _drop(self, place: CacheKey) -> None:
        kept = self._kept.pop(place, None)
        if kept is not None:
            self._size -= kept.size

    def find(self, place: CacheKey) -> tuple[bytes | None, int]:
        """Return the text of a result if it is fresh, and the number of calls of ``forget`` for ``keep``."""
        with self._lock:
            for each in (place, place._replace(owner=None)):
                kept = self._kept.get(each)
                if kept is None:
                    continue
                if self._clock() < kept.until:
                    self._kept.move_to_end(each)
                    return kept.text, self._changes
                self._drop(each)
            return None, self._changes

    def keep(self, place: CacheKey, text: bytes, ttl_ms: int, *, public: bool, changes: int) -> None:
        """Store a result, unless ``forget`` was called since ``find``."""
        # An int of any size may not fit a float.
        seconds = ttl_ms / 1000 if ttl_ms < self._longest * 1000 else self._longest
        size = len(text) + len(place.params) + _OVERHEAD
        shared = place._replace(owner=None)
        with self._lock:
            # A change that was reported during the request may be newer than its answer.
            if changes != self._changes:
                return
            self._drop(place)
            self._drop(shared)
            if size > self._largest:
                return
            self._kept[shared if public else place] = CachedResult(text, self._clock() + seconds, size)
            self._size += size
            while len(self._kept) > self._most or self._size > self._largest:
                self._drop(next(iter(self._kept)))


def cache_of(cache: object) -> ResultCache:
    """Return the cache for the option ``cache``. Raise ``UsageError`` if it is invalid."""
    if cache is True:
        return ResultCache()
    if isinstance(cache, ResultCache):
        return cache
    text = f"`cache` must be True, False or a ResultCache, got {cache!r}"
    raise UsageError(text)


class CachedRequests:
    """The requests of one client, answered from a cache if possible.

    ``client`` sends the others; ``start`` identifies the server and returns the credentials.
    """

    def __init__(self, cache: ResultCache, client: Any, start: Callable[[], Any]) -> None:
        self._cache = cache
        self._client = client
        self._self = object()
        """Identifies the client without keeping it alive."""
        self._origin: Hashable = self._self
        self._auth: AuthFunction | None = None
        if isinstance(start, TransportFactory):
            self._origin, self._auth = start.origin, start.auth

    def request(
        self,
        key: RequestMethod[Any, Any],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> Any:
        """Return the cached result of a request, or that of the server. Raise as ``Client.request``."""
        send = self._client.connection.request
        if not self._is_cacheable(key, params):
            return send(key, params, timeout=timeout, on_progress=on_progress)
        place = self._cache_key(key, params)
        text, changes = self._cache.find(place)
        codec = self._client.binding.codec
        if text is not None:
            # A new object each time, as callers may modify it.
            return codec.decode_result(key, json.loads(text))
        try:
            result = send(key, params, timeout=timeout, on_progress=on_progress)
        except ResponseError:
            if params is not None and "cursor" in codec.unstructure(params):
                # If one cursor is invalid, all pages are of an older list (Interaction with Pagination).
                self._outdate((key.name,))
            raise
        if result.__class__ is self._client.binding.types.InputRequiredResult:
            return result
        # Absent counts as 0, and so does a negative number (Caching: Time-to-Live (TTL) Field).
        ttl_ms: int = result.ttl_ms or 0
        if ttl_ms > 0 and self._is_still_owner(place.owner):
            written = json.dumps(codec.unstructure(result), ensure_ascii=False, separators=(",", ":")).encode()
            # The text defines no default scope; private is safe.
            public = result.cache_scope == "public"
            self._cache.keep(place, written, ttl_ms, public=public, changes=changes)
        return result

    def forget_outdated(self, notified: Notified) -> None:
        """Drop results that a notification makes outdated (Interaction with Notifications)."""
        methods = _OUTDATED.get(notified.key.name)
        if methods is not None:
            self._outdate(methods)
        elif notified.key.name == _UPDATED:
            # It may be a part of a resource that was read.
            uri: str = notified.params.uri
            self._cache.forget(
                lambda place: place.uri is not None and place.origin == self._origin and uri.startswith(place.uri)
            )

    def close(self) -> None:
        """Drop the private results of this client."""
        self._cache.forget(lambda place: place.owner is not None and place.owner.client is self._self)

    def _outdate(self, methods: tuple[str, ...]) -> None:
        self._cache.forget(lambda place: place.origin == self._origin and place.method in methods)

    def _is_cacheable(self, key: RequestMethod[Any, Any], params: Any) -> bool:
        facts = self._client.binding.facts
        if key.name not in facts.cached or not (params is None or isinstance(params, key.params)):
            return False
        if params is None or key.name not in facts.resumable:
            return True
        # Such results depend on more than the request shows (Cache Key).
        return params.request_state is None and params.input_responses is None

    def _cache_key(self, key: RequestMethod[Any, Any], params: Any) -> CacheKey:
        codec = self._client.binding.codec
        shown = {} if params is None else dict(codec.unstructure(params))
        meta = shown.get("_meta")
        if meta is None:
            meta = codec.unstructure(self._client.meta())
        shown["_meta"] = {name: value for name, value in meta.items() if name not in _NO_MATTER}
        text = json.dumps(shown, sort_keys=True, separators=(",", ":")).encode()
        uri = params.uri if params is not None and key.name == _READ else None
        return CacheKey(self._origin, self._owner(), key.name, text, uri)

    def _is_still_owner(self, owner: Owner | None) -> bool:
        """Return whether the credentials are those from before the request."""
        try:
            return self._owner() == owner
        except Exception as fault:  # noqa: BLE001  # raised by `auth`; the result must not be lost
            write_log("info", "a result is not cached, as `auth` failed: %s", fault)
            return False

    def _owner(self) -> Owner:
        """Return the owner of private results that the client requests now."""
        if self._auth is None:
            return Owner(self._self, b"")
        headers = self._auth(None) or {}
        return Owner(self._self, sha256(json.dumps(sorted(headers.items())).encode()).digest())
