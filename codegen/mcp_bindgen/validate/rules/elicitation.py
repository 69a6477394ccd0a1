"""Rules about elicitation: flat forms, results that fit the mode, and completion of URL elicitations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.calls import Call, Reply, calls, replies
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_URL_REQUIRED = -32042

ELICITATION_FLAT: Final = Rule(
    "elicitation-flat",
    "The schema of a form is one flat object, without keywords for combination, nesting or references.",
    "client/elicitation, Requested Schema",
    since="2025-06-18",
    earlier_sections={"2025-06-18": "client/elicitation, Request Schema"},
)
ELICITATION_CONTENT: Final = Rule(
    "elicitation-content",
    "An accepted form has all required content, an accepted URL elicitation has none.",
    "client/elicitation, Response Actions",
    since="2025-06-18",
    strength="should",
)
ELICITATION_ID_UNKNOWN: Final = Rule(
    "elicitation-id-unknown",
    "`notifications/elicitation/complete` has the id of an earlier elicitation in URL mode.",
    "client/elicitation, Completion Notifications for URL Mode Elicitation",
    since="2025-11-25",
    until="2025-11-25",
)
URL_ELICITATION_ERROR: Final = Rule(
    "url-elicitation-error",
    "An error -32042 lists the required elicitations in URL mode with their ids.",
    "client/elicitation, URL Elicitation Required Error",
    since="2025-11-25",
    until="2025-11-25",
)

_NOT_FLAT = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties")


class Elicitation(Area):
    """Remembers the ids of URL elicitations."""

    RULES: ClassVar = (ELICITATION_FLAT, ELICITATION_CONTENT, ELICITATION_ID_UNKNOWN, URL_ELICITATION_ERROR)

    def __init__(self) -> None:
        self._pages: BoundedMap[str, bool] = BoundedMap()

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of forms, URL elicitations and their results."""
        for call in calls(turn):
            if call.method == "elicitation/create":
                self._remember(call.params)
                yield from _form(call)
        for reply in replies(turn):
            if reply.method == "elicitation/create":
                yield from _answer(reply)
        if turn.message.kind == "error" and json_access.member(turn.value, "error", "code") == _URL_REQUIRED:
            yield from self._required(json_access.member(turn.value, "error", "data", "elicitations"))
        if turn.is_notification("notifications/elicitation/complete"):
            yield from self._complete(turn)

    def _remember(self, params: Json) -> None:
        page = json_access.text(json_access.member(params, "elicitationId"))
        if page is not None:
            self._pages.put(page, value=True)

    def _required(self, elicitations: Json) -> Iterator[Fault]:
        path = ("error", "data", "elicitations")
        if not json_access.items(elicitations):
            message = "the error -32042 lists no elicitations; it must list those that the request requires"
            yield Fault(URL_ELICITATION_ERROR, ("error",), message, NOTHING, "a list of elicitations")
        for index, elicitation in json_access.objects(elicitations):
            self._remember(elicitation)
            if elicitation.get("mode") != "url":
                found = describe(elicitation.get("mode", "form"))
                message = f"the error -32042 lists an elicitation in mode {found}; all must be in URL mode"
                yield Fault(URL_ELICITATION_ERROR, (*path, index), message, found, '"url"')
            elif not isinstance(elicitation.get("elicitationId"), str):
                message = "the error -32042 lists an elicitation without `elicitationId`, which is required"
                yield Fault(URL_ELICITATION_ERROR, (*path, index), message, NOTHING, "an `elicitationId`")

    def _complete(self, turn: Turn) -> Iterator[Fault]:
        page = json_access.text(turn.params.get("elicitationId"))
        if page is None or page in self._pages or self._pages.has_dropped or not turn.history.whole:
            return
        message = f"the elicitation {describe(page)} is reported as complete, but none with that id was requested"
        path = ("params", "elicitationId")
        yield Fault(ELICITATION_ID_UNKNOWN, path, message, describe(page), "the id of an elicitation in URL mode")


def _form(call: Call) -> Iterator[Fault]:
    schema = json_access.fields(call.params.get("requestedSchema"))
    for keyword in _NOT_FLAT:
        if keyword in schema:
            message = f"the schema of the form has `{keyword}`; it must be a flat object of simple fields"
            path = (*call.path, "requestedSchema", keyword)
            yield Fault(ELICITATION_FLAT, path, message, keyword, "`type`, `properties` and `required`")
            return


def _answer(reply: Reply) -> Iterator[Fault]:
    if reply.result.get("action") != "accept":
        return
    content = reply.result.get("content")
    if reply.params.get("mode") == "url":
        if content is not None:
            message = "the user agreed to open the page, but the result has content, which URL mode does not allow"
            yield Fault(ELICITATION_CONTENT, (*reply.path, "content"), message, "content", "no content")
        return
    required = json_access.items(json_access.member(reply.params, "requestedSchema", "required"))
    missing = [name for name in required if isinstance(name, str) and name not in json_access.fields(content)]
    if content is None and json_access.fields(json_access.member(reply.params, "requestedSchema", "properties")):
        message = "the user accepted the form, but the result has no content with the input"
        yield Fault(ELICITATION_CONTENT, reply.path, message, NOTHING, "content")
    elif missing:
        message = f"the user accepted the form, but the content lacks {describe(missing[0])}, which the form requires"
        yield Fault(ELICITATION_CONTENT, (*reply.path, "content"), message, NOTHING, describe(missing[0]))
