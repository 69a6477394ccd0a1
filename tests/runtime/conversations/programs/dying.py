"""A server that answers the handshake, and what it does with the first call says its argument."""

import json
import os
import sys
import time

how = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        if how == "garbage":
            sys.stdout.write('Welcome!\n\n{"jsonrpc"\n\x00\x01\n[]\n')
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"},
        }
    elif message["method"] == "tools/call":
        if how == "exit":
            sys.stderr.write("the last words\n")
            sys.stderr.flush()
            os._exit(3)
        if how == "kill":
            os.kill(os.getpid(), 9)
        if how == "close":
            os.close(1)
            time.sleep(60)
        if how == "half":
            os.write(1, b'{"jsonrpc":"2.0","id":2,"res')
            os._exit(0)
        print("DEBUG: called", flush=True)
        sys.stdout.buffer.write(b"\xff\xfe\n" + b"[" * 100000 + b"\n")
        result = {"content": [{"type": "text", "text": "fine"}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
