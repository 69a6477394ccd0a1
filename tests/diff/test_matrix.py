"""The matrix: what is counted in which cell, and how it is shown."""

from __future__ import annotations

import html
import re
from functools import cache
from itertools import product

import pytest
from checkout import REVISIONS
from diff.comparing import framed, resolve
from jsonschema import Draft202012Validator
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff.page import revision_matrix_page as page
from mcp_bindgen.diff.reports import matrix_markdown, matrix_text
from mcp_bindgen.diff.revision_matrix import SCHEMA, command, to_document
from mcp_bindgen.errors import BindgenError

BUNDLED = [catalog.load(revision) for revision in REVISIONS]


@cache
def bundled() -> diff.Matrix:
    """Return the matrix of the bundled revisions."""
    return diff.matrix(BUNDLED)


def small(**names: str) -> diff.Matrix:
    texts = {
        "r1": "export interface In { i: string }",
        "r2": "export interface In { i: string; j: string }",
        "r3": "export interface In { i: string; j: string }\nexport interface Out { o: string | number }",
    }
    return diff.matrix([resolve(framed(text), revision=names.get(name, name)) for name, text in texts.items()])


def numbers(matrix: diff.Matrix) -> dict[tuple[str, str], tuple[int, int, int]]:
    return {(cell.client, cell.server): (cell.breaking, cell.risky, cell.compatible) for cell in matrix.cells}


def test_a_client_of_an_older_revision_is_the_old_client():
    """``In`` is sent by clients, and its new field is required; ``Out`` is sent by servers, and got wider."""
    assert numbers(small()) == {
        ("r1", "r2"): (1, 0, 0),
        ("r1", "r3"): (1, 1, 0),
        ("r2", "r1"): (0, 0, 1),
        ("r2", "r3"): (0, 1, 0),
        ("r3", "r1"): (0, 0, 2),
        ("r3", "r2"): (0, 0, 1),
    }


@pytest.mark.parametrize(("client", "server"), list(product(REVISIONS, repeat=2)))
def test_a_cell_counts_the_document_of_the_difference(client, server):
    cell = bundled().cell(client, server)
    if client == server:
        assert cell is None
        return
    old, new = sorted((client, server))
    pairing = "old_client_new_server" if client == old else "new_client_old_server"
    document = diff.to_document(diff.compare(catalog.load(old), catalog.load(new)))
    found = [change["verdicts"][pairing] for change in document["changes"]]
    assert cell is not None
    assert (cell.old, cell.new, cell.pairing) == (old, new, pairing)
    assert cell.perspective == ("client" if client == old else "server")
    assert [cell.breaking, cell.risky, cell.compatible] == [
        found.count(level) for level in ("breaking", "risky", "compatible")
    ]


def test_only_some_methods():
    only = diff.matrix(BUNDLED, methods=["prompts/get"])
    assert only.methods == ("prompts/get",)
    for whole, part in zip(bundled().cells, only.cells, strict=True):
        document = diff.to_document(diff.compare(catalog.load(whole.old), catalog.load(whole.new)))
        expected = [
            change["verdicts"][whole.pairing]
            for change in document["changes"]
            if "prompts/get" in {change["subject"], *change.get("methods", ())}
        ]
        assert part.breaking == expected.count("breaking")
        assert part.breaking + part.risky + part.compatible == len(expected)


def test_a_method_of_one_revision_is_enough():
    diff.matrix(BUNDLED, methods=["server/discover"])
    with pytest.raises(BindgenError, match="unknown method 'server/discovr'; did you mean"):
        diff.matrix(BUNDLED, methods=["server/discovr"])


TEXT = """\
breaking / risky changes, if peers do not negotiate

client  server
           r1         r2         r3
r1          -        1 / 0      1 / 1
r2        0 / 0        -        0 / 1
r3        0 / 0      0 / 0        -

old client, new server (right of the diagonal):
  mcp-codegen diff CLIENT SERVER --perspective client
new client, old server (left of the diagonal):
  mcp-codegen diff SERVER CLIENT --perspective server
"""


def test_text():
    assert matrix_text.render(small()) == TEXT


def test_what_to_type_for_a_file():
    shown = matrix_text.render(small(), typed={"r3": "my own/schema.ts"})
    assert shown == f"{TEXT}where r3 is 'my own/schema.ts'\n"


def test_five_revisions_fit_eighty_columns():
    lines = matrix_text.render(diff.matrix(BUNDLED[:5]), width=80).splitlines()
    assert lines[3].split() == list(REVISIONS[:5])
    assert max(map(len, lines)) <= 80


def test_what_has_no_room_as_a_table_is_a_list():
    shown = matrix_text.render(bundled(), width=60)
    assert max(len(line) for line in shown.splitlines() if "mcp-codegen" not in line) <= 60
    assert f"client {REVISIONS[-1]}\n  server {REVISIONS[0]}: " in shown
    for cell in bundled().cells:
        assert f"\n    {command(bundled(), cell, {})}\n" in shown


def test_commands_name_files_and_methods():
    matrix = diff.matrix(BUNDLED[:2], methods=["tools/call"])
    assert [command(matrix, cell, {REVISIONS[1]: "my own/schema.ts"}) for cell in matrix.cells] == [
        "mcp-codegen diff 2024-11-05 'my own/schema.ts' --perspective client --method tools/call",
        "mcp-codegen diff 2024-11-05 'my own/schema.ts' --perspective server --method tools/call",
    ]


def test_markdown():
    lines = matrix_markdown.render(small()).splitlines()
    assert lines[2:7] == [
        "| client ↓ server → | r1 | r2 | r3 |",
        "|---|:-:|:-:|:-:|",
        "| **r1** | - | **1 / 0** | **1 / 1** |",
        "| **r2** | 0 / 0 | - | 0 / 1 |",
        "| **r3** | 0 / 0 | 0 / 0 | - |",
    ]
    assert "| r3 | r1 | 0 | 0 | <code>mcp-codegen diff r1 r3 --perspective server</code> |" in lines


VALIDATOR = Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("methods", [(), ("tools/call",)])
def test_the_document_fits_its_schema(methods):
    document = to_document(diff.matrix(BUNDLED, methods=methods))
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)] == []
    assert ("methods" in document) is bool(methods)
    for name in ("format", "revisions", "cells"):
        assert list(VALIDATOR.iter_errors({key: value for key, value in document.items() if key != name}))
    assert list(VALIDATOR.iter_errors({**document, "cells": [{**document["cells"][0], "pairing": "other"}]}))


def test_the_document():
    document = to_document(small())
    assert document["format"] == "mcp-matrix/1"
    assert document["cells"][2] == {
        "client": "r2",
        "server": "r1",
        "pairing": "new_client_old_server",
        "by_level": {"breaking": 0, "risky": 0, "compatible": 1},
        "command": "mcp-codegen diff r1 r2 --perspective server",
    }


def links(text: str) -> list[str]:
    return re.findall(r'(?:href|src|action)="([^"]*)"', text)


def test_a_page_leads_to_its_own_commands():
    text = page.render(bundled())
    assert text.startswith("<!doctype html>\n")
    assert links(text)
    targets = set(re.findall(r'id="([^"]*)"', text))
    assert {link.removeprefix("#") for link in links(text)} <= targets
    assert "<script" not in text
    assert "default-src 'none'; script-src 'none'" in html.unescape(text)
    for cell in bundled().cells:
        assert f"<code>{command(bundled(), cell, {})}</code>" in text


def test_a_page_leads_to_the_pages_of_differences():
    text = page.render(small(r3="r 3"), link="../diff/{old}-to-{new}.html")
    assert set(links(text)) == {
        "../diff/r1-to-r2.html#?level=breaking&amp;pairing=old_client_new_server",
        "../diff/r1-to-r%203.html#?level=breaking&amp;pairing=old_client_new_server",
        "../diff/r1-to-r%203.html#?level=risky&amp;pairing=old_client_new_server",
        "../diff/r2-to-r%203.html#?level=risky&amp;pairing=old_client_new_server",
    }


@pytest.mark.parametrize("link", ["page.html", "{old}.html", "{client}-{server}.html", "javascript:{old}{new}"])
def test_other_links_are_refused(link):
    with pytest.raises(BindgenError, match=r"--link .* must (contain \{old\} and \{new\}|be a path)"):
        page.render(bundled(), link=link)


def test_no_label_is_more_than_text():
    hostile = "<img src=x>|`\x1b[31m"
    matrix = small(r3=hostile)
    assert "<img" not in page.render(matrix)
    assert "<img" not in page.render(matrix, link="{old}{new}")
    assert "<img" not in matrix_markdown.render(matrix)
    for text in (page.render(matrix), matrix_markdown.render(matrix), matrix_text.render(matrix, width=200)):
        assert "\x1b" not in text
