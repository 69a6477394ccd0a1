"""How an endpoint behaves: what ``wsgi_app`` and ``run_http`` take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...validation import check_counts, check_kind, check_methods, check_texts, check_times
from .origin_policy import LOOPBACK, OriginPolicy
from .request_body import BODY_LIMIT, BODY_TIME

if TYPE_CHECKING:
    from .authorization import Authorization
    from .store import Store


class EndpointOptions:
    """Options of an endpoint.

    ``path`` is where the endpoint is, below the place where the application is mounted; ``sse_path`` and
    ``messages_path`` are those of the older HTTP+SSE, and None for ``sse_path`` leaves that out.

    ``allowed_hosts`` are the names under which the server may be addressed, by default those of this machine alone;
    ``allowed_origins`` those of web pages that may talk to it besides pages on these hosts; see ``OriginPolicy``.

    ``body_limit`` is in bytes, ``body_time`` in seconds for the body to come. ``keepalive`` is after how many seconds
    without a message a stream carries a comment, ``retry`` after how many milliseconds a client that lost a stream is to
    come back. ``threads`` is how many requests the WSGI server handles at a time: three quarters of them may hold
    streams that are open for long, unless ``streams`` says how many. At most ``handlers`` handlers run at the same time.
    ``store`` keeps sessions and events; by default this process does. ``authorization`` lets in who has a token; without
    it requests are of whom the WSGI server says in ``REMOTE_USER``, if it does. A session is for who has begun it alone.
    """

    def __init__(
        self,
        *,
        path: str = "/",
        sse_path: str | None = "/sse",
        messages_path: str = "/messages",
        allowed_hosts: Iterable[str] = LOOPBACK,
        allowed_origins: Iterable[str] = (),
        body_limit: int = BODY_LIMIT,
        body_time: float = BODY_TIME,
        keepalive: float = 15.0,
        retry: int = 1000,
        threads: int = 32,
        streams: int | None = None,
        handlers: int = 256,
        store: Store | None = None,
        authorization: Authorization | None = None,
    ) -> None:
        check_kind("path", path, str, "texts")
        check_kind("messages_path", messages_path, str, "texts")
        check_texts(sse_path=sse_path)
        for name, value in (("path", path), ("sse_path", sse_path), ("messages_path", messages_path)):
            if value is not None and not value.startswith("/"):
                text = f"{name} is {value!r}; accepted is a path that begins with '/'"
                raise UsageError(text)
        check_counts(body_limit=body_limit, retry=retry, threads=threads, handlers=handlers)
        check_counts(**({} if streams is None else {"streams": streams}))
        check_times(body_time=body_time, keepalive=keepalive)
        if store is not None:
            check_methods(
                "store", store, ("sessions", "open", "find"), "MemoryStore(), RedisStore(url), and their like"
            )
        if authorization is not None:
            check_methods("authorization", authorization, ("principal", "paths"), "Authorization(validate, …)")
        self.path = path.rstrip("/")
        self.sse_path = None if sse_path is None else sse_path.rstrip("/")
        self.messages_path = messages_path.rstrip("/")
        self.allowed = OriginPolicy(allowed_hosts, allowed_origins)
        self.body_limit = body_limit
        self.body_time = body_time
        self.keepalive = keepalive
        self.retry = retry
        self.threads = threads
        self.streams = streams
        self.handlers = handlers
        self.store = store
        self.authorization = authorization


def options_of(given: Mapping[str, Any], *others: str) -> EndpointOptions:
    """Options by name; raises UsageError for one that there is not. ``others`` are there, too, and read elsewhere."""
    names = {*(EndpointOptions.__init__.__kwdefaults__ or ()), *others}
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        text = f"there is no option {unknown!r} here; accepted are {', '.join(sorted(names))}"
        raise UsageError(text)
    return EndpointOptions(**given)
