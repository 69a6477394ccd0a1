"""Every check that is listed as impossible through the bridge has its row in the documentation."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS, ROOT

Check = dict[str, Any]
CHECKS: list[Check] = tomllib.loads(Path(__file__).with_name("impossible.toml").read_text(encoding="utf-8"))["check"]


def rows() -> set[str]:
    """Return the first cells of the table of what is not bridged."""
    page = (ROOT / "docs" / "bridge.md").read_text(encoding="utf-8")
    table = page.partition("### What is not bridged\n")[2].partition("\n#")[0]
    return {line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")}


@pytest.mark.parametrize("entry", CHECKS, ids=[each["check"] for each in CHECKS])
def test_an_impossible_check_has_a_reason_and_its_row(entry: Check) -> None:
    assert {entry["server"], entry["judged_as"]} <= set(REVISIONS)
    assert entry["server"] != entry["judged_as"]
    assert set(entry["bridge"]) <= {"server", "program"}
    assert entry["row"] in rows()
    assert entry["reason"]
