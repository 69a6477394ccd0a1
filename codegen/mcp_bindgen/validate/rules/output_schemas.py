"""Rule about structured results, checked against the listed ``outputSchema`` of the tool (the extra ``schema``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.client.output_check import Look, bounded_checker
from mcp_bindings_runtime.codec.error_wording import describe
from mcp_bindings_runtime.errors import UsageError

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

STRUCTURED_CONTENT_SCHEMA: Final = Rule(
    "structured-content-schema",
    "The `structuredContent` of a result conforms to the `outputSchema` of its tool.",
    "server/tools, Output Schema",
    since="2025-06-18",
)

MOST_SCHEMAS: Final = 1_000
LARGEST: Final = 256 * 1024
"""Maximum length of a schema; longer ones are not checked."""

_PLACE: Path = ("result", "structuredContent")


class OutputSchemas(Area):
    """Remembers the listed output schemas, and the tools of tasks."""

    RULES: ClassVar = (STRUCTURED_CONTENT_SCHEMA,)

    def __init__(self) -> None:
        self._schemas: BoundedMap[str, str | Look] = BoundedMap(MOST_SCHEMAS)
        """By tool, the text of its schema, or after the first use the function that checks results."""
        self._tasks: BoundedMap[str, str] = BoundedMap()
        """Called tool by the id of a task."""

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of structured results."""
        if turn.is_notification("notifications/tools/list_changed"):
            self._schemas.clear()
        elif turn.is_result("tools/list"):
            for index, tool in json_access.objects(turn.result.get("tools")):
                yield from self._listed(tool, ("result", "tools", index, "outputSchema"))
        elif turn.is_result("tools/call"):
            name = json_access.text(turn.request_params.get("name"))
            task = json_access.text(json_access.member(turn.result, "task", "taskId"))
            if name is not None and task is not None:
                self._tasks.put(task, name)
            elif name is not None:
                yield from self._answered(turn.result, name)
        elif turn.is_result("tasks/result"):
            name = self._tasks.get(json_access.text(turn.request_params.get("taskId")) or "")
            if name is not None:
                yield from self._answered(turn.result, name)

    def _listed(self, tool: dict[str, Json], place: Path) -> Iterator[Fault]:
        name = json_access.text(tool.get("name"))
        if name is None:
            return
        # A list without the schema withdraws it.
        self._schemas.drop(name)
        schema = tool.get("outputSchema")
        if not isinstance(schema, dict):
            return
        text = json.dumps(schema)
        if len(text) <= LARGEST:
            self._schemas.put(name, text)
        else:
            yield _unchecked(name, f"it has more than {LARGEST:,} characters", place)

    def _answered(self, result: dict[str, Json], name: str) -> Iterator[Fault]:
        known = self._schemas.get(name)
        if known is None or "structuredContent" not in result or result.get("isError") is True:
            return
        try:
            if isinstance(known, str):
                known = bounded_checker(json.loads(known))
                self._schemas.put(name, known)
            faults = known(result["structuredContent"])
        except Exception as problem:  # noqa: BLE001 - raised by a library for a foreign schema
            self._schemas.drop(name)
            why = str(problem) if isinstance(problem, UsageError) else f"the schema fails: {problem!r:.100}"
            yield _unchecked(name, why, _PLACE)
            return
        for fault in faults:
            message = f"violates the `outputSchema` of the tool {describe(name)}: {fault.text}"
            yield Fault(STRUCTURED_CONTENT_SCHEMA, (*_PLACE, *fault.keys), " ".join(message.split()))


def _unchecked(name: str, why: str, place: Path) -> Fault:
    message = f"the results of the tool {describe(name)} are not checked against its `outputSchema`: {why}"
    return Fault(STRUCTURED_CONTENT_SCHEMA, place, message, level="note")
