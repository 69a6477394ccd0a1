"""Rules about values beyond their types: URI schemes, media types, timestamps, the number of completions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.protocol_members import find_members
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

ROOT_URI: Final = Rule("root-uri", "The URI of a root starts with `file://`.", "client/roots, Root")
COMPLETION_VALUES: Final = Rule(
    "completion-values",
    "A completion has at most 100 values.",
    "server/utilities/completion, Completion Results",
    # From 2026-07-28 on the schema says it.
    until="2025-11-25",
)
ICON_SCHEME: Final = Rule(
    "icon-scheme",
    "The `src` of an icon is an `https`, `http` or `data` URI.",
    "basic/index, icons",
    since="2025-11-25",
)
LAST_MODIFIED: Final = Rule(
    "last-modified",
    "`lastModified` is an ISO 8601 timestamp.",
    "server/resources, Annotations",
    since="2025-06-18",
    strength="should",
)
PROMPT_MEDIA_TYPE: Final = Rule(
    "prompt-media-type",
    "Images, audio and embedded resources in prompts have a valid media type.",
    "server/prompts, PromptMessage",
)
PING_RESULT: Final = Rule(
    "ping-result",
    "The result of a ping is empty.",
    "basic/utilities/ping, Behavior Requirements",
    until="2025-11-25",
)

_MOST_VALUES = 100
_WITH_MEDIA_TYPE = ("image", "audio", "resource")
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}[ \t]*(?:;.*)?", re.DOTALL)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_LEAP_SECOND = re.compile(r"(:[0-5][0-9]:)60")


class Contents(Area):
    """Checks each message by itself."""

    RULES: ClassVar = (ROOT_URI, COMPLETION_VALUES, ICON_SCHEME, LAST_MODIFIED, PROMPT_MEDIA_TYPE, PING_RESULT)

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of the message's values."""
        for path, roots in _roots(turn):
            yield from _root_faults(roots, path)
        if turn.is_result("completion/complete"):
            values = json_access.items(json_access.member(turn.result, "completion", "values"))
            if len(values) > _MOST_VALUES:
                message = f"the completion has {len(values)} values; at most {_MOST_VALUES} are allowed"
                path = ("result", "completion", "values")
                yield Fault(COMPLETION_VALUES, path, message, f"{len(values)} values", f"at most {_MOST_VALUES} values")
        if turn.is_result("prompts/get"):
            yield from _prompt_faults(turn.result.get("messages"))
        if turn.is_result("ping") and set(turn.result) - {"_meta"}:
            found = ", ".join(describe(key) for key in list(turn.result)[:3])
            message = f"the result of a ping has members ({found}); it must be empty"
            yield Fault(PING_RESULT, ("result",), message, found, "{}")
        for path, found in find_members(turn.value, "icons", "annotations") if turn.revision >= "2025-06-18" else ():
            yield from _icon_faults(found, path) if path[-1] == "icons" else _moment_faults(found, path)


def is_moment(value: str) -> bool:
    """Return whether a text is an ISO 8601 timestamp; leap seconds and lowercase letters are allowed."""
    plain = _LEAP_SECOND.sub(r"\g<1>59", value.upper())
    try:
        datetime.fromisoformat(plain)
    except ValueError:
        return False
    return value.isascii()


def _roots(turn: Turn) -> Iterator[tuple[Path, Json]]:
    if turn.is_result("roots/list"):
        yield ("result", "roots"), turn.result.get("roots")
    if turn.message.kind == "request" and turn.facts.resumable:
        for key, response in json_access.fields(turn.params.get("inputResponses")).items():
            yield ("params", "inputResponses", key, "roots"), json_access.member(response, "roots")


def _root_faults(roots: Json, path: Path) -> Iterator[Fault]:
    for index, root in json_access.objects(roots):
        uri = json_access.text(root.get("uri"))
        if uri is not None and not uri.lower().startswith("file://"):
            message = f"the root is {describe(uri)}; roots must be `file://` URIs"
            yield Fault(ROOT_URI, (*path, index, "uri"), message, describe(uri), "a file:// URI")


def _icon_faults(icons: Json, path: Path) -> Iterator[Fault]:
    for index, icon in json_access.objects(icons):
        src = json_access.text(icon.get("src"))
        scheme = _SCHEME.match(src or "")
        if scheme and scheme[1].lower() not in {"https", "http", "data"}:
            message = f"the icon is a `{scheme[1]}:` URI; icons must be `https`, `http` or `data` URIs"
            yield Fault(ICON_SCHEME, (*path, index, "src"), message, describe(src), "an https or data URI")


def _moment_faults(annotations: Json, path: Path) -> Iterator[Fault]:
    moment = json_access.text(json_access.member(annotations, "lastModified"))
    if moment is not None and not is_moment(moment):
        message = f"`lastModified` is {describe(moment)}, which is not an ISO 8601 timestamp"
        yield Fault(LAST_MODIFIED, (*path, "lastModified"), message, describe(moment), "such as 2025-01-12T15:00:58Z")


def _prompt_faults(messages: Json) -> Iterator[Fault]:
    for index, message in json_access.objects(messages):
        path: Path = ("result", "messages", index, "content")
        content = json_access.fields(message.get("content"))
        kind = content.get("type")
        if kind == "resource":
            path, content = (*path, "resource"), json_access.fields(content.get("resource"))
        media_type = content.get("mimeType")
        if kind == "resource" and content and media_type is None:
            text = "the resource embedded in the prompt has no `mimeType`, which is required in prompts"
            yield Fault(PROMPT_MEDIA_TYPE, path, text, NOTHING, "a media type")
        elif kind in _WITH_MEDIA_TYPE and isinstance(media_type, str) and not _MEDIA_TYPE.fullmatch(media_type):
            text = f"{describe(media_type)} is not a media type; content of prompts must have a valid one"
            yield Fault(PROMPT_MEDIA_TYPE, (*path, "mimeType"), text, describe(media_type), "type/subtype")
