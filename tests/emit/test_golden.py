"""Small schemas, one feature each, and the code they become: ``golden/<case>/``."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import pytest
from mcp_bindgen.emit.render import render_package
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.repair import repair_command  # this is a program, too

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(folder.name for folder in GOLDEN.iterdir())
PARTS = {
    "types.txt": "v/types.py",
    "decoders.txt": "v/_decoders.py",
    "encoders.txt": "v/_encoders.py",
    "json_writers.txt": "v/_json_writers.py",
    "package.txt": "v/__init__.py",
    "binding.txt": "v/binding.py",
    "client.txt": "v/client.py",
    "server.txt": "v/server.py",
}
"""The files that are compared, by where the expected text lies."""
CONVERSING = {"package.txt", "binding.txt", "client.txt", "server.txt"}
"""Compared where there is a client: the package itself says nothing else of its schema."""


def produced(case: str) -> dict[str, str]:
    """What a case becomes now, without the header, which has our version in it."""
    text = (GOLDEN / case / "schema.ts").read_bytes()
    protocol = resolve_protocol(read_schema(text, "schema.ts"), revision="golden")
    files = render_package(protocol, package="v")
    parts = PARTS.keys() if PARTS["client.txt"] in files else PARTS.keys() - CONVERSING
    return {name: files[path].split("\n", 2)[2] for name, path in PARTS.items() if name in parts}


@pytest.mark.parametrize("case", CASES)
def test_a_schema_becomes_what_is_expected(case: str) -> None:
    for name, code in produced(case).items():
        file = GOLDEN / case / name
        expected = file.read_text(encoding="utf-8") if file.exists() else ""
        difference = "".join(
            difflib.unified_diff(expected.splitlines(keepends=True), code.splitlines(keepends=True), "expected", "now")
        )
        if difference:
            pytest.fail(
                f"{case}/{name}:\n{difference}\nto accept it, run: {repair_command(__file__, case)}",
                pytrace=False,
            )


def test_cases_are_small_and_complete() -> None:
    for case in CASES:
        assert {file.name for file in (GOLDEN / case).iterdir()} == {"schema.ts", *produced(case)}
        assert len((GOLDEN / case / "schema.ts").read_text(encoding="utf-8").splitlines()) < 40


if __name__ == "__main__":
    for chosen in sys.argv[1:] or CASES:
        for part, accepted in produced(chosen).items():
            (GOLDEN / chosen / part).write_text(accepted, encoding="utf-8")
