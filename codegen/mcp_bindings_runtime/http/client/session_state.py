"""The messages that have set the state of a session, to be sent again in the session that takes its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from ...errors import HttpError, ProtocolError
from ...logs import write_log
from .messages import OutgoingMessage, members
from .retry import COLUMNS
from .statuses import INITIALIZE

_INITIALIZED: Final = "notifications/initialized"
_SUBSCRIBE: Final = "resources/subscribe"
_UNSUBSCRIBE: Final = "resources/unsubscribe"
SETTING: Final = frozenset({INITIALIZE, _INITIALIZED, _SUBSCRIBE, _UNSUBSCRIBE, "logging/setLevel"})
"""Methods that set the state of a session."""


class SessionState:
    """The handshake of a session, its log level, and its subscriptions to resources."""

    def __init__(self) -> None:
        self._initialize: OutgoingMessage | None = None
        self._initialized: bytes | None = None
        self._settings: dict[str, OutgoingMessage] = {}
        """The last request for the log level, and for each resource with a subscription."""

    @property
    def complete(self) -> bool:
        """Whether the handshake is complete."""
        return self._initialize is not None and self._initialized is not None

    def remember(self, out: OutgoingMessage) -> None:
        """Remember a message with one of the methods ``SETTING``."""
        if out.method == INITIALIZE:
            self._initialize, self._initialized = out, None
            self._settings.clear()
        elif out.method == _INITIALIZED:
            self._initialized = out.body
        elif out.method in {_SUBSCRIBE, _UNSUBSCRIBE}:
            uri = f"uri {members(out.message.get('params')).get('uri')}"
            self._settings.pop(uri, None)
            if out.method == _SUBSCRIBE:
                self._settings[uri] = out
        else:
            self._settings[out.method] = out

    def restore(
        self, version: str | None, send: Callable[[OutgoingMessage], bytes], notify: Callable[[bytes], object]
    ) -> None:
        """Send the messages in a new session, which must have the same ``version``.

        ``send`` returns the response to a request; ``notify`` sends a notification. Raise ``ProtocolError`` for another
        version, and what these raise. The server may refuse the log level and subscriptions, but not for the time being.
        """
        if self._initialize is None or self._initialized is None:
            text = "it was not initialized yet"
            raise ProtocolError(text)
        found = version_in(send(self._initialize))
        if found != version:
            text = f"the server now answers with revision {found} instead of {version}"
            raise ProtocolError(text)
        notify(self._initialized)
        for out in list(self._settings.values()):
            refusal: Any
            try:
                refusal = members(members(_read(send(out))).get("error")).get("message")
            except ProtocolError as fault:
                if isinstance(fault, HttpError) and fault.status in COLUMNS:
                    # The server answers later. Without this message the client would wait for changes in vain.
                    raise
                refusal = fault
            if refusal is not None:
                write_log("warning", "%s was refused in the new session: %s", out.method, refusal)


def version_in(line: bytes) -> str | None:
    """Return the revision in a response to ``initialize``; None if there is none."""
    version = members(members(_read(line)).get("result")).get("protocolVersion")
    return version if isinstance(version, str) else None


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
