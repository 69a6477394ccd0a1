"""The package for the server of ``weather.json``, as text: ``golden/``."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path

import pytest
from mcp_bindgen.server_clients import generate_server_client

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.resolve().parent))

from support.repair import repair_command  # noqa: E402  # this is a program, too

GOLDEN = HERE / "golden"
MODULES = ("__init__", "client", "converter", "types", "_decoders", "_encoders", "_type_tables", "tools/get_forecast")
"""The compared modules."""


def produced() -> dict[str, str]:
    """The text of each module by the name of its golden file, without the header, which has our version in it."""
    offers = json.loads((HERE / "weather.json").read_text(encoding="utf-8"))
    files = generate_server_client(offers, "weather.json", "weather", has_functions=True).files
    return {f"{name.replace('/', '.')}.txt": files[f"weather/{name}.py"].split("\n", 2)[2] for name in MODULES}


@pytest.mark.parametrize("name", [f"{module.replace('/', '.')}.txt" for module in MODULES])
def test_the_package_is_what_is_expected(name: str) -> None:
    file = GOLDEN / name
    expected = file.read_text(encoding="utf-8") if file.exists() else ""
    found = produced()[name]
    lines = difflib.unified_diff(expected.splitlines(keepends=True), found.splitlines(keepends=True), "expected", "now")
    difference = "".join(lines)
    if difference:
        pytest.fail(
            f"{name}:\n{difference}\nto accept it, run: {repair_command(__file__)}",
            pytrace=False,
        )


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for file_name, text in produced().items():
        (GOLDEN / file_name).write_text(text, encoding="utf-8")
