"""A server that starts slowly: it reads nothing before the client has sent a second message, its ``initialize``.

``slow_start.py served COMMAND…`` runs a server behind such a start. ``slow_start.py HOW REVISION STATELESS NOTES`` is one
written without these bindings, of a revision with handshake and one without, as ``HOW`` says; each of its starts is noted in
a file.
"""

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path


def serve_behind(command):
    with subprocess.Popen(command, stdin=subprocess.PIPE) as server:
        waiting = [sys.stdin.buffer.readline() for _ in range(2)]
        for line in chain(waiting, iter(sys.stdin.buffer.readline, b"")):
            server.stdin.write(line)
            server.stdin.flush()
        server.stdin.close()


def say(number, result=None, code=None):
    answer = {"result": result} if code is None else {"error": {"code": code, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": number, **answer}), flush=True)


def main(how, revision, stateless_revision, notes):
    path = Path(notes)
    with path.open("a", encoding="ascii") as file:
        file.write("started\n")
    info = {"name": how, "version": "1"}
    discovered = {
        "resultType": "complete",
        "supportedVersions": [revision if how == "shim" else stateless_revision],
        "capabilities": {"tools": {}},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": info},
    }
    initialized = {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": info}
    called = {"content": [{"type": "text", "text": "served"}]}
    lines = iter(sys.stdin)
    if path.read_text("ascii") == "started\n":
        messages = [json.loads(next(lines)) for _ in range(2)]
        if how == "unordered":
            messages.reverse()
    else:
        messages = []
    has_session = False
    for message in chain(messages, map(json.loads, lines)):
        number, method = message.get("id"), message["method"]
        stateless = "io.modelcontextprotocol/protocolVersion" in message.get("params", {}).get("_meta", {})
        if method == "initialize":
            if how in {"modern", "unordered"}:
                say(number, code=-32601)
                continue
            has_session = True
            say(number, initialized)
        elif number is not None and stateless and has_session and how == "pinned":
            say(number, code=-32601)
        elif method == "server/discover":
            if how != "unordered" or message not in messages:
                say(number, discovered)
        elif method == "tools/call":
            say(number, {**called, "resultType": "complete"} if stateless else called)


if __name__ == "__main__":
    if sys.argv[1] == "served":
        serve_behind(sys.argv[2:])
    else:
        main(*sys.argv[1:])
