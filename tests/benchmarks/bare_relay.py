"""Relay that passes bytes between HTTP and a server over stdio and checks nothing: ``PORT COMMAND…``, for one client."""

from __future__ import annotations

import os
import socket
import subprocess
import sys


def serve(connection: socket.socket, stdin: int, stdout: int) -> None:
    """Pass each body of a connection on as a line, and each answer back, until the connection ends."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            data = connection.recv(65536)
            if not data:
                return
            received += data
        head, _, body = received.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields[b"content-length"])
        while len(body) < length:
            body += connection.recv(65536)
        received = body[length:]
        body = body[:length]
        os.write(stdin, body + b"\n")
        if b'"id"' not in body:
            connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
            continue
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(stdout, 65536)
        fixed = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: only\r\n"
        connection.sendall(b"%bContent-Length: %d\r\n\r\n%b" % (fixed, len(line), line))


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert child.stdin is not None
    assert child.stdout is not None
    while True:
        serve(listener.accept()[0], child.stdin.fileno(), child.stdout.fileno())
