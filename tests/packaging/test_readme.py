"""The README's first command, in a copy of the checkout as a clone would be."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from checkout import GENERATED, ROOT

LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "site")


@pytest.mark.skipif("MCP_BINDINGS_DIST" not in os.environ, reason="installs from a registry; run: nox -s build")
def test_one_command_of_the_readme_sets_up_and_regenerates(tmp_path: Path) -> None:
    (command,) = re.findall(r"^python3 .* --version 2025-03-26$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=LEFT_BEHIND)
    types = clone / "generated" / "mcp_bindings" / "v2025_03_26" / "types.py"
    types.unlink()
    done = subprocess.run(["bash", "-c", command], cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "2025-03-26: " in done.stdout
    assert types.read_bytes() == (GENERATED / "v2025_03_26" / "types.py").read_bytes()
