"""One message in its conversation: what an area of rules is given to look at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.exchanges import Exchange
from mcp_bindgen.validate.rules import reading
from mcp_bindgen.validate.rules.history import Asked, History
from mcp_bindgen.validate.rules.rule import Fault, Rule


@frozen(eq=False)
class Turn:
    """A message, with what is known before it is remembered."""

    exchange: Exchange
    history: History
    sender: Side | None
    asked: Asked | None
    """For a response: the request that it answers, if that was seen."""

    @property
    def revision(self) -> str:
        """The one whose rules hold."""
        return self.history.revision

    @property
    def value(self) -> dict[str, Json]:
        """The whole message."""
        return self.exchange.value

    @property
    def method(self) -> str | None:
        """That of the message, or of the request that it answers."""
        return self.exchange.method or (self.asked.method if self.asked else None)

    @property
    def params(self) -> dict[str, Json]:
        """Its params, as far as they are an object."""
        return reading.fields(self.value.get("params"))

    @property
    def result(self) -> dict[str, Json]:
        """Its result, as far as it is an object."""
        return reading.fields(self.value.get("result"))

    @property
    def asked_params(self) -> dict[str, Json]:
        """The params of the request that a response answers, as far as that is still at hand."""
        return reading.fields((self.exchange.request or {}).get("params"))

    def asks(self, *methods: str) -> bool:
        """Whether it is a request of one of the methods."""
        return self.exchange.kind == "request" and self.method in methods

    def tells(self, *methods: str) -> bool:
        """Whether it is a notification of one of the methods."""
        return self.exchange.kind == "notification" and self.method in methods

    def answers(self, *methods: str) -> bool:
        """Whether it is a result for one of the methods."""
        return self.exchange.kind == "result" and self.method in methods


class Area(ABC):
    """Rules that belong together, and what they remember of one session."""

    RULES: ClassVar[tuple[Rule, ...]] = ()

    @abstractmethod
    def see(self, turn: Turn) -> Iterator[Fault]:
        """What is wrong with a message."""

    def end(self, history: History) -> Iterator[Fault]:
        """What is known to be wrong only when the session is over."""
        yield from ()
