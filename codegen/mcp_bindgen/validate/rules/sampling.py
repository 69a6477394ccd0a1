"""Rules about sampling: tool uses and results come in pairs, and apart from other content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.calls import calls, replies
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

TOOL_RESULT_MIXED: Final = Rule(
    "tool-result-mixed",
    "A message with tool results has no other content.",
    "client/sampling, Tool Result Messages",
    since="2025-11-25",
)
TOOL_USE_UNANSWERED: Final = Rule(
    "tool-use-unanswered",
    "A message with tool uses is followed by one with the result of each use.",
    "client/sampling, Tool Use and Result Balance",
    since="2025-11-25",
)
TOOL_RESULT_UNASKED: Final = Rule(
    "tool-result-unasked",
    "A tool result has the id of an earlier tool use.",
    "client/sampling, Tool Use and Result Balance",
    since="2025-11-25",
)
TOOL_CHOICE_NONE: Final = Rule(
    "tool-choice-none",
    "If `toolChoice` is none, the model uses no tools.",
    "client/sampling, Tool Choice Modes",
    since="2025-11-25",
)


class Sampling(Area):
    """Checks the messages of sampling requests and results."""

    RULES: ClassVar = (TOOL_RESULT_MIXED, TOOL_USE_UNANSWERED, TOOL_RESULT_UNASKED, TOOL_CHOICE_NONE)

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of tool uses and results."""
        if turn.revision < "2025-11-25":
            return
        for call in calls(turn):
            if call.method == "sampling/createMessage":
                yield from _messages(json_access.items(call.params.get("messages")), (*call.path, "messages"))
        for reply in replies(turn):
            choice = json_access.member(reply.params, "toolChoice", "mode")
            if reply.method == "sampling/createMessage" and choice == "none":
                yield from _uses_none(reply.result.get("content"), (*reply.path, "content"))


def _messages(messages: list[Json], path: Path) -> Iterator[Fault]:
    used: set[str] = set()
    for index, message in enumerate(messages):
        content = json_access.member(message, "content")
        kinds = {json_access.text(block.get("type")) for _, block in json_access.blocks(content)}
        if "tool_result" in kinds and len(kinds) > 1:
            others = ", ".join(sorted(kind for kind in kinds if kind and kind != "tool_result"))
            text = f"a message with tool results has other content ({others or 'of unknown type'})"
            yield Fault(TOOL_RESULT_MIXED, (*path, index, "content"), text, others, "tool results only")
        for below, block in json_access.blocks(content):
            result_of = json_access.text(block.get("toolUseId"))
            if block.get("type") == "tool_result" and result_of is not None and result_of not in used:
                text = f"there is a tool result for {describe(result_of)}, but no earlier tool use with that id"
                where = (*path, index, "content", *below, "toolUseId")
                yield Fault(TOOL_RESULT_UNASKED, where, text, describe(result_of), "the id of a tool use")
        uses = _ids(content, "tool_use", "id")
        used |= uses
        following = messages[index + 1] if index + 1 < len(messages) else None
        if missing := uses - _ids(json_access.member(following, "content"), "tool_result", "toolUseId"):
            first = describe(min(missing))
            text = f"the tool use {first} has no result in the next message; each use must have one there"
            yield Fault(TOOL_USE_UNANSWERED, (*path, index, "content"), text, NOTHING, f"the result of {first}")


def _ids(content: Json, kind: str, name: str) -> set[str]:
    found = {json_access.text(block.get(name)) for _, block in json_access.blocks(content) if block.get("type") == kind}
    return {each for each in found if each is not None}


def _uses_none(content: Json, path: Path) -> Iterator[Fault]:
    for below, block in json_access.blocks(content):
        if block.get("type") == "tool_use":
            text = "the model uses a tool although `toolChoice` is none"
            yield Fault(TOOL_CHOICE_NONE, (*path, *below), text, "a tool use", "no tool uses")
            return
