"""``mcp-codegen validate``, on files as people have them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from jsonschema import Draft202012Validator
from mcp_bindgen.cli.app import run
from mcp_bindgen.resources import schemas
from mcp_bindgen.validate.rules import listing
from support.recorded_sessions import opening, request, result, text_of

CALL = request("tools/call", 1, nme="x")
LINE = "session.jsonl:4: $.params.name: missing, expected a string"


@pytest.fixture
def session(elsewhere: Path) -> str:
    """A recorded session with one mistake."""
    (elsewhere / "session.jsonl").write_text(text_of(*opening(), CALL))
    return "session.jsonl"


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_finding_is_a_line_and_the_summary_goes_elsewhere(cli, session: str) -> None:
    status, out, err = cli("validate", session, "--version", "2025-06-18")
    assert (status, out) == (1, f"{LINE}  (2025-06-18)\n")
    assert err == "1 error in 4 messages (2025-06-18)\n"


def test_what_is_right_prints_nothing_but_the_summary(cli, elsewhere: Path) -> None:
    (elsewhere / "a.jsonl").write_text(text_of(*opening()))
    assert cli("validate", "a.jsonl") == (0, "", "no errors in 3 messages (2025-06-18)\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "--version", "auto", "session.jsonl"],
        ["validate", "session.jsonl", "--version=auto"],
        ["--version", "auto", "validate", "session.jsonl"],
        ["--rules", "--version", "2025-06-18", "validate", "session.jsonl"],
        ["validate", "--rules", "./session.jsonl"],
        ["validate", "--", "session.jsonl"],
        ["validate", "--max-line", "1M", "--max-file", "500K", "session.jsonl"],
    ],
)
def test_options_stand_in_any_order(cli, session: str, arguments: list[str]) -> None:
    status, out, _ = cli(*arguments)
    assert status == 1
    assert out == f"{LINE}  (2025-06-18)\n"


def test_a_schema_of_ones_own(cli, elsewhere: Path) -> None:
    text = (schemas() / "2025-06-18" / "schema.ts").read_text(encoding="utf-8")
    (elsewhere / "draft").mkdir()
    (elsewhere / "draft" / "schema.ts").write_text(text.replace("tools/call", "tools/use"), encoding="utf-8")
    (elsewhere / "a.jsonl").write_text(text_of(*opening(), request("tools/use", 1, nme="x"), request("tools/call", 2)))
    missing = "a.jsonl:4: $.params.name: missing, expected a string"
    gone = f"a.jsonl:5: $.method: tools/call exists only in {REVISIONS[0]} to {REVISIONS[-1]}"
    for label, arguments in (("draft", []), ("draft", ["--version", "auto"]), ("next", ["--version", "next"])):
        status, out, err = cli("validate", "--schema", "draft/schema.ts", *arguments, "a.jsonl")
        assert (status, out) == (1, f"{missing}  ({label})\n{gone}  ({label})\n")
        assert err.startswith(f"2 errors, 1 note in 5 messages ({label})\n")
    assert not [name for name in sys.modules if name.startswith("_mcp_bindgen_own")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--schema", "nope.ts"], "cannot read nope.ts: No such file or directory"),
        (["--schema", "-"], "a schema cannot be read from standard input"),
        (["--map", "a=b"], "--map requires --schema FILE"),
        (["--version", "draft"], "and add --schema schema.ts"),
        (["--schema", "a.jsonl"], "a.jsonl:1:"),
        (["--schema", "a.jsonl", "--version", "all"], "pass --version once"),
    ],
)
def test_a_schema_that_cannot_be_had_is_an_error_of_use(
    cli, elsewhere: Path, arguments: list[str], message: str
) -> None:
    (elsewhere / "a.jsonl").write_text(text_of(*opening()))
    status, out, err = cli("validate", *arguments, "a.jsonl")
    assert (status, out) == (2, "")
    assert message in err


def test_examples_in_html(cli, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = '<h2>Tool</h2><pre><code class="json">{"name": "x"}</code></pre>'
    (elsewhere / "a.html").write_text(page)
    told = "1: $.inputSchema: missing, expected an object  (2025-06-18)\n"
    assert cli("validate", "--version", "2025-06-18", "a.html")[:2] == (1, f"a.html:{told}")
    stdin(monkeypatch, page)
    assert cli("validate", "--version", "2025-06-18", "--as", "html", "-")[:2] == (1, f"<stdin>:{told}")


def test_standard_input(cli, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["validate", "-"], ["--version", "2025-06-18", "validate", "-"], ["validate", "-", "--rules"]):
        stdin(monkeypatch, text_of(*opening(), CALL))
        status, out, _ = cli(*arguments)
        assert (status, out) == (1, LINE.replace("session.jsonl", "<stdin>") + "  (2025-06-18)\n")


def test_rules_are_findings_of_their_own_level(cli, elsewhere: Path) -> None:
    (elsewhere / "a.jsonl").write_text(text_of(*opening(), request("tools/list", 5), request("tools/list", 5)))
    assert cli("validate", "a.jsonl").status == 0
    status, out, err = cli("validate", "a.jsonl", "--rules")
    assert status == 1
    assert "(2025-06-18, rule " in out
    assert err.endswith(" in 5 messages (2025-06-18)\n")
    assert "rule" in err


def test_a_complete_recording_starts_with_the_handshake(cli, elsewhere: Path) -> None:
    (elsewhere / "a.jsonl").write_text(text_of(request("tools/list")))
    assert cli("validate", "a.jsonl", "--rules", "--version", "2025-06-18").status == 0
    assert "rule initialize-first" in cli("validate", "a.jsonl", "--rules", "--complete", "--version", "2025-06-18").out


def test_rules_can_be_listed(cli, elsewhere: Path) -> None:
    status, out, err = cli("validate", "--list-rules")
    assert (status, err) == (0, "")
    assert all(rule.id in out for rule in listing())
    document = json.loads(cli("validate", "--list-rules", "--format", "json").out)
    assert document["format"] == "mcp-validate-rules/1"
    assert [rule["id"] for rule in document["rules"]] == [rule.id for rule in listing()]


def test_notes_are_counted_and_shown_if_asked_for(cli, elsewhere: Path) -> None:
    (elsewhere / "a.jsonl").write_text(text_of(*opening(), request("tools/lst"), result(7)))
    status, out, err = cli("validate", "a.jsonl")
    assert (status, out) == (0, "")
    assert err == (
        "no errors, 2 notes in 5 messages (2025-06-18)\nadd --notes to see the notes: 1 unchecked, 1 unknown-method\n"
    )
    status, out, _ = cli("validate", "a.jsonl", "--notes")
    assert status == 0
    assert out.splitlines()[0] == (
        'a.jsonl:4: $.method: "tools/lst" is not a request of the protocol; did you mean tools/list?'
        "  (2025-06-18, note unknown-method)"
    )


def test_what_names_no_revision(cli, elsewhere: Path) -> None:
    (elsewhere / "a.json").write_text(
        json.dumps(request("elicitation/create", message="x", requestedSchema={"type": "object", "properties": {}}))
    )
    status, out, err = cli("validate", "a.json")
    assert (status, out) == (0, "")
    assert "the conversation names no revision; accepted by 2025-06-18, 2025-11-25\n" in err


OUTCOME = {
    "type": "object",
    "required": ["format", "findings", "ok", "messages", "kinds", "errors", "rules", "notes", "revisions", "accepted"],
    "properties": {
        "format": {"const": "mcp-validate/1"},
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["source", "line", "level", "code", "path", "message", "found", "expected", "revision"],
                "additionalProperties": False,
                "properties": {
                    "source": {"type": "string"},
                    "line": {"type": ["integer", "null"]},
                    "level": {"enum": ["error", "rule", "note"]},
                    "code": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
                    "path": {"type": "string", "pattern": r"^\$"},
                    "message": {"type": "string"},
                    "found": {"type": ["string", "null"]},
                    "expected": {"type": ["string", "null"]},
                    "revision": {"type": ["string", "null"]},
                },
            },
        },
        "failures": {"type": "array", "items": {"type": "string"}},
    },
}


@pytest.mark.parametrize("lines", [[], [*opening()], [*opening(), CALL, CALL, "no json"]])
def test_a_document_for_programs(cli, elsewhere: Path, lines: list[Any]) -> None:
    (elsewhere / "a.jsonl").write_text(text_of(*lines))
    status, out, err = cli("validate", "a.jsonl", "--format", "json")
    document = json.loads(out)
    Draft202012Validator(OUTCOME).validate(document)
    assert err == ""
    assert document["ok"] is (status == 0)
    assert document["errors"] == len(document["findings"]) == max(0, len(lines) - 3)


def test_annotations_for_github(cli, session: str) -> None:
    status, out, _ = cli("validate", session, "--format", "github")
    assert status == 1
    assert out == (
        "::error file=session.jsonl,line=4,title=missing (2025-06-18)::$.params.name: missing, expected a string\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no input given; pass a file, a folder, or - for standard input"),
        (["nix.jsonl"], "cannot read nix.jsonl: no such file or directory"),
        (["session.jsonl", "nix"], "cannot read nix: no such file or directory"),
        (["empty"], "empty: no files to check; looked for .jsonl, .ndjson, .log, .json, .md, .mdx, .markdown"),
        (["session.jsonl", "--version", "2025-06-19"], "'2025-06-19' is not a bundled revision; did you mean 2025-06-18"),
        (["session.jsonl", "--version", "all"], "messages are checked against one revision; pass --version once"),
        (["session.jsonl", "--version", "2025-06-18", "--version", "2025-03-26"], "pass --version once"),
        (["session.jsonl", "--type", "Tol"], f"unknown type 'Tol' in {REVISIONS[-1]}; did you mean Tool?"),
        (["session.jsonl", "--type", "ClientResult", "--version", "2025-06-18"], "values of type ClientResult cannot be checked"),
        (["session.jsonl", "--max-line", "lots"], "must be a size such as 500K, 16M or 1G, got 'lots'"),
        (["session.jsonl", "--max-line", "0"], "must be a size such as 500K, 16M or 1G, got '0'"),
        (["session.jsonl", "--format", "xml"], "'xml' is not one of 'text', 'json', 'github'"),
        (["a.json", "--max-file", "1K"], "a.json is larger than 1 KiB, the limit for sources that are read as a whole"),
    ],
)  # fmt: skip
def test_bad_use_is_said_in_a_line(cli, session: str, elsewhere: Path, arguments: list[str], message: str) -> None:
    (elsewhere / "empty").mkdir()
    (elsewhere / "a.json").write_text(" " * 2000)
    status, out, err = cli("validate", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err.splitlines()[0]


def test_what_cannot_be_read_is_said_after_the_rest_was_checked(cli, session: str, elsewhere: Path) -> None:
    (elsewhere / "big.json").write_text(" " * 2000)
    status, out, err = cli("validate", "--max-file", "1K", "big.json", session)
    assert (status, out) == (2, f"{LINE}  (2025-06-18)\n")
    assert err.splitlines()[0].startswith("error: big.json is larger")
    assert err.splitlines()[1] == "1 error in 4 messages (2025-06-18)"


def test_names_of_files_cannot_fool_a_terminal(cli, elsewhere: Path) -> None:
    (elsewhere / "a\x1b[31m.jsonl").write_text("no json\n")
    status, out, _ = cli("validate", ".")
    assert status == 1
    assert out == "a\\u001b[31m.jsonl:1: not JSON: expected value at column 1\n"


def test_colour_is_for_those_who_want_it(cli, session: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = cli("validate", session).out
    assert "\x1b[1msession.jsonl:4: $.params.name\x1b[0m: " in out


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_shows_only_where_it_takes_long(session: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    quick = _Terminal()
    monkeypatch.setattr(sys, "stderr", quick)
    assert run(["validate", session, "--format", "json"]) == 1
    assert quick.getvalue() == ""

    def passing() -> float:
        clock[0] += 0.6
        return clock[0]

    monkeypatch.setattr(time, "monotonic", passing)
    slow = _Terminal()
    monkeypatch.setattr(sys, "stderr", slow)
    run(["validate", session])
    assert "session.jsonl [" in slow.getvalue()
    assert "%" in slow.getvalue()
    assert slow.getvalue().rindex("\r\x1b[K") > slow.getvalue().rindex("%")


def test_a_reader_that_goes_away_ends_it_quietly(elsewhere: Path) -> None:
    (elsewhere / "a.jsonl").write_text("no json\n" * 50_000)
    command = [sys.executable, "-m", "mcp_bindgen.cli", "validate", "a.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_it_can_be_interrupted(elsewhere: Path) -> None:
    command = [sys.executable, "-m", "mcp_bindgen", "validate", "--version", "2025-06-18", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"no json\n" * 2000)
        process.stdin.flush()
        # The first findings are there, so that it is at work, and it waits for more lines.
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"error: interrupted\n"


def test_findings_are_printed_while_the_log_is_still_written(elsewhere: Path) -> None:
    command = [sys.executable, "-u", "-m", "mcp_bindgen.cli", "validate", "--version", "2025-06-18", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(3):
            process.stdin.write(text_of(CALL).encode())
            process.stdin.flush()
            assert b"$.params.name: missing" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(60) == 1
