"""cheroot's requests, made stricter: fields that mean one thing to every reader (RFC 9112), and nothing that waits.

cheroot parses request lines, makes WSGI environments and writes heads of responses. It reads from and writes to an
``HttpConnection``, which holds all bytes of a request before a worker responds to it. Relied on: the methods of
``HTTPRequest`` and ``Gateway_10`` that are overridden or called here, and the attributes of ``ServerSettings``. Tested
with cheroot 10.0.0 and 11.1.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...distribution import install_command
from ...errors import UsageError
from .disconnection import SOCKET
from .http1 import HEAD_LIMIT, ChunkedBody, FieldReader
from .request_reader import ReceivedBody
from .responses import STATUS_LINES, Response

try:
    from cheroot.server import HTTPRequest as CherootRequest
    from cheroot.server import KnownLengthRFile as SizedBody
    from cheroot.wsgi import Gateway_10 as CherootGateway
except ImportError as missing:
    message = f"serving HTTP needs cheroot; run: {install_command('http')}"
    raise UsageError(message) from missing

if TYPE_CHECKING:
    from .pending_response import PendingResponse
    from .wsgi import Application

MAX_DISCARDED: Final = 64 * 1024
"""Limit on the bytes of a refused request's body that are read to keep the connection open."""


class ServerSettings:
    """The attributes that cheroot reads from the server of a request."""

    ssl_adapter = None
    protocol = "HTTP/1.1"
    max_request_header_size = HEAD_LIMIT
    max_request_body_size = 0
    server_name = software = "mcp-bindings"

    def __init__(self, application: Application, gateway: Any, address: Any, timeout: float) -> None:
        self.application = application
        self.gateway = gateway
        self.bind_addr = address
        self.timeout = timeout
        self.can_add_keepalive_connection = True
        """Whether connections stay open after a response."""


class StrictRequest(CherootRequest):
    """Refuses requests that a proxy in front could understand differently (RFC 9112, section 11.2)."""

    header_reader = FieldReader()
    conn: Any
    gateway: StrictGateway | None = None
    """Sends the response; None before the application is called, and after the response is complete."""

    def read_request_headers(self) -> Any:
        """Return whether the fields are valid; answer 400 if not."""
        base: Any = super()
        if not base.read_request_headers():
            return False
        fields: Any = self.inheaders
        coding, length = fields.get(b"Transfer-Encoding"), fields.get(b"Content-Length")
        if coding is None:
            # int() accepts more than HTTP does, such as "+1" and "1_000".
            valid = length is None or length.isdigit()
        else:
            valid = coding.lower() == b"chunked" and self.chunked_read and length is None
        if valid:
            return True
        text = "Send a decimal Content-Length or `Transfer-Encoding: chunked`, and not both"
        base.simple_response("400 Bad Request", text)
        return False

    def call_application(self) -> Response | PendingResponse:
        """Call the application; ``gateway`` then sends the response."""
        source = self.conn.rfile
        if self.chunked_read:
            self.rfile: Any = ChunkedBody(source)
        else:
            stated = self.inheaders.get(b"Content-Length")
            length = int(stated or 0)
            if stated is not None and length <= len(source):
                self.rfile = ReceivedBody(source, length)
            else:
                self.rfile = SizedBody(source, length)
                # The rest of the body would be taken for the next request.
                self.close_connection |= length > 0
        server: ServerSettings = self.server
        self.gateway = gateway = server.gateway(self)
        return server.application.respond(gateway.env)

    def write(self, chunk: bytes) -> None:
        """Send a part of the body of the response."""
        base: Any = super()
        base.write(chunk)

    def end(self) -> None:
        """End the body of the response."""
        if self.chunked_write:
            self.conn.write(b"0\r\n\r\n")


class StrictGateway(CherootGateway):
    """Makes the environment of a request, and writes the response to it."""

    def get_environ(self) -> Any:
        """Return the environment for the application, with the socket that ``disconnection`` polls."""
        base: Any = super()
        request: Any = self.req
        host: Any = request.server.bind_addr[0]
        return {**base.get_environ(), "SERVER_NAME": host, SOCKET: request.conn.socket}

    def send(self, response: Response) -> bool:
        """Write the response, or the head of a streamed one; return whether it is complete.

        Until the connection is told to ``release`` it, nothing is sent: several packets would wake the client as often.
        """
        request: Any = self.req
        request.conn.hold()
        self._start(response)
        request.ensure_headers_sent()
        if not isinstance(response.body, list):
            return False
        # A client would take the body of a response to HEAD for the next response (RFC 9110, section 9.3.2).
        for part in response.body if request.method != b"HEAD" else ():
            request.write(part)
        request.end()
        return True

    def _start(self, response: Response) -> None:
        request: Any = self.req
        body: Any = request.rfile
        unread = not body.finished if request.chunked_read else body.remaining > MAX_DISCARDED
        if unread or response.status == 408:
            # cheroot would read all of the rest; a body that came too slowly is not waited for (RFC 9110, section 15.5.9).
            request.close_connection = True
        base: Any = super()
        base.start_response(STATUS_LINES[response.status], response.headers)
