"""Error codes of responses, by situation, each with the section of the specification that it follows.

Two rulings differ between revisions, and are facts of the revision: the code for an unknown resource, and whether wrong
arguments of a tool are an error or a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from ..errors import ResponseError
from ..jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND

URL_ELICITATION_REQUIRED: Final = -32042
"""The user has to visit a page first (2025-11-25, client/elicitation, Error Handling)."""
USER_REJECTED: Final = -1
"""The user, or the client for them, has rejected the request (client/sampling, Error Handling)."""

Situation: TypeAlias = Literal[
    "unknown tool",
    "wrong tool arguments",
    "task not supported",
    "task required",
    "unknown task",
    "task has ended",
    "too many task requests",
    "unknown prompt",
    "missing prompt argument",
    "wrong prompt argument",
    "too many subscriptions",
    "unknown completion reference",
    "too many completions",
    "invalid cursor",
    "too many sampling requests",
    "too many elicitations",
    "tool results incomplete",
    "tool results mixed",
    "undeclared sampling tools",
    "undeclared elicitation mode",
]
"""A reason to refuse a request."""

ERROR_CODES: Final[Mapping[Situation, int]] = {
    # server/tools, Error Handling
    "unknown tool": INVALID_PARAMS,
    "wrong tool arguments": INVALID_PARAMS,
    # basic/utilities/tasks, Tool-Level Negotiation
    "task not supported": METHOD_NOT_FOUND,
    "task required": METHOD_NOT_FOUND,
    # basic/utilities/tasks, Protocol Errors; Task Cancellation
    "unknown task": INVALID_PARAMS,
    "task has ended": INVALID_PARAMS,
    # basic/utilities/tasks, Task Isolation and Access Control, which names no code
    "too many task requests": INTERNAL_ERROR,
    # server/prompts, Error Handling; a wrong argument is treated as a missing one
    "unknown prompt": INVALID_PARAMS,
    "missing prompt argument": INVALID_PARAMS,
    "wrong prompt argument": INVALID_PARAMS,
    # server/resources, Error Handling (internal errors), which names no code
    "too many subscriptions": INTERNAL_ERROR,
    # server/utilities/completion, Error Handling; until 2025-03-26 JSON-RPC 2.0, section 5.1
    "unknown completion reference": INVALID_PARAMS,
    # server/utilities/completion, Implementation Considerations, which name no code
    "too many completions": INTERNAL_ERROR,
    # server/utilities/pagination, Error Handling
    "invalid cursor": INVALID_PARAMS,
    # client/sampling, Security Considerations (clients limit the rate): the same as a rejection by the user
    "too many sampling requests": USER_REJECTED,
    # client/elicitation, Security Considerations (clients limit the rate), which name no code
    "too many elicitations": INTERNAL_ERROR,
    # client/sampling, Error Handling
    "tool results incomplete": INVALID_PARAMS,
    "tool results mixed": INVALID_PARAMS,
    # schema, CreateMessageRequestParams.tools, which names no code
    "undeclared sampling tools": INVALID_PARAMS,
    # client/elicitation, Error Handling; in 2025-06-18 Capabilities, which name no code
    "undeclared elicitation mode": INVALID_PARAMS,
}


def error_for(situation: Situation, message: str, data: Any = None) -> ResponseError:
    """Return the error to raise in a situation."""
    return ResponseError(ERROR_CODES[situation], message, data)
