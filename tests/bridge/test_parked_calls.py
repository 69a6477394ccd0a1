"""Handlers of the handshake era that wait for answers of stateless clients: faults, limits, and who may answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings_runtime.bridge import parked_calls
from mcp_bindings_runtime.bridge.parked_calls import ParkedCall
from mcp_bindings_runtime.errors import CallCancelled, McpError, NotDeclared, RequestTimeout, ResponseError
from mcp_bindings_runtime.http.server.api_keys import ApiKeys
from mcp_bindings_runtime.session.events import Incoming
from mcp_bindings_runtime.session.stateless import VERSION
from mcp_bindings_runtime.transports.memory import pair
from support.bindings import binding
from support.raw_http_client import endpoint, modern, request
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, Spoken, eventually, package

NEW = STATELESS[-1]
OLD = HANDSHAKE[-1]
mcp = package(OLD)
META = {VERSION: NEW, "io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
CALL = {"name": "x", "arguments": {}}
SAMPLE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "so"}}


class Asking:
    """A server whose tool asks once; it notes the ends of its runs."""

    def __init__(self, **options: Any) -> None:
        self.server = mcp.Server("s", "1", **options)
        self.begun = 0
        self.ends: list[object] = []
        self._lock = threading.Lock()
        self.server.handler(mcp.methods.CALL_TOOL)(self._call)

    def _call(self, params: Any, context: Any) -> Any:
        with self._lock:
            self.begun += 1
        try:
            found = context.sample("How?", max_tokens=5)
        except BaseException as error:
            self.ends.append(error)
            raise
        self.ends.append(found)
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=str(found))])


@contextmanager
def connected(asking: Asking) -> Iterator[Spoken]:
    """Yield the client's end of a connection, over which a test sends JSON."""
    mine, theirs = pair()
    thread = threading.Thread(target=asking.server.serve, args=(theirs,), daemon=True)
    thread.start()
    try:
        yield Spoken(mine)
    finally:
        mine.close()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def ask(client: Spoken, number: int, **params: Any) -> dict[str, Any]:
    client.request("tools/call", number, {**CALL, "_meta": META, **params})
    return answer_to(client, number)


def answer_to(client: Spoken, number: int) -> dict[str, Any]:
    found: dict[str, Any] = client.hear()
    assert found["id"] == number
    return found


def retry_of(result: dict[str, Any]) -> dict[str, Any]:
    (name,) = result["inputRequests"]
    return {"inputResponses": {name: SAMPLE}, "requestState": result["requestState"]}


def test_the_handler_runs_once_and_the_retry_has_its_result() -> None:
    asking = Asking()
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        assert result["resultType"] == "input_required"
        (request,) = result["inputRequests"].values()
        assert request["method"] == "sampling/createMessage"
        done = ask(client, 2, **retry_of(result))["result"]
        assert (done["resultType"], done["content"][0]["text"]) == ("complete", "so")
    assert (asking.begun, asking.ends) == (1, ["so"])


def test_a_question_that_is_never_answered_ends_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    # The question goes out long before its deadline.
    monkeypatch.setattr(parked_calls, "WINDOW", 0.0)
    asking = Asking(limit=3.0, timeout=3.0)
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        eventually(lambda: asking.ends)
        assert isinstance(asking.ends[0], RequestTimeout)
        error = ask(client, 2, **retry_of(result))["error"]
        assert error["code"] == -32602
        assert "has expired" in error["data"]["reason"] or "has ended" in error["data"]["reason"]
    assert asking.begun == 1


def impatient(*, fails: bool = False) -> Asking:
    """A server with a tool that waits a moment for the answer to its question, and then does without it or fails."""
    asking = Asking()
    asking.server = mcp.Server("s", "1")
    question = mcp.CreateMessageRequestParams(messages=[], max_tokens=5)

    @asking.server.tool
    def x(context: mcp.Context) -> str:
        try:
            context.request(mcp.methods.CREATE_MESSAGE, question, timeout=0.2)
        except RequestTimeout as error:
            if fails:
                raise ResponseError(5, "too late") from error
        finally:
            asking.ends.append(None)
        return "no answer"

    return asking


def test_a_retry_has_the_result_of_a_handler_that_did_not_wait_for_it() -> None:
    asking = impatient()
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        eventually(lambda: asking.ends)
        done = ask(client, 2, **retry_of(result))["result"]
        assert done["content"][0]["text"] == "no answer"
        # Once, as any retry.
        error = ask(client, 3, **retry_of(result))["error"]
        assert (error["code"], error["data"]["reason"].partition(";")[0]) == (
            -32602,
            "the call has ended, or waits in another process",
        )


def test_a_retry_has_the_error_of_a_handler_that_did_not_wait_for_it() -> None:
    asking = impatient(fails=True)
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        eventually(lambda: asking.ends)
        assert ask(client, 2, **retry_of(result))["error"] == {"code": 5, "message": "too late"}


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_retry_has_the_result_of_a_tool_whose_time_was_over(stubborn: bool) -> None:
    asking = Asking()
    asking.server = mcp.Server("s", "1")
    over, end = threading.Event(), threading.Event()

    @asking.server.tool(name="x", timeout=0.2)
    def x(context: mcp.Context) -> str:
        try:
            return str(context.sample("How?", max_tokens=5))
        finally:
            over.set()
            if stubborn:
                end.wait(PATIENCE)

    with connected(asking) as client:
        result = ask(client, 1)["result"]
        assert over.wait(PATIENCE)
        done = ask(client, 2, **retry_of(result))["result"]
        assert (done["content"][0]["text"], done["isError"]) == ("tool x did not finish within 0.2 s", True)
        end.set()


def test_a_tool_whose_time_is_over_before_it_asks_answers_at_once() -> None:
    asking = Asking()
    asking.server = mcp.Server("s", "1")
    end = threading.Event()

    @asking.server.tool(name="x", timeout=0.1)
    def x() -> None:
        end.wait(PATIENCE)

    with connected(asking) as client:
        assert ask(client, 1)["result"]["content"][0]["text"] == "tool x did not finish within 0.1 s"
        end.set()


def test_the_results_that_wait_for_a_retry_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked_calls, "MAX_ENDED", 2)
    asking = impatient()
    with connected(asking) as client:
        results = [ask(client, number)["result"] for number in range(4)]
        eventually(lambda: len(asking.ends) == len(results))
        answers = [ask(client, 10 + number, **retry_of(each)) for number, each in enumerate(results)]
    assert ["result" in each for each in answers] == [False, False, True, True]


def test_a_retry_without_the_answer_gets_the_question_again() -> None:
    asking = Asking()
    with connected(asking) as client:
        first = ask(client, 1)["result"]
        second = ask(client, 2, requestState=first["requestState"], inputResponses={})["result"]
        assert second["inputRequests"] == first["inputRequests"]
        assert "was used before" in ask(client, 3, **retry_of(first))["error"]["data"]["reason"]
        assert ask(client, 4, **retry_of(second))["result"]["content"][0]["text"] == "so"
    assert asking.begun == 1


def test_an_answer_that_does_not_fit_is_refused_and_the_call_stays_parked() -> None:
    asking = Asking()
    with connected(asking) as client:
        first = ask(client, 1)["result"]
        (name,) = first["inputRequests"]
        wrong = ask(client, 2, requestState=first["requestState"], inputResponses={name: {"action": "accept"}})
        assert wrong["error"]["code"] == -32602
        assert ask(client, 3, **retry_of(first))["result"]["content"][0]["text"] == "so"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"arguments": {"other": 1}}, "requestState belongs to another request"),
        (
            {"requestState": "e30.AAAA"},
            "requestState was changed, or is of a process with another key; send the request again without it",
        ),
    ],
)
def test_a_state_is_bound_to_its_request(change: dict[str, Any], reason: str) -> None:
    asking = Asking()
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        error = ask(client, 2, **{**retry_of(result), **change})["error"]
        assert (error["code"], error["data"]["reason"]) == (-32602, reason)
        assert ask(client, 3, **retry_of(result))["result"]["content"][0]["text"] == "so"


def test_a_state_is_bound_to_its_principal() -> None:
    asking = Asking()
    bodies = {}
    for user in ("ann", "bea", "ann again"):
        params = {**CALL, "_meta": META, **(retry_of(bodies["ann"]["result"]) if bodies else {})}
        bodies[user] = posted(asking.server, params, user.split()[0])
    assert bodies["bea"]["error"]["data"]["reason"] == "requestState belongs to another user"
    assert bodies["ann again"]["result"]["content"][0]["text"] == "so"
    asking.server.close()


_APPLICATIONS: dict[int, Any] = {}


def posted(server: Any, params: dict[str, Any], user: str) -> dict[str, Any]:
    """Return the JSON response to a call over HTTP, by a user whom the WSGI server has authenticated."""
    import io

    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    application = _APPLICATIONS.setdefault(id(server), server.wsgi_app())
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/",
        "HTTP_HOST": "localhost",
        "HTTP_ACCEPT": "application/json, text/event-stream",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_MCP_PROTOCOL_VERSION": NEW,
        "HTTP_MCP_METHOD": "tools/call",
        "HTTP_MCP_NAME": params["name"],
        "REMOTE_USER": user,
        "wsgi.input": io.BytesIO(body),
    }
    found: dict[str, Any] = json.loads(b"".join(application(environ, lambda _status, _headers: None)))
    return found


def test_beyond_the_limit_questions_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked_calls, "MAX_PARKED", 20)
    asking = Asking(limits=False)
    with connected(asking) as client:
        found = [ask(client, number) for number in range(100)]
        parked = [each["result"] for each in found if "result" in each]
        errors = [each["error"] for each in found if "error" in each]
        assert len(parked) == 20
        assert {each["code"] for each in errors} == {-32603}
        assert all(each["data"]["reason"].startswith("sampling/createMessage cannot be sent") for each in errors)
        for number, result in enumerate(parked):
            assert ask(client, 200 + number, **retry_of(result))["result"]["content"][0]["text"] == "so"
        eventually(lambda: "result" in ask(client, 300))


def test_ten_thousand_attempts_park_up_to_the_limit() -> None:
    calls = parked_calls.ParkedCalls(binding(NEW), PATIENCE)
    end = threading.Event()
    begun = threading.active_count()
    started = sum(
        calls.start(
            ParkedCall(binding(NEW), None, Incoming(binding(NEW).requests["tools/call"], 1, None), PATIENCE),
            lambda: end.wait(PATIENCE),
        )
        for _ in range(10_000)
    )
    assert started == parked_calls.MAX_PARKED
    assert threading.active_count() <= begun + parked_calls.MAX_PARKED
    end.set()


def test_parked_calls_end_with_the_connection() -> None:
    asking = Asking()
    with connected(asking) as client:
        ask(client, 1)
        assert asking.ends == []
    eventually(lambda: asking.ends)
    assert isinstance(asking.ends[0], (CallCancelled, McpError)) or "Abandoned" in repr(asking.ends[0])


def test_one_user_leaves_room_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked_calls, "MAX_PARKED", 4)
    keys = {user: f"the-key-of-the-user-{user}" for user in "ab"}
    message, headers = modern(request("tools/call", 1, CALL), {"sampling": {}})
    with endpoint(Asking().server, authorization=ApiKeys({key: user for user, key in keys.items()})) as wire:

        def asked_of(user: str) -> dict[str, Any]:
            answered: dict[str, Any] = wire.post(message, **headers, Authorization=f"Bearer {keys[user]}").response
            return answered

        assert ["result" in asked_of("a") for _ in range(4)] == [True, True, True, False]
        assert "3 of this user or address" in asked_of("a")["error"]["data"]["reason"]
        assert asked_of("b")["result"]["resultType"] == "input_required"


def test_a_cancelled_retry_stops_the_handler() -> None:
    entered, seen = threading.Event(), threading.Event()
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        context.sample("How?", max_tokens=5)
        entered.set()
        eventually(lambda: context.cancelled)
        seen.set()
        return mcp.types.CallToolResult(content=[])

    asking = Asking()
    asking.server = server
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        client.request("tools/call", 2, {**CALL, "_meta": META, **retry_of(result)})
        assert entered.wait(PATIENCE)
        client.notify("notifications/cancelled", {"requestId": 2})
        assert seen.wait(PATIENCE)


def test_questions_of_several_threads_go_into_one_result(monkeypatch: pytest.MonkeyPatch) -> None:
    # However slowly the threads start.
    monkeypatch.setattr(parked_calls, "WINDOW", 1.0)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        with ThreadPoolExecutor(3) as pool:
            found = list(pool.map(lambda _: str(context.sample("How?", max_tokens=5)), range(3)))
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=" ".join(found))])

    asking = Asking()
    asking.server = server
    with connected(asking) as client:
        result = ask(client, 1)["result"]
        assert len(result["inputRequests"]) == 3
        answers = dict.fromkeys(result["inputRequests"], SAMPLE)
        done = ask(client, 2, inputResponses=answers, requestState=result["requestState"])["result"]
        assert done["content"][0]["text"] == "so so so"


@pytest.mark.parametrize("declared", [{}, {"roots": {}}])
def test_a_question_without_its_capability_is_refused_with_the_capability(declared: dict[str, Any]) -> None:
    asking = Asking()
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": declared}
    with connected(asking) as client:
        error = ask(client, 1, _meta=meta)["error"]
    assert error["code"] == -32021
    assert error["data"]["requiredCapabilities"] == {"sampling": {}}
    assert isinstance(asking.ends[0], NotDeclared)


def test_a_question_outside_the_methods_that_can_wait_is_refused() -> None:
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.LIST_TOOLS)
    def listing(params: Any, context: Any) -> Any:
        try:
            context.sample("How?", max_tokens=5)
        except McpError as error:
            return mcp.types.ListToolsResult(tools=[mcp.types.Tool(name=str(error), input_schema=_SCHEMA)])
        return mcp.types.ListToolsResult(tools=[])

    asking = Asking()
    asking.server = server
    with connected(asking) as client:
        client.request("tools/list", 1, {"_meta": META})
        (tool,) = answer_to(client, 1)["result"]["tools"]
        assert f"cannot be sent to a client of {NEW} in a handler of tools/list" in tool["name"]


_SCHEMA = mcp.types.ToolInputSchema()
