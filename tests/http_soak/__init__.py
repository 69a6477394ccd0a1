"""A soak of HTTP servers: busy, slow, hostile and leaving peers, restarts, and scarce descriptors, all at once."""
