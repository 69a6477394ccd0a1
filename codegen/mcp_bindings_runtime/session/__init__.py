"""The protocol core: messages in, events and messages out, without I/O, threads or clocks."""
