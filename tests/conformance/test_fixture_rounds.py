"""The fixture's rounds (2026-07-28) with a client that answers wrongly: message by message."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from conformance import server as fixture
from support.scripted_peers import WHO, Spoken, scripted_client

META = "io.modelcontextprotocol/"
ALL = {"elicitation": {}, "sampling": {}, "roots": {}}
NAME = {"action": "accept", "content": {"name": "Ada"}}


class Asking:
    """Calls tools of the fixture; one message for each round."""

    def __init__(self) -> None:
        (server,) = fixture.build(fixture.STATELESS)
        self.spoken: Spoken = scripted_client(server)
        self._numbers = itertools.count(1)

    def call(self, name: str, capabilities: Any = None, **more: Any) -> Any:
        meta = {
            f"{META}protocolVersion": fixture.STATELESS,
            f"{META}clientInfo": WHO,
            f"{META}clientCapabilities": ALL if capabilities is None else capabilities,
        }
        number = next(self._numbers)
        params = {"name": f"test_input_required_result_{name}", "arguments": {}, "_meta": meta, **more}
        self.spoken.request("tools/call", number, params)
        answered = self.spoken.hear()
        assert answered["id"] == number
        return answered


@pytest.fixture
def asking() -> Iterator[Asking]:
    made = Asking()
    yield made
    made.spoken.close()


def test_the_answer_completes_the_request_and_more_is_ignored(asking: Asking) -> None:
    first = asking.call("elicitation")["result"]
    assert (first["resultType"], list(first["inputRequests"])) == ("input_required", ["user_name"])
    done = asking.call("elicitation", inputResponses={"user_name": NAME, "more": NAME})["result"]
    assert (done["resultType"], done["content"][0]["text"]) == ("complete", "Hello, Ada!")


def test_an_answer_to_something_else_is_asked_for_again(asking: Asking) -> None:
    again = asking.call("elicitation", inputResponses={"wrong_key": NAME})["result"]
    assert list(again["inputRequests"]) == ["user_name"]


@pytest.mark.parametrize("responses", [None, {"user_name": 12345}, {"user_name": {"roots": []}}])
def test_what_is_no_answer_never_completes_a_request(asking: Asking, responses: Any) -> None:
    answered = asking.call("elicitation", inputResponses=responses)
    assert "error" in answered or answered["result"]["resultType"] == "input_required"


def test_each_round_has_a_state_of_its_own(asking: Asking) -> None:
    first = asking.call("multi_round")["result"]
    second = asking.call("multi_round", inputResponses={"step1": NAME}, requestState=first["requestState"])["result"]
    assert list(second["inputRequests"]) == ["step2"]
    assert second["requestState"] != first["requestState"]
    third = asking.call("multi_round", inputResponses={"step2": NAME}, requestState=second["requestState"])["result"]
    assert third["resultType"] == "complete"


def test_a_state_that_was_changed_is_refused(asking: Asking) -> None:
    state = asking.call("tampered_state")["result"]["requestState"]
    refused = asking.call("tampered_state", inputResponses={"confirm": NAME}, requestState=f"{state}-TAMPERED")
    assert refused["error"]["code"] == -32602
    foreign = asking.call("request_state", inputResponses={"confirm": NAME}, requestState=state)
    assert foreign["error"]["code"] == -32602


def test_only_what_the_client_declares_is_asked_for(asking: Asking) -> None:
    asked = asking.call("capabilities", {"sampling": {}})["result"]["inputRequests"]
    assert {each["method"] for each in asked.values()} == {"sampling/createMessage"}
    refused = asking.call("elicitation", {"sampling": {}})["error"]
    assert (refused["code"], refused["data"]) == (-32021, {"requiredCapabilities": {"elicitation": {}}})
