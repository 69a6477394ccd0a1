"""The memory of DPoP proofs: none is accepted twice, whatever is sent in whatever order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.auth.resource_server import proof_memory
from mcp_bindings_runtime.auth.resource_server.proof_memory import PROOF_LIFETIME, ProofMemory
from mcp_bindings_runtime.auth.resource_server.token_validator import ValidatorUnavailable

PROOFS = st.tuples(st.sampled_from("ab"), st.integers(0, 30).map(str), st.floats(-400, 300), st.floats(0, 40))


def clock(patch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000_000.0]
    patch.setattr(proof_memory, "time", lambda: now[0])
    return now


@given(proofs=st.lists(PROOFS, max_size=60), limit=st.integers(1, 8))
def test_no_proof_is_accepted_twice(proofs: Any, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        now = clock(patch)
        patch.setattr(proof_memory, "MAX_PROOFS_OF_KEY", limit)
        patch.setattr(proof_memory, "_FEW_KEYS", 1)
        memory, accepted = ProofMemory(), dict[Any, float]()
        for key, jti, age, pause in proofs:
            now[0] += pause
            issued_at = now[0] + age
            # The holder of a key may repeat a `jti` in another proof; the same proof has the same time.
            issued_at = accepted.get((key, jti), issued_at)
            if memory.add(key, jti, issued_at):
                assert (key, jti) not in accepted
                assert issued_at > now[0] - PROOF_LIFETIME
                accepted[key, jti] = issued_at
            assert len(memory) <= 2 * limit


@given(st.lists(st.floats(-299, 300), min_size=1, max_size=20))
def test_fresh_proofs_are_accepted_in_any_order(ages: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        now = clock(patch)
        memory = ProofMemory()
        for number, age in enumerate(ages):
            assert memory.add("key", str(number), now[0] + age)
            assert memory.add("other key", str(number), now[0] + age)
            assert not memory.add("key", str(number), now[0] + age)


def test_so_many_proofs_of_a_key_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock(monkeypatch)
    monkeypatch.setattr(proof_memory, "MAX_PROOFS_OF_KEY", 3)
    memory = ProofMemory()
    for number in range(10):
        now[0] += 1
        assert memory.add("key", str(number), now[0])
    assert len(memory) == 3
    # Those that were forgotten are refused, and so is a late one; other keys are not concerned.
    assert not any(memory.add("key", str(number), now[0] - 9 + number) for number in range(10))
    assert not memory.add("key", "late", now[0] - 8)
    assert memory.add("other key", "late", now[0] - 8)


def test_so_many_proofs_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock(monkeypatch)
    monkeypatch.setattr(proof_memory, "MAX_PROOFS", 2)
    memory = ProofMemory()
    assert memory.add("a", "1", now[0])
    assert memory.add("b", "1", now[0] + 1)
    with pytest.raises(ValidatorUnavailable, match="too many proofs"):
        memory.add("c", "1", now[0])
    # A key that is known goes on.
    assert memory.add("b", "2", now[0] + 2)
    now[0] += PROOF_LIFETIME + 3
    assert memory.add("c", "1", now[0])
    assert len(memory) == 1


def test_keys_without_proofs_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock(monkeypatch)
    monkeypatch.setattr(proof_memory, "_FEW_KEYS", 4)
    memory = ProofMemory()
    for number in range(100):
        now[0] += 2 * PROOF_LIFETIME
        assert memory.add(f"key {number}", "1", now[0])
        assert len(memory._keys) <= 4
