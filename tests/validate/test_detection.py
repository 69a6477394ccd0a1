"""By which revision a conversation is checked where nobody says it."""

from __future__ import annotations

from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.validate import Limits, Report, validate_messages
from support.recorded_sessions import WHO, failure, notification, opening, request, result, shown
from support.revisions import HANDSHAKE, STATELESS

Json = Any

LAST = STATELESS[-1]
META = {
    "io.modelcontextprotocol/protocolVersion": LAST,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": WHO,
}


def report(*messages: Json, **options: Json) -> Report:
    return validate_messages(messages, **options)


def notes(found: Report) -> list[str]:
    return [each.message for each in found if each.code == "revision"]


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_the_answer_to_initialize_decides(revision: str) -> None:
    offer, answer, done = opening(revision)
    offer["params"]["protocolVersion"] = REVISIONS[0]
    found = report(offer, answer, done, request("elicitation/create", 5, message="x"))
    assert found.revisions == (revision,)
    assert found.accepted is None
    assert {finding.revision for finding in found} <= {revision}


def test_what_is_wrong_before_it_is_said_once_it_is_known() -> None:
    offer, answer, _ = opening()
    del offer["params"]["clientInfo"]
    found = report(offer, answer, request("tools/list"))
    assert shown(found) == ["1: $.params.clientInfo: missing, expected an object"]
    assert found.revisions == ("2025-06-18",)


def test_findings_come_as_soon_as_it_is_known() -> None:
    seen: list[str] = []

    def live() -> Any:
        for message in [*opening(), request("tools/call"), request("ping")]:
            seen.append(message.get("method", "answer"))
            yield message

    next(iter(report_of(live())))
    assert seen == ["initialize", "answer", "notifications/initialized", "tools/call"]


def report_of(messages: Any) -> Report:
    return validate_messages(messages)


def test_an_answer_is_known_without_its_request() -> None:
    assert report(opening("2025-03-26")[1]).revisions == ("2025-03-26",)


def test_without_the_answer_the_offer_decides_at_the_end() -> None:
    found = report(opening("2025-03-26")[0], request("tools/call"))
    assert (found.revisions, found.errors) == (("2025-03-26",), 1)


def test_the_meta_of_a_request_decides() -> None:
    found = report(request("tools/list", _meta=META), result(1, tools=[{}]))
    assert found.revisions == (LAST,)
    assert found.errors == 2


def test_asking_a_server_what_it_speaks_decides_nothing() -> None:
    discover = request("server/discover", "d", _meta=META)
    assert report(discover, failure("d", -32601), *opening()).revisions == ("2025-06-18",)


def test_a_client_that_reconnects_may_agree_on_another_revision() -> None:
    wrong = request("tools/call")
    found = report(*opening("2025-06-18"), wrong, *opening("2025-03-26", 1), wrong)
    assert [(each.place.line, each.revision) for each in found] == [(4, "2025-06-18"), (8, "2025-03-26")]
    assert found.revisions == ("2025-03-26", "2025-06-18")


def test_a_revision_that_is_not_bundled_is_said_and_decides_nothing() -> None:
    found = report(*opening("2199-01-01"))
    assert notes(found)[0] == 'the conversation agreed on "2199-01-01", which is not a known revision'
    assert found.ok


@pytest.mark.parametrize("revision", [None, 5, [], {}, "", "x" * 10_000])
def test_a_revision_that_is_nonsense_decides_nothing(revision: Json) -> None:
    found = report(*opening(revision), request("tools/list", _meta={next(iter(META)): revision}))
    assert found.messages == 4


def test_without_a_name_those_are_reported_that_accept_all_of_it() -> None:
    found = report(notification("notifications/progress", progressToken=1, progress=1))
    assert notes(found) == [f"names no revision; accepted by {', '.join(REVISIONS)}"]
    assert found.ok
    assert found.accepted == REVISIONS
    assert found.unnamed() == f"the conversation names no revision; accepted by {', '.join(REVISIONS)}"


def test_some_of_them() -> None:
    elicit = request("elicitation/create", message="x", requestedSchema={"type": "object", "properties": {}})
    found = report(elicit)
    assert found.ok
    assert found.accepted == ("2025-06-18", "2025-11-25")


def test_none_of_them_and_then_the_nearest_says_what_is_wrong() -> None:
    audio = {"type": "audio", "data": "aGk=", "mimeType": "x/y"}
    content = [audio, {"type": "resource_link", "name": "x", "uri": "x:y"}, {"type": "video"}]
    found = report(request("tools/call", name="x", task={}), result(1, content=content))
    assert [(each.level, each.path, each.revision) for each in found] == [
        ("note", "$", None),
        ("error", "$.result.content[2].type", "2025-11-25"),
    ]
    assert (found.ok, found.accepted) == (False, ())
    assert found.unnamed() == "the conversation names no revision, and no revision accepts it; 2025-11-25 matches best"


def test_what_is_kept_until_it_is_known_is_bounded() -> None:
    found = report(*[request("tools/call")] * 50, *opening(), limits=Limits(undecided=5))
    errors = [each for each in found if each.level == "error"]
    assert len(errors) == 6
    assert errors[-1].message == "45 more findings before the revision was known; pass --version to see them"


def test_the_names_of_several_conversations_are_counted() -> None:
    lines = [{"session": name, "message": message} for name, message in [
        ("a", request("elicitation/create", message="x", requestedSchema={"type": "object", "properties": {}})),
        ("b", request("tools/list", _meta=META)),
        ("c", request("tools/list")),
        ("d", request("tools/call")),
    ]]  # fmt: skip
    found = report(*lines)
    assert found.unnamed() == (
        "3 conversations name no revision, and no revision accepts all of them; no revision accepts 1 of them"
    )
    assert found.accepted == ()


def test_more_conversations_than_are_followed() -> None:
    lines = [{"session": str(number), "message": request("tools/call")} for number in range(10)]
    found = report(*lines, version="2025-06-18", limits=Limits(conversations=3))
    assert (found.errors, found.messages) == (10, 10)
