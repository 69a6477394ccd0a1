"""The tables of the page on bridges are those of the cells that the tests check."""

from __future__ import annotations

import runpy

import pytest
from bridge.client_cells import CHECKS
from bridge.server_cells import FEATURES, outcome
from bridge.wires import PAIRS
from checkout import ROOT

WRITER = runpy.run_path(str(ROOT / "docs" / "bridge_tables.py"))


def test_the_tables_are_what_would_be_written_now() -> None:
    assert WRITER["PAGE"].read_text(encoding="utf-8") == WRITER["page"](), "run: nox -s options"


def test_the_client_s_side_has_the_features_of_the_server_s() -> None:
    assert CHECKS.keys() == FEATURES.keys()


@pytest.mark.parametrize("feature", FEATURES)
def test_each_feature_is_one_of_some_pair_of_different_revisions(feature: str) -> None:
    assert any(outcome(feature, *pair).kind != "absent" for pair in PAIRS if pair[0] != pair[1])
