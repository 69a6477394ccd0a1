"""The files that CONTRIBUTING.md says to open exist."""

from __future__ import annotations

import re
from pathlib import Path

from checkout import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGES = ("codegen/mcp_bindgen", "codegen/mcp_bindings_runtime")


def named(folder: str) -> list[Path]:
    """Return the files that the table of a package names; those of templates and of the generator count everywhere."""
    table = PAGE.partition(f"In `{folder}/`:")[2].partition("\nIn `")[0]
    cells = [line.split(" | ")[1] for line in table.splitlines() if line.startswith("| ") and " | `" in line]
    return [Path(name) for cell in cells for name in re.findall(r"`([\w./]+)`", cell)]


def test_the_files_to_open_exist():
    for folder in PACKAGES:
        found = named(folder)
        assert len(found) > 5
        places = (ROOT / folder, ROOT / PACKAGES[0], ROOT)
        assert [file for file in found if not any((place / file).exists() for place in places)] == []
