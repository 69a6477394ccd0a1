"""Every spelling of ``--version`` does what its reader expects, or says why not and what to type instead."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen import __version__
from mcp_bindgen.catalog import revisions


def test_alone_it_prints_our_version_and_the_revisions_and_writes_nothing(cli, elsewhere: Path) -> None:
    status, out, err = cli("--version")
    assert (status, err) == (0, "")
    assert out == f"mcp-codegen {__version__}\nrevisions: {', '.join(REVISIONS)}\nextensions: ext-tasks\n"
    assert list(elsewhere.iterdir()) == []


def test_the_version_line_alone_is_short_v(cli) -> None:
    assert cli("-V") == (0, f"mcp-codegen {__version__}\n", "")


def test_the_bundled_revisions_are_the_folders_of_the_schemas() -> None:
    assert revisions() == tuple(sorted(path.name for path in (ROOT / "schema").glob("2*")))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version", "2025-03-26"],
        ["--version=2025-03-26"],
        ["generate", "--version", "2025-03-26"],
        ["--version", "2025-03-26", "generate"],
        ["--version", "2025-03-26", "--version", "2025-03-26"],
    ],
)
def test_with_a_revision_it_generates_that_one(cli, elsewhere: Path, arguments: list[str]) -> None:
    status, out, err = cli(*arguments, "--out", "out")
    assert (status, err) == (0, "")
    assert out.startswith("2025-03-26: ")
    assert sorted(path.name for path in (elsewhere / "out").iterdir()) == [
        "__init__.py",
        "adapters.py",
        "connect.py",
        "py.typed",
        "runtime",
        "serve.py",
        "testing.py",
        "v2025_03_26",
    ]


def test_an_extension_is_generated_as_a_revision_is(cli, elsewhere: Path) -> None:
    status, out, err = cli("--version", "ext-tasks", "--out", "out")
    assert (status, err) == (0, "")
    assert out.startswith("ext-tasks: ")
    assert "run: mcp-codegen --version ext-tasks\n" in (elsewhere / "out/ext_tasks/types.py").read_text()


def test_repeated_it_generates_each_oldest_first(cli, elsewhere: Path) -> None:
    status, out, _ = cli("--version", "2025-06-18", "--version", "2024-11-05", "--out", "out")
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines()] == ["2024-11-05", "2025-06-18", "runtime"]


def test_all_means_every_revision_and_every_extension(cli, elsewhere: Path) -> None:
    status, out, _ = cli("--version", "all", "--out", "out")
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines()] == [*REVISIONS, "ext-tasks", "runtime"]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("2025-03-27", "'2025-03-27' is not a bundled revision; did you mean 2025-03-26"),
        ("2025_03_26", "'2025_03_26' is not a bundled revision; did you mean 2025-03-26"),
        ("2025-11-5", "'2025-11-5' is not a bundled revision; did you mean 2025-11-25"),
        ("2024-06-18", "'2024-06-18' is not a bundled revision; did you mean 2024-11-05?"),
        ("v2025-03-26", "'v2025-03-26' is not a bundled revision; did you mean 2025-03-26"),
        ("tomorrow", f"'tomorrow' is not a bundled revision; use one of {', '.join(REVISIONS)}"),
        ("diff2", f"'diff2' is not a bundled revision; use one of {', '.join(REVISIONS)}"),
        ("acme", "; if it is the label of a schema of your own, add --schema FILE"),
        ("latest", f"'latest' is not a revision; the newest bundled revision is {REVISIONS[-1]}"),
        ("2025-03-26,2025-06-18", "repeat --version for each revision"),
        ("", f"--version needs a revision: use {', '.join(REVISIONS)} or all"),
        ("--out", "--version needs a revision"),
    ],
)
def test_an_unknown_date_gets_the_nearest_revision(cli, elsewhere: Path, word: str, message: str) -> None:
    status, out, err = cli("generate", "--version", word)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert list(elsewhere.iterdir()) == []


def test_a_word_that_is_a_command_is_said_to_be_one(cli) -> None:
    status, out, err = cli("--version", "explain", "Tool")
    assert (status, out) == (2, "")
    assert "error: 'explain' is a command, not a revision; run: mcp-codegen explain Tool\n" in err
    assert "'list' is a command, not a revision; run: mcp-codegen list" in cli("generate", "--version", "list").err


def test_a_label_may_be_the_name_of_a_command_but_not_of_a_shared_module(cli, schema: Path, elsewhere: Path) -> None:
    assert cli("--version", "check", "--schema", str(schema), "--out", "out").out.startswith("check: ")
    assert (elsewhere / "out/check/types.py").is_file()
    err = cli("--version", "bridge", "--schema", str(schema), "--out", "out").err
    reserved = "adapters, bridge, connect, runtime, serve, testing"
    assert err == f"error: the label 'bridge' is reserved, as are {reserved}; choose another label\n"


def test_a_revision_as_a_command_gets_the_option(cli) -> None:
    status, out, err = cli("2025-03-26")
    assert (status, out) == (2, "")
    assert "'2025-03-26' is a revision, not a command; run: mcp-codegen --version 2025-03-26\n" in err


def test_draft_needs_a_schema_and_says_why(cli) -> None:
    status, out, err = cli("--version", "draft", "--out", "out")
    assert (status, out) == (2, "")
    assert "because it changes often" in err
    source = "schema/draft/schema.ts of modelcontextprotocol/modelcontextprotocol on GitHub"
    assert err.endswith(f"download {source}, and add --schema schema.ts\n")


def test_draft_with_a_schema_is_a_label(cli, schema: Path, elsewhere: Path) -> None:
    status, out, _ = cli("--version", "draft", "--schema", str(schema), "--out", "out")
    assert status == 0
    assert out.startswith("draft: ")
    assert (elsewhere / "out/draft/types.py").is_file()


def test_no_arguments_print_the_help(cli) -> None:
    status, out, err = cli()
    assert (status, err) == (0, "")
    assert out.startswith("Usage: mcp-codegen")
    assert all(f"\n  {name} " in out for name in ("generate", "check", "list", "explain", "model"))
    assert max(map(len, out.splitlines())) <= 80


def test_an_unknown_option_suggests_only_a_similar_one(cli) -> None:
    assert cli("--nope").err == "error: unknown option --nope\nsee: mcp-codegen generate --help\n"
    for words in (("diff", "--formt", "json"), ("tools", "lint", "--formt=json")):
        assert cli(*words).err.startswith("error: unknown option --formt; did you mean --format?\n")


@pytest.mark.parametrize(
    "words",
    [
        ("client", "--out", "weather", "--", "nosuch-program"),
        ("call", "--", "nosuch-program"),
        ("bridge", "--", "nosuch-program"),
        ("client", "--out", "weather", "--url", "nowhere"),
        ("call", "--url", "nowhere"),
        ("call", "--login", "nowhere"),
        ("call", "--logout", "nowhere"),
        ("bridge", "--url", "nowhere"),
    ],
    ids=" ".join,
)
def test_a_server_that_is_named_wrongly_is_bad_use_in_every_command(cli, words: tuple[str, ...]) -> None:
    status, out, err = cli(*words)
    assert (status, out) == (2, "")
    assert err.startswith(("error: cannot start 'nosuch-program'", "error: 'nowhere' is not the URL of a server"))


@pytest.mark.parametrize("words", [("client", "--out", "weather"), ("call",), ("bridge",)], ids=lambda words: words[0])
def test_a_server_that_fails_has_the_status_1_in_every_command(cli, words: tuple[str, ...]) -> None:
    status, out, err = cli(*words, "--", sys.executable, "-c", "raise SystemExit(3)")
    assert (status, out) == (1, "")
    assert err.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "message", "see"),
    [
        (["--verison", "2025-03-26"], "--version", "mcp-codegen generate --help"),
        (["generate", "--vers", "2025-03-26"], "--vers", "mcp-codegen generate --help"),
        (["chekc"], "unknown command 'chekc'; did you mean check?", "mcp-codegen --help"),
        (
            ["frobnicate"],
            "unknown command 'frobnicate'; use one of generate, check, list, explain, model",
            "mcp-codegen --help",
        ),
        (["explain"], "NAME", "mcp-codegen explain --help"),
        (["explain", "Tool", "Prompt"], "Prompt", "mcp-codegen explain --help"),
        (["model", "--format", "yaml"], "yaml", "mcp-codegen model --help"),
        (["generate", "--version"], "--version", "mcp-codegen --help"),
        (["--version", "--out", "x"], "--version needs a revision or all", "mcp-codegen --help"),
        (["list", "--version", "2025-03-26"], "--version", "mcp-codegen list --help"),
    ],
)
def test_a_wrong_spelling_is_answered_with_the_right_one(cli, arguments: list[str], message: str, see: str) -> None:
    status, out, err = cli(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert f"see: {see}\n" in err
