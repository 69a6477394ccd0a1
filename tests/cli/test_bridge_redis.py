"""Several processes of ``mcp-codegen bridge --redis``, as behind a load balancer."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.calling.bridge_store import RedisAddress, open_store
from support.bridge_programs import MAIN, bridge_program
from support.ports import port_for_a_server
from support.raw_http_client import Wire, call, modern, request
from support.redis_server import RedisServer
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, environment, eventually, program

LATEST = HANDSHAKE[-1]
PASSWORD = "the-password-of-redis"


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


def test_a_session_goes_on_in_another_process_after_the_first_was_killed(redis: RedisServer) -> None:
    command = ["--redis", redis.url, "--", *program("echo.py", LATEST)]
    with bridge_program(*command) as one, bridge_program(*command) as other:
        here, there = Wire(one.port), Wire(other.port)
        here.initialize(LATEST)
        there.headers = here.headers
        assert there.post(call(1, n=1)).text == "1"
        one.kill()
        assert there.post(call(2, n=2)).text == "2"


_ASKING = """\
from pathlib import Path

from mcp_bindings import v{package} as mcp

server = mcp.Server("asking", "1.0", revisions=[mcp.REVISION])


@server.tool
def ask(context: mcp.Context) -> str:
    with Path("runs").open("a") as runs:
        runs.write("run ")
    return str(context.sample("How?", max_tokens=5))


server.run_stdio()
"""
_SAMPLE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "so"}}


def asked(wire: Wire, number: int, before: Any = None) -> Any:
    """Call the tool, or answer its question in a retry; return the response."""
    params: dict[str, Any] = {"name": "ask", "arguments": {}}
    if before is not None:
        params |= {
            "inputResponses": dict.fromkeys(before["result"]["inputRequests"], _SAMPLE),
            "requestState": before["result"]["requestState"],
        }
    message, headers = modern(request("tools/call", number, params), {"sampling": {}})
    body = wire.post(message, **headers).body.decode()
    # A response that takes long is a stream.
    return json.loads(body if body.startswith("{") else body.rpartition("data:")[2])


def test_a_retry_reaches_the_process_that_holds_the_call_as_long_as_it_lives(
    redis: RedisServer, elsewhere: Path
) -> None:
    Path("asking.py").write_text(_ASKING.format(package=LATEST.replace("-", "_")), encoding="utf-8")
    command = ["--redis", redis.url, "--", sys.executable, "asking.py"]
    with bridge_program(*command) as one, bridge_program(*command) as other:
        here, there = Wire(one.port), Wire(other.port)
        answered = asked(there, 2, asked(here, 1))
        assert answered["result"]["content"][0]["text"] == "so"
        assert Path("runs").read_text() == "run "
        waiting = asked(here, 3)
        one.kill()
        process = waiting["result"]["requestState"].partition(":")[0]
        (heartbeat,) = redis.keys(f"*:alive:{process}")
        # Its value is the time until which the process counts as alive, in milliseconds.
        eventually(lambda: int(redis.value(heartbeat)) < time.time() * 1000, 3 * PATIENCE)
        error = asked(there, 4, waiting)["error"]
        assert error["code"] == -32602
        assert "the process that held the call has ended" in error["data"]["reason"]
        assert Path("runs").read_text() == "run run "


def test_a_retry_reaches_the_program_without_sessions_that_has_asked(redis: RedisServer, elsewhere: Path) -> None:
    """Each process has a program of its own, which signs its states with a key of its own."""
    Path("asking.py").write_text(_ASKING.format(package=STATELESS[-1].replace("-", "_")), encoding="utf-8")
    command = ["--redis", redis.url, "--", sys.executable, "asking.py"]
    with bridge_program(*command) as one, bridge_program(*command) as other:
        answered = asked(Wire(other.port), 2, asked(Wire(one.port), 1))
        assert answered["result"]["content"][0]["text"] == "so"


def test_bridges_to_different_servers_share_nothing(redis: RedisServer) -> None:
    with (
        bridge_program("--redis", redis.url, "--", *program("echo.py", LATEST)) as one,
        bridge_program("--redis", redis.url, "--", *program("echo.py", HANDSHAKE[0])) as other,
    ):
        here, there = Wire(one.port), Wire(other.port)
        here.initialize(LATEST)
        there.headers = here.headers
        assert there.post(call(1, n=1)).status == 404


def refused(url: str, *options: str, **variables: str) -> str:
    """Run a bridge that cannot use Redis; return what it prints. It starts no server."""
    command = [
        *MAIN,
        "bridge",
        "--http",
        "0",
        "--redis",
        url,
        *options,
        "--",
        sys.executable,
        "-c",
        "open('started', 'w')",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=3 * PATIENCE, check=False, env={**environment(), **variables}
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert not Path("started").exists()
    return done.stderr


def test_a_redis_that_does_not_answer_is_an_error(elsewhere: Path) -> None:
    text = refused(f"redis://user:{PASSWORD}@127.0.0.1:{port_for_a_server()}/0")
    assert "error: Redis does not answer" in text
    assert PASSWORD not in text


def test_a_wrong_password_is_not_printed(redis: RedisServer, elsewhere: Path) -> None:
    text = refused(f"redis://user:{PASSWORD}@127.0.0.1:{redis.port}/0")
    assert "error: Redis does not answer" in text
    assert PASSWORD not in text


@pytest.mark.parametrize("place", ["redis://{}/0", "redis://bridge@{}/0"])
def test_the_password_comes_from_the_environment(redis: RedisServer, elsewhere: Path, place: str) -> None:
    awkward = "a:b/c@d%e"
    address = RedisAddress(place.format(f"127.0.0.1:{redis.port}"), awkward)
    with protected_by(redis, awkward), closing(open_store(address, {}, None)) as store:
        assert store.client.execute("PING")
    with protected_by(redis, PASSWORD):
        text = refused(address.url, "--redis-password-env", "SECRET", SECRET=awkward)
    assert "error: Redis does not answer" in text
    assert awkward not in text


def test_the_password_of_a_socket_comes_from_the_environment() -> None:
    assert RedisAddress("unix:///run/redis@1.sock?db=1", "a/b").full_url == "unix://:a%2Fb@/run/redis@1.sock?db=1"


@contextmanager
def protected_by(redis: RedisServer, password: str) -> Iterator[None]:
    """Require a password during the block, of the default user and of another one."""
    from redis import Redis

    with Redis(port=redis.port) as client:
        client.config_set("requirepass", password)
        client.execute_command("ACL", "SETUSER", "bridge", "on", f">{password}", "~*", "&*", "+@all")
        try:
            yield
        finally:
            client.config_set("requirepass", "")
            client.execute_command("ACL", "DELUSER", "bridge")


def test_a_url_that_is_not_valid_does_not_show_the_password(elsewhere: Path) -> None:
    text = refused(f"redis://:{PASSWORD}/x@127.0.0.1:6379/0")
    assert "the URL of Redis is not valid" in text
    assert PASSWORD not in text


def test_the_missing_library_is_named_with_the_command_that_installs_it(elsewhere: Path) -> None:
    (elsewhere / "redis.py").write_text("raise ImportError('there is no redis')\n", encoding="utf-8")
    text = refused("redis://127.0.0.1:6379/0", PYTHONPATH=str(elsewhere))
    assert "run: pip install 'mcp-bindings[redis]'" in text
