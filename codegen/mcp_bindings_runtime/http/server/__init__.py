"""The server side of HTTP: an application (``wsgi``) for any WSGI server, and a server of its own (``http_server``).

``wsgi`` routes a request to one of three endpoints: ``stateless_endpoint``, ``session_endpoint`` and
``legacy_sse_endpoint``. A handler uses the channel of its POST (``post_channel``) or of its session (``session_channel``).
``session_store`` keeps and expires sessions, ``event_log`` the messages of streams. The server waits in one thread
(``event_loop``, ``acceptor``, ``connection_handler``, ``stream_sender``); cheroot parses its requests. A transport that
is no WSGI application, such as WebSocket, belongs in ``transports``.
"""
