"""Rules about progress: values increase, tokens belong to one request at a time, and it ends with the request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from attrs import define
from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen.validate.entries import Side
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.history import SeenRequest, opposite
from mcp_bindgen.validate.rules.json_access import Identity
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn


def _earlier(heading: str) -> dict[str, str]:
    return {"2025-11-25": f"basic/utilities/progress, {heading}"}


PROGRESS_INCREASES: Final = Rule(
    "progress-increases",
    "Each progress notification for a token has a higher `progress` than the one before.",
    "basic/patterns/progress, Progress Flow",
    earlier_sections=_earlier("Progress Flow"),
)
PROGRESS_TOKEN_UNKNOWN: Final = Rule(
    "progress-token-unknown",
    "A progress notification has the token of a request of the other side.",
    "basic/patterns/progress, Behavior Requirements",
    earlier_sections=_earlier("Behavior Requirements"),
)
PROGRESS_AFTER_ANSWER: Final = Rule(
    "progress-after-answer",
    "No progress is reported for a request that was answered.",
    "basic/patterns/progress, Implementation Notes",
    earlier_sections=_earlier("Implementation Notes"),
)
PROGRESS_TOKEN_IN_USE: Final = Rule(
    "progress-token-in-use",
    "The progress token of a request differs from those of its sender's unanswered requests.",
    "basic/patterns/progress, Progress Flow",
    earlier_sections=_earlier("Progress Flow"),
)


@define(eq=False)
class _Track:
    """A progress token with its request."""

    request: SeenRequest | None = None
    """The request with the token; None if progress came without one."""
    last: float | int | None = None
    ended: bool = False
    """Whether its request was answered before a notification came."""


class Progress(Area):
    """Remembers tokens, each with its request and the last value."""

    RULES: ClassVar = (PROGRESS_INCREASES, PROGRESS_TOKEN_UNKNOWN, PROGRESS_AFTER_ANSWER, PROGRESS_TOKEN_IN_USE)

    def __init__(self) -> None:
        self._tracks: BoundedMap[tuple[Side | None, Identity], _Track] = BoundedMap()

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of progress and of progress tokens."""
        if turn.message.kind == "request":
            yield from self._record_token(turn)
        elif turn.is_notification("notifications/progress"):
            yield from self._check_progress(turn)

    def _record_token(self, turn: Turn) -> Iterator[Fault]:
        token = json_access.member(turn.params, "_meta", "progressToken")
        key = json_access.identity(token)
        request = json_access.identity(turn.value.get("id"))
        if key is None or request is None:
            return
        before = self._tracks.get((turn.sender, key))
        earlier = self._request(turn, before)
        if turn.sender and earlier and earlier.id != request and not _is_over(earlier):
            yield Fault(
                PROGRESS_TOKEN_IN_USE,
                ("params", "_meta", "progressToken"),
                f"the progress token {describe(token)} is in use by the unanswered `{earlier.method}` request "
                f"{describe(earlier.id[1])}; active requests must have different tokens",
                describe(token),
                "a token not in use",
            )
        self._tracks.put((turn.sender, key), _Track(SeenRequest(turn.sender, turn.method or "", request)))

    def _check_progress(self, turn: Turn) -> Iterator[Fault]:
        token = turn.params.get("progressToken")
        key = json_access.identity(token)
        if key is None:
            return
        place, sure = self._key_of(turn.sender, key)
        track = self._tracks.get(place)
        if track is None:
            if turn.history.whole and not self._tracks.has_dropped:
                yield Fault(
                    PROGRESS_TOKEN_UNKNOWN,
                    ("params", "progressToken"),
                    f"no request of the other side has the progress token {describe(token)}",
                    describe(token),
                    "the token of an active request",
                )
            track = _Track()
            self._tracks.put(place, track)
        request = self._request(turn, track)
        if sure and request and request.answered and not request.became_task and not request.cancelled:
            yield Fault(
                PROGRESS_AFTER_ANSWER,
                ("params", "progressToken"),
                f"progress is reported for the `{request.method}` request {describe(request.id[1])} after its response; "
                "notifications must stop with it",
                describe(token),
                "the token of an active request",
            )
        elif sure:
            yield from _increase(turn, track)

    def _key_of(self, sender: Side | None, key: Identity) -> tuple[tuple[Side | None, Identity], bool]:
        """Return the key of the token, and whether it is certain."""
        sides: tuple[Side | None, ...] = ("client", "server", None) if sender is None else (opposite(sender), None)
        found: list[tuple[Side | None, Identity]] = [(side, key) for side in sides if self._tracks.get((side, key))]
        if not found:
            return (opposite(sender), key), True
        return found[0], sender is not None or len(found) == 1

    @staticmethod
    def _request(turn: Turn, track: _Track | None) -> SeenRequest | None:
        """Return the current state of a track's request."""
        if track is None or track.request is None:
            return None
        return turn.history.requests.get((track.request.sender, track.request.id))


def _is_over(request: SeenRequest) -> bool:
    return (request.answered and not request.became_task) or request.cancelled


def _increase(turn: Turn, track: _Track) -> Iterator[Fault]:
    value = json_access.number(turn.params.get("progress"))
    if value is None:
        return
    if track.last is not None and value <= track.last:
        yield Fault(
            PROGRESS_INCREASES,
            ("params", "progress"),
            f"the progress is {describe(value)} after {describe(track.last)}; each value must be higher than the last",
            describe(value),
            f"more than {describe(track.last)}",
        )
    track.last = value
