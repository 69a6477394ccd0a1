"""No conversation waits for ever, and none is left to the next test.

Where a test hangs, all threads say where they are, and the run ends. Where one fails, its connections are closed. Tests
that look at the threads that are left see their own.
"""

from __future__ import annotations

import faulthandler
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from mcp_bindings_runtime.connection.connection import Connection
from support.redis_server import RedisServer
from support.scripted_peers import pass_over_threads_of_earlier_tests


@pytest.fixture(autouse=True)
def _deadline() -> Iterator[None]:
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made: list[weakref.ref[Connection]] = []
    init = Connection.__init__

    def remember(self: Connection, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        made.append(weakref.ref(self))

    monkeypatch.setattr(Connection, "__init__", remember)
    pass_over_threads_of_earlier_tests()
    yield
    for each in made:
        connection = each()
        if connection is not None:
            connection.close()


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def stores(redis: RedisServer, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Makes stores, each of which is to the others what that of another process is."""
    from mcp_bindings_runtime.http.redis.store import RedisStore

    with ExitStack() as made:

        def make(**options: Any) -> Any:
            store = RedisStore(redis.url, **{"prefix": f"{request.node.name}:", "timeout": 2.0, **options})
            made.callback(store.close)
            return store

        yield make
