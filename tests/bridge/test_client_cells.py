"""A client of any revision uses a server of any one revision: each feature, for every pair of revisions, per transport."""

from __future__ import annotations

import pytest
from bridge.client_cells import CHECKS, outcome
from bridge.server_cells import Cell
from bridge.wires import NEAR_PAIRS, PAIRS, Wire, in_memory, over_pipes, over_streamable_http
from support.scripted_peers import package


def check(server: str, client: str, feature: str, wire: Wire) -> None:
    expected = outcome(feature, server, client)
    if expected.kind == "absent":
        return
    made = package(server).Server("s", "1", revisions=[server])
    with wire(made, client) as connect:
        CHECKS[feature](Cell(made, package(server), package(client), connect, expected, wire=server))


@pytest.mark.parametrize("wire", [in_memory, over_streamable_http])
@pytest.mark.parametrize("feature", CHECKS)
@pytest.mark.parametrize(("server", "client"), PAIRS)
def test_each_feature_has_the_outcome_of_its_cell(server: str, client: str, feature: str, wire: Wire) -> None:
    check(server, client, feature, wire)


@pytest.mark.parametrize("feature", CHECKS)
@pytest.mark.parametrize(("server", "client"), NEAR_PAIRS)
def test_each_feature_has_the_outcome_of_its_cell_over_pipes(server: str, client: str, feature: str) -> None:
    check(server, client, feature, over_pipes)
