"""A server, written without these bindings, that does not keep to the revision that it names.

Its first argument is the revision; the second says what it does, most of it when a tool is called.
The text of a result is the answer to its question, if it has asked.
"""

import json
import sys

revision, how = sys.argv[1:]


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


asked = early = None


def answer_with(response):
    text = json.dumps(response.get("error", response.get("result")))
    say(id=asked, result={"content": [{"type": "text", "text": text}]})


for line in sys.stdin:
    message = json.loads(line)
    number, method = message.get("id"), message.get("method")
    if how == "denies itself" and method == "server/discover":
        say(
            id=number, result={"resultType": "complete", "supportedVersions": [revision], "capabilities": {"tools": {}}}
        )
    elif how == "denies itself":
        data = {"supported": ["2025-11-25"], "requested": revision}
        say(id=number, error={"code": -32022, "message": "Unsupported protocol version", "data": data})
    elif method == "initialize":
        who = {"name": "liar", "version": "1"}
        say(id=number, result={"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": who})
    elif method == "server/discover":
        say(id=number, error={"code": -32601, "message": "no"})
    elif method == "notifications/initialized" and how == "asks first":
        # No call is in progress.
        say(id="early", method="roots/list")
    elif method is None:
        early = message
        if asked is not None:
            answer_with(early)
    elif method == "tools/call" and how == "asks first":
        asked = number
        if early is not None:
            answer_with(early)
    elif method == "tools/call" and how == "asks a form":
        asked = number
        say(id="form", method="elicitation/create", params={"message": "?", "requestedSchema": {"type": "object"}})
    elif method == "tools/call" and how == "wants input":
        say(id=number, result={"resultType": "input_required", "inputRequests": {"q": {"method": "roots/list"}}})
    elif method == "tools/call" and how == "answers as nobody":
        say(id=number, result={"content": 7})
    elif method == "ping":
        say(id=number, result={})
