"""Limits over HTTP: they are of who asks, and not of a session, of which anybody can begin many."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindings_runtime.features import limits
from mcp_bindings_runtime.features.limits import Limits
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.client_address import client_address
from support.echo_server import echo_server
from support.raw_http_client import Wire, call, endpoint, modern
from support.revisions import HANDSHAKE, STATELESS

KNOWN = {"of-ada": "ada", "of-bob": "bob"}


def still() -> float:
    """A clock that stands still, so that nothing comes back."""
    return 100.0


def refused(port: int, revision: str, **headers: str) -> bool:
    """Whether a call is refused that somebody makes who has just come."""
    wire = Wire(port, **headers)
    if revision in STATELESS:
        message, more = modern(call(1, n=1))
        answer = wire.post(message, **more)
    else:
        wire.initialize(revision)
        answer = wire.post(call(1, n=1))
    assert answer.status == 200
    return bool(answer.json["result"].get("isError"))


@pytest.mark.parametrize("revision", [HANDSHAKE[-1], STATELESS[-1]])
def test_calls_count_whatever_session_they_come_in(revision: str) -> None:
    server, seen = echo_server(revision, limits=Limits(tool_calls=1, burst=2, clock=still))
    with endpoint(server) as wire:
        assert [refused(wire.port, revision) for _ in range(4)] == [False, False, True, True]
    assert seen.begun == 2


@pytest.mark.parametrize("revision", [HANDSHAKE[-1], STATELESS[-1]])
def test_each_principal_has_limits_of_their_own(revision: str) -> None:
    server, _ = echo_server(revision, limits=Limits(tool_calls=1, burst=1, clock=still))
    authorization = Authorization(
        KNOWN.get, resource="http://127.0.0.1/mcp", authorization_servers=["https://login.example.com"]
    )
    with endpoint(server, authorization=authorization) as wire:
        found = [
            refused(wire.port, revision, Authorization=f"Bearer of-{name}") for name in ("ada", "ada", "bob", "bob")
        ]
    assert found == [False, True, False, True]


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("a:socket", "a:socket"),
        ("", ""),
        (None, ""),
    ],
)
def test_an_address_is_what_a_client_cannot_choose_of_it(address: str | None, source: str) -> None:
    environ: dict[str, Any] = {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}
    assert client_address(environ if address is None else {**environ, "REMOTE_ADDR": address}) == source


def test_a_principal_is_told_from_an_address_of_the_same_name() -> None:
    limited = Limits(tool_calls=1, burst=1, clock=still)
    for principal in (True, False):
        bucket = limited.bucket_of("tools/call", "192.0.2.7", principal=principal)
        assert bucket is not None
        assert bucket.acquire() == 0.0
        assert bucket.acquire() > 0.0


def test_so_many_requestors_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_REQUESTORS", 3)
    limited = Limits()
    kept = [limited.bucket_of("tools/call", name, principal=True) for name in ("a", "b", "c")]
    assert limited.bucket_of("tools/call", "a", principal=True) is kept[0]
    limited.bucket_of("tools/call", "d", principal=True)
    assert limited.bucket_of("tools/call", "a", principal=True) is kept[0]
    assert limited.bucket_of("tools/call", "b", principal=True) is not kept[1]
