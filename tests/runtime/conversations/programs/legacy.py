"""A server with a handshake, written without these bindings; what it makes of anything before that says its argument.

The revision that it speaks is its second argument. Each start of it is noted in the file of its third, if there is one.
"""

import json
import os
import sys
import time
from pathlib import Path

how, revision, *notes = sys.argv[1:]
if notes:
    with Path(notes[0]).open("a", encoding="ascii") as file:
        file.write("started\n")
if how == "dead":
    # It ends by itself, and has not read a word. The descriptor is closed by its end alone.
    os._exit(3)


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


late = None
for line in sys.stdin:
    message = json.loads(line)
    number, method = message.get("id"), message["method"]
    if method == "initialize":
        if late is not None:
            # The answer to what was asked first comes now, and is no answer to this.
            say(
                id=late,
                result={"protocolVersion": "late", "capabilities": {}, "serverInfo": {"name": "late", "version": "1"}},
            )
        result = {
            "protocolVersion": revision,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "old", "version": "1"},
        }
        say(id=number, result=result)
        how = "open"
    elif how == "open":
        if method == "tools/call":
            say(id=number, result={"content": [{"type": "text", "text": "served"}]})
    elif how == "exit":
        os._exit(1)
    elif how == "late":
        late = number if late is None else late
    elif how.lstrip("-").isdigit():
        say(id=number, error={"code": int(how), "message": "no", "data": {"supported": "all of them"}})
    elif how == "result":
        say(id=number, result={"it": "answers", "anything": True})
    elif how == "slow":
        time.sleep(0.4)
        say(id=number, error={"code": -32601, "message": "no"})
