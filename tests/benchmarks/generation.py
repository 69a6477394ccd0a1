"""Cost of generating, from process start to files written, compared with datamodel-code-generator."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mcp_bindgen import catalog
from mcp_bindgen.emit.render import render_package
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

from benchmarks.page import Row, Table, ratio
from benchmarks.processes import Program, compare

RUNS = 5
LARGEST = "2026-07-28"
STAGES = 11


def measure(upstream: Path | None) -> list[Table]:
    """Measure generation; ``upstream`` holds the schema.json files for the other generator, None if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        programs = {
            revision: _command("mcp_bindgen.cli", target / "one", "--version", revision, "--out")
            for revision in catalog.revisions()
        }
        programs["all"] = _command("mcp_bindgen.cli", target / "all", "--version", "all", "--out")
        programs["libraries"] = Program(
            sys.executable, "import attrs, click, jinja2, tree_sitter, tree_sitter_typescript"
        )
        for revision in catalog.revisions() if upstream is not None else ():
            assert upstream is not None
            programs[f"peer {revision}"] = _command(
                "datamodel_code_generator",
                target / f"peer_{revision}.py",
                *("--output-model-type", "dataclasses.dataclass", "--input-file-type", "jsonschema"),
                *("--input", str(upstream / revision / "schema.json"), "--output"),
            )
        costs = compare(programs, RUNS)
    rows: list[Row] = []
    for revision in catalog.revisions():
        peer = costs.get(f"peer {revision}")
        if peer is not None:
            own = costs[revision]
            rows.append(Row(f"{revision}: wall time of datamodel-codegen / ours", peer.wall / own.wall, "at least 10"))
            rows.append(
                Row(f"{revision}: peak memory of ours / datamodel-codegen's", own.memory / peer.memory, "at most 0.5")
            )
    largest = costs[LARGEST]
    rows.append(
        Row(
            f"wall time of ours: all five revisions in one process / {LARGEST} alone",
            costs["all"].wall / largest.wall,
            "at most 3",
        )
    )
    peer = costs.get(f"peer {LARGEST}")
    if peer is not None:
        share = 100 * costs["libraries"].wall / peer.wall
        rows.append(
            Row("importing click, Jinja, attrs and tree-sitter, as a share of datamodel-codegen's run", share, "", "%")
        )
    rows.append(
        Row(
            "importing click, Jinja, attrs and tree-sitter, as a share of our run",
            100 * costs["libraries"].wall / largest.wall,
            "",
            "%",
        )
    )
    about = (
        "For each revision, this benchmark generates the Python package with our generator, and dataclasses from "
        "the official `schema.json` with datamodel-codegen. The *wall time* lasts from the start of the process "
        "to its exit. The goal for the wall time of our generator is at most a tenth of datamodel-codegen's. Our "
        "generator cannot reach this goal, because merely importing the libraries that it needs takes most of this "
        "tenth, as the last row but one shows. "
        "All figures are "
        f"computed from medians of {RUNS} runs, in which the programs take turns. For {LARGEST}, our generator took "
        f"{ratio(largest.wall)} s, and {ratio(largest.memory)} MiB of memory at its peak."
    )
    return [Table("Generating", about, rows), _stages(LARGEST)]


def _command(module: str, target: Path, *options: str) -> Program:
    """Return ``python -m module options target``, after removal of the target, so that every run writes files."""
    source = (
        f"import runpy, shutil, sys, warnings; shutil.rmtree({str(target)!r}, ignore_errors=True)\n"
        "warnings.simplefilter('ignore')\n"
        f"sys.argv = {[module, *options, str(target)]!r}\n"
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return Program(sys.executable, source)


def _stages(revision: str) -> Table:
    """Return the share of each stage within one process, and the size of the output."""
    data = catalog.schema_file(revision).read_bytes()
    seconds: dict[str, list[float]] = {
        "reading the schema": [],
        "resolving names and types": [],
        "writing the text of the files": [],
    }
    files: dict[str, str] = {}
    for _ in range(STAGES):
        marks = [time.perf_counter()]
        module = read_schema(data, "schema.ts")
        marks.append(time.perf_counter())
        protocol = resolve_protocol(module, revision=revision, base=revision)
        marks.append(time.perf_counter())
        files = render_package(protocol, package="v")
        marks.append(time.perf_counter())
        for stage, start, end in zip(seconds, marks, marks[1:], strict=False):
            seconds[stage].append(end - start)
    medians = {stage: sorted(each)[STAGES // 2] for stage, each in seconds.items()}
    whole = sum(medians.values())
    rows = [Row(f"share of the time: {stage}", 100 * each / whole, "", "%") for stage, each in medians.items()]
    rows.append(Row("time: reading the schema", 1000 * medians["reading the schema"], "", "ms"))
    rows.append(Row("lines written", sum(text.count("\n") for text in files.values()), "", "lines"))
    rows.append(Row("bytes written", sum(len(text.encode()) for text in files.values()) / 1024, "", "KiB"))
    return Table(
        f"Stages of generating the package of {revision}",
        "Generating code has three stages: reading the schema, resolving its names and types, and writing the text of "
        "the "
        f"files. The figures are medians of {STAGES} runs in one process.",
        rows,
    )


def has_judge() -> bool:
    """Return whether datamodel-code-generator is installed."""
    command = [sys.executable, "-c", "import datamodel_code_generator"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
