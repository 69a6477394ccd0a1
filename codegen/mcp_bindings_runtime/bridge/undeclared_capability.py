"""The error for a question of the handshake era to a stateless client that has not declared the capability."""

from __future__ import annotations

from typing import Any, Final

from ..errors import NotDeclared, ResponseError
from ..jsonrpc import MISSING_CLIENT_CAPABILITY
from ..meta import member
from ..session.multi_round import missing_capability

_FOR_INPUT: Final = frozenset({"elicitation", "roots", "sampling"})


class UndeclaredCapability(NotDeclared, ResponseError):
    """The client has not declared a capability that a question needs.

    A handler catches it as `NotDeclared`, as its revision has it. If no handler does, the client gets the error -32021 with
    the capability, as its revision requires (2026-07-28, Capability Negotiation).
    """

    def __init__(self, method: str, capability: str) -> None:
        error = missing_capability(method, capability)
        ResponseError.__init__(self, *error)
        self.text: str = error.data["reason"]
        """The reason, in a sentence."""

    def __str__(self) -> str:
        return self.text


def missing_input_text(error: ResponseError) -> str | None:
    """Return which capability for requests for input the client lacks, in a sentence; None for another error."""
    required: Any = member(error.data, "requiredCapabilities")
    if error.code != MISSING_CLIENT_CAPABILITY or required.__class__ is not dict or not _FOR_INPUT.issuperset(required):
        return None
    reason: Any = member(error.data, "reason")
    names = " and ".join(map(repr, required))
    return reason if reason.__class__ is str else f"this needs {names}, which the client has not declared"
