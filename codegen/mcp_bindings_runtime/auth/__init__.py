"""OAuth: access tokens of clients over HTTP, and their validation by servers (Authorization of the specification)."""
