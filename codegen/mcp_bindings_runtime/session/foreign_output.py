"""Output of a server that is not a message of the protocol, such as a banner."""

from __future__ import annotations

import json
from typing import Any, Final

from ..codec.error_wording import describe
from ..errors import DecodeError
from ..jsonrpc import InvalidMessage
from .events import Dropped

_SHOWN: Final = 60
"""Characters of a JSON text that are shown."""


def dropped_line(line: bytes) -> Dropped:
    """Return the event of a line that is not JSON."""
    return _dropped(describe(line.decode("utf-8", "replace")))


def dropped_value(value: Any, found: InvalidMessage, error: DecodeError) -> Dropped:
    """Return the event of a JSON value that answers no request; ``found`` is what it was meant to be."""
    if found.kind == "response" or found.id is not None:
        return Dropped(f"an invalid response: {error}", bad=True)
    text = json.dumps(value)
    return _dropped(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\N{HORIZONTAL ELLIPSIS}")


def _dropped(shown: str) -> Dropped:
    return Dropped(f"the server wrote {shown}, which is not a message", bad=True)
