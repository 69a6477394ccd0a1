"""The options ``--format``, ``--json``, ``-o`` and ``--quiet``, which mean the same in every command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from checkout import ROOT
from mcp_bindgen.cli.app import APP, COMMANDS
from mcp_bindings import serve

PAIR = ("2025-06-18", "2025-11-25")


def commands(group: click.Group, names: list[str], words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name in names:
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, list(command.commands), (*words, name))
        elif command is not None:
            yield " ".join((*words, name)), command


ALL = dict(commands(APP, list(COMMANDS)))


def options_of(command: click.Command) -> dict[str, click.Parameter]:
    return {name: parameter for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("name", ALL)
def test_a_command_with_a_format_has_json_in_both_spellings(name: str) -> None:
    options = options_of(ALL[name])
    assert ("--json" in options) == ("--format" in options)
    if "--format" in options:
        assert "json" in options["--format"].type.choices  # type: ignore[attr-defined]


WITHOUT_RESULT = {"bridge"}
"""Commands that print nothing that a program could read."""


def test_every_command_with_a_result_has_a_format() -> None:
    assert {name for name in ALL if "--json" not in options_of(ALL[name])} == WITHOUT_RESULT


@pytest.mark.parametrize("name", ALL)
def test_every_command_can_be_quiet(name: str) -> None:
    assert {"-q", "--quiet"} <= options_of(ALL[name]).keys()


@pytest.mark.parametrize("name", ["tools", *ALL])
def test_every_help_fits_a_terminal_and_ends_with_the_options_of_the_output(cli, monkeypatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = cli(*name.split(), "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: mcp-codegen {name} ")
    assert max(map(len, out.splitlines())) <= 80
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", out.partition("\nOptions:\n")[2], re.MULTILINE)
    last = [each for each in ("--format", "--json", "--output", "--quiet", "--help") if each in options]
    assert sorted(options[-len(last) :]) == sorted(last)


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("explain", "Tool"),
        ("model",),
        ("matrix",),
        ("history", "Tool"),
        ("diff", *PAIR, "--fail-on", "none"),
        ("generate", "--version", "2025-03-26", "--out", "out"),
        ("check", "--version", "2025-03-26", "--out", "nowhere"),
    ],
    ids=lambda words: words[0],
)
def test_both_spellings_print_the_same(cli, words: tuple[str, ...]) -> None:
    if words[0] == "generate":
        cli(*words)
    short, long = cli(*words, "--json"), cli(*words, "--format", "json")
    assert "format" in json.loads(short.out)
    if words[0] != "generate":
        assert short.out == long.out


@pytest.mark.parametrize(
    ("words", "form", "hint"),
    [
        (("diff", *PAIR), "md", " Did you mean 'markdown'?"),
        (("diff", *PAIR), "xml", " Did you mean 'junit'?"),
        (("diff", *PAIR), "markdwn", " Did you mean 'markdown'?"),
        (("history", "Tool"), "htm", ""),
        (("list",), "md", ""),
    ],
)
def test_an_unknown_format_suggests_the_one_that_it_resembles(
    cli, words: tuple[str, ...], form: str, hint: str
) -> None:
    status, out, err = cli(*words, "--format", form)
    assert (status, out) == (2, "")
    listed = ", ".join(map(repr, options_of(ALL[words[0]])["--format"].type.choices))  # type: ignore[attr-defined]
    assert err.splitlines()[0].endswith(f"{form!r} is not one of {listed}.{hint}")


def test_two_formats_contradict_each_other(cli) -> None:
    status, out, err = cli("diff", *PAIR, "--json", "--format", "html")
    assert (status, out) == (2, "")
    assert "--json and --format html contradict each other" in err
    assert cli("diff", *PAIR, "--json", "--format", "json").status in {0, 1}


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("report.html", "<!doctype html>"),
        ("REPORT.HTM", "<!doctype html>"),
        ("report.json", '{\n  "format": "mcp-diff/1"'),
        ("report.md", "###"),
        ("report.xml", "<?xml"),
        ("report.txt", "elicitation/create"),
    ],
)
def test_the_ending_of_the_file_decides_the_format(cli, file: str, begins: str) -> None:
    assert cli("diff", *PAIR, "-o", file, "--fail-on", "none").status == 0
    assert Path(file).read_text(encoding="utf-8").startswith(begins)
    assert cli("diff", *PAIR, "-o", file, "--fail-on", "none", "--format", "markdown").status == 0
    assert Path(file).read_text(encoding="utf-8").startswith("###")


def test_the_documentation_lists_the_commands_of_each_ending() -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\.\w+`.*?) \| `(\w+)`.*? \| (.*?)(?:;.*)? \|$", page, re.MULTILINE)
    documented = {form: set(re.findall(r"`([a-z ]+)`", names)) for _, form, names in rows}
    writing = {
        name: options_of(each) for name, each in ALL.items() if {"--output", "--format"} <= options_of(each).keys()
    }
    assert documented.keys() == {"text", "html", "json", "markdown", "junit"}
    for form, names in documented.items():
        fixed = {"tools snapshot", "convert"}
        choices = {name: options["--format"].type.choices for name, options in writing.items() if name not in fixed}  # type: ignore[attr-defined]
        assert names == {name for name, forms in choices.items() if form in forms}


def test_the_ending_of_a_file_that_is_read_does_not_decide(cli) -> None:
    Path("tools.lock.json").write_text('{"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}')
    assert "1 tool" in cli("client", "--from", "tools.lock.json", "--out", "src/adder").out.splitlines()[0]


def test_an_ending_without_a_format_is_refused_before_anything_is_written(cli) -> None:
    status, _, err = cli("history", "Tool", "-o", "history.html")
    assert status == 2
    assert "there is no format for history.html; pass --format with one of text, json, markdown" in err
    assert not Path("history.html").exists()


@pytest.mark.parametrize("name", [name for name in ALL if "--list-rules" in options_of(ALL[name])])
def test_rules_are_listed_as_text_and_as_json_with_the_same_names(cli, name: str) -> None:
    words = (*name.split(), "--list-rules")
    document = json.loads(cli(*words, "--json").out)
    assert document["format"].endswith("-rules/1")
    lines = cli(*words).out.splitlines()
    listed = [line.split()[0].rstrip(":") for line in lines if line and not line.startswith((" ", "rule "))]
    assert listed == [rule["id"] for rule in document["rules"]]
    status, out, err = cli(*words, "--format", "github")
    assert (status, out) == (2, "")
    assert err.startswith("error: rules can be printed as text or json, got --format github\n")


def test_rules_and_the_schema_of_a_report_are_written_to_a_file(cli) -> None:
    for command in ("diff", "tools diff"):
        for option, summary in (("--list-rules", "rules"), ("--json-schema", "JSON Schema")):
            status, out, err = cli(*command.split(), option, "-o", "made/file.json")
            assert (status, out) == (0, "")
            assert err.endswith(f"{summary} -> made/file.json\n")
            assert cli(*command.split(), option, "-o", "file.json", "-q") == (0, "", "")
            assert isinstance(json.loads(Path("file.json").read_text(encoding="utf-8")), dict)


def test_the_revisions_are_listed_as_json_by_the_version_option(cli) -> None:
    listed = cli("list", "--json")
    for words in (("--version", "--json"), ("--version", "--format", "json"), ("--format=json", "--version", "-q")):
        assert cli(*words) == listed
    assert cli("--version", "-q") == cli("--version", "--format", "text") == cli("--version")


def test_a_quiet_command_prints_nothing_if_all_is_well(cli) -> None:
    tool = {"name": "add", "description": "Add.", "inputSchema": {"type": "object", "properties": {}}}
    Path("tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    Path("more.json").write_text(json.dumps({"tools": [tool, {**tool, "name": "sub"}]}), encoding="utf-8")
    same = ("2025-06-18", "2025-06-18")
    commands = (("diff", *same), ("tools", "diff", "tools.json", "tools.json"), ("tools", "lint", "tools.json"))
    for words in (*commands, ("client", "--from", "tools.json", "--out", "adder")):
        assert cli(*words).out
        assert cli(*words, "-q") == (0, "", ""), words
    assert "tool added" in cli("tools", "diff", "tools.json", "more.json", "-q").out
    # A report in another format is a document, with changes or without.
    assert "no changes" in cli("diff", *same, "-q", "--format", "markdown").out


def test_options_of_a_command_may_precede_it(cli) -> None:
    Path("tools.json").write_text('{"tools": []}', encoding="utf-8")
    linted = cli("tools", "lint", "tools.json", "--json")
    for words in (("tools", "--json", "lint"), ("--json", "tools", "lint"), ("tools", "--format=json", "-q", "lint")):
        assert cli(*words, "tools.json") == linted
    status, _, err = cli("tools", "-q")
    assert status == 2
    assert "-q is an option of the commands of tools; name one of them: snapshot, diff, check, lint\n" in err


def test_a_quiet_command_prints_results_and_errors_only(cli) -> None:
    assert cli("generate", "--version", "2025-03-26", "--out", "out", "--quiet") == (0, "", "")
    assert cli("check", "--version", "2025-03-26", "--out", "out", "--quiet") == (0, "", "")
    assert cli("diff", *PAIR, "-o", "r.html", "-q", "--fail-on", "none") == (0, "", "")
    place = Path("out/v2025_03_26/revision.py")
    place.write_text(place.read_text().replace("Facts", "Fax"))
    status, out, err = cli("check", "--version", "2025-03-26", "--out", "out", "-q")
    assert (status, err) == (1, "")
    assert '+"""Facts' in out
    status, out, err = cli("--quiet", "diff", "2025-06-18")
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    # The next command is not quiet.
    assert cli("diff", *PAIR, "-o", "r.html", "--fail-on", "none").err.endswith("-> r.html\n")


@pytest.mark.parametrize("option", [(), ("-q",)])
def test_a_quiet_server_prints_no_url(cli, monkeypatch, option: tuple[str, ...]) -> None:
    def be_ready(*_servers: Any, ready: Any, **_options: Any) -> None:
        options = SimpleNamespace(path="/mcp")
        ready(SimpleNamespace(refusals=SimpleNamespace(), close=None, options=options, url="http://here{}".format))

    monkeypatch.setattr(serve, "http", be_ready)
    about = {"protocolVersion": PAIR[1], "capabilities": {}}
    params = {**about, "clientInfo": {"name": "a", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {**about, "serverInfo": {"name": "b", "version": "1"}}}
    Path("tape.jsonl").write_text(f"{json.dumps(request)}\n{json.dumps(answer)}\n", encoding="utf-8")
    status, _, err = cli("replay", "tape.jsonl", "--http", "0", *option)
    assert status == 0
    assert err == ("" if option else "Serving MCP on http://here/mcp (Ctrl-C ends it)\n")
