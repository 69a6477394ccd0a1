"""A server that hands everything on between its standard streams and the socket that it is told."""

import contextlib
import sys
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parents[3]))

from mcp_bindings_runtime.errors import ConnectionClosed
from mcp_bindings_runtime.transports import Transport
from mcp_bindings_runtime.transports.stdio import Stdio
from runtime.unix_socket import UnixSocket


def hand_on(source: Transport, target: Transport) -> None:
    with contextlib.suppress(ConnectionClosed):
        while (message := source.receive()) is not None:
            target.send(message)
    source.close()
    target.close()


stdio, socket = Stdio(), UnixSocket(Path(sys.argv[1]))
other = Thread(target=hand_on, args=(socket, stdio))
other.start()
hand_on(stdio, socket)
other.join()
