"""Tables of ``bindings/between_revisions``: changes from each revision to the next, and their effects."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen
from checkout import REVISIONS, ROOT
from support import error_texts
from support.differences import Difference, differences
from support.official_schemas import ours
from support.oracle import Path as Keys
from support.verdicts import Sent

FOLDER = ROOT / "tests" / "bindings" / "between_revisions"

Step = tuple[str, str]
STEPS: list[Step] = list(itertools.pairwise(REVISIONS))

_KNOWN = {"what", "of", "message", "type", "answers", "sender", "place", "before", "after"}


@frozen
class Entry:
    """An entry of a table."""

    step: Step
    what: str
    of: tuple[str, ...]
    sent: Sent
    places: tuple[Keys, ...]
    verdicts: tuple[str, str]
    """For the older revision, and for the newer one."""

    @property
    def differences(self) -> list[Difference]:
        """Differences that match the entry."""
        return [each for each in found(self.step) if any(fits(pattern, each) for pattern in self.of)]


def fits(pattern: str, difference: Difference) -> bool:
    """Return whether a pattern, in which ``*`` matches anything, matches a difference."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), str(difference)) is not None


@cache
def found(step: Step) -> list[Difference]:
    """Return the differences between two bundled revisions."""
    return differences(ours(step[0]), ours(step[1]))


def file_of(step: Step) -> Path:
    """Return the path of the table for two successive revisions."""
    return FOLDER / f"{step[0]}_{step[1]}.toml"


def _read(step: Step) -> dict[str, Any]:
    """Return the table of a step; one without entries for a missing file, so that the tests name what to write."""
    file = file_of(step)
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {"differences": 0, "change": []}


def counted(step: Step) -> int:
    """Return the number of differences that the table states."""
    count: int = _read(step)["differences"]
    return count


@cache
def table(step: Step) -> list[Entry]:
    """Return the entries of the table."""
    text = _read(step)
    return [_entry(step, each, text.get("short", {})) for each in text["change"]]


def _entry(step: Step, written: dict[str, Any], short: dict[str, str]) -> Entry:
    assert written.keys() <= _KNOWN, f"{written['what']}: {written.keys() - _KNOWN}"
    message = written["message"]
    for name, meant in short.items():
        message = message.replace(f" {name}", f" {meant}")
    sent = Sent(json.loads(message), written.get("type"), written.get("answers"), written.get("sender"))
    places = [written["place"]] if isinstance(written["place"], str) else written["place"]
    verdicts = (written["before"], written["after"])
    return Entry(step, written["what"], tuple(written["of"]), sent, tuple(map(keys_of, places)), verdicts)


def keys_of(path: str) -> Keys:
    """Return the keys of a path such as ``$.params._meta["odd key"][0]``."""
    parts = re.findall(r'\.([\w$]+)|\[(\d+)\]|\["([^"]*)"\]', path)
    keys = tuple(int(index) if index else name or odd for name, index, odd in parts)
    assert error_texts.path_text(keys) == path, f"{path} is no place"
    return keys
