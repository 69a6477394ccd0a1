"""The error for a question of the handshake era to a stateless client that has not declared the capability."""

from __future__ import annotations

from ..errors import NotDeclared, ResponseError
from ..jsonrpc import MISSING_CLIENT_CAPABILITY
from ..session.multi_round import required_capabilities


class UndeclaredCapability(NotDeclared, ResponseError):
    """The client has not declared a capability that a question needs.

    A handler catches it as `NotDeclared`, as its revision has it. If no handler does, the client gets the error -32021 with
    the capability, as its revision requires (2026-07-28, Capability Negotiation).
    """

    def __init__(self, method: str, capability: str) -> None:
        text = f"{method} needs the capability {capability!r}, which the client has not declared"
        data = {**required_capabilities(capability), "reason": text}
        ResponseError.__init__(self, MISSING_CLIENT_CAPABILITY, "Missing required client capability", data)
        self.text = text
        """The reason, in a sentence."""

    def __str__(self) -> str:
        return self.text
