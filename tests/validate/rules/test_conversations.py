"""Conversations as a whole: parts of them, several in a row, without senders, and very long ones."""

from __future__ import annotations

import pytest
from attrs import evolve
from checkout import REVISIONS
from mcp_bindgen import catalog
from mcp_bindgen.validate.rules import Conversation, listing
from mcp_bindgen.validate.rules.bounded_map import LIMIT, LONGEST, BoundedMap
from support.conversation_builder import LAST, Talk
from support.revisions import HANDSHAKE, STATELESS
from support.session_cases import CANCELLED, PROGRESS, progress, with_token

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_with_handshake = pytest.mark.parametrize("revision", HANDSHAKE)


@each_revision
def test_a_recording_that_starts_in_the_middle_is_not_blamed_for_what_came_before(revision: str) -> None:
    talk = Talk(revision).tell("notifications/message", {"level": "error", "data": 1})
    talk.say({"jsonrpc": "2.0", "id": 41, "result": {"resultType": "complete", "tools": []}}, "server")
    talk.say({"jsonrpc": "2.0", "id": "a", "error": {"code": 1, "message": ""}}, "server")
    talk.tell(PROGRESS, {"progressToken": 40, "progress": 5}).tell(CANCELLED, {"requestId": 40}, by="client")
    talk.ask("tools/list", number=42).ask("resources/list", number=43)
    assert talk.findings() == []


@each_revision
def test_the_numbers_of_a_side_tell_what_it_cannot_have_asked_before(revision: str) -> None:
    def after(*asked: object, answered: object) -> list[str]:
        talk = Talk(revision)
        for number in asked:
            talk.ask("acme/x", number=number)
        return talk.answer({}, number=answered, by="server").codes()

    assert after(42, 43, answered=44) == ["answer-to-nothing"]
    assert after(42, 44, answered=43) == ["answer-to-nothing"]
    assert after(42, 43, answered=41) == []
    assert after(42, 40, answered=44) == []
    assert after(42, "b", answered=44) == []
    assert after("a", "b", answered="c") == []
    assert after(answered=3) == []


@each_revision
def test_a_number_and_a_string_are_different_ids(revision: str) -> None:
    talk = Talk(revision).opened().ask("acme/x", number=5).answer({}, number="5")
    (found,) = talk.findings()
    assert found.code == "answer-to-nothing"
    assert found.message.endswith("there is a request 5, but a number and a string are different ids")


@each_with_handshake
def test_a_new_handshake_starts_afresh(revision: str) -> None:
    talk = Talk(revision)
    for _ in range(2):
        progress(with_token(talk), 1, 2).ask("tools/list", number=7)
    # The connection before may still bring its answers.
    assert talk.answer({"tools": []}, number=7).codes() == []


@each_with_handshake
def test_what_is_missing_is_said_when_the_next_session_starts(revision: str) -> None:
    talk = Talk(revision).opened(server={"tools": {}}, initialized=False).ask("tools/list")
    operating = talk.exchanges[-1].place
    (found,) = talk.opened().findings()
    assert found.code == "initialized-missing"
    assert found.place == operating


@each_with_handshake
def test_only_what_is_said_to_be_one_session_is_blamed_for_a_late_handshake(revision: str) -> None:
    def started_late() -> Talk:
        return Talk(revision).tell(PROGRESS, {"progressToken": 1, "progress": 1}).ask("tools/list", number=5).opened()

    assert started_late().codes() == []
    assert "initialize-first" in started_late().as_a_whole().codes()


@each_with_handshake
def test_pings_may_come_at_any_time(revision: str) -> None:
    talk = Talk(revision).as_a_whole().ask("ping", number=50).answer({}).ask("initialize", number=51)
    talk.ask("ping", number=52).answer({}, number=52).ask("ping", number=53, by="server").answer({}, number=53)
    assert talk.codes() == []


@each_with_handshake
def test_pings_do_not_start_a_session(revision: str) -> None:
    talk = Talk(revision).as_a_whole().ask("ping", number=50).answer({}).ask("tools/list", number=51)
    assert talk.codes() == ["initialize-first"]


@each_with_handshake
def test_a_client_of_a_later_revision_may_ask_first_which_the_server_speaks(revision: str) -> None:
    talk = Talk(revision).as_a_whole().ask("server/discover", number=1).fail(-32601)
    assert talk.ask("initialize", number=2).answer({"capabilities": {}}).codes() == []


def test_a_server_of_earlier_revisions_too_answers_by_these() -> None:
    talk = Talk(LAST).ask("initialize", number=1)
    assert talk.say({"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {}}}, "server").codes() == []


@each_with_handshake
def test_what_was_no_request_may_be_answered_under_the_id_that_it_had(revision: str) -> None:
    assert Talk(revision).opened().fail(-32600, number=77).fail(-32700, number=78).codes() == []
    assert Talk(revision).opened().fail(-32603, number=77).codes() == ["answer-to-nothing"]


def test_an_array_that_records_messages_is_no_batch() -> None:
    talk = Talk("2025-03-26").ask("initialize", number=1)
    recorded = evolve(talk.exchanges[0], path="$[0]")
    assert list(Conversation("2025-03-26").check(recorded)) == []


@each_with_handshake
def test_a_handshake_that_was_refused_may_be_tried_again(revision: str) -> None:
    talk = Talk(revision).as_a_whole().ask("initialize", number=1).fail(-32602)
    assert talk.ask("initialize", number=2).answer({"capabilities": {}}).codes() == []


@each_with_handshake
def test_both_sides_may_use_the_same_id_and_token(revision: str) -> None:
    talk = Talk(revision).opened(client={"roots": {}}, server={"tools": {}})
    meta = {"progressToken": "t"}
    talk.ask("tools/list", number=1, meta=meta).ask("roots/list", number=1, meta=meta, by="server")
    talk.tell(PROGRESS, {"progressToken": "t", "progress": 5})
    talk.tell(PROGRESS, {"progressToken": "t", "progress": 3}, by="client")
    # Without a sender it may be either's.
    talk.tell(PROGRESS, {"progressToken": "t", "progress": 1}, by=None)
    talk.tell(CANCELLED, {"requestId": 1}, by=None)
    talk.answer({"roots": []}, number=1, by="client").answer({"tools": []}, number=1, by="server")
    assert talk.codes() == []


@each_with_handshake
def test_without_senders_the_methods_tell_who_speaks(revision: str) -> None:
    talk = Talk(revision)
    for method in ("initialize", "tools/list", "prompts/list"):
        talk.ask(method, by=None, number="client" + method)
        talk.say({"jsonrpc": "2.0", "id": "client" + method, "result": {"capabilities": {}}}, None)
        if method == "initialize":
            talk.tell("notifications/initialized", by=None)
    talk.ask("ping", by=None, number="p").ask("ping", by=None, number="p")
    for _ in range(2):
        talk.say({"jsonrpc": "2.0", "id": "p", "result": {}}, None)
    assert talk.codes() == ["capability-undeclared"] * 2


@each_revision
def test_findings_in_a_batch_say_where_the_message_stands(revision: str) -> None:
    talk = Talk(revision).opened().ask("acme/x", number=7, path="$[1]")
    both = {"jsonrpc": "2.0", "id": 7, "result": {"resultType": "complete"}, "error": {"code": 1, "message": ""}}
    (found,) = talk.say(both, "server", path="$[3]").findings()
    assert found.path == "$[3]"


@each_revision
def test_progress_is_told_apart_by_request(revision: str) -> None:
    talk = progress(with_token(Talk(revision)), 1, 2).answer({"tools": [], "ttlMs": 0, "cacheScope": "public"})
    talk.ask("tools/list", meta={"progressToken": "t"})
    assert progress(talk, 1, 2, 2).codes() == ["progress-increases"]


@each_revision
def test_progress_may_cross_a_cancellation(revision: str) -> None:
    talk = Talk(revision).opened(server={"tools": {}}).ask("tools/list", number=3, meta={"progressToken": "t"})
    talk.tell(CANCELLED, {"requestId": 3}, by="client")
    progress(talk, 1).answer({"tools": []})
    assert progress(talk, 2).ask("tools/list", meta={"progressToken": "t"}).codes() == []


def test_a_task_goes_on_after_the_answer_that_announced_it() -> None:
    talk = Talk("2025-11-25").opened(server={"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}})
    talk.ask("tools/call", {"name": "x", "task": {}}, meta={"progressToken": "t"})
    talk.answer({"task": {"taskId": "k", "status": "working"}})
    assert progress(talk, 1, 2).codes() == []


@each_revision
def test_what_is_remembered_does_not_depend_on_who_looks_at_findings(revision: str) -> None:
    talk = Talk(revision).opened().ask("acme/x", number=9).answer({}).answer({})
    conversation = Conversation(revision)
    for exchange in talk.exchanges[:-1]:
        conversation.check(exchange)
    assert [finding.code for finding in conversation.check(talk.exchanges[-1])] == ["answered-twice"]


@each_revision
def test_a_long_conversation_is_forgotten_from_its_start_and_nothing_false_is_said(revision: str) -> None:
    talk = Talk(revision).opened(server={"tools": {}})
    for number in range(LIMIT + 50):
        talk.ask("tools/list", number=f"n{number}", meta={"progressToken": f"t{number}"})
    conversation = Conversation(revision)
    assert not [finding for exchange in talk.exchanges for finding in conversation.check(exchange)]
    assert len(conversation._history.requests) == LIMIT
    kept = len(talk.exchanges)
    # What is forgotten is answered, used again, cancelled and progresses; what is remembered is still judged.
    talk.answer({"tools": [], "ttlMs": 0, "cacheScope": "public"}, number="n1").ask("tools/list", number="n2")
    talk.tell(CANCELLED, {"requestId": "n3"}, by="client")
    talk.tell(PROGRESS, {"progressToken": "t4", "progress": 1})
    talk.ask("tools/list", number=f"n{LIMIT}")
    found = [finding for exchange in talk.exchanges[kept:] for finding in conversation.check(exchange)]
    assert [finding.code for finding in found] == ["id-in-use" if revision in STATELESS else "id-reused"]


def test_a_memory_drops_what_was_put_in_first() -> None:
    memory: BoundedMap[str, int] = BoundedMap(2)
    memory.put("a", 1)
    memory.put("b", 2)
    memory.put("a", 3)
    assert not memory.has_dropped
    memory.put("c", 4)
    assert memory.has_dropped
    assert (memory.get("a"), memory.get("b"), len(memory)) == (3, None, 2)


@each_revision
def test_no_rule_is_about_what_a_tag_of_the_schema_says(revision: str) -> None:
    tagged: dict[str, set[str]] = {"byte": set(), "within 0 and 1": set(), "at most 100": set()}
    for declared in catalog.load(revision).objects.values():
        for member in declared.fields:
            said = member.constraints
            tagged["byte"] |= {member.name} if said.format == "byte" else set()
            tagged["within 0 and 1"] |= {member.name} if (said.minimum, said.maximum) == (0, 1) else set()
            tagged["at most 100"] |= {member.name} if said.max_items == 100 else set()
    # Checked as what the schema says, in every revision.
    assert tagged["byte"] == {"blob", "data"}
    assert tagged["within 0 and 1"] == {"priority", "costPriority", "speedPriority", "intelligencePriority"}
    (rule,) = [rule for rule in listing() if rule.id == "completion-values"]
    assert tagged["at most 100"] == (set() if revision in rule.revisions else {"values"})


def test_what_has_a_very_long_key_is_not_remembered() -> None:
    memory: BoundedMap[object, int] = BoundedMap()
    for key in ("a" * LONGEST, ("a" * (LONGEST - 1), 7), 10**1000):
        memory.put(key, 1)
        assert key in memory
    assert not memory.has_dropped
    for key in ("a" * (LONGEST + 1), ("a" * LONGEST, ("b",)), 10**2000):
        memory.put(key, 1)
        assert key not in memory
    assert memory.has_dropped
