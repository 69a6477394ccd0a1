"""A client whose main thread is interrupted by SIGINT in a place that its argument names."""

import os
import signal
import sys
import threading
import time

from mcp_bindings_runtime.transports.memory import pair
from support.echo_server import echo_server
from support.revisions import HANDSHAKE
from support.scripted_peers import Spoken, eventually, package, text_of

where = sys.argv[1]
REVISION = sys.argv[2] if len(sys.argv) > 2 else HANDSHAKE[-1]
mcp = package(REVISION)


def strike(when, times=1):
    """Sends this process the signal, once something holds."""

    def run():
        eventually(when)
        for _ in range(times):
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=run, daemon=True).start()


def interrupted(function):
    begun = time.monotonic()
    try:
        function()
    except KeyboardInterrupt:
        print("interrupted", "at once" if time.monotonic() - begun < 10 else "late", flush=True)
    else:
        print("not interrupted", flush=True)


def calls():
    """While the main thread waits for an answer: it reads, or another thread does."""
    server, seen = echo_server(REVISION)
    with mcp.Client.in_memory(server, timeout=60.0) as client:
        other = None
        if where == "other reads":
            other = threading.Thread(target=client.call_tool, args=("echo", {"hold": True, "n": "other"}))
            other.start()
            eventually(lambda: seen.running == 1)
        strike(lambda: seen.running == (1 if other is None else 2))
        interrupted(lambda: client.call_tool("echo", {"n": 1, "hold": True}))
        eventually(lambda: seen.cancelled == [1])
        print("cancelled", flush=True)
        print(text_of(client.call_tool("echo", {"n": 2})), flush=True)
        seen.go.set()
        if other is not None:
            other.join(20)
            print("other", "waits" if other.is_alive() else "done", flush=True)


def sends():
    """While the main thread waits to send: the other side takes nothing."""
    mine, theirs = pair(capacity=1000)
    peer = Spoken(theirs)
    free = threading.Event()

    def play():
        peer.welcome(REVISION)
        free.wait(20)
        while True:
            message = peer.hear()
            print(message["method"], len(str(message.get("params"))) > 1000, flush=True)
            if message["method"] == "ping":
                peer.answer(message, {})
                return

    player = threading.Thread(target=play, daemon=True)
    player.start()
    client = mcp.Client.over(mine, timeout=60.0)
    client.connect()
    # It fills what may wait.
    filler = threading.Thread(target=lambda: client.connection.notify(mcp.methods.PROGRESS, progress("x" * 900)))
    filler.start()
    filler.join(20)
    strike(lambda: True)
    if where == "send":
        interrupted(lambda: client.call_tool("big" * 1000, {}))
    else:
        interrupted(lambda: client.notify(mcp.methods.PROGRESS, progress("y" * 3000)))
    free.set()
    client.ping()
    client.close()
    player.join(20)


def progress(token):
    return mcp.types.ProgressNotificationParams(progress_token=token, progress=1)


def connects():
    """While the main thread waits for the answer to ``initialize``, which is never cancelled."""
    mine, theirs = pair()
    client = mcp.Client.over(mine, timeout=60.0)
    peer = Spoken(theirs)
    seen = []
    threading.Thread(target=lambda: seen.append(peer.hear()), daemon=True).start()
    strike(lambda: seen)
    interrupted(client.connect)
    print(seen[0]["method"], flush=True)
    try:
        print(peer.overhear(0.2), flush=True)
    except ConnectionError:
        print("closed", flush=True)


def subscribes():
    server = mcp.Server(
        "s", "1", capabilities=mcp.types.ServerCapabilities(tools=mcp.types.ServerCapabilitiesTools(list_changed=True))
    )
    with mcp.Client.in_memory(server, timeout=60.0) as client, client.listen(tools=True) as changes:
        strike(lambda: True)
        interrupted(changes.get)
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        print(changes.get(10).key.name, flush=True)


def ignores():
    """A program that ignores the signal is not interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server, seen = echo_server(REVISION)
    with mcp.Client.in_memory(server, timeout=60.0) as client:
        strike(lambda: seen.running)
        interrupted(lambda: client.call_tool("echo", {"n": 1, "pause": 0.3}))
    print(signal.getsignal(signal.SIGINT).name, flush=True)


def storms():
    """Many signals at any moment: each call ends with its own answer, or is interrupted."""
    server, seen = echo_server(REVISION)
    done = hit = 0
    with mcp.Client.in_memory(server, timeout=60.0) as client:
        stop = threading.Event()
        shield = threading.Lock()

        def shoot():
            while not stop.is_set():
                with shield:
                    os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.003)

        shooter = threading.Thread(target=shoot)
        armed = False
        n = 0
        while hit < 40:
            n += 1
            try:
                if not armed:
                    armed = True
                    shooter.start()
                assert text_of(client.call_tool("echo", {"n": n})) == str(n)
                done += 1
            except KeyboardInterrupt:
                hit += 1
        while shooter.is_alive():
            try:
                stop.set()
                shooter.join()
            except KeyboardInterrupt:
                continue
        time.sleep(0.05)
        assert text_of(client.call_tool("echo", {"n": "last"})) == "last"
        eventually(lambda: not client.connection.calls and not client.connection.session._pending)
        eventually(lambda: seen.running == 0)
    print("survived", flush=True)


{
    "reads": calls,
    "other reads": calls,
    "send": sends,
    "notify": sends,
    "connect": connects,
    "subscription": subscribes,
    "ignored": ignores,
    "storm": storms,
}[where]()
