"""Cost of comparing two revisions, from process start to the report."""

from __future__ import annotations

import itertools
import sys

from mcp_bindgen import catalog

from benchmarks.page import Row, Table, ratio
from benchmarks.processes import Program, compare

RUNS = 5
QUICK = 1


def measure(runs: int = RUNS) -> Table:
    """Compare every bundled revision with every later one, ``runs`` times."""
    pairs = list(itertools.combinations(catalog.revisions(), 2))
    costs = compare({f"{old} to {new}": _command(old, new) for old, new in pairs}, runs)
    slowest = max(costs, key=lambda pair: costs[pair].wall)
    fastest = min(costs, key=lambda pair: costs[pair].wall)
    return Table(
        "Comparing revisions",
        "The command `mcp-codegen diff OLD NEW` reports the changes between two revisions. The benchmark runs it "
        f"for each of the {len(pairs)} pairs of revisions; the goal applies to the slowest pair. The wall time "
        f"is measured from the start of the process to its exit. Each figure is the median of {runs} runs; each run "
        f"compares every pair once. The peak memory of the slowest comparison was {ratio(costs[slowest].memory)} MiB.",
        [
            Row(f"the slowest, {slowest}: wall time", costs[slowest].wall, "at most 1 s", "s"),
            Row(f"the fastest, {fastest}: wall time", costs[fastest].wall, "", "s"),
        ],
    )


def _command(old: str, new: str) -> Program:
    # Without a threshold the status is 0, whatever breaks; all else is done as without the option.
    source = (
        "import runpy, sys\n"
        f"sys.argv = {['mcp-codegen', 'diff', old, new, '--fail-on', 'none']!r}\n"
        "runpy.run_module('mcp_bindgen.cli', run_name='__main__', alter_sys=True)"
    )
    return Program(sys.executable, source)
