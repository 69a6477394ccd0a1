"""The WSGI application: what is asked of which path, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...connection.thread_pool import ThreadPool
from ...logs import note, report
from ...server.routing import Routes
from .. import media
from .legacy_sse_endpoint import LegacySseEndpoint
from .options import EndpointOptions
from .origin_policy import RefusalLog
from .request_body import read_body
from .responses import STATUS_LINES, Rejection, Response
from .session_endpoint import SessionEndpoint
from .session_table import SessionTable
from .stateless_endpoint import StatelessEndpoint, parse
from .store import MemoryStore, SharedStore, StoreUnavailable
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

    from ...server.server import Server


class Mounted(Protocol):
    """A WSGI application whose parameters have the names of PEP 3333, as those of frameworks have."""

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request."""
        ...


class Application:
    """Serves each request by the server of its revision.

    A request that names a revision of the stateless era in ``_meta`` or in its header is served by that revision's
    server; ``initialize`` chooses among the others, for the session that it begins.
    """

    def __init__(self, servers: Sequence[Server], options: EndpointOptions) -> None:
        self._routes = routes = Routes(servers)
        self._options = options
        self._refused = RefusalLog()
        self._workers = ThreadPool("mcp-http", options.handlers)
        self._slots = slots = StreamLimiter(options.threads, options.streams)
        store = options.store or MemoryStore()
        by_revision = {server.binding.revision: server for server in routes.handshake}
        self._conversations = SessionTable(by_revision, store, self._workers)
        if isinstance(store, SharedStore):
            from .announcement_relay import AnnouncementRelay

            AnnouncementRelay(routes.servers, store, self._conversations)
        self._modern = StatelessEndpoint(routes, options, slots, self._workers) if routes.stateless else None
        self._legacy = SessionEndpoint(routes, options, store, slots, self._conversations) if routes.handshake else None
        self._oldsse: LegacySseEndpoint | None = None
        if routes.handshake and options.sse_path is not None:
            self._oldsse = LegacySseEndpoint(routes, options, store, slots, self._conversations, self._workers)

    def __call__(self, environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request (PEP 3333)."""
        try:
            response = self._answer(environ)
        except Rejection as rejection:
            response = rejection.response()
        except StoreUnavailable as fault:
            note("warning", "a request could not be answered: %s", fault)
            response = Rejection(
                503, "sessions cannot be reached now; try again", headers=[("Retry-After", "5")]
            ).response()
        except Exception as fault:  # noqa: BLE001  # whatever it is, the client gets an answer and no traceback
            report(fault, "a request could not be answered: %s", fault)
            response = Rejection(500, "the server failed").response()
        start_response(STATUS_LINES[response.status], response.headers)
        # Whatever follows the fields would be taken for the next answer (RFC 9110, section 9.3.2).
        return () if environ["REQUEST_METHOD"] == "HEAD" else response.body

    def mounted(self, path: str, beside: WSGIApplication) -> Mounted:
        """An application that has this one at a path such as ``/mcp``, and leaves all else to ``beside``.

        But for the metadata of its ``authorization``, which have their place at the root (RFC 9728, section 3.1).
        """
        place = path.rstrip("/")
        authorization = self._options.authorization
        metadata = None if authorization is None else authorization.path

        def choose(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
            asked: str = environ.get("PATH_INFO") or ""
            if asked == metadata:
                return self(environ, start_response)
            if asked != place and not asked.startswith(f"{place}/"):
                return beside(environ, start_response)
            script = environ.get("SCRIPT_NAME", "") + place
            return self({**environ, "SCRIPT_NAME": script, "PATH_INFO": asked[len(place) :]}, start_response)

        return choose

    def close(self, grace: float = 2.0) -> None:
        """Ends all streams; handlers that run have ``grace`` seconds left to be done."""
        for server in self._routes.servers:
            server.close()
        self._conversations.close()
        self._slots.shut()
        self._workers.wait_idle(grace)

    def _answer(self, environ: Mapping[str, Any]) -> Response:
        self._check_origin(environ)
        path = (environ.get("PATH_INFO") or "").rstrip("/")
        options = self._options
        authorization = options.authorization
        if authorization is None:
            principal: str | None = environ.get("REMOTE_USER") or None
        elif path in authorization.paths and environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
            return authorization.metadata_response()
        else:
            principal = authorization.principal(environ)
        if path == options.path:
            return self._endpoint(environ, principal)
        if self._oldsse is not None and path in {options.sse_path, options.messages_path}:
            return self._older(self._oldsse, environ, principal, "GET" if path == options.sse_path else "POST")
        text = f"there is nothing at {path or '/'}; the endpoint is {self._options.path or '/'}"
        raise Rejection(404, text)

    def _check_origin(self, environ: Mapping[str, Any]) -> None:
        allowed = self._options.allowed
        host = environ.get("HTTP_HOST", "")
        if not allowed.host(host):
            self._refused.log("Host", host, "allowed_hosts")
            text = f"Host is {host[:80]!r}, which is not among the hosts that this server allows"
            raise Rejection(403, text)
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and not allowed.origin(origin):
            self._refused.log("Origin", origin, "allowed_origins")
            text = f"Origin is {origin[:80]!r}, which is not among the origins that this server allows"
            raise Rejection(403, text)

    def _endpoint(self, environ: Mapping[str, Any], principal: str | None) -> Response:
        method = environ["REQUEST_METHOD"]
        if method == "POST":
            return self._post(environ, principal)
        if self._legacy is not None:
            if method == "GET":
                _expect_stream(environ)
                return self._legacy.get(environ, principal)
            if method == "DELETE":
                return self._legacy.delete(environ, principal)
            raise _not_allowed(method, "GET, POST, DELETE")
        # Clients of HTTP+SSE begin with a GET, and show no more than what this says (Versioning: Compatibility Matrix).
        raise _not_allowed(method, "POST", f"; this server supports {', '.join(self._routes.revisions)}")

    def _older(
        self, legacy: LegacySseEndpoint, environ: Mapping[str, Any], principal: str | None, accepted: str
    ) -> Response:
        method = environ["REQUEST_METHOD"]
        if method != accepted:
            raise _not_allowed(method, accepted)
        if method == "GET":
            _expect_stream(environ)
            return legacy.get(environ, principal)
        return legacy.post(environ, self._read(environ), principal)

    def _post(self, environ: Mapping[str, Any], principal: str | None) -> Response:
        accept = environ.get("HTTP_ACCEPT", "")
        if not (media.accepts(accept, media.JSON) and media.accepts(accept, media.SSE)):
            raise Rejection(406, "Accept does not list both application/json and text/event-stream")
        body = self._read(environ)
        modern, legacy = self._modern, self._legacy
        if modern is None:
            assert legacy is not None
            return legacy.post(environ, body, principal)
        version = environ.get("HTTP_MCP_PROTOCOL_VERSION")
        if legacy is not None and "HTTP_MCP_SESSION_ID" in environ and version in legacy.revisions:
            # Nothing in the body of one of these can make it a request that stands alone.
            return legacy.post(environ, body, principal)
        value = parse(body)
        server = self._routes.choose(value, version)
        if server is not None and server.binding.era == "stateless":
            return modern.post(environ, body, value, server, principal)
        assert legacy is not None
        return legacy.post(environ, body, principal)

    def _read(self, environ: Mapping[str, Any]) -> bytes:
        content_type = environ.get("CONTENT_TYPE", "")
        if not media.is_json(content_type):
            text = f"Content-Type is {content_type[:80]!r}; accepted is application/json in UTF-8"
            raise Rejection(415, text)
        coding = environ.get("HTTP_CONTENT_ENCODING", "identity")
        if coding.lower() != "identity":
            text = f"Content-Encoding is {coding[:80]!r}; accepted are bodies as they are, without any"
            raise Rejection(415, text, headers=[("Accept-Encoding", "identity")])
        return read_body(environ, self._options.body_limit, self._options.body_time)


def _expect_stream(environ: Mapping[str, Any]) -> None:
    if not media.accepts(environ.get("HTTP_ACCEPT", ""), media.SSE):
        raise Rejection(406, "Accept does not list text/event-stream, which is all that GET gives here")


def _not_allowed(method: str, accepted: str, more: str = "") -> Rejection:
    text = f"{method} is not served here; accepted are {accepted}{more}"
    return Rejection(405, text, headers=[("Allow", accepted)])
