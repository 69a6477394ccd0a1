"""Sampling: a server requests a message of the client's language model (Sampling, of every revision)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ProtocolError, ResponseError
from .client_methods import SAMPLE
from .error_codes import USER_REJECTED, Situation

if TYPE_CHECKING:
    from ..binding import Binding

_TOOLS = "sampling.tools"
REJECTED = "User rejected sampling request"


class Refused(ResponseError):
    """Raised by a callback of a client if the user, or the client on the user's behalf, rejects the request.

    Up to 2025-11-25, the server gets the error -1 (Sampling: Error Handling). In 2026-07-28, the client's call that led to
    the request raises this exception, and the server gets no answer.
    """

    def __init__(self, message: str = REJECTED, data: Any = None) -> None:
        super().__init__(USER_REJECTED, message, data)

    def __reduce__(self) -> tuple[Any, ...]:
        return Refused, (self.message, self.data)


def match_model(hints: Iterable[Any] | None, models: Iterable[str]) -> str | None:
    """Return the model for a server's hints: the first of ``models`` whose name contains the first hint that matches.

    ``hints`` are those of ``ModelPreferences``, or strings; case is ignored. Return None if no hint matches: hints are
    advisory, and the client chooses (Sampling: Model Preferences).
    """
    known = list(models)
    for hint in hints or ():
        name = hint if isinstance(hint, str) else hint.name
        if not name:
            continue
        found = next((model for model in known if name.lower() in model.lower()), None)
        if found is not None:
            return found
    return None


def blocks_of(message: Any) -> list[Any]:
    """Return the content blocks of a message; content that is not a list is one block."""
    content: Any = message.content
    return content if content.__class__ is list else [content]


def required_capabilities(binding: Binding, params: Any) -> Iterator[str]:
    """Yield the capabilities that a request requires of the client besides ``sampling``, as dotted paths."""
    has_tools = _TOOLS in binding.capabilities["client"]
    if has_tools and not (params.tools is None and params.tool_choice is None):
        yield _TOOLS
    if params.include_context not in (None, "none"):
        yield "sampling.context"


def find_imbalance(messages: Sequence[Any]) -> tuple[Situation, str] | None:
    """Return the situation and the reason if tool uses and tool results in messages do not match; None if they do.

    Tool results are alone in a message of the user, which follows the message with the tool uses and has one result for
    each (2025-11-25, Sampling: Message Content Constraints).
    """
    open_uses: set[str] = set()
    for place, message in enumerate(messages):
        blocks = blocks_of(message)
        uses: set[str] = {block.id for block in blocks if block.type == "tool_use"}
        results: list[str] = [block.tool_use_id for block in blocks if block.type == "tool_result"]
        where = f"messages[{place}]"
        if results and len(results) < len(blocks):
            return "tool results mixed", f"{where} has tool results and other content; use separate messages"
        if results and message.role != "user":
            return "tool results mixed", f"{where} has tool results but is not a message of the user"
        missing = open_uses - {*results}
        if missing:
            return "tool results incomplete", f"{where} has no result of the tool use {', '.join(sorted(missing))}"
        foreign = {*results} - open_uses
        if foreign or len(results) > len(open_uses):
            named = ", ".join(sorted(foreign or results))
            return "tool results incomplete", f"{where} has results without a tool use in the message before: {named}"
        open_uses = uses if message.role == "assistant" else set()
        if uses and message.role != "assistant":
            return "tool results mixed", f"{where} has tool uses but is not a message of the assistant"
    if open_uses:
        return (
            "tool results incomplete",
            f"the last message has tool uses without results: {', '.join(sorted(open_uses))}",
        )
    return None


def sample(
    context: Any,
    prompt: Any,
    *,
    max_tokens: int,
    system_prompt: str | None,
    temperature: float | None,
    hints: Sequence[str],
) -> str:
    """Return the text of the message of the client's model; raise `ProtocolError` if it has no text."""
    binding = context.connection.session.binding
    types, key = binding.types, binding.requests[SAMPLE]
    messages = prompt
    if isinstance(prompt, str):
        messages = [types.SamplingMessage(role="user", content=types.TextContent(text=prompt))]
    preferences = types.ModelPreferences(hints=[types.ModelHint(name=name) for name in hints]) if hints else None
    result = context.request(
        key,
        key.params(
            messages=list(messages),
            max_tokens=max_tokens,
            system_prompt=system_prompt,
            temperature=temperature,
            model_preferences=preferences,
        ),
    )
    texts: list[str] = [block.text for block in blocks_of(result) if block.type == "text"]
    if not texts:
        text = f"the message of {result.model} has no text; use create_message, which returns all of its content"
        raise ProtocolError(text)
    return "".join(texts)
