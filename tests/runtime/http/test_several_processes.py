"""Several processes serve one endpoint without a shared store: what cannot work is said, with the remedy."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from mcp_bindings import testing
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.server.signing_key import SigningKey
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package

mcp_url = testing.mcp_url
"""The fixture."""

NEW, OLD = STATELESS[-1], HANDSHAKE[-1]
KEY = b"k" * 32


@dataclass
class Name:
    """A form."""

    name: str


def asking(revision: str, **options: Any) -> Any:
    """Return a server whose tool asks the user."""
    mcp = package(revision)
    server = mcp.Server("s", "1", **options)

    @server.tool
    def ask(context: Any) -> str:
        return str(context.elicit_form("Who?", Name))

    return server


def several(app: Any) -> Any:
    """Return an application as a WSGI server with several processes calls it."""

    def call(environ: dict[str, Any], start: Any) -> Any:
        return app({**environ, "wsgi.multiprocess": True}, start)

    return call


def single_threaded(app: Any) -> Any:
    """Return an application as a WSGI server with one thread calls it, such as the ``sync`` workers of gunicorn."""

    def call(environ: dict[str, Any], start: Any) -> Any:
        return app({**environ, "wsgi.multithread": False}, start)

    return call


def in_turn(*apps: Any) -> Any:
    """Return an application that is another process for the first request of a call than for its retry."""

    def choose(environ: dict[str, Any], start: Any) -> Any:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        return apps[b'"requestState"' in body]({**environ, "wsgi.input": BytesIO(body)}, start)

    return choose


def ask(revision: str, url: str) -> str:
    mcp = package(revision)

    def fill_in(params: Any, context: Any) -> Any:
        return mcp.ElicitResult(action="accept", content={"name": "Ada"})

    with mcp.Client.http(url, elicitation=fill_in, timeout=PATIENCE, retries=False) as client:
        return str(client.call_tool("ask").text)


def warnings_in(caplog: pytest.LogCaptureFixture, text: str) -> list[str]:
    return [each.getMessage() for each in caplog.records if text in each.getMessage()]


def test_an_answer_that_reaches_a_process_with_another_key_is_refused_and_that_is_logged_once(
    mcp_url: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = (several(asking(NEW).wsgi_app(path="/mcp")) for _ in range(2))
    url = mcp_url(in_turn(first, second))
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        for _ in range(2):
            with pytest.raises(ResponseError) as caught:
                ask(NEW, url)
            assert "of a process with another key" in caught.value.data["reason"]
    (line,) = warnings_in(caplog, "several processes")
    assert "pass the same state_key=" in line


def test_processes_with_the_same_key_continue_calls_of_each_other(
    mcp_url: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    apps = [several(asking(NEW, state_key=KEY).wsgi_app(path="/mcp")) for _ in range(2)]
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        assert "Ada" in ask(NEW, mcp_url(in_turn(*apps)))
    assert warnings_in(caplog, "several processes") == []


def test_a_single_process_needs_no_key(mcp_url: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        assert "Ada" in ask(NEW, mcp_url(asking(NEW)))
    assert warnings_in(caplog, "several processes") == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on POSIX only")
def test_a_forked_process_has_the_key_of_the_process_that_made_the_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = SigningKey(None)
    assert len(key.value) == 32
    assert SigningKey(None).value != key.value
    monkeypatch.setattr(os, "getpid", lambda: 0)
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        key.warn_if_unshared()
    assert caplog.records == []


def test_sessions_without_a_shared_store_are_logged_once(
    mcp_url: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = several(asking(OLD).wsgi_app(path="/mcp", store=MemoryStore()))
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        for revision in (OLD, NEW):
            assert "Ada" in ask(revision, mcp_url(app))
    (line,) = warnings_in(caplog, "several processes")
    assert "store=RedisStore(url)" in line
    assert "sessions=True" in line
    caplog.clear()
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        assert "Ada" in ask(OLD, mcp_url(several(asking(OLD).wsgi_app(path="/mcp", sessions=True))))
    assert warnings_in(caplog, "several processes") == []


def test_a_client_that_cannot_be_asked_without_a_session_is_told_why(mcp_url: Any) -> None:
    text = ask(OLD, mcp_url(several(asking(NEW).wsgi_app(path="/mcp"))))
    assert "clients cannot be asked here: the server keeps no sessions, because several processes" in text
    assert "has not declared" not in text


@pytest.mark.parametrize("user", [17, b"ada"])
def test_a_user_that_is_not_a_text_is_named_with_its_variable(
    mcp_url: Any,
    caplog: pytest.LogCaptureFixture,
    user: Any,
) -> None:
    app = asking(NEW).wsgi_app(path="/mcp")

    def logged_in(environ: dict[str, Any], start: Any) -> Any:
        return app({**environ, "REMOTE_USER": user}, start)

    url = mcp_url(logged_in)
    with pytest.raises(Exception, match="500"):
        ask(NEW, url)
    assert f"REMOTE_USER, which the program around this endpoint has set, must be a str, got {user!r}" in caplog.text


def call_twice(revision: str, url: str) -> None:
    with package(revision).Client.http(url, timeout=PATIENCE) as client:
        client.list_tools()
        client.list_tools()


@pytest.mark.parametrize(
    ("revision", "options"),
    [
        (NEW, {}),
        (OLD, {}),
        # The answer to a request for input comes while the request of the call is open.
        pytest.param(OLD, {"streams": 0}, id="sessions-without-streams"),
    ],
)
def test_a_wsgi_server_with_one_thread_is_named_once(
    mcp_url: Any, caplog: pytest.LogCaptureFixture, revision: str, options: dict[str, Any]
) -> None:
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        call_twice(revision, mcp_url(single_threaded(asking(revision).wsgi_app(path="/mcp", **options))))
    (line,) = warnings_in(caplog, "wsgi.multithread is false")
    assert line.endswith("; run it with threads, such as gunicorn --worker-class gthread --threads 32")


def test_one_thread_is_enough_for_requests_that_stand_alone(mcp_url: Any, caplog: pytest.LogCaptureFixture) -> None:
    app = asking(NEW).wsgi_app(path="/mcp", streams=0, sessions=False)
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        call_twice(NEW, mcp_url(single_threaded(app)))
        call_twice(NEW, mcp_url(asking(NEW)))
    assert warnings_in(caplog, "wsgi.multithread") == []
