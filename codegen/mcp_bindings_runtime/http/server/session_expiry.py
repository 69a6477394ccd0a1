"""When HTTP sessions and their streams expire: the defaults of all stores, whose option is ``lifetime``."""

from __future__ import annotations

from typing import Final

SESSION_LIFETIME: Final = 3600.0
"""Default number of seconds after which a session without requests and open streams expires."""
STREAM_LIFETIME: Final = 300.0
"""Seconds for which a client can resume a stream that has ended or lost its connection."""
