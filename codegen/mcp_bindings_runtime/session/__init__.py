"""The session of one connection: the protocol without I/O, threads and clocks."""
