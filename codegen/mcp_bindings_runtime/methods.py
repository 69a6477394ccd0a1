"""Typed keys for methods: they tell a type checker which params and result belong to a method."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeAlias, TypeVar

P = TypeVar("P")
R = TypeVar("R")

Side: TypeAlias = Literal["client", "server"]


class RequestMethod(Generic[P, R]):
    """The name and types of a request, and the sides that may send it."""

    __slots__ = ("capability", "embedded", "message", "name", "params", "result", "sent_by")

    def __init__(
        self,
        *,
        name: str,
        message: Any,
        params: Any,
        result: Any,
        sent_by: tuple[Side, ...],
        capability: str | None = None,
        embedded: bool = False,
    ) -> None:
        self.name = name
        """The method on the wire: ``tools/call``."""
        self.message = message
        """The class of the request."""
        self.params = params
        """The class of the params, or a union of classes; None if the method has no params."""
        self.result = result
        """The class of the result, or a union of classes."""
        self.sent_by = sent_by
        """The sides that may send it."""
        self.capability = capability
        """Dotted path of the capability that the receiver must have declared; None if the request needs none."""
        self.embedded = embedded
        """True if the request is sent only inside another message."""

    def __repr__(self) -> str:
        return f"<request {self.name}>"


class NotificationMethod(Generic[P]):
    """The name and types of a notification, and the sides that may send it."""

    __slots__ = ("capability", "capability_of", "message", "name", "params", "sent_by")

    def __init__(
        self,
        *,
        name: str,
        message: Any,
        params: Any,
        sent_by: tuple[Side, ...],
        capability: str | None = None,
        capability_of: Literal["sender", "receiver"] = "sender",
    ) -> None:
        self.name = name
        """The method on the wire: ``notifications/progress``."""
        self.message = message
        """The class of the notification."""
        self.params = params
        """The class of the params; None if the method has no params."""
        self.sent_by = sent_by
        """The sides that may send it."""
        self.capability = capability
        """Dotted path of the capability that must have been declared; None if the notification needs no capability."""
        self.capability_of = capability_of
        """The side that must have declared the capability."""

    def __repr__(self) -> str:
        return f"<notification {self.name}>"
