"""Checks the messages of one conversation by the rules of one revision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mcp_bindings_runtime.codec.error_wording import json_path

from mcp_bindgen.validate.findings import Finding
from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules.answers import Answers
from mcp_bindgen.validate.rules.cancellation import Cancellation
from mcp_bindgen.validate.rules.capabilities import Capabilities
from mcp_bindgen.validate.rules.contents import Contents
from mcp_bindgen.validate.rules.elicitation import Elicitation
from mcp_bindgen.validate.rules.handshake import Handshake
from mcp_bindgen.validate.rules.history import History
from mcp_bindgen.validate.rules.identifiers import Identifiers
from mcp_bindgen.validate.rules.meta_keys import MetaKeys
from mcp_bindgen.validate.rules.output_schemas import OutputSchemas
from mcp_bindgen.validate.rules.progress import Progress
from mcp_bindgen.validate.rules.round_trips import RoundTrips
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.sampling import Sampling
from mcp_bindgen.validate.rules.subscriptions import Subscriptions
from mcp_bindgen.validate.rules.tasks import Tasks
from mcp_bindgen.validate.rules.tools import Tools
from mcp_bindgen.validate.rules.turn import Area, Turn

AREAS: Final[tuple[type[Area], ...]] = (
    Handshake,
    Identifiers,
    Capabilities,
    MetaKeys,
    Progress,
    Cancellation,
    Contents,
    Tools,
    OutputSchemas,
    Sampling,
    Elicitation,
    Tasks,
    RoundTrips,
    Subscriptions,
    Answers,
)


class Conversation:
    """Messages between one client and one server, in the order in which they were sent.

    A conversation may be incomplete: rules about earlier messages then apply as far as these are known (see module
    ``history``). An ``initialize`` request starts a new session, since clients reconnect: ids, tokens and declared
    capabilities are reset. With ``complete``, the whole conversation is one session from its first message: no message
    may precede ``initialize``, and it must occur only once.

    A conversation remembers the latest 10,000 requests, tokens, tools and so on. Rules that would need older ones are
    then skipped. ``label`` is the revision's name in findings.
    """

    def __init__(self, revision: str, *, complete: bool = False, label: str | None = None) -> None:
        self.revision = revision
        self._label = label or revision
        self._complete = complete
        self._history = History(revision, whole=complete)
        self._areas = _areas(revision)
        self._latest: Message | None = None

    def check(self, message: Message) -> Iterator[Finding]:
        """Return the findings about the next message, and about the ended session if it starts a new one."""
        found: list[Finding] = []
        if self._starts_a_session(message):
            found += self.end()
            self._history = History(self.revision, whole=True, earlier=self._history.waiting())
            self._areas = _areas(self.revision)
        sender = self._history.sender_of(message)
        turn = Turn(message, self._history, sender, self._history.answered_request(message, sender))
        for area in self._areas:
            found += [self._finding(fault, message) for fault in area.check(turn) if self._holds(fault.rule)]
        self._history.record(message, sender)
        self._latest = message
        # Not lazily: the history must not depend on whether the caller reads each finding.
        return iter(found)

    def end(self) -> Iterator[Finding]:
        """Return the findings that are known only at the end."""
        found: list[Finding] = []
        if self._latest is not None:
            for area in self._areas:
                ended = [fault for fault in area.end(self._history) if self._holds(fault.rule)]
                found += [self._finding(fault, self._latest) for fault in ended]
        return iter(found)

    def _starts_a_session(self, message: Message) -> bool:
        is_initialize = message.kind == "request" and message.method == "initialize"
        return is_initialize and not self._complete and self._history.facts.handshake

    def _holds(self, rule: Rule) -> bool:
        return self.revision in rule.revisions

    def _finding(self, fault: Fault, message: Message) -> Finding:
        where = fault.recorded or message
        path = where.path + json_path(fault.path)[1:]
        code = fault.rule.id if fault.level == "rule" else "unchecked"
        return Finding(where.place, fault.level, code, path, fault.message, self._label, fault.found, fault.expected)


def listing() -> Sequence[Rule]:
    """Return all rules, grouped by area."""
    return [rule for area in AREAS for rule in area.RULES]


def _areas(revision: str) -> list[Area]:
    return [area() for area in AREAS if any(revision in rule.revisions for rule in area.RULES)]
