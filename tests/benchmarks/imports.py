"""Cost of importing one revision, compared with attrs alone and with the official types package."""

from __future__ import annotations

from benchmarks.page import Row, Table, ratio
from benchmarks.processes import Program, compare

RUNS = 21


def measure(ours: str, peer: str | None) -> Table:
    """Measure imports; ``ours`` and ``peer`` are interpreters with our bindings, and with mcp-types (None if missing)."""
    revisions = ("2024_11_05", "2025_03_26", "2025_06_18", "2025_11_25", "2026_07_28")
    commands = {
        "bare": Program(ours, "pass"),
        "attrs": Program(ours, "import attrs"),
        **{revision: Program(ours, f"import mcp_bindings.v{revision}") for revision in revisions},
    }
    if peer is not None:
        commands |= {"peer bare": Program(peer, "pass"), "peer": Program(peer, "import mcp_types.methods")}
    costs = compare(commands, RUNS)
    bare = costs["bare"]
    attrs_cpu = costs["attrs"].cpu - bare.cpu
    rows: list[Row] = []
    cpu = 0.0
    for revision in revisions:
        name = revision.replace("_", "-")
        cpu = costs[revision].cpu - bare.cpu
        if peer is not None:
            theirs = costs["peer"].cpu - costs["peer bare"].cpu
            rows.append(Row(f"import {name}: CPU of `import mcp_types.methods` / ours", theirs / cpu, "at least 15"))
        rows.append(Row(f"import {name}: ours / CPU of `import attrs`", cpu / attrs_cpu, "below 1"))
        memory = costs[revision].memory - bare.memory
        rows.append(Row(f"import {name}: resident memory beyond the bare interpreter", memory, "at most 5 MiB", "MiB"))
    programs = "one that imports nothing, `import attrs`, "
    programs += "" if peer is None else "`import mcp_types.methods`, "
    return Table(
        "Importing one revision",
        "This benchmark measures how much CPU time and memory a new process needs to import the package of one "
        "revision. The figures exclude the CPU time and the "
        f"memory that a process takes without any import. They are computed from the medians of {RUNS} runs. In each "
        f"run, these programs run one after the other, each in a new process: {programs}and, for each "
        f"revision, the import of its package. Importing the newest revision took {ratio(cpu * 1000)} ms of CPU time.",
        rows,
    )
