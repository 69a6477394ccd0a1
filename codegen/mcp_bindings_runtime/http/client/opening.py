"""A transport to the server at a URL, from what a user says about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...session.framing import DEFAULT_LIMIT

if TYPE_CHECKING:
    import ssl

    from ...facts import Facts
    from ...transports import Transport
    from .endpoint import Auth


def open_http(
    url: str,
    *,
    facts: Facts | None = None,
    headers: Mapping[str, str] | None = None,
    auth: Auth | None = None,
    proxy: str | None = None,
    tls: ssl.SSLContext | None = None,
    pool: int = 16,
    connect_timeout: float = 10.0,
    max_message: int = DEFAULT_LIMIT,
) -> Transport:
    """A transport to the server at ``url``, over which nothing has been said yet.

    ``facts`` are those of the only revision that will be spoken; None where that is to be found out. ``headers`` go with
    every request; ``auth`` gives those that let one in. ``proxy`` is the URL of an HTTP proxy, ``tls`` whom to trust,
    ``pool`` how many idle connections are kept, ``connect_timeout`` how many seconds opening one may take, ``max_message``
    how many bytes a message of the server may have. Raises UsageError for a URL that is none, and where urllib3 is missing.
    """
    try:
        from .wire import Settings, Wire
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "urllib3":
            raise
        text = "HTTP takes urllib3, which is not installed: pip install 'mcp-bindings[http]'"
        raise UsageError(text) from None
    from .endpoint import Endpoint
    from .streamable import StreamableHttp

    wire = Wire(url, Settings(proxy, tls, pool, connect_timeout))
    endpoint = Endpoint(wire, headers or {}, auth)
    if facts is None:
        return StreamableHttp(endpoint, limit=max_message)
    return StreamableHttp(endpoint, limit=max_message, only_old=facts.only_sse, version_header=facts.version_header)
