"""Refuses requests whose access tokens lack the scopes of the tool, prompt or resources that they name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...auth.scopes import NO_SCOPES
from ...server.operation_scopes import body_scopes, operation_scopes
from ...session.caller import Caller
from ...session.events import Incoming
from .responses import Rejection

if TYPE_CHECKING:
    from ...server.server import Server
    from .api_keys import ApiKeys
    from .authorization import Authorization


class ScopeCheck:
    """The check of scopes at an endpoint. All its methods raise ``Rejection`` (403).

    Without ``authorization`` there are no tokens, so whatever needs a scope is refused.
    """

    def __init__(self, authorization: Authorization | ApiKeys | None, servers: Sequence[Server]) -> None:
        self._servers = servers
        self.check = _refuse if authorization is None else authorization.require
        """Requires of a caller the scopes of every request, and those that are needed in addition."""
        self._required = NO_SCOPES if authorization is None else authorization.required_scopes

    def check_body(self, caller: Caller | None, body: bytes) -> None:
        """Check a body before any of it has an effect: a batch as a whole, and what lacks the scopes of every request.

        The scopes of other bodies are checked when the names in them have been read, by the other methods.
        """
        lacking = bool(self._required) and not (caller is not None and self._required <= (caller.scopes or NO_SCOPES))
        if not lacking and body[:1] == b"{":
            return
        if lacking or any(server.has_scopes for server in self._servers):
            self.check(caller, body_scopes(self._servers, _parsed(body)))

    def check_request(self, server: Server, caller: Caller | None, incoming: Incoming) -> None:
        """Check a request that has been read and not been handled."""
        if server.has_scopes:
            self.check(caller, operation_scopes(server, incoming.key.name, incoming.params))

    def check_requests(self, server: Server, caller: Caller | None, incomings: Iterable[Incoming]) -> None:
        """Check several requests as one."""
        if server.has_scopes:
            needed = [operation_scopes(server, each.key.name, each.params) for each in incomings]
            self.check(caller, NO_SCOPES.union(*needed))


def _refuse(caller: Caller | None, needed: frozenset[str] = NO_SCOPES) -> None:
    """Refuse what needs scopes, because there are no tokens."""
    if needed:
        text = f"this request needs the scope {' '.join(sorted(needed))}, but the endpoint has no `authorization`"
        raise Rejection(403, text)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        # It has no effect; the endpoint answers with the fault.
        return None
