"""Typed keys for methods: a type checker that sees a key knows the params and the result that belong to it."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeAlias, TypeVar

P = TypeVar("P")
R = TypeVar("R")

Side: TypeAlias = Literal["client", "server"]


class RequestMethod(Generic[P, R]):
    """A request: its wire name and the types that go with it.

    ``params`` and ``result`` hold the types at run time (``None`` where the method has no params, a union where there
    are alternatives). ``sent_by`` says who may send it, ``capability`` which capability its receiver must have declared
    (a dotted path), ``embedded`` that it travels inside another message only.
    """

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
        self.message = message
        self.params = params
        self.result = result
        self.sent_by = sent_by
        self.capability = capability
        self.embedded = embedded

    def __repr__(self) -> str:
        return f"<request {self.name}>"


class NotificationMethod(Generic[P]):
    """A notification: its wire name and the type of its params.

    ``sent_by`` says who may send it, ``capability`` which capability must have been declared (a dotted path) and
    ``capability_of`` by whom: the sender, where not the receiver is named.
    """

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
        self.message = message
        self.params = params
        self.sent_by = sent_by
        self.capability = capability
        self.capability_of = capability_of

    def __repr__(self) -> str:
        return f"<notification {self.name}>"
