"""Arguments in any order people type them reach the right command."""

from __future__ import annotations

import click
import pytest
from mcp_bindgen.cli.arguments import BARE_VERSION, normalise

COMMANDS = ("generate", "check", "explain", "list")
OPTIONS = {"--version": True, "--out": True, "--schema": True, "--force": False, "--check": False}


@pytest.mark.parametrize(
    ("typed", "parsed"),
    [
        ("", "--help"),
        ("--help", "--help"),
        ("-V", "-V"),
        ("--version", f"list {BARE_VERSION}"),
        ("--version --format json", f"list {BARE_VERSION} --format json"),
        ("--format=json --version -q", f"list {BARE_VERSION} --format=json -q"),
        ("--version --json", f"list {BARE_VERSION} --json"),
        ("--version 2025-03-26", "generate --version 2025-03-26"),
        ("--version=2025-03-26", "generate --version=2025-03-26"),
        ("--version a --version b --force", "generate --version a --version b --force"),
        ("--version 2025-03-26 --help", "generate --version 2025-03-26 --help"),
        ("--force", "generate --force"),
        ("--check", "generate --check"),
        ("generate --version a", "generate --version a"),
        ("check --version a", "check --version a"),
        ("--version a check", "check --version a"),
        ("--version=a --out o explain Tool", "explain --version=a --out o Tool"),
        ("--out check", "generate --out check"),
        ("--out list list", "list --out list"),
        ("2025-03-26", "2025-03-26"),
        ("chek", "chek"),
        ("--verison a", "generate --verison a"),
        ("--verison check", "generate --verison check"),
        ("--force nonsense", "nonsense"),
        ("-", "generate -"),
        ("--", "generate --"),
    ],
)
def test_the_command_goes_first_and_is_generate_unless_named(typed: str, parsed: str) -> None:
    assert normalise(typed.split(), COMMANDS, OPTIONS) == parsed.split()


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("--version check", "'check' is a command, not a revision; run: mcp-codegen check"),
        ("--version=check", "'check' is a command, not a revision; run: mcp-codegen check"),
        ("--version explain Tool", "'explain' is a command, not a revision; run: mcp-codegen explain Tool"),
        ("--force --version check --out x", "run: mcp-codegen check --out x"),
        ("--version --out x", "--version needs a revision or all"),
        ("--out x --version", "--version needs a revision or all"),
        ("--version a b", "'b' is not a command; write --version before each revision"),
    ],
)
def test_words_in_the_wrong_place_are_explained(typed: str, advice: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        normalise(typed.split(), COMMANDS, OPTIONS)
    assert advice in caught.value.format_message()
