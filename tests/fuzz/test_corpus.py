"""What fuzzing found once, texts that do their worst, and some of every kind that fuzzing tries, stay right."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fuzz.mutating import mutated, seeds
from fuzz.promises import PACKAGES, check

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.bin")), ids=lambda path: path.name)
def test_what_was_found_is_mended(path: Path) -> None:
    check(path.read_bytes(), path.name[:10])


@pytest.mark.parametrize("revision", PACKAGES)
def test_mutated_messages_are_taken_or_refused_as_promised(revision: str) -> None:
    random = Random(revision)
    source = seeds(revision, random)
    verdicts = [check(mutated(next(source), next(source), random), revision) for _ in range(300)]
    assert 10 < sum(verdicts) < 290


@pytest.mark.parametrize("revision", PACKAGES)
def test_messages_are_taken(revision: str) -> None:
    source = seeds(revision, Random(revision))
    assert all(check(next(source), revision) for _ in range(100))
