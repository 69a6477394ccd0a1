"""``tools_lock``: a client notices that the tools of a server differ from those that were locked."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ConnectionClosed, ResponseError, ToolsChanged, UsageError
from mcp_bindings_runtime.features import tools_lock as tools_lock_module
from mcp_bindings_runtime.features.tool_digest import tool_digest
from mcp_bindings_runtime.features.tools_lock import TooManyTools
from support.connected_clients import asking
from support.revisions import HANDSHAKE
from support.scripted_peers import eventually, package


def serving(revision: str, description: str = "Forecast the weather.") -> Any:
    server = package(revision).Server("weather", "1.0")

    def forecast(city: str) -> str:
        return city

    server.tool(name="forecast", description=description)(forecast)
    return server


def refuse_nothing() -> str:
    return ""


@pytest.fixture
def lock(tmp_path: Path) -> Any:
    """Return a function that writes the lock of a server's tools."""

    def write(server: Any) -> Path:
        with asking(server) as client:
            tools = [client.binding.codec.unstructure(tool) for tool in client.list_tools()]
        file = tmp_path / "tools.lock.json"
        digests = {tool["name"]: tool_digest(tool) for tool in tools}
        file.write_text(json.dumps({"format": "mcp-tools-lock/1", "digests": digests}), "utf-8")
        return file

    return write


@pytest.mark.parametrize("revision", REVISIONS)
def test_equal_tools_connect(revision: str, lock: Any) -> None:
    with asking(serving(revision), tools_lock=lock(serving(revision)), drift="error") as client:
        assert client.call_tool("forecast", {"city": "Rome"}).text == "Rome"


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_changed_description_is_an_error(revision: str, lock: Any) -> None:
    path = lock(serving(revision))
    with pytest.raises(ToolsChanged) as error, asking(serving(revision, "Send mail."), tools_lock=path, drift="error"):
        pass
    assert (error.value.changed, error.value.added, error.value.removed) == (("forecast",), (), ())
    assert f"differ from {path} (changed: 'forecast')" in str(error.value)


def test_a_warning_is_the_default(lock: Any, caplog: pytest.LogCaptureFixture) -> None:
    path = lock(serving("2025-11-25"))
    with (
        caplog.at_level(logging.WARNING, "mcp_bindings"),
        asking(serving("2025-11-25", "Other."), tools_lock=path) as client,
    ):
        assert client.call_tool("forecast", {"city": "Rome"}).text == "Rome"
    assert "(changed: 'forecast')" in caplog.text


def test_ignore_compares_nothing(lock: Any, caplog: pytest.LogCaptureFixture) -> None:
    path = lock(serving("2025-11-25"))
    with asking(serving("2025-11-25", "Other."), tools_lock=path, drift="ignore") as client:
        assert client.connected
    assert "forecast" not in caplog.text


@pytest.mark.parametrize("revision", HANDSHAKE[-1:])
def test_a_later_change_closes_the_connection(revision: str, lock: Any) -> None:
    server, calls = serving(revision), []
    path = lock(server)
    with asking(server, tools_lock=path, drift="error", on_tools_changed=lambda: calls.append(1)) as client:

        def more() -> str:
            return ""

        server.tool(name="more", description="More.")(more)
        eventually(lambda: calls and not client.connected)
        with pytest.raises(ConnectionClosed):
            client.call_tool("forecast", {"city": "Rome"})


@pytest.mark.parametrize("revision", HANDSHAKE[-1:])
@pytest.mark.parametrize("drift", ["warn", "error"])
def test_a_list_that_cannot_be_read_after_a_change(
    revision: str, drift: str, lock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server, calls = serving(revision), []
    path = lock(server)
    with (
        caplog.at_level(logging.WARNING, "mcp_bindings"),
        asking(server, tools_lock=path, drift=drift, on_tools_changed=lambda: calls.append(1)) as client,
    ):

        @server.handler(package(revision).methods.LIST_TOOLS)
        def refuse(params: Any, context: Any) -> Any:
            raise ResponseError(-32000, "out of order")

        server.tool(name="more", description="More.")(refuse_nothing)
        eventually(lambda: calls)
        if drift == "warn":
            assert client.call_tool("forecast", {"city": "Rome"}).text == "Rome"
            assert f"the tools could not be compared with {path}: out of order" in caplog.text
        else:
            with pytest.raises(ConnectionClosed, match=r"could not be compared with .*: out of order"):
                client.call_tool("forecast", {"city": "Rome"})


def test_more_tools_than_are_compared_are_an_error(
    lock: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = serving("2025-11-25")

    def more() -> str:
        return ""

    server.tool(name="more", description="More.")(more)
    path = lock(server)
    with asking(server, tools_lock=path, drift="error") as client:
        assert client.connected
    monkeypatch.setattr(tools_lock_module, "_MAX_TOOLS", 1)
    too_many = "the server lists more than 1 tools, which are not compared with `tools_lock`; pass drift='ignore'"
    with pytest.raises(TooManyTools, match=too_many), asking(server, tools_lock=path, drift="error"):
        pass
    with caplog.at_level(logging.WARNING, "mcp_bindings"), asking(server, tools_lock=path) as client:
        assert client.connected
    assert too_many in caplog.text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "must be a file of the format"),
        ("{}", "mcp-tools-lock/1"),
    ],
)
def test_a_lock_that_is_none(tmp_path: Path, text: str | None, complaint: str) -> None:
    file = tmp_path / "tools.lock.json"
    if text is not None:
        file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=complaint), asking(serving("2025-11-25"), tools_lock=file):
        pass


def test_options_that_do_not_fit(lock: Any) -> None:
    path = lock(serving("2025-11-25"))
    with pytest.raises(UsageError, match="`drift` must be 'ignore', 'warn' or 'error', got 'fail'"):
        asking(serving("2025-11-25"), tools_lock=path, drift="fail").__enter__()
    with pytest.raises(UsageError, match="`drift` needs `tools_lock`"):
        asking(serving("2025-11-25"), drift="error").__enter__()
