"""``mcp-codegen matrix``: what is asked for, what is printed where, and the status."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog

COUNT = len(REVISIONS)
WIDTH = str(15 * (COUNT + 1))
"""Columns in which all revisions fit as a table."""


def test_all_revisions(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", WIDTH)
    status, out, err = cli("matrix")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "breaking / risky changes, if peers do not negotiate"
    assert lines[3].split() == list(REVISIONS)
    assert [line.split()[0] for line in lines[4 : 4 + COUNT]] == list(REVISIONS)
    assert max(map(len, lines)) <= int(WIDTH)


def test_json(cli) -> None:
    status, out, err = cli("matrix", "--format", "json")
    document = json.loads(out)
    assert (status, err, document["format"]) == (0, "", "mcp-matrix/1")
    assert [(cell["client"], cell["server"]) for cell in document["cells"]] == list(permutations(REVISIONS, 2))


def test_the_command_of_a_cell_counts_the_same(cli) -> None:
    document = json.loads(cli("matrix", "--method", "tools/call", "--from", "2025-11-25", "--format", "json").out)
    for cell in document["cells"]:
        words = cell["command"].split()
        assert words[0] == "mcp-codegen"
        found = json.loads(cli(*words[1:], "--format", "json").out)["changes"]
        levels = [change["verdicts"][cell["pairing"]] for change in found]
        assert cell["by_level"] == {level: levels.count(level) for level in ("breaking", "risky", "compatible")}


def test_markdown(cli) -> None:
    assert cli("matrix", "--format", "markdown").out.startswith("### Breaking / risky changes, ")


def test_a_page(cli) -> None:
    status, out, err = cli("matrix", "--format", "html", "-o", "matrix.html", "--link", "{old}-{new}.html")
    assert (status, out, err) == (0, "", f"{COUNT} revisions, {COUNT * (COUNT - 1)} pairings -> matrix.html\n")
    text = Path("matrix.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>\n")
    assert 'href="2024-11-05-2026-07-28.html#?level=breaking' in text


def test_a_schema_of_ones_own(cli, elsewhere: Path) -> None:
    copy = elsewhere / "draft" / "schema.ts"
    copy.parent.mkdir()
    copy.write_bytes(catalog.schema_file("2025-06-18").read_bytes())
    out = cli("matrix", "--from", "2025-06-18", "--to", "2025-06-18", "--schema", "draft/schema.ts").out
    assert [line.split() for line in out.splitlines()[4:6]] == [
        ["2025-06-18", "-", "0", "/", "0"],
        ["draft", "0", "/", "0", "-"],
    ]
    assert out.splitlines()[-1] == "where draft is draft/schema.ts"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--method", "tools/cal"], "--method: unknown method 'tools/cal'; did you mean tools/call"),
        (["--from", REVISIONS[-1]], f"a matrix needs two revisions, got only {REVISIONS[-1]}"),
        (["--link", "{old}-{new}.html"], "--link requires --format html, got text"),
        (["--format", "html", "--link", "page.html"], "must contain {old} and {new}"),
        (["--from", "2025"], "'2025' is not a bundled revision"),
        (["Tool"], "unexpected extra argument"),
    ],
)
def test_what_cannot_be_counted_has_status_2(cli, arguments: list[str], said: str) -> None:
    status, out, err = cli("matrix", *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_colour_is_for_terminals(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in cli("matrix").out
    monkeypatch.setenv("COLUMNS", WIDTH)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[33m" in cli("matrix").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli("matrix").out


def test_a_long_name_is_a_number_in_a_narrow_table(cli, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "draft.ts").write_bytes(catalog.schema_file(REVISIONS[-1]).read_bytes())
    words = ("--from", REVISIONS[-1], "--schema", "draft.ts", "--name", "a-name-that-is-far-too-long-for-a-head")
    monkeypatch.setenv("COLUMNS", "50")
    out = cli("matrix", *words).out
    assert [line.split() for line in out.splitlines()[3:6]] == [
        [REVISIONS[-1], "(2)"],
        [REVISIONS[-1], "-", "0", "/", "0"],
        ["(2)", "0", "/", "0", "-"],
    ]
    assert "\n(2) is a-name-that-is-far-too-long-for-a-head\n" in out
    monkeypatch.setenv("COLUMNS", "100")
    assert "(2)" not in cli("matrix", *words).out


def test_what_has_no_room_as_a_table_is_a_list(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert "\nclient 2024-11-05\n  server 2025-03-26: " in cli("matrix").out


def test_the_schema_of_the_document(cli) -> None:
    assert json.loads(cli("matrix", "--json-schema").out)["title"].endswith("mcp-matrix/1")
