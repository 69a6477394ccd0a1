"""Stores of tokens, and clients in several processes and threads that share one."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_bindings import FileTokens, KeyringTokens, MemoryTokens, OAuth, OAuthError, TokenStore
from mcp_bindings_runtime.auth import token_credentials, token_store
from mcp_bindings_runtime.errors import UsageError
from support.authorization_server import Judge, authorization_server, protected_server
from support.revisions import REVISIONS
from support.scripted_peers import PATIENCE, environment, package

NEW = REVISIONS[-1]


class KeyringError(Exception):
    pass


def keyring() -> Any:
    """Return a module with the interface of the library ``keyring``."""
    entries: dict[tuple[str, str], str] = {}
    module: Any = ModuleType("keyring")
    module.errors = SimpleNamespace(KeyringError=KeyringError)
    module.entries = entries
    module.get_password = lambda service, name: entries.get((service, name))
    module.set_password = lambda service, name, text: entries.update({(service, name): text})
    module.delete_password = lambda service, name: entries.pop((service, name))
    return module


KEYS = st.tuples(st.sampled_from(["", "https://as.example"]), st.sampled_from(["", "https://a.example/mcp"]))
VALUES = st.none() | st.dictionaries(st.text(max_size=5), st.none() | st.text(max_size=5) | st.integers(), max_size=3)


@settings(max_examples=30)
@given(changes=st.lists(st.tuples(KEYS, VALUES), max_size=12))
def test_all_stores_keep_what_was_put_last(changes: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "keyring", keyring())
        stores: list[TokenStore] = [
            MemoryTokens(),
            FileTokens(tmp_path_factory.mktemp("store") / "tokens.json"),
            KeyringTokens(),
        ]
    expected: dict[Any, Any] = {}
    for key, value in changes:
        expected[key] = value
        for store in stores:
            store.put(*key, value)
            for each, last in expected.items():
                assert store.get(*each) == last


def test_a_keyring_that_is_locked_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    library = keyring()
    monkeypatch.setitem(sys.modules, "keyring", library)
    store = KeyringTokens("mine")
    store.put("i", "r", {"a": 1})
    assert library.entries == {("mine", "i r"): '{"a": 1}'}
    library.entries["mine", "i r"] = "of another program"
    assert store.get("i", "r") is None

    def locked(*_: str) -> str:
        raise KeyringError("locked")  # noqa: EM101  # the message of the library

    library.get_password = library.set_password = locked
    with pytest.raises(OAuthError, match="the keyring cannot be read: locked"):
        store.get("i", "r")
    with pytest.raises(OAuthError, match="the keyring cannot be written: locked"):
        store.put("i", "r", {})


@pytest.fixture
def real_keyring() -> Iterator[Any]:
    """Return the library ``keyring``, with a backend that keeps passwords in memory."""
    library = pytest.importorskip("keyring", reason="needs keyring; run: pip install keyring")

    class InMemory(library.backend.KeyringBackend):  # type: ignore[misc]  # the library is not typed
        priority = 1

        def __init__(self) -> None:
            super().__init__()
            self.passwords: dict[tuple[str, str], str] = {}

        def get_password(self, service: str, username: str) -> str | None:
            return self.passwords.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.passwords[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            if self.passwords.pop((service, username), None) is None:
                raise library.errors.PasswordDeleteError(username)

    before = library.get_keyring()
    library.set_keyring(InMemory())
    yield library
    library.set_keyring(before)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(changes=st.lists(st.tuples(KEYS, VALUES), max_size=12))
def test_the_real_library_keeps_what_was_put_last(real_keyring: Any, changes: Any) -> None:
    store, expected = KeyringTokens(), dict[Any, Any]()
    for key in {key for key, _ in changes}:
        store.put(*key, None)
    for key, value in changes:
        expected[key] = value
        store.put(*key, value)
        for each, last in expected.items():
            assert store.get(*each) == last


def test_a_login_is_kept_in_the_real_library(real_keyring: Any, protected: tuple[str, Judge]) -> None:
    url, judge = protected
    for _ in range(2):
        auth = OAuth(store=KeyringTokens("mine"), open_url=visit)
        with package(NEW).Client.http(url, auth=auth, timeout=PATIENCE) as client:
            assert client.call_tool("whoami").text == "ada"
    assert judge.requests["/authorize"] == 1
    entries = real_keyring.get_keyring().passwords
    assert {service for service, _ in entries} == {"mine"}
    assert any(token in text for text in entries.values() for token in judge.tokens)


def test_a_real_keyring_that_is_missing_or_locked_is_reported(
    real_keyring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = KeyringTokens()

    def locked(*_: str) -> str:
        raise real_keyring.errors.KeyringLocked("locked")  # noqa: EM101  # the message of the library

    for name in ("get_password", "set_password"):
        monkeypatch.setattr(real_keyring.get_keyring(), name, locked)
    with pytest.raises(OAuthError, match="the keyring cannot be read: locked"):
        store.get("i", "r")
    with pytest.raises(OAuthError, match="the keyring cannot be written: locked"):
        store.put("i", "r", {"a": 1})
    # A machine without any keyring, such as a container.
    from keyring.backends.fail import Keyring

    real_keyring.set_keyring(Keyring())
    with pytest.raises(OAuthError, match="the keyring cannot be read: No recommended backend was available"):
        store.get("i", "r")


def test_a_keyring_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(UsageError, match="pip install keyring"):
        KeyringTokens()


HOLDER = """
import sys
from mcp_bindings import FileTokens
with FileTokens(sys.argv[1]).lock():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_lock_that_another_process_keeps_has_a_limit(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokens.json"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    store = FileTokens(path)
    monkeypatch.setattr(token_store, "_LOCKED", 0.1)
    with pytest.raises(OAuthError, match=r"is locked by another process for more than 0\.1 s"):
        store.put("i", "r", {})
    holder.communicate("")
    store.put("i", "r", {"a": 1})
    assert store.get("i", "r") == {"a": 1}


# Clients that share tokens.


def visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=20) as response:
        response.read()


@pytest.fixture
def protected() -> Iterator[tuple[str, Judge]]:
    server = package(NEW).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    with authorization_server() as (issuer, judge), protected_server(server, issuer, judge) as url:
        yield url, judge


CALLER = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
from mcp_bindings import FileTokens, OAuth, v{NEW.replace("-", "_")} as mcp

def refuse(url):
    raise AssertionError("the user is bothered")

url, path = sys.argv[1:]
with mcp.Client.http(url, auth=OAuth(store=FileTokens(path), open_url=refuse), timeout=60) as client:
    print("ready", flush=True)
    with ThreadPoolExecutor(32) as pool:
        for line in sys.stdin:
            users = pool.map(lambda _: client.call_tool("whoami").text, range(32))
            print(*users, flush=True)
"""


def test_two_processes_with_32_threads_each_refresh_a_token_of_their_file_once(
    protected: tuple[str, Judge], tmp_path: Any
) -> None:
    url, judge = protected
    path = tmp_path / "tokens.json"
    with package(NEW).Client.http(url, auth=OAuth(store=FileTokens(path), open_url=visit), timeout=PATIENCE) as client:
        client.call_tool("whoami")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CALLER, url, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        for _ in range(2)
    ]
    for each in processes:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for rounds in (1, 2):
        judge.tokens.clear()
        for each in processes:
            assert each.stdin is not None
            each.stdin.write("call\n")
            each.stdin.flush()
        for each in processes:
            assert each.stdout is not None
            assert each.stdout.readline().split() == ["ada"] * 32
        assert (judge.requests["refresh_token"], judge.replayed) == (rounds, 0)
    for each in processes:
        each.communicate()
    assert judge.requests["/authorize"] == 1


def test_threads_with_a_valid_token_do_not_wait_for_a_refresh(
    protected: tuple[str, Judge], monkeypatch: pytest.MonkeyPatch
) -> None:
    """32 threads share a client. One refreshes early, and is kept waiting; the others go on with the old token."""
    url, judge = protected
    refreshing, go = threading.Event(), threading.Event()

    def hold() -> None:
        refreshing.set()
        go.wait(PATIENCE)

    judge.before_refresh = hold
    with (
        package(NEW).Client.http(url, auth=OAuth(open_url=visit), timeout=PATIENCE) as client,
        ThreadPoolExecutor(32) as pool,
    ):
        assert client.call_tool("whoami").text == "ada"
        # Half a minute before its expiry.
        later = time.time() + judge.lifetime - 30 - time.monotonic()
        monkeypatch.setattr(token_credentials, "time", lambda: later + time.monotonic())
        calls = [pool.submit(lambda: client.call_tool("whoami").text) for _ in range(32)]
        assert refreshing.wait(PATIENCE)
        answered = as_completed(calls, timeout=PATIENCE)
        # All but the thread that refreshes are answered while it waits.
        assert [next(answered).result() for _ in range(31)] == ["ada"] * 31
        go.set()
        assert next(answered).result() == "ada"
    assert judge.requests["refresh_token"] == 1
