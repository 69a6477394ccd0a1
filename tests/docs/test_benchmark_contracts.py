"""The thousand tools of the benchmark: every change is one, and every command does its work."""

from __future__ import annotations

from benchmarks.contracts import CHANGES, changed, measure, tool
from mcp_bindgen.contracts.contract import Listing, contract_of
from mcp_bindgen.diff.tools.comparison import compare_contracts


def test_every_tool_has_one_change_that_is_decided() -> None:
    old = [tool(number) for number in range(len(CHANGES))]
    new = [changed(each, number) for number, each in enumerate(old)]
    contracts = [contract_of(Listing("tools", lists={"tools": each})) for each in (old, new)]
    changes = compare_contracts(*contracts).changes
    assert len({each.subject.partition(".")[0] for each in changes}) == len(changes) == len(CHANGES)
    assert {each.verdict for each in changes} == {"breaking", "risky", "compatible"}


def test_each_command_is_measured() -> None:
    table = measure(size=3, runs=1)
    assert [row.name for row in table.rows if row.goal] == [
        "snapshot, CPU time",
        "diff, CPU time",
        "client, CPU time",
    ]
