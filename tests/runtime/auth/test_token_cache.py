"""Valid tokens are remembered for a while, as digests, up to a number."""

from __future__ import annotations

from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_bindings import Caller
from mcp_bindings_runtime.auth.resource_server import token_cache
from mcp_bindings_runtime.auth.resource_server.token_cache import MAX_VALIDATIONS, TokenCache
from support.scripted_peers import eventually


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return the clock of the cache, which tests set."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(token_cache, "time", lambda: clock.now)
    return clock


def counting(**options: Any) -> tuple[list[str], Any]:
    asked: list[str] = []

    def validate(token: str) -> Caller:
        asked.append(token)
        return Caller("ada", **options)

    return asked, validate


def test_a_valid_token_is_validated_again_after_the_lifetime(clock):
    asked, validate = counting()
    cache = TokenCache(validate, 60)
    for now, times in ((1000, 1), (1059, 1), (1060, 2), (1119, 2), (1120, 3)):
        clock.now = now
        caller = cache.find("t") or cache.validated("t")
        assert (caller.principal, len(asked)) == ("ada", times)


def test_a_token_is_not_remembered_beyond_its_expiry(clock):
    asked, validate = counting(expires_at=1010.0)
    cache = TokenCache(validate, 60)
    cache.validated("t")
    clock.now = 1009.0
    assert cache.find("t") is not None
    clock.now = 1010.0
    assert cache.find("t") is None
    assert asked == ["t"]


def test_so_many_tokens_are_remembered(monkeypatch):
    monkeypatch.setattr(token_cache, "MAX_TOKENS", 3)
    _, validate = counting()
    cache = TokenCache(validate, 60)
    for each in ("a", "b", "c", "a", "d"):
        cache.validated(each)
    assert len(cache) == 3
    assert cache.find("a") is None
    assert all(cache.find(each) is not None for each in ("b", "c", "d"))


def test_no_token_is_kept():
    secret = "a token of " + "".join(map(chr, range(97, 110)))
    cache = TokenCache(counting()[1], 60)
    cache.validated(secret)
    assert [len(each) for each in cache._callers] == [32]
    assert not any(isinstance(each, bytes) and each in secret.encode() for each in cache._callers)


def test_so_many_tokens_are_validated_at_the_same_time():
    running: list[str] = []
    go_on = Event()

    def validate(token: str) -> Caller:
        running.append(token)
        assert go_on.wait(30)
        return Caller(token)

    cache = TokenCache(validate, 60)
    threads = [Thread(target=cache.validated, args=(str(number),)) for number in range(MAX_VALIDATIONS + 3)]
    for each in threads:
        each.start()
    eventually(lambda: len(running) == MAX_VALIDATIONS)
    # A place is free only when a validation has ended.
    assert cache._validating.acquire(blocking=False) is False
    go_on.set()
    for each in threads:
        each.join(30)
    assert sorted(running, key=int) == [str(number) for number in range(MAX_VALIDATIONS + 3)]


@pytest.mark.parametrize("valid", [True, False])
def test_requests_with_the_same_token_share_one_validation(valid: bool):
    asked: list[str] = []
    begun, go_on = Event(), Event()

    def validate(token: str) -> Caller:
        asked.append(token)
        begun.set()
        assert go_on.wait(30)
        if not valid:
            raise PermissionError(token)
        return Caller("ada")

    outcomes: list[str | None] = []

    def ask() -> None:
        try:
            outcomes.append(cache.validated("t").principal)
        except PermissionError:
            outcomes.append(None)

    cache = TokenCache(validate, 60)
    threads = [Thread(target=ask) for _ in range(4)]
    threads[0].start()
    assert begun.wait(30)
    for each in threads[1:]:
        each.start()
    # Whoever has looked the token up waits for the validation that runs.
    eventually(lambda: waiting(cache) == len(threads) - 1)
    go_on.set()
    for each in threads:
        each.join(30)
    assert outcomes == ["ada" if valid else None] * len(threads)
    assert (asked, cache._running) == (["t"], {})


def waiting(cache: TokenCache) -> int:
    """Return how many threads wait for validations of others."""
    # Only the private parts of a Future tell.
    return sum(len(each._condition._waiters) for each in cache._running.values())  # type: ignore[attr-defined]


def test_a_valid_token_does_not_wait_for_the_validation_of_others():
    go_on, running = Event(), []

    def validate(token: str) -> Caller:
        if token != "known":
            running.append(token)
            assert go_on.wait(30)
        return Caller(token)

    cache = TokenCache(validate, 60)
    cache.validated("known")
    threads = [Thread(target=cache.validated, args=(str(number),)) for number in range(MAX_VALIDATIONS)]
    for each in threads:
        each.start()
    eventually(lambda: len(running) == MAX_VALIDATIONS)
    answered: list[Caller] = []
    user = Thread(target=lambda: answered.append(cache.validated("known")))
    user.start()
    user.join(30)
    assert [each.principal for each in answered] == ["known"]
    go_on.set()
    for each in threads:
        each.join(30)
