"""Options of clients over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ...errors import UsageError
from ...options import Bytes, Options, Seconds, option
from ...validation import (
    require_callable,
    require_methods,
    require_positive_integers,
    require_positive_numbers,
    require_string_keys,
    require_strings,
)
from .credentials import Authenticator
from .retry import RETRIES, RetryPolicy, policy_from

if TYPE_CHECKING:
    from ssl import SSLContext

    from .credentials import AuthFunction

Auth: TypeAlias = "AuthFunction | Authenticator"
"""``OAuth(…)`` or another protocol, or a function that returns headers with credentials; None for none.

The function is called with None for each request; and again with the error after a refusal (401, or 403 with a challenge).
If it returns headers then, the request is sent again.
"""


class HttpClientOptions(Options):
    """Options of a client over HTTP. Raises ``UsageError`` for an unknown option and for a value that is not valid."""

    headers: Mapping[str, str] | None = option(default=None)
    """Headers that are sent with every request to the server, but not with requests for OAuth metadata or tokens."""
    auth: Auth | None = option(default=None)
    """`OAuth(…)`, or a callback that returns the headers that authorize a request. The callback receives None before each
    request, and the `HttpError` after the server has refused a request.
    """
    proxy: str | None = option(default=None)
    """URL of an HTTP proxy."""
    proxy_headers: Mapping[str, str] | None = option(default=None)
    """Headers that are sent to the proxy and not to the server, such as `Proxy-Authorization`."""
    tls: SSLContext | None = option(default=None)
    """TLS context with the certificates to trust, and the client's own certificate. By default, the client trusts the
    certificate authorities of the system.
    """
    pool: int = option(default=16)
    """Limit on the idle connections that the client keeps open."""
    connect_timeout: Seconds = option(default=10.0)
    """Seconds to open a connection."""
    retries: int | RetryPolicy = option(default=RETRIES)
    """Limit on the retries of a failed request. With False, the client repeats a request only once, and only if it
    failed because the server had closed an idle connection. A `RetryPolicy` also sets the pauses between retries.
    """
    max_message: Bytes = option(default=64 * 1024 * 1024)
    """Limit on the bytes of a message from the server."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        require_strings(proxy=self.proxy)
        require_string_keys(headers=self.headers, proxy_headers=self.proxy_headers)
        if self.proxy_headers and self.proxy is None:
            text = "`proxy_headers` are for a proxy; pass its URL as `proxy`"
            raise UsageError(text)
        require_positive_integers(pool=self.pool, max_message=self.max_message)
        require_positive_numbers(connect_timeout=self.connect_timeout)
        if self.auth is not None and not isinstance(self.auth, Authenticator):
            require_callable("auth", self.auth, ("refusal",))
        if self.tls is not None:
            require_methods("tls", self.tls, ("wrap_socket", "verify_mode"), "an ssl.SSLContext")
        self.retry_policy = policy_from(self.retries)
