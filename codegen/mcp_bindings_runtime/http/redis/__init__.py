"""Sessions and streams in Redis, shared by several processes (extra ``redis``)."""
