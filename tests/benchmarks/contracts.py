"""Cost of the commands about the tools of a server, from process start to exit, for a thousand tools."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.page import Row, Table
from benchmarks.processes import Program, compare

RUNS = 5
TOOLS = 1_000
GOAL = "at most 3"

PROFILE = (
    "According to profiles, `client` spends a third of its time on reading the schemas and two thirds on writing "
    "410,000 lines; no single function takes more than 5 % of its time. `diff` spends a fifth of its time on reading "
    "the "
    "schemas, two fifths on comparing the members that differ, and a fifth on finding sample values that one schema "
    "accepts and the other refuses.\n\n"
    "Together, three improvements saved 15 % of the CPU time of `client` and 14 % of the CPU time of `diff`:\n\n"
    "- Both commands pause the garbage collector, which would find nothing to free.\n"
    "- `client` must find out which names the code of a generated module uses, to import them. For this, it no longer "
    "parses the module, but searches its lines for all names that the module might import. If a line occurs several "
    "times, `client` searches it only once.\n"
    "- Each schema is checked for duplicate members and excessive depth only once, instead of once for each "
    "comparison.\n\n"
    "After these improvements, the time of `client` depends mainly on the size of its output, which is about "
    "400 lines and 12 KB for each tool."
)
"""Findings of profiles, for those who want to make it faster."""

Json = dict[str, Any]


def measure(size: int = TOOLS, runs: int = RUNS) -> Table:
    """Measure each command on files with ``size`` tools, so that no server takes part."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        old, new = place / "old.json", place / "new.json"
        tools = [tool(number) for number in range(size)]
        old.write_text(json.dumps({"tools": tools}))
        new.write_text(json.dumps({"tools": [changed(each, number) for number, each in enumerate(tools)]}))
        costs = compare(programs(old, new, place), runs)
    rows = [Row(f"{name}, CPU time", cost.cpu, GOAL, "s") for name, cost in costs.items()]
    rows += [Row(f"{name}, peak memory", cost.memory, "", "MiB") for name, cost in costs.items()]
    about = (
        "This benchmark runs the commands `mcp-codegen tools snapshot`, `mcp-codegen tools diff` and `mcp-codegen "
        f"client` on a list of {size:,} tools, each with five arguments and an output schema. `diff` compares "
        f"this list with a second list, in which each tool has one change. The changes are of {len(CHANGES)} kinds. "
        f"The "
        f"figures cover the whole process of a command, from start to exit. They are medians of {runs} runs, in "
        "which the three commands take turns.\n\n"
        f"{PROFILE}"
    )
    return Table("A thousand tools", about, rows)


def programs(old: Path, new: Path, place: Path) -> Mapping[str, Program]:
    """Return a program for each command."""
    lock, package = str(place / "tools.lock.json"), str(place / "package")
    return {
        "snapshot": _command("tools", "snapshot", str(old), "--output", lock),
        "diff": _command("tools", "diff", str(old), str(new), "--format", "json", "--fail-on", "none"),
        "client": _command("client", "--from", str(old), "--out", package, "--force"),
    }


def _command(*arguments: str) -> Program:
    """Return a run of ``mcp-codegen`` that writes its files anew."""
    removed = [each for flag, each in pairwise(arguments) if flag in {"--output", "--out"}]
    source = (
        "import pathlib, shutil, sys\n"
        f"for each in map(pathlib.Path, {removed!r}):\n"
        "    shutil.rmtree(each) if each.is_dir() else each.unlink(missing_ok=True)\n"
        "from mcp_bindgen.cli import main\n"
        f"sys.argv = {['mcp-codegen', *arguments]!r}\n"
        "sys.exit(main())"
    )
    return Program(sys.executable, source)


def tool(number: int) -> Json:
    """Return a tool; no two are equal but for their names."""
    found = {
        "title": {"type": "string", "description": f"Title of entry {number}."},
        "score": {"type": "number", "minimum": 0},
        "links": {"type": "array", "items": {"type": "string"}},
    }
    return {
        "name": f"search_{number}",
        "description": f"Search catalog {number}.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": f"Words to look for in catalog {number}."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100 + number, "default": 10},
                "order": {"enum": ["ascending", "descending", f"order_{number}"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "area": {
                    "type": "object",
                    "properties": {f"from_{number}": {"type": "number"}, "to": {"type": "number"}},
                    "required": ["to"],
                },
            },
            "required": ["query"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "total": {"type": "integer"},
                "found": {"type": "array", "items": {"type": "object", "properties": found, "required": ["title"]}},
            },
            "required": ["total", "found"],
        },
    }


def changed(old: Json, number: int) -> Json:
    """Return a tool that differs from another one in one place."""
    new = deepcopy(old)
    CHANGES[number % len(CHANGES)](new)
    return new


def _arguments(tool: Json) -> Json:
    found: Json = tool["inputSchema"]["properties"]
    return found


def _found(tool: Json) -> Json:
    found: Json = tool["outputSchema"]["properties"]["found"]["items"]
    return found


def _require_order(tool: Json) -> None:
    tool["inputSchema"]["required"].append("order")


def _remove_an_order(tool: Json) -> None:
    _arguments(tool)["order"]["enum"].pop()


def _lower_the_limit(tool: Json) -> None:
    _arguments(tool)["limit"]["maximum"] -= 50


def _raise_the_limit(tool: Json) -> None:
    _arguments(tool)["limit"]["maximum"] += 50


def _add_a_language(tool: Json) -> None:
    _arguments(tool)["language"] = {"type": "string"}


def _remove_the_tags(tool: Json) -> None:
    del _arguments(tool)["tags"]


def _make_areas_complete(tool: Json) -> None:
    area = _arguments(tool)["area"]
    area["required"] = list(area["properties"])


def _shorten_titles(tool: Json) -> None:
    _found(tool)["properties"]["title"]["maxLength"] = 80


def _make_titles_optional(tool: Json) -> None:
    _found(tool)["required"].clear()


def _describe_anew(tool: Json) -> None:
    tool["description"] += " Slow."


CHANGES: Sequence[Callable[[Json], None]] = (
    _require_order,
    _remove_an_order,
    _lower_the_limit,
    _raise_the_limit,
    _add_a_language,
    _remove_the_tags,
    _make_areas_complete,
    _shorten_titles,
    _make_titles_optional,
    _describe_anew,
)
"""Changes of a tool, in turn."""
