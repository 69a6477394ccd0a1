"""OAuth for clients over HTTP (Authorization of the specification)."""
