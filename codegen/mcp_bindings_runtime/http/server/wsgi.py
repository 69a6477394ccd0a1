"""The WSGI application: authorize a request, and route it to an endpoint by path, method and revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ...account import Account
from ...connection.thread_pool import ThreadPool
from ...logs import log_exception, write_log
from ...server.routing import Routes
from .. import media
from .disconnection import has_hung_up
from .legacy_sse_endpoint import LegacySseEndpoint
from .options import EndpointOptions
from .origin_policy import RefusalLog
from .pending_response import PendingResponse
from .request_body import read_body
from .responses import STATUS_LINES, Rejection, Response, empty_response
from .session_endpoint import SessionEndpoint
from .session_store import MEMORY
from .session_table import SessionTable
from .stateless_endpoint import StatelessEndpoint, parse
from .store import MemoryStore, SharedStore, StoreUnavailable
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

    from ...server.server import Server


R = TypeVar("R")


class Mounted(Protocol):
    """A WSGI application with the parameter names of PEP 3333."""

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request."""
        ...


class Application:
    """Serves each request by the server of its revision.

    A request that names a stateless revision in ``_meta`` or in its header is for that revision's server; ``initialize``
    chooses one of the others for its session. ``connections`` is the limit of an HTTP server whose streams occupy a
    connection and no thread.
    """

    def __init__(self, servers: Sequence[Server], options: EndpointOptions, *, connections: int | None = None) -> None:
        self._routes = routes = Routes(servers)
        self.options = options
        self._refusals = RefusalLog()
        self._closing = False
        self._pool = pool = ThreadPool("mcp-http", options.handlers)
        if connections is None:
            limiter = StreamLimiter(options.threads, options.streams)
        else:
            limiter = StreamLimiter(connections, options.streams, option="connections")
        self._limiter = limiter
        store = options.store or MemoryStore()
        self.memory = memory = store.memory if isinstance(store, MemoryStore) else Account("bytes of streams", MEMORY)
        """The account of what clients make this process keep."""
        memory.set_limits(options.memory, options.memory_per_source)
        by_revision = {server.binding.revision: server for server in routes.handshake}
        self._table = table = SessionTable(by_revision, store, pool)
        if isinstance(store, SharedStore):
            from .announcement_relay import AnnouncementRelay

            AnnouncementRelay(routes.servers, store, table)
        self._stateless = StatelessEndpoint(routes, options, limiter, memory) if routes.stateless else None
        self._sessions = SessionEndpoint(routes, options, store, limiter, table) if routes.handshake else None
        self._legacy_sse: LegacySseEndpoint | None = None
        if routes.handshake and options.sse_path is not None:
            self._legacy_sse = LegacySseEndpoint(routes, options, store, limiter, table, pool)

    def __call__(self, environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request (PEP 3333)."""
        response = self.respond(environ)
        if isinstance(response, PendingResponse):
            response = self._wait(response, partial(has_hung_up, environ))
        start_response(STATUS_LINES[response.status], response.headers)
        # A client would take a body for the next response (RFC 9110, section 9.3.2).
        return () if environ["REQUEST_METHOD"] == "HEAD" else response.body

    def respond(self, environ: Mapping[str, Any]) -> Response | PendingResponse:
        """Return the response to a request, or the one that its handler will produce."""
        response = self._guarded(partial(self._respond, environ))
        if isinstance(response, PendingResponse):
            response.environ = environ
            return response
        return self._allow_origin(environ, response)

    def run(self, pending: PendingResponse) -> Response | None:
        """Run the handler of a request in this thread; return a response if that is not possible."""
        refusal = self._guarded(partial(pending.run, self._pool))
        return None if refusal is None else self._allow_origin(pending.environ, refusal)

    def complete(self, pending: PendingResponse) -> Response:
        """Return a response that is ready."""
        return self._allow_origin(pending.environ, self._guarded(pending.response))

    def _wait(self, pending: PendingResponse, is_gone: Callable[[], bool]) -> Response:
        """Run the handler of a request in another thread, and wait for the response."""

        def wait() -> Response:
            pending.start(self._pool)
            return pending.wait(self.options.keepalive, is_gone)

        return self._allow_origin(pending.environ, self._guarded(wait))

    @staticmethod
    def _guarded(function: Callable[[], R]) -> R | Response:
        """Return the result of a function, or the response that its exception stands for."""
        try:
            return function()
        except Rejection as rejection:
            return rejection.response()
        except StoreUnavailable as error:
            write_log("warning", "a request could not be answered: %s", error)
            text = "sessions are unavailable now; try again"
            return Rejection(503, text, headers=[("Retry-After", "5")]).response()
        except Exception as error:  # noqa: BLE001  # the client gets a response without a traceback
            log_exception(error, "a request could not be answered: %s", error)
            return Rejection(500, "the server failed").response()

    def mounted(self, path: str, beside: WSGIApplication) -> Mounted:
        """Return an application that serves this one below a path such as ``/mcp``, and all else by ``beside``.

        The metadata of ``authorization`` are served from the root (RFC 9728, section 3.1).
        """
        place = path.rstrip("/")
        authorization = self.options.authorization
        metadata = None if authorization is None else authorization.path

        def choose(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
            requested: str = environ.get("PATH_INFO") or ""
            if requested == metadata:
                return self(environ, start_response)
            if requested != place and not requested.startswith(f"{place}/"):
                return beside(environ, start_response)
            script = environ.get("SCRIPT_NAME", "") + place
            return self({**environ, "SCRIPT_NAME": script, "PATH_INFO": requested[len(place) :]}, start_response)

        return choose

    def close(self, grace: float = 2.0) -> None:
        """Refuse new requests, wait up to ``grace`` seconds for running handlers, and end all sessions and streams."""
        self._closing = True
        self._pool.wait_idle(grace)
        for server in self._routes.servers:
            server.close()
        self._table.close()
        self._limiter.close()

    def _respond(self, environ: Mapping[str, Any]) -> Response | PendingResponse:
        if self._closing:
            text = "the server is closing; connect again"
            raise Rejection(503, text, headers=[("Retry-After", "1")])
        self._check_origin(environ)
        if _is_preflight(environ):
            # Browsers send no token with it; the request that follows is checked.
            return empty_response(204)
        path = (environ.get("PATH_INFO") or "").rstrip("/")
        options = self.options
        authorization = options.authorization
        if authorization is None:
            principal: str | None = environ.get("REMOTE_USER") or None
        elif path in authorization.paths and environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
            return authorization.metadata_response()
        else:
            principal = authorization.principal(environ)
        if path == options.path:
            return self._respond_at_endpoint(environ, principal)
        if self._legacy_sse is not None and path in {options.sse_path, options.messages_path}:
            method = "GET" if path == options.sse_path else "POST"
            return self._respond_at_legacy_sse(self._legacy_sse, environ, principal, method)
        text = f"unknown path {path or '/'}; the endpoint is {self.options.path or '/'}"
        raise Rejection(404, text)

    def _check_origin(self, environ: Mapping[str, Any]) -> None:
        policy = self.options.origin_policy
        host = environ.get("HTTP_HOST", "")
        if not policy.allows_host(host):
            self._refusals.log("Host", host, "allowed_hosts")
            text = f"Host is {host[:80]!r}, which is not among the hosts that this server allows"
            raise Rejection(403, text)
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and not policy.allows_origin(origin):
            self._refusals.log("Origin", origin, "allowed_origins")
            text = f"Origin is {origin[:80]!r}, which is not among the origins that this server allows"
            raise Rejection(403, text)

    def _allow_origin(self, environ: Mapping[str, Any], response: Response) -> Response:
        """Return the response with the headers by which a browser decides whether a page may read it."""
        host, origin = environ.get("HTTP_HOST", ""), environ.get("HTTP_ORIGIN")
        if origin is not None or environ["REQUEST_METHOD"] != "POST":
            # Caches do not keep responses to POST, so those to other clients than browsers need no Vary.
            policy = self.options.origin_policy
            response.headers.extend(policy.response_headers(host, origin, preflight=_is_preflight(environ)))
        return response

    def _respond_at_endpoint(self, environ: Mapping[str, Any], principal: str | None) -> Response | PendingResponse:
        method = environ["REQUEST_METHOD"]
        if method == "POST":
            return self._post(environ, principal)
        if self._sessions is not None:
            if method == "GET":
                _check_accepts_stream(environ)
                return self._sessions.get(environ, principal)
            if method == "DELETE":
                return self._sessions.delete(environ, principal)
            raise _not_allowed(method, "GET, POST, DELETE")
        # Clients of HTTP+SSE begin with a GET, and show their users only this text (Versioning: Compatibility Matrix).
        raise _not_allowed(method, "POST", f"; this server supports {', '.join(self._routes.revisions)}")

    def _respond_at_legacy_sse(
        self, endpoint: LegacySseEndpoint, environ: Mapping[str, Any], principal: str | None, allowed: str
    ) -> Response:
        method = environ["REQUEST_METHOD"]
        if method != allowed:
            raise _not_allowed(method, allowed)
        if method == "GET":
            _check_accepts_stream(environ)
            return endpoint.get(environ, principal)
        return endpoint.post(environ, self._read_json(environ), principal)

    def _post(self, environ: Mapping[str, Any], principal: str | None) -> Response | PendingResponse:
        accept = environ.get("HTTP_ACCEPT", "")
        if not (media.accepts(accept, media.JSON) and media.accepts(accept, media.SSE)):
            raise Rejection(406, "Accept must list application/json and text/event-stream")
        body = self._read_json(environ)
        stateless, sessions = self._stateless, self._sessions
        if stateless is None:
            assert sessions is not None
            return sessions.post(environ, body, principal)
        version = environ.get("HTTP_MCP_PROTOCOL_VERSION")
        if sessions is not None and "HTTP_MCP_SESSION_ID" in environ and version in sessions.revisions:
            # The body cannot make this a stateless request, so it need not be parsed here.
            return sessions.post(environ, body, principal)
        value = parse(body)
        server = self._routes.choose(value, version)
        if server is not None and server.binding.era == "stateless":
            return stateless.post(environ, body, value, server, principal)
        assert sessions is not None
        return sessions.post(environ, body, principal)

    def _read_json(self, environ: Mapping[str, Any]) -> bytes:
        content_type = environ.get("CONTENT_TYPE", "")
        if not media.is_json(content_type):
            text = f"Content-Type must be application/json in UTF-8, got {content_type[:80]!r}"
            raise Rejection(415, text)
        coding = environ.get("HTTP_CONTENT_ENCODING", "identity")
        if coding.lower() != "identity":
            text = f"Content-Encoding must be absent or identity, got {coding[:80]!r}"
            raise Rejection(415, text, headers=[("Accept-Encoding", "identity")])
        return read_body(environ, self.options.body_limit, self.options.body_time)


def _is_preflight(environ: Mapping[str, Any]) -> bool:
    """Return whether a browser asks which requests a page may send (Fetch standard: CORS-preflight request)."""
    return (
        environ["REQUEST_METHOD"] == "OPTIONS"
        and "HTTP_ORIGIN" in environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
    )


def _check_accepts_stream(environ: Mapping[str, Any]) -> None:
    if not media.accepts(environ.get("HTTP_ACCEPT", ""), media.SSE):
        raise Rejection(406, "Accept must list text/event-stream for GET")


def _not_allowed(method: str, allowed: str, more: str = "") -> Rejection:
    text = f"{method} is not allowed here; use {allowed}{more}"
    return Rejection(405, text, headers=[("Allow", allowed)])
