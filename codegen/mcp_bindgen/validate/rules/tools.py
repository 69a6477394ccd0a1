"""Rules about tools: names, headers for arguments, and results that match the definitions.

Definitions are those of ``tools/list``, until the server reports that they changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Final

from attrs import frozen
from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.capabilities import declares
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

TOOL_NAME: Final = Rule(
    "tool-name",
    "The name of a tool consists of 1 to 128 letters, digits, `_`, `-` and `.`.",
    "server/tools, Tool Names",
    since="2025-11-25",
    strength="should",
)
TOOL_NAME_TWICE: Final = Rule(
    "tool-name-twice",
    "A list of tools has no duplicate names.",
    "server/tools, Tool Names",
    since="2025-11-25",
    strength="should",
)
TOOL_HEADER: Final = Rule(
    "tool-header",
    "`x-mcp-header` is a unique header name, of a property that is a string, integer or boolean.",
    "server/tools, x-mcp-header",
    since="2026-07-28",
)
STRUCTURED_CONTENT_MISSING: Final = Rule(
    "structured-content-missing",
    "A tool with an `outputSchema` returns `structuredContent`.",
    "server/tools, Output Schema",
    since="2025-06-18",
)
STRUCTURED_CONTENT_ONLY: Final = Rule(
    "structured-content-only",
    "A result with `structuredContent` also has it as text, for older clients.",
    "server/tools, Structured Content",
    since="2025-06-18",
    strength="should",
)
TOOL_TASK_SUPPORT: Final = Rule(
    "tool-task-support",
    "A tool is called as a task if its `taskSupport` is required, and only if it is required or optional.",
    "basic/utilities/tasks, Tool-Level Negotiation",
    since="2025-11-25",
    until="2025-11-25",
)

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MIRRORED = ("string", "integer", "boolean")
_NAMED = ("patternProperties", "dependentSchemas", "$defs", "definitions")
"""Keywords with a schema for each of several names."""
_LISTED = (
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
"""Keywords with a schema, or an array of them."""


@frozen
class _Tool:
    """The properties of a definition that calls and results depend on."""

    structured: bool
    support: str


class Tools(Area):
    """Remembers the listed tools."""

    RULES: ClassVar = (
        TOOL_NAME,
        TOOL_NAME_TWICE,
        TOOL_HEADER,
        STRUCTURED_CONTENT_MISSING,
        STRUCTURED_CONTENT_ONLY,
        TOOL_TASK_SUPPORT,
    )

    def __init__(self) -> None:
        self._tools: BoundedMap[str, _Tool] = BoundedMap()

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of definitions, calls and results."""
        if turn.is_notification("notifications/tools/list_changed"):
            self._tools.clear()
        elif turn.is_result("tools/list"):
            yield from self._listed(turn)
        elif turn.is_request("tools/call"):
            yield from self._called(turn)
        elif turn.is_result("tools/call") and "task" not in turn.result:
            yield from self._answered(turn)

    def _listed(self, turn: Turn) -> Iterator[Fault]:
        path: Path = ("result", "tools")
        names: Counter[str] = Counter()
        for index, tool in json_access.objects(turn.result.get("tools")):
            name = json_access.text(tool.get("name"))
            if name is not None:
                names[name] += 1
                yield from _name_faults(name, names[name], (*path, index, "name"))
                support = json_access.text(json_access.member(tool, "execution", "taskSupport"))
                self._tools.put(name, _Tool("outputSchema" in tool, support or "forbidden"))
            if turn.facts.parameter_headers:
                yield from _header_faults(tool.get("inputSchema"), (*path, index, "inputSchema"))

    def _called(self, turn: Turn) -> Iterator[Fault]:
        name = json_access.text(turn.params.get("name"))
        tool = self._tools.get(name or "")
        declared = turn.history.capabilities.get("server", {})
        if tool is None or not declares(declared, "tasks.requests.tools.call"):
            return
        as_task = "task" in turn.params
        if tool.support == "required" and not as_task:
            message = f"the tool {describe(name)} is called directly, but its `taskSupport` requires a task"
            yield Fault(TOOL_TASK_SUPPORT, ("params",), message, "a plain call", "a task")
        elif tool.support == "forbidden" and as_task:
            message = f"the tool {describe(name)} is called as a task, which its `taskSupport` does not allow"
            yield Fault(TOOL_TASK_SUPPORT, ("params", "task"), message, "a task", "a plain call")

    def _answered(self, turn: Turn) -> Iterator[Fault]:
        result = turn.result
        if result.get("isError") is True or result.get("resultType", "complete") != "complete":
            return
        name = json_access.text(turn.request_params.get("name"))
        tool = self._tools.get(name or "")
        if "structuredContent" not in result:
            if tool and tool.structured:
                message = f"the tool {describe(name)} has an `outputSchema`, but its result has no `structuredContent`"
                yield Fault(STRUCTURED_CONTENT_MISSING, ("result",), message, NOTHING, "`structuredContent`")
        elif not any(block.get("type") == "text" for _, block in json_access.objects(result.get("content"))):
            message = "the result has `structuredContent`, but no text for clients that do not support it"
            yield Fault(STRUCTURED_CONTENT_ONLY, ("result", "content"), message, "no text", "a block of text")


def _name_faults(name: str, count: int, path: Path) -> Iterator[Fault]:
    if not _NAME.fullmatch(name):
        found = describe(name) if len(name) <= 128 else f"{len(name)} characters"
        message = f"the name of the tool is {found}; it should be 1 to 128 ASCII letters, digits, `_`, `-` and `.`"
        yield Fault(TOOL_NAME, path, message, found, "1 to 128 of A-Z, a-z, 0-9, _, - and .")
    if count == 2:
        message = f"the list has several tools named {describe(name)}; names should be unique"
        yield Fault(TOOL_NAME_TWICE, path, message, describe(name), "a unique name")


def _header_faults(schema: Json, path: Path) -> Iterator[Fault]:
    seen: set[str] = set()
    ways: list[tuple[Path, Json, bool]] = [(path, schema, False)]
    while ways:
        where, part, is_reached = ways.pop()
        if "x-mcp-header" in json_access.fields(part):
            yield from _one_header(part, (*where, "x-mcp-header"), seen, is_reached=is_reached)
        steps = list(_below(part))
        # A property below an array or a choice has no path of names only.
        ways += [
            ((*where, *step), below, named and (is_reached or where == path)) for step, below, named in reversed(steps)
        ]


def _below(schema: Json) -> Iterator[tuple[Path, Json, bool]]:
    """Yield the subschemas of a schema with their paths, and whether each is that of a property."""
    for keyword, value in json_access.fields(schema).items():
        if keyword == "properties":
            yield from (((keyword, name), below, True) for name, below in json_access.fields(value).items())
        elif keyword in _NAMED:
            yield from (((keyword, name), below, False) for name, below in json_access.fields(value).items())
        elif keyword in _LISTED:
            yield (keyword,), value, False
            yield from (((keyword, index), below, False) for index, below in json_access.objects(value))


def _one_header(schema: dict[str, Json], place: Path, seen: set[str], *, is_reached: bool) -> Iterator[Fault]:
    header = schema["x-mcp-header"]
    shown = describe(header)
    kind = schema.get("type")
    if not isinstance(header, str) or not _HEADER.fullmatch(header):
        message = f"`x-mcp-header` is {shown}, which is not an HTTP header name"
        yield Fault(TOOL_HEADER, place, message, shown, "a token as of RFC 9110")
        return
    if not is_reached:
        message = f"`x-mcp-header` is {shown} at a place that `properties` alone do not reach"
        yield Fault(TOOL_HEADER, place, message, shown, "a property of the arguments, or a property of such a property")
    elif header.lower() in seen:
        message = f"`x-mcp-header` is {shown} for several properties; names are case-insensitive"
        yield Fault(TOOL_HEADER, place, message, shown, "a unique name")
    elif isinstance(kind, str) and kind not in _MIRRORED:
        message = (
            f"`x-mcp-header` is set for a property of type {kind}; only strings, integers and booleans may have it"
        )
        yield Fault(TOOL_HEADER, place, message, kind, "string, integer or boolean")
    seen.add(header.lower())
