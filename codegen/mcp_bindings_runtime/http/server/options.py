"""Options of an HTTP endpoint: the arguments of ``wsgi_app`` and ``run_http``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...validation import (
    require_instance,
    require_methods,
    require_positive_integers,
    require_positive_numbers,
    require_strings,
)
from .origin_policy import LOOPBACK, OriginPolicy
from .request_body import BODY_LIMIT, BODY_TIME

if TYPE_CHECKING:
    from .authorization import Authorization
    from .store import Store


class EndpointOptions:
    """Options of an endpoint.

    ``path`` is that of the endpoint below the mount point of the application; ``sse_path`` and ``messages_path`` are those
    of the older HTTP+SSE, which ``sse_path=None`` disables.

    ``allowed_hosts`` are the names under which clients may address the server, by default those of this machine;
    ``allowed_origins`` are the web pages that may use it besides pages on these hosts; see ``OriginPolicy``.

    ``body_limit`` is in bytes, ``body_time`` in seconds for the body to arrive. A stream carries a comment after
    ``keepalive`` seconds without a message; ``retry`` is the time in milliseconds after which a client that lost a stream
    should reconnect. ``threads`` is the number of requests that the WSGI server handles at a time, of which ``streams``,
    by default three quarters, may be streams that clients listen on. At most ``handlers`` handlers run at a time.

    ``store`` keeps sessions and events, by default in this process. ``authorization`` requires a token; without it, the
    principal is the ``REMOTE_USER`` of the WSGI server, if any. Only the principal that began a session can use it.

    Raises ``UsageError`` for a value that is not valid.
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
        require_instance("path", path, str, "a str")
        require_instance("messages_path", messages_path, str, "a str")
        require_strings(sse_path=sse_path)
        for name, value in (("path", path), ("sse_path", sse_path), ("messages_path", messages_path)):
            if value is not None and not value.startswith("/"):
                text = f"`{name}` must be a path that begins with '/', got {value!r}"
                raise UsageError(text)
        require_positive_integers(body_limit=body_limit, retry=retry, threads=threads, handlers=handlers)
        require_positive_integers(**({} if streams is None else {"streams": streams}))
        require_positive_numbers(body_time=body_time, keepalive=keepalive)
        if store is not None:
            require_methods(
                "store", store, ("sessions", "open", "find"), "a store such as MemoryStore() or RedisStore(url)"
            )
        if authorization is not None:
            require_methods("authorization", authorization, ("principal", "paths"), "an Authorization(validate, …)")
        self.path = path.rstrip("/")
        self.sse_path = None if sse_path is None else sse_path.rstrip("/")
        self.messages_path = messages_path.rstrip("/")
        self.origin_policy = OriginPolicy(allowed_hosts, allowed_origins)
        self.body_limit = body_limit
        self.body_time = body_time
        self.keepalive = keepalive
        self.retry = retry
        self.threads = threads
        self.streams = streams
        self.handlers = handlers
        self.store = store
        self.authorization = authorization


def options_of(arguments: Mapping[str, Any], *others: str) -> EndpointOptions:
    """Return the options from keyword arguments. Raise ``UsageError`` for an unknown one; ``others`` are known, too."""
    names = {*signature(EndpointOptions).parameters, *others}
    unknown = next((name for name in arguments if name not in names), None)
    if unknown is not None:
        text = f"unknown option {unknown!r}; use {', '.join(sorted(names))}"
        raise UsageError(text)
    return EndpointOptions(**arguments)
