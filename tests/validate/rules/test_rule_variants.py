"""Rules that can be broken in several ways: each of the ways."""

from __future__ import annotations

from typing import Any

import pytest
from support.content_cases import IMAGE, form, prompt
from support.conversation_builder import LAST, META, Talk
from support.session_cases import ACKNOWLEDGED, LISTEN, TOOLS_CHANGED, listen, stream

MESSAGE = {"level": "error", "data": 1}


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        ({"supported": ["2030-01-01"], "requested": "2029-01-01"}, ["version-refused"]),
        ({"supported": ["2030-01-01", LAST], "requested": LAST}, ["version-refused"]),
        ({"supported": [LAST]}, ["version-refused"]),
        ({"supported": []}, []),
        (None, []),
    ],
)
def test_what_an_error_says_about_versions(data: Any, codes: list[str]) -> None:
    assert Talk(LAST).ask("acme/x", number=1).fail(-32022, data).codes() == codes


@pytest.mark.parametrize(
    ("code", "codes"),
    [(-32002, 1), (-32042, 1), (-32099, 1), (-32023, 1), (-32100, 0), (-32021, 0), (-32019, 0), (-32602, 0), (7, 0)],
)
def test_codes_of_errors_that_are_reserved(code: int, codes: int) -> None:
    assert Talk(LAST).ask("acme/x", number=1).fail(code).codes() == ["error-code-reserved"] * codes


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        ({"type": "resource", "resource": {"uri": "a:b", "text": ""}}, ["prompt-media-type"]),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "", "mimeType": "text"}}, ["prompt-media-type"]),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "", "mimeType": "text/plain"}}, []),
        ({"type": "resource"}, []),
        ({"type": "audio", "data": "", "mimeType": ""}, ["prompt-media-type"]),
        # The schema says that it has to be there.
        ({"type": "image", "data": ""}, []),
        ({"type": "text", "text": "", "mimeType": "x"}, []),
        (IMAGE, ["prompt-media-type"]),
    ],
)
def test_media_types_in_prompts(content: Any, codes: list[str]) -> None:
    assert prompt(Talk("2025-06-18"), content).codes() == codes


def test_only_prompts_are_asked_for_media_types() -> None:
    talk = Talk("2025-06-18").opened(server={"tools": {}}).ask("tools/call", {"name": "x"})
    assert talk.answer({"content": [IMAGE]}).codes() == []


FIELD = {"properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", LAST])
@pytest.mark.parametrize(
    ("result", "codes"),
    [
        ({"action": "accept"}, ["elicitation-content"]),
        ({"action": "accept", "content": {"b": "x"}}, ["elicitation-content"]),
        ({"action": "accept", "content": {"a": ""}}, []),
        ({"action": "cancel"}, []),
    ],
)
def test_what_comes_with_a_form(revision: str, result: Any, codes: list[str]) -> None:
    assert form(Talk(revision), FIELD, result).codes() == codes


def test_a_form_without_fields_needs_no_content() -> None:
    assert form(Talk("2025-11-25"), {}, {"action": "accept"}).codes() == []


def test_no_content_comes_with_a_page() -> None:
    page = {"mode": "url", "message": "?", "url": "https://x", "elicitationId": "e"}
    talk = Talk("2025-11-25").opened(client={"elicitation": {"url": {}}}).ask("elicitation/create", page, by="server")
    assert talk.answer({"action": "accept", "content": {}}).codes() == ["elicitation-content"]


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (None, 1),
        ({"elicitations": []}, 1),
        ({"elicitations": [{"mode": "form", "elicitationId": "e"}]}, 1),
        ({"elicitations": [{"elicitationId": "e"}, {"mode": "url"}]}, 2),
        ({"elicitations": [{"mode": "url", "elicitationId": "e"}]}, 0),
    ],
)
def test_what_an_error_says_about_elicitations(data: Any, codes: int) -> None:
    talk = Talk("2025-11-25").opened(client={"elicitation": {"url": {}}}).ask("acme/x").fail(-32042, data)
    assert talk.codes() == ["url-elicitation-error"] * codes
    known = talk.tell("notifications/elicitation/complete", {"elicitationId": "e"}).codes()
    assert ("elicitation-id-unknown" in known) == ("elicitationId" not in str(data))


def test_a_notification_of_a_stream_names_it() -> None:
    talk = listen(Talk(LAST), toolsListChanged=True).tell(ACKNOWLEDGED, {"notifications": {}, **stream()})
    assert talk.tell(TOOLS_CHANGED).codes() == ["subscription-id"]
    assert listen(Talk(LAST), toolsListChanged=True).tell(TOOLS_CHANGED, stream(8)).codes() == ["subscription-id"]
    assert listen(Talk(LAST)).answer(stream("9")).codes() == ["subscription-id"]
    assert Talk(LAST).tell(TOOLS_CHANGED, stream(8)).codes() == []


def test_what_comes_on_a_stream_was_asked_for() -> None:
    assert Talk(LAST).opened().tell(TOOLS_CHANGED).codes() == ["subscription-unasked"]
    assert Talk(LAST).tell(TOOLS_CHANGED).codes() == []
    more = {"notifications": {"toolsListChanged": True}, **stream()}
    assert listen(Talk(LAST)).tell(ACKNOWLEDGED, more).codes() == ["subscription-unasked"]
    updated = "notifications/resources/updated"
    talk = listen(Talk(LAST), resourceSubscriptions=["a:b"]).tell(ACKNOWLEDGED, {"notifications": {}, **stream()})
    assert talk.tell(updated, {"uri": "a:b/c", **stream()}).codes() == []
    talk = listen(Talk(LAST), resourceSubscriptions=[]).tell(ACKNOWLEDGED, {"notifications": {}, **stream()})
    assert talk.tell(updated, {"uri": "a:b", **stream()}).codes() == ["subscription-unasked"]


def test_log_messages_belong_to_a_request_that_asks_for_them() -> None:
    def asked(level: str = "debug") -> Talk:
        talk = Talk(LAST).opened(server={"logging": {}})
        return talk.ask("acme/x", meta={f"{META}logLevel": level})

    told = "notifications/message"
    assert asked().tell(told, MESSAGE).answer({}).codes() == []
    assert asked().answer({}).tell(told, MESSAGE).codes() == ["log-unasked"]
    assert asked().tell(told, {**MESSAGE, **stream()}).codes() == ["log-unasked"]
    # Which of the two it belongs to is not known.
    assert asked("error").ask("acme/y", meta={f"{META}logLevel": "debug"}).tell(told, {"level": "info"}).codes() == []
    assert Talk(LAST).tell(told, MESSAGE).codes() == []


def test_a_stream_starts_again_with_a_request_of_its_id() -> None:
    talk = listen(Talk(LAST), toolsListChanged=True).tell(ACKNOWLEDGED, {"notifications": {}, **stream()})
    talk.tell(TOOLS_CHANGED, stream()).answer(stream())
    talk.ask(LISTEN, {"notifications": {"toolsListChanged": True}}, number=9).tell(TOOLS_CHANGED, stream())
    assert talk.codes() == ["subscription-order"]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25"])
def test_nothing_but_pings_comes_before_the_handshake(revision: str) -> None:
    def first(method: str) -> list[str]:
        return Talk(revision).as_a_whole().tell(method, {"level": "info", "data": 1}, by="server").codes()

    assert first("notifications/message") == ["initialize-first"]
    assert Talk(revision).as_a_whole().tell("notifications/initialized", by="client").codes() == ["initialize-first"]
    assert Talk(revision).tell("notifications/initialized", by="client").codes() == []


def test_a_result_says_of_what_type_it_is() -> None:
    talk = Talk(LAST).ask("acme/x", number=1)
    assert talk.say({"jsonrpc": "2.0", "id": 1, "result": {}}, "server").codes() == ["result-type"]


def test_a_refused_handshake_is_not_followed_by_a_sign_of_success() -> None:
    talk = Talk("2025-06-18").ask("initialize", number=1).fail(-32602)
    assert talk.tell("notifications/initialized", by="client").codes() == ["initialized-early"]
