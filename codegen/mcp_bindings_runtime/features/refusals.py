"""What is answered when something cannot be done: one table, by situation and revision, each entry with its source.

A row holds from its revision on, until another row of the same situation takes over. Where the text of a revision names
no code for a situation, the source says which of its rules the answer follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import ResponseError
from ..facts import Facts
from ..jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION

RESOURCE_NOT_FOUND: Final = -32002
"""Until 2025-11-25: there is nothing at the URI."""
URL_ELICITATION_REQUIRED: Final = -32042
"""2025-11-25: the user has to visit a page first."""
USER_REJECTED: Final = -1
"""Until 2025-11-25: the user, or the client for them, does not want the request to be done."""

Situation: TypeAlias = Literal[
    "unknown tool",
    "wrong tool arguments",
    "tool failed",
    "tool took too long",
    "too many tool calls",
    "task not supported",
    "task required",
    "unknown task",
    "task has ended",
    "too many task requests",
    "unknown prompt",
    "missing prompt argument",
    "wrong prompt argument",
    "unknown resource",
    "too many subscriptions",
    "unknown completion reference",
    "too many completions",
    "invalid cursor",
    "invalid log level",
    "unsupported revision",
    "roots not supported",
    "sampling refused",
    "too many sampling requests",
    "too many elicitations",
    "tool results incomplete",
    "tool results mixed",
    "undeclared sampling tools",
    "undeclared elicitation mode",
    "url elicitation required",
    "handler failed",
]
"""What a request can meet with."""


class Ruling(NamedTuple):
    """The answer to a situation from one revision on."""

    since: str
    """The first revision that it holds in."""
    code: int | None
    """Of the JSON-RPC error; None stands for a tool's result with ``isError``, which language models get to see."""
    source: str
    """Page and section of that revision's specification."""


_FIRST = "2024-11-05"
_AUDIO = "2025-03-26"
_FORMS = "2025-06-18"
_TASKS = "2025-11-25"
_STATELESS = "2026-07-28"
_ORDER = (_FIRST, _AUDIO, _FORMS, _TASKS, _STATELESS)
"""The bundled revisions, of which each package has one as its base."""

RULINGS: Final[Mapping[Situation, tuple[Ruling, ...]]] = {
    "unknown tool": (Ruling(_FIRST, INVALID_PARAMS, "server/tools, Error Handling"),),
    "wrong tool arguments": (
        Ruling(_FIRST, INVALID_PARAMS, "server/tools, Error Handling (protocol errors: invalid arguments)"),
        Ruling(_TASKS, None, "server/tools, Error Handling (tool execution errors: input validation)"),
    ),
    "tool failed": (Ruling(_FIRST, None, "server/tools, Error Handling (tool execution errors)"),),
    "tool took too long": (Ruling(_FIRST, None, "server/tools, Error Handling (tool execution errors)"),),
    "too many tool calls": (Ruling(_FIRST, None, "server/tools, Error Handling (its example is a rate limit)"),),
    "task not supported": (
        Ruling(_TASKS, METHOD_NOT_FOUND, "basic/utilities/tasks, Tool-Level Negotiation"),
        # The extension of tasks is asked for by declaring it, so that no request can ask for a task in vain.
    ),
    "task required": (Ruling(_TASKS, METHOD_NOT_FOUND, "basic/utilities/tasks, Tool-Level Negotiation"),),
    "unknown task": (Ruling(_TASKS, INVALID_PARAMS, "basic/utilities/tasks, Protocol Errors"),),
    "task has ended": (Ruling(_TASKS, INVALID_PARAMS, "basic/utilities/tasks, Task Cancellation"),),
    "too many task requests": (
        Ruling(_TASKS, INTERNAL_ERROR, "basic/utilities/tasks, Task Isolation and Access Control; no code is named"),
    ),
    "unknown prompt": (Ruling(_FIRST, INVALID_PARAMS, "server/prompts, Error Handling"),),
    "missing prompt argument": (Ruling(_FIRST, INVALID_PARAMS, "server/prompts, Error Handling"),),
    "wrong prompt argument": (Ruling(_FIRST, INVALID_PARAMS, "server/prompts, Error Handling (as for a missing one)"),),
    "unknown resource": (
        Ruling(_FIRST, RESOURCE_NOT_FOUND, "server/resources, Error Handling"),
        Ruling(_STATELESS, INVALID_PARAMS, "server/resources, Error Handling"),
    ),
    "too many subscriptions": (
        Ruling(_FIRST, INTERNAL_ERROR, "server/resources, Error Handling (internal errors); no code is named"),
    ),
    "unknown completion reference": (
        Ruling(_FIRST, INVALID_PARAMS, "JSON-RPC 2.0, section 5.1 (the page of the revision names no codes)"),
        Ruling(_AUDIO, INVALID_PARAMS, "server/utilities/completion, Error Handling"),
    ),
    "too many completions": (
        Ruling(_FIRST, INTERNAL_ERROR, "server/utilities/completion, Implementation Considerations; no code is named"),
    ),
    "invalid cursor": (Ruling(_FIRST, INVALID_PARAMS, "server/utilities/pagination, Error Handling"),),
    "invalid log level": (Ruling(_FIRST, INVALID_PARAMS, "server/utilities/logging, Error Handling"),),
    "unsupported revision": (
        Ruling(_FIRST, INVALID_PARAMS, "basic/lifecycle, Error Handling"),
        Ruling(_STATELESS, UNSUPPORTED_VERSION, "basic/index, Error Codes"),
    ),
    "roots not supported": (Ruling(_FIRST, METHOD_NOT_FOUND, "client/roots, Error Handling"),),
    "sampling refused": (Ruling(_FIRST, USER_REJECTED, "client/sampling, Error Handling"),),
    "too many sampling requests": (
        Ruling(_FIRST, USER_REJECTED, "client/sampling, Security Considerations (clients limit); as for a refusal"),
    ),
    "too many elicitations": (
        Ruling(_FORMS, INTERNAL_ERROR, "client/elicitation, Security Considerations (clients limit); no code is named"),
    ),
    "tool results incomplete": (Ruling(_TASKS, INVALID_PARAMS, "client/sampling, Error Handling"),),
    "tool results mixed": (Ruling(_TASKS, INVALID_PARAMS, "client/sampling, Error Handling"),),
    "undeclared sampling tools": (
        Ruling(_TASKS, INVALID_PARAMS, "schema, CreateMessageRequestParams.tools (an error; no code is named)"),
    ),
    "undeclared elicitation mode": (
        Ruling(_FORMS, INVALID_PARAMS, "client/elicitation, Capabilities (one mode; no code is named)"),
        Ruling(_TASKS, INVALID_PARAMS, "client/elicitation, Error Handling"),
    ),
    "url elicitation required": (Ruling(_TASKS, URL_ELICITATION_REQUIRED, "client/elicitation, Error Handling"),),
    "handler failed": (Ruling(_FIRST, INTERNAL_ERROR, "JSON-RPC 2.0, section 5.1"),),
}


def ruling(situation: Situation, facts: Facts) -> Ruling:
    """Return what holds in a revision, by its base; raises KeyError where that knows no such situation."""
    held = [each for each in RULINGS[situation] if _ORDER.index(each.since) <= _ORDER.index(facts.base)]
    if not held:
        raise KeyError(situation, facts.base)
    return held[-1]


def refusal(situation: Situation, facts: Facts, message: str, data: Any = None) -> ResponseError:
    """The error to raise where the answer is one; raises KeyError for what is answered with a result."""
    code = ruling(situation, facts).code
    if code is None:
        raise KeyError(situation, facts.base)
    return ResponseError(code, message, data)
