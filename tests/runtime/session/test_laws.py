"""Laws of two sessions that talk, whatever comes between them: lines late, lost, twice, cancelled, in batches."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from mcp_bindings_runtime.errors import ConnectionClosed, ResponseError, UsageError
from mcp_bindings_runtime.jsonrpc import ErrorObject
from mcp_bindings_runtime.session.events import Incoming, Outcome, Progressed, Reply, RequestCancelled
from support.bindings import binding
from support.revisions import STATELESS, WITH_BATCHES
from support.sessions import listed, pair, tell

Json = Any

OTHER = {"client": "server", "server": "client"}
LISTEN = "subscriptions/listen"
ASKED = {
    "client": ["tools/list", "prompts/list", "ping", LISTEN],
    "server": ["roots/list", "ping"],
}
NEWS = {"client": "notifications/roots/list_changed", "server": "notifications/message"}
GARBAGE = [
    b"",
    b"Listening ...",
    b"[]",
    b"{}",
    b"\xff",
    b'{"jsonrpc":"2.0","result":{}}',
    b'{"jsonrpc":"1.0","method":"x"}',
]
TABLES = ("_pending", "_progress", "_running", "_task_requests")

sides = st.sampled_from(["client", "server"])
places = st.integers(0, 50)


class Asked:
    """What the test knows of a request."""

    def __init__(self, method: str, *, progress: bool) -> None:
        self.method = method
        self.progress = progress
        self.last: float | None = None
        self.arrived = False
        self.lost = False
        """Whether no answer will ever come, as the request or the answer did not get through."""
        self.given_up = False
        """Whether who asked has cancelled."""
        self.cancelled = False
        """Whether who was asked has heard of that in time."""
        self.answers = 0
        self.outcomes = 0


class Conversation(RuleBasedStateMachine):
    """Two sides, and the lines that are on their way to each of them."""

    def __init__(self, revision: str) -> None:
        super().__init__()
        self.revision = revision
        client, server = pair(revision)
        self.session = {"client": client, "server": server}
        self.way: dict[str, deque[bytes]] = {"client": deque(), "server": deque()}
        self.asked: dict[str, dict[Any, Asked]] = {"client": {}, "server": {}}
        self.running: dict[str, list[Incoming]] = {"client": [], "server": []}
        self.used: dict[str, set[Any]] = {side: set() for side in self.session}

    # Saying things.

    @rule(side=sides, place=places, progress=st.booleans())
    def ask(self, side: str, place: int, progress: bool) -> None:
        requests = binding(self.revision).requests
        methods = [name for name in ASKED[side] if name in requests and not requests[name].embedded]
        if not methods:
            return
        key = requests[methods[place % len(methods)]]
        params = None
        if key.name == LISTEN:
            wanted = binding(self.revision).types.SubscriptionFilter(tools_list_changed=True)
            params = key.params(notifications=wanted, meta=self.session[side].meta())
        request_id, line = self.session[side].request(key, params, progress=progress)
        assert request_id not in self.used[side], "ids are never used again"
        self.used[side].add(request_id)
        self.asked[side][request_id] = Asked(key.name, progress=progress)
        self.way[OTHER[side]].append(line)

    @rule(side=sides)
    def tell(self, side: str) -> None:
        key = binding(self.revision).notifications.get(NEWS[side])
        if key is not None:
            params = key.params(level="info", data=1) if side == "server" else None
            self.way[OTHER[side]].append(self.session[side].notify(key, params))

    @rule(side=sides, place=places, refused=st.booleans())
    def answer(self, side: str, place: int, refused: bool) -> None:
        """Whoever works on a request has finished, in any order."""
        running = self.running[side]
        if not running:
            return
        incoming = running.pop(place % len(running))
        session = self.session[side]
        if refused:
            line = session.error_response_line(incoming, ErrorObject(-32000, "no", incoming.id))
        else:
            raw = {"roots": []} if side == "client" else listed(self.revision, prompts=[])
            typed = binding(self.revision).codec.decode_result(incoming.key, {**raw, "tag": incoming.id})
            line = session.response_line(incoming, typed)
        self.send_answers(side, session.settle(incoming, line))
        assert session.settle(incoming, line) is None, "what is settled is settled"

    @rule(side=sides, place=places, step=st.sampled_from([-1, 0, 0.5, 1]))
    def progress(self, side: str, place: int, step: float) -> None:
        running = self.running[side]
        if not running:
            return
        incoming = running[place % len(running)]
        value = (incoming.progress or 0) + step
        try:
            line = self.session[side].progress(incoming, value)
        except UsageError:
            assert incoming.progress is not None
            assert step <= 0
            return
        asked = self.asked[OTHER[side]][incoming.id]
        assert (line is not None) == (asked.progress and not asked.cancelled)
        if line is not None:
            self.way[OTHER[side]].append(line)

    @rule(side=sides, place=places, known=st.booleans())
    def cancel(self, side: str, place: int, known: bool) -> None:
        """Waits for an answer no longer; or says so of a request that is over or never was."""
        open_now = [each for each, asked in self.asked[side].items() if not asked.outcomes and not asked.given_up]
        if not known or not open_now:
            # Whatever the other side thinks of an id that is not its business any more.
            over = [each for each in self.asked[side] if each not in open_now] or [10**6]
            assert self.session[side].cancel(over[place % len(over)]) is None
            self.way[OTHER[side]].append(json.dumps(tell("notifications/cancelled", {"requestId": 10**6})).encode())
            return
        self.give_up(side, open_now[place % len(open_now)])

    def give_up(self, side: str, request_id: Any) -> None:
        line = self.session[side].cancel(request_id, "enough")
        assert line is not None
        self.asked[side][request_id].given_up = True
        self.way[OTHER[side]].append(line)

    # What happens on the way.

    @rule(side=sides, count=st.integers(1, 4))
    def deliver(self, side: str, count: int) -> None:
        for _ in range(min(count, len(self.way[side]))):
            self.hear(side, self.way[side].popleft())

    @rule(side=sides)
    def lose(self, side: str) -> None:
        if self.way[side]:
            for message in messages(self.way[side].popleft()):
                if "method" not in message and message.get("id") in self.asked[side]:
                    self.asked[side][message["id"]].lost = True
                elif "id" in message and "method" in message:
                    self.asked[OTHER[side]][message["id"]].lost = True

    @rule(side=sides)
    def repeat(self, side: str) -> None:
        """An answer or a notification comes twice; a request that did would be another with the same id."""
        way = self.way[side]
        if way and not any("id" in each and "method" in each for each in messages(way[0])):
            way.append(way[0])

    @rule(side=sides, line=st.sampled_from(GARBAGE))
    def disturb(self, side: str, line: bytes) -> None:
        self.hear(side, line)

    @precondition(lambda self: self.revision in WITH_BATCHES)
    @rule(side=sides, count=st.integers(1, 4))
    def batch(self, side: str, count: int) -> None:
        """What was sent line by line comes as one array."""
        way, members = self.way[side], []
        while way and len(members) < count and not way[0].startswith(b"["):
            members.append(way.popleft())
        if members:
            self.hear(side, b"[" + b",".join(members) + b"]")

    @precondition(lambda self: self.revision in STATELESS)
    @rule()
    def publish(self) -> None:
        key = binding(self.revision).notifications["notifications/tools/list_changed"]
        self.way["client"].extend(self.session["server"].publish(key))

    # Hearing things.

    def hear(self, side: str, line: bytes) -> None:
        for message in messages(line):
            if "method" in message and "id" in message:
                self.asked[OTHER[side]][message["id"]].arrived = True
        for event in self.session[side].receive(line):
            if isinstance(event, Incoming):
                self.running[side].append(event)
            elif isinstance(event, Reply):
                self.send_answers(side, event.line)
            elif isinstance(event, RequestCancelled):
                self.asked[OTHER[side]][event.incoming.id].cancelled = True
                self.send_answers(side, event.line)
            elif isinstance(event, Outcome):
                self.check_outcome(self.asked[side][event.id], event)
            elif isinstance(event, Progressed):
                self.check_progress(self.asked[side][event.id], event)

    def check_outcome(self, asked: Asked, event: Outcome) -> None:
        asked.outcomes += 1
        assert asked.outcomes == 1, "a request ends once"
        assert not asked.given_up, "who has cancelled hears nothing more"
        if isinstance(event.error, ResponseError):
            assert event.error.data == event.id, "the refusal of another request"
        elif asked.method == LISTEN:
            assert event.result.meta.subscription_id == event.id
        elif asked.method != "ping":
            assert event.result.extra["tag"] == event.id, "the result of another request"

    def check_progress(self, asked: Asked, event: Progressed) -> None:
        assert asked.progress, "nobody asked for that"
        assert not asked.outcomes, "it is over"
        assert not asked.given_up, "it is cancelled"
        value = event.params.progress
        assert asked.last is None or value > asked.last, "progress increases"
        asked.last = value

    def send_answers(self, side: str, line: bytes | None) -> None:
        """What a side answers; counted by the requests of the other side."""
        if line is None:
            return
        self.way[OTHER[side]].append(line)
        for message in messages(line):
            if "method" in message or message.get("id") is None:
                continue
            asked = self.asked[OTHER[side]][message["id"]]
            asked.answers += 1
            assert asked.answers == 1, "a request is answered once"
            assert not asked.cancelled, "who has cancelled is not answered"

    # What holds all the time, and in the end.

    @invariant()
    def a_side_waits_for_what_it_has_asked_and_not_heard_of(self) -> None:
        for side, session in self.session.items():
            waits = {each for each, asked in self.asked[side].items() if not asked.outcomes and not asked.given_up}
            assert set(session._pending) == waits
            assert set(session._progress) == {each for each in waits if self.asked[side][each].progress}

    def teardown(self) -> None:
        self.come_to_an_end()
        for side, session in self.session.items():
            for request_id, asked in self.asked[side].items():
                expected = 1 if asked.arrived and not asked.cancelled else 0
                assert asked.answers == expected, (side, request_id, asked.method)
                assert asked.outcomes or asked.given_up or asked.lost
            # Who lost a line gives up in the end.
            for request_id in list(session._pending):
                self.give_up(side, request_id)
        self.come_to_an_end()
        for side, session in self.session.items():
            assert [name for name in TABLES if getattr(session, name)] == [], side
        self.check_that_closed_is_closed()

    def come_to_an_end(self) -> None:
        """All that is on its way arrives, and all that runs is answered."""
        while any(self.way.values()) or any(self.running.values()):
            for side in self.session:
                self.deliver(side, len(self.way[side]))
                while self.running[side]:
                    self.answer(side, 0, False)
            if self.revision in STATELESS and not any(self.way.values()):
                self.end_subscriptions()
        if self.revision in STATELESS:
            self.end_subscriptions()
            self.deliver("client", len(self.way["client"]))

    def end_subscriptions(self) -> None:
        for line in self.session["server"].end_subscriptions():
            self.send_answers("server", line)

    def check_that_closed_is_closed(self) -> None:
        self.ask("client", 0, True)
        self.ask("server", 0, True)
        for side in self.session:
            self.deliver(side, 1)
        left = {side: list(running) for side, running in self.running.items()}
        for side, session in self.session.items():
            session.close()
            session.close()
            assert [name for name in TABLES if getattr(session, name)] == []
            for incoming in left[side]:
                assert incoming.cancelled
                assert session.settle(incoming, b"late") is None
                assert session.progress(incoming, 99) is None
            for line in [*self.way[side], *GARBAGE]:
                assert not session.receive(line)
            for request_id in self.asked[side]:
                assert session.cancel(request_id) is None
            # Servers of 2026-07-28 never ask anything, closed or not.
            key = binding(self.revision).requests.get("tools/list" if side == "client" else "ping")
            if key is not None:
                with pytest.raises(ConnectionClosed):
                    session.request(key, None)


def messages(line: bytes) -> list[Json]:
    """The messages in a line; none in garbage."""
    try:
        value = json.loads(line)
    except ValueError:
        return []
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


@pytest.mark.parametrize("revision", REVISIONS)
def test_two_sides_come_to_an_end_whatever_happens_between_them(revision: str) -> None:
    run_state_machine_as_test(
        lambda: Conversation(revision),
        settings=settings(max_examples=settings.default.max_examples * 2 // 5, stateful_step_count=30),
    )
