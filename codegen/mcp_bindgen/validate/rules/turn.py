"""Areas of rules, and the message with its context that they check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen
from mcp_bindings_runtime.facts import Facts

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.history import History, SeenRequest
from mcp_bindgen.validate.rules.rule import Fault, Rule


@frozen(eq=False)
class Turn:
    """A message to check, with the history before it."""

    message: Message
    history: History
    sender: Side | None
    answered_request: SeenRequest | None
    """For a response, the request that it answers, if that was seen."""

    @property
    def revision(self) -> str:
        """The revision whose rules apply."""
        return self.history.revision

    @property
    def facts(self) -> Facts:
        """The facts of that revision."""
        return self.history.facts

    @property
    def value(self) -> dict[str, Json]:
        """The whole message."""
        return self.message.value

    @property
    def method(self) -> str | None:
        """The method of the message, or of the request that it answers."""
        return self.message.method or (self.answered_request.method if self.answered_request else None)

    @property
    def params(self) -> dict[str, Json]:
        """Its params; empty if they are not an object."""
        return json_access.fields(self.value.get("params"))

    @property
    def result(self) -> dict[str, Json]:
        """Its result; empty if it is not an object."""
        return json_access.fields(self.value.get("result"))

    @property
    def request_params(self) -> dict[str, Json]:
        """The params of the request that a response answers; empty if unknown."""
        return json_access.fields((self.message.request or {}).get("params"))

    def is_request(self, *methods: str) -> bool:
        """Return whether it is a request of one of the methods."""
        return self.message.kind == "request" and self.method in methods

    def is_notification(self, *methods: str) -> bool:
        """Return whether it is a notification of one of the methods."""
        return self.message.kind == "notification" and self.method in methods

    def is_result(self, *methods: str) -> bool:
        """Return whether it is a result of one of the methods."""
        return self.message.kind == "result" and self.method in methods


class Area(ABC):
    """Rules about one subject, and their memory of one session."""

    RULES: ClassVar[tuple[Rule, ...]] = ()

    @abstractmethod
    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of a message."""

    def end(self, history: History) -> Iterator[Fault]:
        """Yield the faults that are known only at the end of the session."""
        yield from ()
