"""Conversions of values that no table of members describes: blocks of content, fields of forms, results of tools, errors.

Each function receives the step, a value and its path, then the arguments of the table; the first one is the reason. It
returns the new value, adds to the ledger, and raises ``Inexpressible`` if the target cannot express the value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..codec.type_tables import Path
from .ledger import json_pointer
from .step import Inexpressible, Step
from .step_tables import Node

_SHARED = ("annotations", "_meta")


def audio_as_resource(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Return audio as an embedded resource with the same bytes."""
    step.note(path, "renamed", reason)
    contents = {"uri": f"bridge:{json_pointer(path)}", "blob": value["data"]}
    contents |= {name: value[name] for name in ("mimeType",) if name in value}
    return {"type": "resource", "resource": contents} | _rest(value, "data", "mimeType")


def audio_as_text(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Return a note in place of audio."""
    step.note(path, "dropped", reason)
    return {"type": "text", "text": f"[audio, {value.get('mimeType', 'unknown type')}]"} | _shared(value)


def link_as_text(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Return a link to a resource as text with the title or, without one, the name, the URI and the description."""
    step.note(path, "dropped", reason)
    label = value.get("title") or value.get("name")
    text = f"{label}: {value['uri']}" if label else str(value["uri"])
    if value.get("description"):
        text += f"\n{value['description']}"
    return {"type": "text", "text": text} | _shared(value)


def structured_as_text(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Add the structured content of a tool result as text if there is no other content."""
    if "structuredContent" not in value or value.get("content"):
        return value
    step.note((*path, "content"), "synthesised", reason)
    text = json.dumps(value["structuredContent"], ensure_ascii=False)
    return {**value, "content": [{"type": "text", "text": text}]}


def other_structured_as_text(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Do the same for structured content that is not an object."""
    if isinstance(value.get("structuredContent"), dict):
        return value
    return structured_as_text(step, value, path, reason)


def boolean_schemas(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Return a JSON Schema whose properties have objects in place of true and false."""
    properties: Any = value.get("properties")
    if properties.__class__ is not dict or not any(each.__class__ is bool for each in properties.values()):
        return value
    step.note((*path, "properties"), "renamed", reason)
    objects: dict[bool, dict[str, Any]] = {True: {}, False: {"not": {}}}
    changed = {key: dict(objects[each]) if each.__class__ is bool else each for key, each in properties.items()}
    return {**value, "properties": changed}


def error_code(step: Step, value: dict[str, Any], path: Path, reason: int, codes: list[dict[str, Any]]) -> Any:
    """Replace the code of an error by that of the target.

    Each entry of ``codes`` has ``code`` and ``becomes``, and may require a ``method`` and a member of ``data``.
    """
    error = value["error"]
    data: Any = error.get("data")
    for each in codes:
        is_method = each.get("method") in {None, step.envelope.method}
        has_data = "data" not in each or (data.__class__ is dict and each["data"] in data)
        if error["code"] == each["code"] and is_method and has_data:
            step.note((*path, "error", "code"), "renamed", reason)
            return {**value, "error": {**error, "code": each["becomes"]}}
    return value


def titled_as_names(step: Step, value: dict[str, Any], path: Path, reason: int) -> Any:
    """Return a choice of titled options with the titles in ``enumNames``."""
    step.note(path, "renamed", reason)
    options = value["oneOf"]
    rest = {name: part for name, part in value.items() if name != "oneOf"}
    return rest | {"enum": [each["const"] for each in options], "enumNames": [each["title"] for each in options]}


def only_element(step: Step, value: list[Any], path: Path, reason: int, node: Node) -> Any:
    """Return the only element of a list; refuse others."""
    if len(value) != 1:
        raise Inexpressible(path, reason)
    step.note(path, "renamed", reason)
    return step.convert(value[0], node, (*path, 0))


def revision_as_target(step: Step, value: dict[str, Any], path: Path, reason: int, name: str) -> Any:
    """Replace the source revision by the target in a member."""
    if value.get(name) != step.tables.source:
        return value
    step.note((*path, name), "renamed", reason)
    return {**value, name: step.tables.target}


def _rest(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name not in {"type", *names}}


def _shared(value: dict[str, Any]) -> dict[str, Any]:
    return {name: value[name] for name in _SHARED if name in value}


REPLACEMENTS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        audio_as_resource,
        audio_as_text,
        link_as_text,
        structured_as_text,
        other_structured_as_text,
        boolean_schemas,
        error_code,
        titled_as_names,
        only_element,
        revision_as_target,
    )
}
"""The functions by the names that ``rules.toml`` and the tables use."""
