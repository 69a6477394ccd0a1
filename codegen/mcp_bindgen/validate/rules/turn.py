"""One message in its conversation: what an area of rules is given to look at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.history import History, SeenRequest
from mcp_bindgen.validate.rules.rule import Fault, Rule


@frozen(eq=False)
class Turn:
    """A message, with what is known before it is remembered."""

    message: Message
    history: History
    sender: Side | None
    answered_request: SeenRequest | None
    """For a response: the request that it answers, if that was seen."""

    @property
    def revision(self) -> str:
        """The one whose rules hold."""
        return self.history.revision

    @property
    def value(self) -> dict[str, Json]:
        """The whole message."""
        return self.message.value

    @property
    def method(self) -> str | None:
        """That of the message, or of the request that it answers."""
        return self.message.method or (self.answered_request.method if self.answered_request else None)

    @property
    def params(self) -> dict[str, Json]:
        """Its params, as far as they are an object."""
        return json_access.fields(self.value.get("params"))

    @property
    def result(self) -> dict[str, Json]:
        """Its result, as far as it is an object."""
        return json_access.fields(self.value.get("result"))

    @property
    def request_params(self) -> dict[str, Json]:
        """The params of the request that a response answers, as far as that is still at hand."""
        return json_access.fields((self.message.request or {}).get("params"))

    def is_request(self, *methods: str) -> bool:
        """Whether it is a request of one of the methods."""
        return self.message.kind == "request" and self.method in methods

    def is_notification(self, *methods: str) -> bool:
        """Whether it is a notification of one of the methods."""
        return self.message.kind == "notification" and self.method in methods

    def is_result(self, *methods: str) -> bool:
        """Whether it is a result for one of the methods."""
        return self.message.kind == "result" and self.method in methods


class Area(ABC):
    """Rules that belong together, and what they remember of one session."""

    RULES: ClassVar[tuple[Rule, ...]] = ()

    @abstractmethod
    def check(self, turn: Turn) -> Iterator[Fault]:
        """What is wrong with a message."""

    def end(self, history: History) -> Iterator[Fault]:
        """What is known to be wrong only when the session is over."""
        yield from ()
