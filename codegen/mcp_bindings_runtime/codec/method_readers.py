"""The emitted functions that read messages, by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ..methods import NotificationMethod, RequestMethod, Side
from .checks import Invalid

Decoders: TypeAlias = Mapping[Any, Callable[[Any], Any]]

SENDERS: tuple[Side | None, ...] = (None, "client", "server")
"""The values of ``sender``; None stands for both sides."""


class Envelopes(NamedTuple):
    """Classes of messages whose method the revision does not declare; None where the schema has no such class."""

    request: type | None
    notification: type | None
    response: type | None
    error: type | None


class MethodReaders(dict[str, Callable[[Any], Any]]):
    """Functions that read the requests that one side may send, or its notifications, by method.

    A message of an unknown method is read by the function of the envelope. ``others`` are the notifications if these are
    requests, and the reverse: their methods are known, and not read here.
    """

    def __init__(self, functions: Decoders, envelope: type | None) -> None:
        super().__init__()
        self._functions = functions
        self._envelope = envelope
        self._classes: dict[str, type] = {}
        self.others: Mapping[str, Callable[[Any], Any]] = {}

    def add(self, method: str, cls: type) -> None:
        """Read messages of this method as objects of this class."""
        self[method] = self._functions[cls]
        self._classes[method] = cls

    def class_of(self, method: str) -> type:
        """Return the class of messages of this method; raise ``Invalid`` if there is none."""
        cls = self._classes.get(method, self._envelope)
        if cls is None or (method not in self and method in self.others):
            raise Invalid
        return cls

    def __missing__(self, method: str) -> Callable[[Any], Any]:
        return self._functions[self.class_of(method)]


MethodReadersBySender: TypeAlias = Mapping[Side | None, tuple[MethodReaders, MethodReaders]]
"""Sender to the readers of its requests and of its notifications.

Plain tuples: unpacking a named one costs as much as all the rest of finding the function.
"""


def readers_by_sender(
    functions: Decoders,
    envelopes: Envelopes,
    requests: Mapping[str, RequestMethod[Any, Any]],
    notifications: Mapping[str, NotificationMethod[Any]],
) -> MethodReadersBySender:
    """Return the readers of the messages that each side may send."""
    found: dict[Side | None, tuple[MethodReaders, MethodReaders]] = {}
    for sender in SENDERS:
        of_requests = MethodReaders(functions, envelopes.request)
        of_notifications = MethodReaders(functions, envelopes.notification)
        of_requests.others, of_notifications.others = of_notifications, of_requests
        for request in requests.values():
            if not request.embedded and (sender is None or sender in request.sent_by):
                of_requests.add(request.name, request.message)
        for notification in notifications.values():
            if sender is None or sender in notification.sent_by:
                of_notifications.add(notification.name, notification.message)
        found[sender] = of_requests, of_notifications
    return found
