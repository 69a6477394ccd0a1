"""The server's side of HTTP: a WSGI application."""
