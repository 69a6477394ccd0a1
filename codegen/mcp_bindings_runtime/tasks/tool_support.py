"""Which tools of a server may or must be called as tasks, by its list of tools (2025-11-25, Tasks: Tool-Level Negotiation).

A client checks its calls of tools that it has listed; the server checks the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError

if TYPE_CHECKING:
    from ..features.feature_client import FeatureClient

MOST: Final = 1024
"""Number of tools that are remembered: those listed last."""
LONGEST: Final = 1024
"""Limit on the characters of a tool's name for which a connection remembers whether the tool supports tasks."""
_CALLS: Final = "tasks.requests.tools.call"


def learn(client: FeatureClient, result: Any) -> None:
    """Remember a page of the list, if the server declares that it executes tool calls as tasks."""
    if not client.binding.declares(client.connection.session.peer_capabilities, _CALLS):
        return
    page = {
        tool.name: (None if tool.execution is None else tool.execution.task_support) or "forbidden"
        for tool in result.tools
        if len(tool.name) <= LONGEST
    }
    # A tool that is listed again counts as listed last.
    known = [each for each in (client.task_support or {}).items() if each[0] not in page]
    client.task_support = dict([*known, *page.items()][-MOST:])


def check(client: FeatureClient, params: Any) -> None:
    """Raise `UsageError` for a call that the list of tools does not allow."""
    if not isinstance(params, client.binding.requests["tools/call"].params):
        # The session refuses it.
        return
    name: str = params.name
    support = (client.task_support or {}).get(name)
    as_task = params.task is not None
    if support == "forbidden" and as_task:
        text = f"the tool {name!r} cannot be called as a task; use client.call_tool({name!r}, …)"
        raise UsageError(text)
    if support == "required" and not as_task:
        text = f"the tool {name!r} must be called as a task; use client.call_tool_as_task({name!r}, …).result()"
        raise UsageError(text)
