"""Commands that failing tests print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT
from support.repair import repair_command

TESTS = ROOT / "tests"


def test_the_interpreter_and_the_program_are_relative_to_the_working_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".nox" / "environment-3-11" / "bin" / "python"))
    command = repair_command(str(tmp_path / "tests" / "test_golden.py"), "a case")
    assert command == ".nox/environment-3-11/bin/python tests/test_golden.py 'a case'"


def test_an_interpreter_elsewhere_has_its_whole_path(monkeypatch, tmp_path):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert repair_command(str(tmp_path / "below" / "test_golden.py")) == f"{tmp_path / 'python'} test_golden.py"


@pytest.mark.skipif(sys.platform == "win32", reason="quotes commands for a POSIX shell")
def test_the_command_runs_when_it_is_copied(monkeypatch, tmp_path):
    program = tmp_path / "a program.py"
    program.write_text("import sys, pytest\nprint(sys.argv[1:])\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = subprocess.run(
        repair_command(str(program), "x y"), shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['x y']\n"


def test_no_test_prints_a_command_that_needs_the_right_interpreter_on_the_path():
    printed = re.compile(r"run: python \w")
    found = [
        str(file.relative_to(TESTS))
        for file in sorted(TESTS.rglob("*.py"))
        if file != Path(__file__) and printed.search(file.read_text(encoding="utf-8"))
    ]
    assert found == []
