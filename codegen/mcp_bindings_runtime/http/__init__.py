"""MCP over HTTP: the client side, the server side, sessions in Redis, and the formats of headers and events."""
