"""Rules about streams of notifications of 2026-07-28: acknowledged first, only requested kinds, with the id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from attrs import define
from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.json_access import Identity
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_PAGE = "basic/patterns/subscriptions"

SUBSCRIPTION_ID: Final = Rule(
    "subscription-id",
    "The notifications and the end of a stream have the id of its `subscriptions/listen` request.",
    f"{_PAGE}, Receiving Notifications",
    since="2026-07-28",
)
SUBSCRIPTION_ORDER: Final = Rule(
    "subscription-order",
    "The first message of a stream is `notifications/subscriptions/acknowledged`.",
    f"{_PAGE}, Acknowledgment",
    since="2026-07-28",
)
SUBSCRIPTION_UNASKED: Final = Rule(
    "subscription-unasked",
    "A stream has only the kinds of notifications that the client requested.",
    f"{_PAGE}, Opening a Stream",
    since="2026-07-28",
)
LOG_UNASKED: Final = Rule(
    "log-unasked",
    "Log messages are sent during a request that sets their level, and not on streams.",
    "server/utilities/logging, Per-request log level",
    since="2026-07-28",
)

_ID = "io.modelcontextprotocol/subscriptionId"
_LEVEL = "io.modelcontextprotocol/logLevel"
_FILTERS = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/resources/updated": "resourceSubscriptions",
}
"""Member of the filter that requests a notification, by method."""
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


@define(eq=False)
class _Stream:
    """An open stream of notifications."""

    wanted: frozenset[str]
    """Members of its filter that are set."""
    acknowledged: bool = False


class Subscriptions(Area):
    """Remembers streams by request id, and the log levels of requests in progress."""

    RULES: ClassVar = (SUBSCRIPTION_ID, SUBSCRIPTION_ORDER, SUBSCRIPTION_UNASKED, LOG_UNASKED)

    def __init__(self) -> None:
        self._streams: BoundedMap[Identity, _Stream] = BoundedMap()
        self._levels: BoundedMap[Identity, int] = BoundedMap()

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of notifications and streams."""
        key = json_access.identity(turn.value.get("id"))
        if turn.message.kind == "request" and key is not None:
            self._record_request(turn, key)
        elif turn.message.kind in {"result", "error"} and key is not None:
            self._levels.drop(key)
            if turn.is_result("subscriptions/listen"):
                yield from _check_end(turn)
        elif turn.is_notification("notifications/message"):
            yield from self._check_log_message(turn)
        elif turn.is_notification(_ACKNOWLEDGED, *_FILTERS):
            yield from self._check_notification(turn)

    def _record_request(self, turn: Turn, key: Identity) -> None:
        if turn.is_request("subscriptions/listen"):
            self._streams.put(key, _Stream(_requested(turn.params.get("notifications"))))
        level = json_access.member(turn.params, "_meta", _LEVEL)
        if level in _LEVELS:
            self._levels.put(key, _LEVELS.index(level))

    def _check_notification(self, turn: Turn) -> Iterator[Fault]:
        named = json_access.member(turn.params, "_meta", _ID)
        key = json_access.identity(named)
        if named is None:
            yield from self._without_id(turn)
        if key is None:
            return
        stream = self._streams.get(key)
        if stream is None:
            if turn.history.whole and not self._streams.has_dropped:
                message = f"`{turn.method}` names the stream {describe(named)}, which no request has opened"
                wanted = "the id of a `subscriptions/listen` request"
                yield Fault(SUBSCRIPTION_ID, ("params", "_meta", _ID), message, describe(named), wanted)
            return
        if turn.is_notification(_ACKNOWLEDGED):
            stream.acknowledged = True
            extra = sorted(_requested(turn.params.get("notifications")) - stream.wanted)
            path: Path = ("params", "notifications")
        else:
            if not stream.acknowledged:
                message = f"`{turn.method}` is sent on the stream {describe(named)} before its acknowledgment"
                yield Fault(SUBSCRIPTION_ORDER, ("method",), message, turn.method, f"`{_ACKNOWLEDGED}`")
                stream.acknowledged = True
            extra = sorted({_FILTERS[turn.method or ""]} - stream.wanted)
            path = ("method",)
        if extra:
            message = f"the stream {describe(named)} has notifications for `{extra[0]}`, which the client has not set"
            yield Fault(
                SUBSCRIPTION_UNASKED, path, message, extra[0], "a notification that the filter of the stream requests"
            )

    def _without_id(self, turn: Turn) -> Iterator[Fault]:
        path: Path = ("params",) if "params" in turn.value else ()
        if len(self._streams):
            message = f"`{turn.method}` does not name its stream; `{_ID}` in `_meta` is required"
            yield Fault(SUBSCRIPTION_ID, path, message, NOTHING, "the id of a `subscriptions/listen` request")
        elif turn.history.whole:
            message = f"`{turn.method}` is sent, but the client has opened no stream that requests it"
            yield Fault(
                SUBSCRIPTION_UNASKED, ("method",), message, turn.method, "a `subscriptions/listen` request before"
            )

    def _check_log_message(self, turn: Turn) -> Iterator[Fault]:
        if json_access.member(turn.params, "_meta", _ID) is not None:
            message = "a log message is sent on a stream of notifications; it must belong to a request"
            yield Fault(LOG_UNASKED, ("params", "_meta", _ID), message)
            return
        if not turn.history.whole or self._levels.has_dropped:
            return
        level = turn.params.get("level")
        lowest = min(self._levels.values(), default=None)
        if lowest is None:
            message = "a log message is sent, but no request in progress sets a log level"
            yield Fault(LOG_UNASKED, ("method",), message, "a log message", f"a request with `{_LEVEL}`")
        elif level in _LEVELS and _LEVELS.index(level) < lowest:
            message = (
                f"a log message of level {level} is sent, but requests in progress set {_LEVELS[lowest]} or higher"
            )
            yield Fault(LOG_UNASKED, ("params", "level"), message, level, f"{_LEVELS[lowest]} or more severe")


def _requested(wanted: Json) -> frozenset[str]:
    return frozenset(
        name for name in _FILTERS.values() if json_access.fields(wanted).get(name) not in (None, False, [])
    )


def _check_end(turn: Turn) -> Iterator[Fault]:
    named = json_access.member(turn.result, "_meta", _ID)
    wanted = turn.value.get("id")
    if named is not None and json_access.identity(named) != json_access.identity(wanted):
        message = f"the result of the stream {describe(wanted)} names the stream {describe(named)}"
        yield Fault(SUBSCRIPTION_ID, ("result", "_meta", _ID), message, describe(named), describe(wanted))
