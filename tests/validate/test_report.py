"""What a report says, and how findings are written for people, programs and builds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.validate import Finding, Place, Report, validate_messages
from mcp_bindgen.validate.rendering import as_annotation, as_json, as_line, outcome_as_json
from mcp_bindgen.validate.wording import in_words
from support.recorded_sessions import opening, request

Json = Any


def made(message: str = "found 3, expected a string", source: str = "session.jsonl", **changes: Any) -> Finding:
    members = {"level": "error", "code": "type", "path": "$.params.name", "revision": "2025-06-18", **changes}
    return Finding(Place(source, 14), message=message, **members)


def run(*messages: Json, **options: Json) -> Report:
    return validate_messages(messages, version="2025-06-18", **options)


def test_a_finding_reads_as_a_line() -> None:
    assert as_line(made()) == "session.jsonl:14: $.params.name: found 3, expected a string  (2025-06-18)"
    assert as_line(made(path="$", revision=None)) == "session.jsonl:14: found 3, expected a string"


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        ("3", "a string", "found 3, expected a string"),
        ("nothing", "a string", "missing, expected a string"),
        ("nothing", "this member", "missing"),
        ('"x"', '"text"', '"x" is not "text"'),
        ('"x"', 'one of "a", "b"', '"x" is not one of "a", "b"'),
        ('"x"', 'one of "1", "2", "3", "4", "5", "6", "7", "8"', '"x" is not one of "1", "2", "3", "4", "5", "6", …'),
        ("3", "one of 1, 2", "3 is not one of 1, 2"),
        ("both result and error", "one of them", "found both result and error, expected one of them"),
    ],
)
def test_words_for_what_is_wrong(found: str, expected: str, words: str) -> None:
    assert in_words(found, expected) == words


def test_what_a_terminal_would_obey_is_escaped() -> None:
    text = as_line(made('"\x1b[31m\u202e\u2028\n"', source="a\r\nb\x07"))
    assert text.isprintable()
    assert r"\u001b[31m\u202e\u2028\u000a" in text


def test_an_annotation_for_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(Path.cwd()))
    assert as_annotation(made()) == (
        "::error file=session.jsonl,line=14,title=type (2025-06-18)::$.params.name: found 3, expected a string"
    )
    assert as_annotation(made(level="rule")).startswith("::warning ")
    assert as_annotation(made(level="note")).startswith("::notice ")


@given(st.text(), st.text(min_size=1), st.text(min_size=1))
def test_no_text_breaks_out_of_an_annotation(message: str, source: str, code: str) -> None:
    text = as_annotation(made(message, source=source, code=code))
    assert text.isprintable()
    _, properties, data = text.split("::", 2)
    assert [pair.partition("=")[0] for pair in properties.split(",")] == ["error file", "line", "title"]
    assert data.startswith("$.params.name: ")


def test_a_finding_for_programs() -> None:
    assert json.loads(json.dumps(as_json(made()))) == {
        "source": "session.jsonl",
        "line": 14,
        "level": "error",
        "code": "type",
        "path": "$.params.name",
        "message": "found 3, expected a string",
        "found": None,
        "expected": None,
        "revision": "2025-06-18",
    }


def test_the_outcome_for_programs() -> None:
    outcome = outcome_as_json(run(request("tools/call"), request("ping", 2)))
    assert outcome == {
        "ok": False,
        "messages": 2,
        "kinds": {"request": 2, "notification": 0, "result": 0, "error": 0, "batch": 0, "value": 0, "unknown": 0},
        "errors": 1,
        "rules": 0,
        "notes": 0,
        "revisions": ["2025-06-18"],
        "accepted": None,
        "failures": [],
    }


def test_findings_are_made_as_they_are_asked_for() -> None:
    asked: list[int] = []

    def messages() -> Any:
        for number in range(5):
            asked.append(number)
            yield request("tools/call", number)

    report = validate_messages(messages(), version="2025-06-18")
    assert asked == []
    assert next(report).place.line == 1
    assert asked == [0]
    assert not report.ok
    assert (asked, report.errors, list(report)) == ([0, 1, 2, 3, 4], 5, [])


def test_a_report_says_what_it_comes_to() -> None:
    assert str(run(*opening())) == "no errors in 3 messages (2025-06-18)"
    assert str(run()) == "no errors; no messages found"
    assert str(run(request("tools/call"), request("x", 2))) == (
        "1 error, 1 note in 2 messages (2025-06-18)\n<messages>:1: $.params: missing, expected an object  (2025-06-18)"
    )


def test_it_shows_the_first_of_many() -> None:
    lines = str(run(*[request("tools/call")] * 30)).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "… and 10 more"


def test_it_needs_nothing_of_the_extra() -> None:
    program = (
        "import sys; from mcp_bindgen.validate import validate_messages as v; print(v([{}], rules=True).errors); "
        "print({'click', 'jinja2', 'tree_sitter', 'cattrs', 'asyncio'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\nset()\n"
