"""The modules of ``mcp_bindings`` are its attributes, without an import of their own."""

from __future__ import annotations

import subprocess
import sys

import mcp_bindings
import pytest

SUBMODULES = ["adapters", "bridge", "connect", "serve", "testing"]


def output(program: str) -> str:
    """Return what a program prints in a new process, in which nothing is imported yet."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SUBMODULES)
def test_a_module_is_imported_on_first_use(name: str) -> None:
    program = f"""
import sys, mcp_bindings
print("mcp_bindings.{name}" in sys.modules, mcp_bindings.{name}.__name__, sys.modules["mcp_bindings.{name}"] is mcp_bindings.{name})
"""
    assert output(program).split() == ["False", f"mcp_bindings.{name}", "True"]


def test_importing_the_package_imports_none_of_its_modules() -> None:
    program = (
        "import sys, mcp_bindings\nprint(*sorted(each for each in sys.modules if each.startswith('mcp_bindings')))"
    )
    assert output(program).split() == ["mcp_bindings"]


def test_its_modules_are_listed_once_before_and_after_their_use() -> None:
    program = "import mcp_bindings\nprint(*dir(mcp_bindings))\nmcp_bindings.connect\nprint(*dir(mcp_bindings))"
    for line in output(program).splitlines():
        assert [name for name in line.split() if name in SUBMODULES] == SUBMODULES


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'mcp_bindings' has no attribute 'conect'"):
        _ = mcp_bindings.conect
