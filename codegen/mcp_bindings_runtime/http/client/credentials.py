"""The interface between the HTTP client and what authorizes its requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from ssl import SSLContext

    from ...errors import HttpError
    from ...facts import Facts
    from .exchange import Exchange

AuthFunction: TypeAlias = "Callable[[HttpError | None], Mapping[str, str] | None]"
"""Returns headers with credentials, most often ``Authorization``; None for none. See ``auth`` of ``HttpClientOptions``."""


class ConnectionSettings(NamedTuple):
    """The server to authorize for, and the way to reach it and its authorization server."""

    url: str
    facts: Facts | None
    """Facts about the revision; None if it is negotiated."""
    tls: SSLContext | None
    proxy: str | None
    proxy_headers: Mapping[str, str] | None
    connect_timeout: float


class Credentials(ABC):
    """Authorizes the requests to one server. Thread-safe."""

    reads_responses = False
    """Whether ``read_response`` is called."""

    @abstractmethod
    def headers(self, method: str, url: str, exchange: Exchange) -> Mapping[str, str]:
        """Return the headers that authorize a request; empty for none."""

    @abstractmethod
    def renewed(
        self, method: str, url: str, exchange: Exchange, sent: Mapping[str, str], refusals: Sequence[HttpError]
    ) -> Mapping[str, str] | None:
        """Return headers to send a refused request again with; None if its last refusal is final.

        ``sent`` are the headers that were refused last, ``refusals`` all refusals of this request.
        """

    def read_response(self, url: str, headers: Mapping[str, str]) -> None:
        """Read the headers of a response, whose names are in lower case, for what the next request needs."""
        raise NotImplementedError


class Authenticator(ABC):
    """Authorizes requests by a protocol, such as OAuth; the value of ``auth=`` if that is no function."""

    @abstractmethod
    def credentials(self, server: ConnectionSettings) -> Credentials:
        """Return the credentials for the requests to a server."""


class CallbackCredentials(Credentials):
    """The headers that a function returns."""

    def __init__(self, auth: AuthFunction) -> None:
        self._auth = auth

    def headers(self, method: str, url: str, exchange: Exchange) -> Mapping[str, str]:
        """See ``Credentials.headers``."""
        return self._auth(None) or {}

    def renewed(
        self, method: str, url: str, exchange: Exchange, sent: Mapping[str, str], refusals: Sequence[HttpError]
    ) -> Mapping[str, str] | None:
        """See ``Credentials.renewed``. A second refusal is final."""
        return self._auth(refusals[0]) if len(refusals) == 1 else None
