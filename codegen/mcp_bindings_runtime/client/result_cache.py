"""Results that a client keeps for as long as the server says that they may be kept (2026-07-28, Caching)."""

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
    from ..http.client.endpoint import Auth
    from ..session.events import Notified

ENTRIES = 1024
SIZE = 16 * 1024 * 1024
LONGEST = 86400.0

_UPDATED = "notifications/resources/updated"
_OUTDATED: Mapping[str, tuple[str, ...]] = {
    "notifications/tools/list_changed": ("tools/list",),
    "notifications/prompts/list_changed": ("prompts/list",),
    "notifications/resources/list_changed": ("resources/list", "resources/templates/list"),
}
"""The methods whose results are not good any more after a notification."""
_OVERHEAD = 256
"""Bytes that are counted for an entry besides its text."""
_NO_MATTER = frozenset({"progressToken", "io.modelcontextprotocol/logLevel", "traceparent", "tracestate", "baggage"})
"""Entries of ``_meta`` that say how a request is to be followed, and change nothing of its result."""

if sys.platform == "linux":

    def now() -> float:
        """Seconds; they go by while the machine sleeps, too."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:
    now = time.monotonic


class Owner(NamedTuple):
    """Whom a private result is for: a client, as long as what lets it in has this digest."""

    client: object
    admission: bytes


class CacheKey(NamedTuple):
    """What a result is kept under (Caching: Cache Key)."""

    origin: Hashable
    """The server."""
    owner: Owner | None
    """None for whoever asks that server."""
    method: str
    params: bytes
    uri: str | None
    """Of the resource that is read."""


class CachedResult(NamedTuple):
    """A result as JSON, and until when it is fresh."""

    text: bytes
    until: float
    size: int


class ResultCache:
    """Keeps results that say by ``ttlMs`` how long they may be kept; thread-safe, and to be shared by clients.

    What is ``public`` by its ``cacheScope`` is given to every client of the same server: the same URL, the same command
    with the same folder and environment, or the same server object. What is ``private`` is given to the client alone
    that has asked, and only as long as its ``auth`` gives the same headers. At most ``entries`` results are kept, of
    ``size`` bytes altogether; of more, those used last. None is kept for more than ``longest`` seconds (a day).
    ``clock`` gives the time in seconds. Raises UsageError for bounds below 1.
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
        """How often something was found to be outdated."""
        self._lock = Lock()

    @property
    def count(self) -> int:
        """How many results there are, those included that have expired and were not asked for since."""
        return len(self._kept)

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return self._size

    def clear(self) -> None:
        """Forgets all results."""
        self.forget(bool)

    def forget(self, which: Callable[[CacheKey], bool]) -> None:
        """Forgets some results, and does not keep those that are on their way now."""
        with self._lock:
            self._changes += 1
            for place in [place for place in self._kept if which(place)]:
                self._drop(place)

    def _drop(self, place: CacheKey) -> None:
        kept = self._kept.pop(place, None)
        if kept is not None:
            self._size -= kept.size

    def find(self, place: CacheKey) -> tuple[bytes | None, int]:
        """The text of a result, if it is fresh; and how often something has been forgotten, for ``keep``."""
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
        """Keeps a result, unless something has been forgotten since it was not found."""
        # No arithmetic with a time that is no float any more.
        seconds = ttl_ms / 1000 if ttl_ms < self._longest * 1000 else self._longest
        size = len(text) + len(place.params) + _OVERHEAD
        shared = place._replace(owner=None)
        with self._lock:
            # What has been heard of while the request was on its way is newer than its answer, perhaps.
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
    """The cache that an option names; raises UsageError for what names none."""
    if cache is True:
        return ResultCache()
    if isinstance(cache, ResultCache):
        return cache
    text = f"cache is {cache!r}; accepted are True, False and a ResultCache"
    raise UsageError(text)


class CachedRequests:
    """What one client keeps in a cache, and finds there.

    ``client`` is asked for what it does not find; ``start`` says which server that is, and what lets the client in.
    """

    def __init__(self, cache: ResultCache, client: Any, start: Callable[[], Any]) -> None:
        self._cache = cache
        self._client = client
        self._self = object()
        """Stands for the client, and does not keep it alive."""
        self._origin: Hashable = self._self
        self._auth: Auth | None = None
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
        """What is kept for a request and fresh, or what the server answers; raises as ``Client.request``."""
        send = self._client.connection.request
        if not self._is_cacheable(key, params):
            return send(key, params, timeout=timeout, on_progress=on_progress)
        place = self._cache_key(key, params)
        text, changes = self._cache.find(place)
        codec = self._client.binding.codec
        if text is not None:
            # Made anew each time: a caller may do with it what it likes.
            return codec.decode_result(key, json.loads(text))
        try:
            result = send(key, params, timeout=timeout, on_progress=on_progress)
        except ResponseError:
            if getattr(params, "cursor", None) is not None:
                # Where one leads nowhere, the others are of an older list (Interaction with Pagination).
                self._outdate((key.name,))
            raise
        # Absent counts as 0, and so does a negative number (Caching: Time-to-Live (TTL) Field).
        ttl_ms: int = getattr(result, "ttl_ms", None) or 0
        if ttl_ms > 0 and self._is_still_owner(place.owner):
            written = json.dumps(codec.unstructure(result), ensure_ascii=False, separators=(",", ":")).encode()
            # The text names no scope for a result without one; the one that shares nothing is safe.
            public = result.cache_scope == "public"
            self._cache.keep(place, written, ttl_ms, public=public, changes=changes)
        return result

    def forget_outdated(self, notified: Notified) -> None:
        """The server has told of a change (Interaction with Notifications)."""
        methods = _OUTDATED.get(notified.key.name)
        if methods is not None:
            self._outdate(methods)
        elif notified.key.name == _UPDATED:
            # It may be a part of what was subscribed to, and so of what was read.
            uri: str = notified.params.uri
            self._cache.forget(
                lambda place: place.uri is not None and place.origin == self._origin and uri.startswith(place.uri)
            )

    def close(self) -> None:
        """Forgets what is for this client alone."""
        self._cache.forget(lambda place: place.owner is not None and place.owner.client is self._self)

    def _outdate(self, methods: tuple[str, ...]) -> None:
        self._cache.forget(lambda place: place.origin == self._origin and place.method in methods)

    def _is_cacheable(self, key: RequestMethod[Any, Any], params: Any) -> bool:
        if key.name not in self._client.binding.facts.cached:
            return False
        # It depends on what the request does not show (Cache Key).
        return getattr(params, "request_state", None) is None and getattr(params, "input_responses", None) is None

    def _cache_key(self, key: RequestMethod[Any, Any], params: Any) -> CacheKey:
        codec = self._client.binding.codec
        shown = {} if params is None else dict(codec.unstructure(params))
        meta = shown.get("_meta")
        if meta is None:
            meta = codec.unstructure(self._client.meta())
        shown["_meta"] = {name: value for name, value in meta.items() if name not in _NO_MATTER}
        text = json.dumps(shown, sort_keys=True, separators=(",", ":")).encode()
        return CacheKey(self._origin, self._owner(), key.name, text, getattr(params, "uri", None))

    def _is_still_owner(self, owner: Owner | None) -> bool:
        """Whether what lets the client in is what it was before the answer came."""
        try:
            return self._owner() == owner
        except Exception as fault:  # noqa: BLE001  # of `auth`; the answer is there, and is not to be lost
            write_log("info", "a result is not kept, as `auth` has failed: %s", fault)
            return False

    def _owner(self) -> Owner:
        """The client, with what lets it in now: what was private to another token is not for this one."""
        if self._auth is None:
            return Owner(self._self, b"")
        headers = self._auth(None) or {}
        return Owner(self._self, sha256(json.dumps(sorted(headers.items())).encode()).digest())
