"""Completion of words in the shell, as its script asks for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from checkout import REVISIONS
from support.bindings import binding


def answer(shell: str, words: tuple[str, ...], current: str) -> str:
    environment = {
        **os.environ,
        "_MCP_CODEGEN_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("mcp-codegen", *words)),
        "COMP_CWORD": current,
    }
    program = [sys.executable, "-m", "mcp_bindgen.cli"]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    return done.stdout


def completed(*words: str) -> list[str]:
    """The words that Bash offers for the last one."""
    lines = answer("bash", words, str(len(words))).splitlines()
    return [line.partition(",")[2] for line in lines if line]


@pytest.mark.parametrize(
    "before",
    [
        ("diff",),
        ("diff", REVISIONS[0]),
        ("--version",),
        ("check", "--version"),
        ("matrix", "--from"),
        ("convert", "--to"),
        ("validate", "--version"),
    ],
    ids=" ".join,
)
def test_revisions_are_completed(before: tuple[str, ...]) -> None:
    assert completed(*before, "20") == list(REVISIONS)
    assert completed(*before, REVISIONS[-1]) == [REVISIONS[-1]]


def test_values_after_an_equals_sign_are_completed_as_those_after_a_space() -> None:
    # Bash makes a word of each "=", and replaces what follows it; the others replace the whole word.
    assert completed("--version", "=", "20") == list(REVISIONS)
    assert completed("check", "--version", "=") == completed("check", "--version", "")
    assert completed("diff", "--method", "=", "ini") == ["initialize"]
    whole = f"--version={REVISIONS[-1]}"
    assert answer("zsh", (whole[:-1],), "1").split() == ["plain", whole, "_"]
    assert answer("fish", (whole[:-1],), whole[:-1]).strip() == f"plain,{whole}"


@pytest.mark.parametrize("command", ["explain", "history"])
def test_types_and_methods_of_every_revision_are_completed(command: str) -> None:
    assert completed(command, "CallToolRes") == ["CallToolResult", "CallToolResultResponse"]
    methods = {name for each in REVISIONS for name in binding(each).requests if name.startswith("tools/")}
    assert completed(command, "tools/") == sorted(methods)
    assert "ping" in completed(command, "p")


def test_methods_are_completed_where_only_methods_are_accepted() -> None:
    assert completed("diff", REVISIONS[0], REVISIONS[1], "--method", "ini") == ["initialize"]
    assert completed("matrix", "--method", "Call") == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("validate --type ToolC", ["ToolChoice"]),
        ("validate --version aut", ["auto"]),
        ("explain CALL_", ["CALL_TOOL"]),
        ("explain Tool.in", ["Tool.inputSchema"]),
        ("history tools/call.par", ["tools/call.params"]),
        ("history CallToolRequest.params.arg", ["CallToolRequest.params.arguments"]),
        ("explain Nope.in", []),
        ("diff --kind field_a", ["field_added"]),
        ("diff --only type-w", ["type-widened"]),
        ("diff --ignore type-w", ["type-widened"]),
        ("diff --explain type-w", ["type-widened"]),
        ("tools lint --ignore root-t", ["root-type"]),
        ("tools -q l", ["lint"]),
        ("call re", ["read"]),
        ("call list to", ["tools"]),
        ("--ou", ["--out"]),
        ("--version 2025-06-18 --chec", ["--check"]),
        ("--version explain To", []),
    ],
)
def test_names_are_completed_where_they_are_accepted(words: str, expected: list[str]) -> None:
    assert completed(*words.split()) == expected


@pytest.mark.parametrize("words", ["diff ./d", "call -- python ./d", "tools lint --url x -- ./d", "call --config ./d"])
def test_files_and_the_commands_of_servers_are_left_to_the_shell(words: str) -> None:
    assert answer("bash", tuple(words.split()), str(len(words.split()))) == "file,./d\n"


def test_the_line_for_the_start_of_the_shell_completes(tmp_path) -> None:
    program = f'mcp-codegen() {{ {sys.executable} -m mcp_bindgen.cli "$@"; }}'
    line = 'eval "$(_MCP_CODEGEN_COMPLETE=bash_source mcp-codegen)"'
    done = subprocess.run(
        ["bash", "-c", f"{program}; {line}; complete -p mcp-codegen"], capture_output=True, text=True, check=False
    )
    assert "mcp-codegen" in done.stdout, done.stderr
