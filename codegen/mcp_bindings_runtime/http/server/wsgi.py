"""The WSGI application: authorize a request, and route it to an endpoint by path, method and revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from ...connection.account import Account
from ...errors import UsageError
from ...logs import log_exception, write_log
from ...server.routing import Routes
from ...session.caller import Caller
from .client_request_limit import ClientRequestLimit
from .disconnection import has_hung_up
from .handler_pool import HandlerPool
from .head_checks import ACCEPTED_BY, check_accepts_response, check_accepts_stream, check_is_json, is_preflight
from .legacy_sse_endpoint import LegacySseEndpoint
from .options import EndpointOptions
from .origin_policy import RefusalLog
from .pending_response import PendingResponse
from .request_body import read_body
from .resource_metadata import WELL_KNOWN
from .responses import STATUS_LINES, Rejection, Response, closing, empty_response
from .scope_check import ScopeCheck
from .session_endpoint import SessionEndpoint
from .session_store import MEMORY
from .session_table import SessionTable
from .sessionless_endpoint import SessionlessEndpoint
from .stateless_endpoint import StatelessEndpoint, parse
from .store import CallStore, MemoryStore, SharedStore, StoreUnavailable
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

    from ...server.server import Server


R = TypeVar("R")

_READING: Final = frozenset({"GET", "HEAD"})
_UNSHARED: Final = (
    "several processes serve this endpoint without a shared store: a request of a session that reaches another process is "
    "answered with 404, and an answer to a request for input is refused there; pass store=RedisStore(url), or "
    "sessions=True if all requests of a client reach the same process"
)
_UNTHREADED: Final = (
    "the WSGI server handles one request at a time (wsgi.multithread is false), so an open stream blocks all other requests "
    "and a client with a session cannot answer a request for input; run it with threads, such as gunicorn --worker-class "
    "gthread --threads 32"
)


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
        self.refusals = RefusalLog()
        """The log of refused hosts and origins."""
        self._closing = False
        self._pool = pool = HandlerPool(options.handlers, options.handlers_per_source)
        if connections is None:
            limiter = StreamLimiter(options.threads, options.streams)
        else:
            limiter = StreamLimiter(connections, options.streams, option="connections")
        self._limiter = limiter
        store = options.store or MemoryStore()
        self.memory = memory = store.memory if isinstance(store, MemoryStore) else Account("bytes of streams", MEMORY)
        """The account of what clients make this process keep."""
        memory.set_limits(options.memory, options.memory_per_source)
        client_requests = ClientRequestLimit(options.handlers, memory)
        self._table = table = SessionTable(routes.session_server, store, pool, client_requests)
        if isinstance(store, SharedStore):
            from .announcement_relay import AnnouncementRelay

            # Other processes announce to the clients of every revision, so all twins are made now.
            AnnouncementRelay([routes.server_of(revision) for revision in routes.revisions], store, table)
        if routes.stateless and isinstance(store, CallStore):
            from .retry_router import RetryRouter

            RetryRouter(routes, store, pool)
        self._scopes = scopes = ScopeCheck(options.authorization, routes.servers)
        self._stateless = (
            StatelessEndpoint(routes, options, limiter, memory, pool, scopes) if routes.stateless else None
        )
        self._sessions = SessionEndpoint(routes, options, store, limiter, table, scopes) if routes.handshake else None
        self._legacy_sse: LegacySseEndpoint | None = None
        serves_sessions = any(server.binding.era == "handshake" for server in routes.servers)
        if options.sessions is False and serves_sessions:
            text = "`sessions` can be False only for servers of a revision without sessions; leave it out"
            raise UsageError(text)
        self._sessionless: SessionlessEndpoint | None = None
        may_have_sessions = options.sessions or (options.sessions is None and isinstance(store, SharedStore))
        if routes.handshake and not serves_sessions and not may_have_sessions:
            self._sessionless = SessionlessEndpoint(routes, options, limiter, memory, scopes)
        self._lacks_shared_store = serves_sessions and not may_have_sessions
        self._needs_threads = options.listening or bool(routes.handshake and options.sessions is not False)
        self._has_checked_wsgi_server = False
        sse = options.sse_path is not None and options.listening
        if routes.handshake and sse and (serves_sessions or options.sse_is_set):
            self._legacy_sse = LegacySseEndpoint(routes, options, store, limiter, table, pool, scopes)

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

    def mounted(self, path: str, site: WSGIApplication) -> Mounted:
        """Return an application that serves this one below a path such as ``/mcp``, and all else by ``site``.

        The metadata of ``authorization`` are served from the root (RFC 9728, section 3.1).
        """
        place = path.rstrip("/")
        authorization = self.options.authorization
        document = None if authorization is None else authorization.metadata_document
        metadata = None if document is None else document.path

        def choose(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
            requested: str = environ.get("PATH_INFO") or ""
            if requested == metadata:
                return self(environ, start_response)
            if requested != place and not requested.startswith(f"{place}/"):
                return site(environ, start_response)
            script = environ.get("SCRIPT_NAME", "") + place
            return self({**environ, "SCRIPT_NAME": script, "PATH_INFO": requested[len(place) :]}, start_response)

        return choose

    def refuse_requests(self) -> None:
        """Answer each new request with 503."""
        self._closing = True

    def close(self, grace: float = 2.0) -> None:
        """Refuse new requests, wait up to ``grace`` seconds for running handlers, and end all sessions and streams."""
        self.refuse_requests()
        # A request that was accepted right before may not have begun its handler yet: it is refused now, or waited for.
        self._pool.close()
        self._pool.wait_idle(grace)
        for server in self._routes.servers:
            server.close()
        self._table.close()
        self._limiter.close()

    def _respond(self, environ: Mapping[str, Any]) -> Response | PendingResponse:
        if self._closing:
            raise closing()
        options = self.options
        authorization = options.authorization
        if self in environ.get(ACCEPTED_BY, ()):
            return self._post_body(environ, self._caller(environ))
        path = (environ.get("PATH_INFO") or "").rstrip("/")
        document = None if authorization is None else authorization.metadata_document
        self._check_host(environ)
        if document is None or not document.allows_any_origin(environ, path):
            self._check_origin(environ)
        preflight = is_preflight(environ)
        if document is not None and path in document.paths and (preflight or environ["REQUEST_METHOD"] in _READING):
            return document.response(preflight=preflight)
        if preflight:
            # Browsers send no token with it; the request that follows is checked.
            return empty_response(204)
        if document is None and path.startswith(WELL_KNOWN):
            # Clients look for it after a 401, and take another 401 for a failure.
            text = "this server has no authorization server"
            raise Rejection(404, text)
        caller = self._caller(environ)
        if path == options.path:
            return self._respond_at_endpoint(environ, caller)
        if self._legacy_sse is not None and path in {options.sse_path, options.messages_path}:
            method = "GET" if path == options.sse_path else "POST"
            return self._respond_at_legacy_sse(self._legacy_sse, environ, caller, method)
        text = f"unknown path {path or '/'}; the endpoint is {self.options.path or '/'}"
        raise Rejection(404, text)

    def _caller(self, environ: Mapping[str, Any]) -> Caller | None:
        authorization = self.options.authorization
        if authorization is not None:
            return authorization.caller(environ)
        user: Any = environ.get("REMOTE_USER")
        if user and not isinstance(user, str):
            text = f"REMOTE_USER, which the program around this endpoint has set, must be a str, got {user!r}"
            raise UsageError(text)
        if user:
            return Caller(user)
        if self.options.require_user:
            # A response with this status needs a challenge (RFC 9110, section 11.6.1); no scheme is registered for it.
            text = "the request has no user: the program around this endpoint has set no REMOTE_USER"
            raise Rejection(401, text, headers=[("WWW-Authenticate", "RemoteUser")])
        return None

    def _check_host(self, environ: Mapping[str, Any]) -> None:
        host = environ.get("HTTP_HOST", "")
        if not self.options.origin_policy.allows_host(host):
            self.refusals.log("Host", host)
            text = f"Host is {host[:80]!r}, which is not among the hosts that this server allows"
            raise Rejection(403, text)

    def _check_origin(self, environ: Mapping[str, Any]) -> None:
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and not self.options.origin_policy.allows_origin(origin):
            self.refusals.log("Origin", origin)
            text = f"Origin is {origin[:80]!r}, which is not among the origins that this server allows"
            raise Rejection(403, text)

    def _allow_origin(self, environ: Mapping[str, Any], response: Response) -> Response:
        """Return the response with the headers by which a browser decides whether a page may read it."""
        host, origin = environ.get("HTTP_HOST", ""), environ.get("HTTP_ORIGIN")
        if origin is not None or environ["REQUEST_METHOD"] != "POST":
            # Caches do not keep responses to POST, so those to other clients than browsers need no Vary.
            if any(name == "Access-Control-Allow-Origin" for name, _ in response.headers):
                return response
            policy = self.options.origin_policy
            response.headers.extend(policy.response_headers(host, origin, preflight=is_preflight(environ)))
        return response

    def _respond_at_endpoint(self, environ: Mapping[str, Any], caller: Caller | None) -> Response | PendingResponse:
        method = environ["REQUEST_METHOD"]
        if method == "POST":
            return self._post(environ, caller)
        self._scopes.check(caller)
        if self._sessions is not None and self._without_sessions(environ) is None:
            listening = self.options.listening
            if method == "GET" and listening:
                check_accepts_stream(environ)
                return self._sessions.get(environ, caller)
            if method == "DELETE":
                return self._sessions.delete(environ, caller)
            raise _not_allowed(method, "GET, POST, DELETE" if listening else "POST, DELETE")
        # Clients of HTTP+SSE begin with a GET, and show their users only this text (Versioning: Compatibility Matrix).
        raise _not_allowed(method, "POST", f"; this server supports {', '.join(self._routes.revisions)}")

    def _respond_at_legacy_sse(
        self, endpoint: LegacySseEndpoint, environ: Mapping[str, Any], caller: Caller | None, allowed: str
    ) -> Response:
        method = environ["REQUEST_METHOD"]
        if method != allowed:
            raise _not_allowed(method, allowed)
        if method == "GET":
            check_accepts_stream(environ)
            self._scopes.check(caller)
            return endpoint.get(environ, caller)
        check_is_json(environ)
        body = self._read_body(environ)
        self._scopes.check_body(caller, body)
        return endpoint.post(environ, body, caller)

    def _post(self, environ: Mapping[str, Any], caller: Caller | None) -> Response | PendingResponse:
        check_accepts_response(environ)
        check_is_json(environ)
        accepted: set[object] | None = environ.get(ACCEPTED_BY)
        if accepted is not None:
            accepted.add(self)
        return self._post_body(environ, caller)

    def _post_body(self, environ: Mapping[str, Any], caller: Caller | None) -> Response | PendingResponse:
        """Respond to a POST to the endpoint whose head, but for its caller, is accepted."""
        if not self._has_checked_wsgi_server:
            self._check_wsgi_server(environ)
        body = self._read_body(environ)
        self._scopes.check_body(caller, body)
        stateless, sessions = self._stateless, self._sessions
        if stateless is None:
            assert sessions is not None
            return sessions.post(environ, body, caller)
        version = environ.get("HTTP_MCP_PROTOCOL_VERSION")
        if sessions is not None and "HTTP_MCP_SESSION_ID" in environ and version in sessions.revisions:
            # The body cannot make this a stateless request, so it need not be parsed here.
            return sessions.post(environ, body, caller)
        parsed = parse(body)
        server = self._routes.choose(parsed.value, version)
        if server is not None and server.binding.era == "stateless":
            return stateless.post(environ, parsed, server, caller)
        assert sessions is not None
        without = None if "HTTP_MCP_SESSION_ID" in environ else self._without_sessions(environ)
        return (without or sessions).post(environ, body, caller)

    def _check_wsgi_server(self, environ: Mapping[str, Any]) -> None:
        """Log what the WSGI server lacks. Its processes and threads are the same for each request."""
        self._has_checked_wsgi_server = True
        if self._lacks_shared_store and environ.get("wsgi.multiprocess"):
            write_log("warning", _UNSHARED)
        if self._needs_threads and not environ.get("wsgi.multithread", True):
            write_log("warning", _UNTHREADED)

    def _without_sessions(self, environ: Mapping[str, Any]) -> SessionlessEndpoint | None:
        """Return the endpoint that serves requests of the handshake revisions if there are no sessions."""
        without = self._sessionless
        return without if without is not None and without.replaces_sessions(environ) else None

    def _read_body(self, environ: Mapping[str, Any]) -> bytes:
        return read_body(environ, self.options.body_limit, self.options.body_time)


def _not_allowed(method: str, allowed: str, more: str = "") -> Rejection:
    text = f"{method} is not allowed here; use {allowed}{more}"
    return Rejection(405, text, headers=[("Allow", allowed)])
