"""A server that asks for more than a client has declared is refused with the reason, through a bridge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import NotDeclared, ResponseError
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package, text_of

LATEST = HANDSHAKE[-1]
NEW = STATELESS[-1]
MISSING = {"page": {"elicitation": {"url": {}}}, "sample": {"sampling": {"tools": {}}}}
PATHS = {"page": "elicitation.url", "sample": "sampling.tools"}
BARE = {"page": {"elicitation": {}}, "sample": {"sampling": {}}}
METHODS = {"page": "elicitation/create", "sample": "sampling/createMessage"}
each_question = pytest.mark.parametrize("question", MISSING)

pytestmark = pytest.mark.skipif(len(REVISIONS) < 2, reason="one revision has no other era")


def params_of(mcp: Any, question: str) -> Any:
    types = mcp.types
    if question == "page":
        more = {"elicitation_id": "1"} if mcp.REVISION in HANDSHAKE else {}
        return types.ElicitRequestURLParams(message="Visit.", url="https://page.example/", **more)
    message = types.SamplingMessage(role="user", content=types.TextContent(text="How?"))
    tool = types.Tool(name="t", input_schema=types.ToolInputSchema())
    return types.CreateMessageRequestParams(messages=[message], max_tokens=5, tools=[tool])


def careless_server(revision: str, refusals: list[BaseException], *, checked: bool = False, **options: Any) -> Any:
    """Return a server whose tools ask without a look at the capabilities, unless ``checked``; it notes refusals."""
    mcp = package(revision)
    server = mcp.Server("careless", "1.0", **options)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        key = server.binding.requests[METHODS[params.name]]
        wanted = params_of(mcp, params.name)
        if revision == NEW:
            request = key.message(params=wanted)
            return mcp.types.InputRequiredResult(result_type="input_required", input_requests={"q": request})
        try:
            (context if checked else context.connection).request(key, wanted)
        except BaseException as error:
            refusals.append(error)
            raise
        return mcp.types.CallToolResult(content=[])

    return server


@contextmanager
def bare_client(server: Any, revision: str, question: str) -> Iterator[Any]:
    """Yield a client that declares a capability without its parts, and fails if it is asked."""
    mcp = package(revision)
    declared = mcp.Client.binding.codec.structure(BARE[question], mcp.types.ClientCapabilities)
    client = mcp.Client.in_memory(server, timeout=PATIENCE, capabilities=declared, revisions=[revision])
    client.handles(client.binding.requests[METHODS[question]], lambda *_: pytest.fail("the client was asked"))
    with client:
        yield client


@contextmanager
def proxied(server: Any) -> Iterator[Any]:
    proxy = Proxy([BackendServer(connection_to(server), timeout=PATIENCE)])
    try:
        yield proxy.server
    finally:
        proxy.close()


@each_question
@pytest.mark.parametrize("checked", [False, True], ids=["careless", "checked"])
def test_a_server_with_sessions_is_refused_with_the_capability(question, checked):
    refusals: list[BaseException] = []
    with (
        bare_client(careless_server(LATEST, refusals, checked=checked), NEW, question) as client,
        pytest.raises(ResponseError) as caught,
    ):
        client.call_tool(question)
    assert caught.value.code == -32021
    assert caught.value.data["requiredCapabilities"] == MISSING[question]
    assert PATHS[question] in caught.value.data["reason"]
    assert [isinstance(each, NotDeclared) for each in refusals] == [True]


@each_question
@pytest.mark.parametrize("front", [LATEST, NEW])
def test_a_server_with_sessions_behind_a_proxy_gets_the_reason(front, question):
    refusals: list[BaseException] = []
    with (
        proxied(careless_server(LATEST, refusals, revisions=[LATEST])) as server,
        bare_client(server, front, question) as client,
        pytest.raises(ResponseError, match="Invalid params"),
    ):
        client.call_tool(question)
    (refusal,) = refusals
    assert isinstance(refusal, ResponseError)
    assert (refusal.code, refusal.data) == (
        -32602,
        {"reason": f"this client has not declared {PATHS[question]!r}"},
    )


@each_question
@pytest.mark.parametrize("front", [LATEST, NEW])
def test_a_question_of_a_server_without_sessions_behind_a_proxy_does_not_reach_the_client(front, question):
    with (
        proxied(careless_server(NEW, [], revisions=[NEW])) as server,
        bare_client(server, front, question) as client,
    ):
        if front == NEW:
            with pytest.raises(ResponseError) as caught:
                client.call_tool(question)
            assert caught.value.code == -32021
            assert caught.value.data["requiredCapabilities"] == MISSING[question]
            assert PATHS[question] in caught.value.data["reason"]
        else:
            result = client.call_tool(question)
            assert result.is_error
            assert PATHS[question] in text_of(result)
