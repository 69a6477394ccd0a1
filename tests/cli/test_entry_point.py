"""The command as a process: exit statuses, streams, signals, colours, and what is loaded for it."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "mcp_bindgen.cli"]
BASH = "/bin/bash"


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--version"], 0),
        (["list"], 0),
        (["explain", "Tool"], 0),
        (["check", "--version", "2025-03-26", "--out", "nowhere"], 1),
        (["--version", "nope"], 2),
        (["--nope"], 2),
        (["explain", "Nope"], 2),
        (["model", "--schema", "nope.ts"], 2),
    ],
)
def test_the_exit_status_tells_findings_from_failures(spawn, arguments: list[str], status: int) -> None:
    result = spawn(*arguments)
    assert result.status == status
    assert "Traceback" not in result.err
    assert (result.err == "") == (status == 0)
    assert (result.out == "") == (status == 2)


def test_the_installed_script_is_the_same_command(elsewhere: Path) -> None:
    script = Path(sys.executable).parent / "mcp-codegen"
    if not script.exists():
        pytest.skip("the package is not installed in this environment")
    done = subprocess.run([script, "-V"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mcp-codegen ")


@pytest.mark.parametrize("module", ["mcp_bindgen", "mcp_bindgen.cli"])
def test_the_packages_run_as_the_command(module: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "-V"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mcp-codegen ")


def test_without_click_one_line_names_what_to_install() -> None:
    code = "import sys; sys.modules['click'] = None\nfrom mcp_bindgen.cli import main; main(['--version'])"
    done = python(code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'mcp-codegen needs the extra "codegen"; run: pip install "mcp-bindings[codegen]"\n'


@pytest.mark.parametrize("missing", ["jinja2", "tree_sitter", "tree_sitter_typescript"])
def test_without_another_part_of_the_extra_it_is_the_same_line(elsewhere: Path, missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom mcp_bindgen.cli import main; main(sys.argv[1:])"
    done = python(code, "--version", "2025-03-26", "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'mcp-codegen needs the extra "codegen"; run: pip install "mcp-bindings[codegen]"\n'
    assert not (elsewhere / "out").exists()


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], ["--help"], ["--version", "nope"]])
def test_nothing_heavy_is_loaded_to_answer_a_light_question(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom mcp_bindgen.cli.app import run\nrun(sys.argv[1:])\n"
        "heavy = {'tree_sitter', 'jinja2', 'cattrs', 'mcp_bindgen.resolve', 'mcp_bindgen.syntax', 'mcp_bindgen.emit'}\n"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = python(code, *arguments)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["-V"]])
def test_the_version_loads_no_attrs_either(arguments: list[str]) -> None:
    done = python(
        "import sys\nfrom mcp_bindgen.cli.app import run\nrun(sys.argv[1:])\nsys.exit('attr' in sys.modules)",
        *arguments,
    )
    assert done.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [["-V"], ["tools", "lint", "--help"], ["model", "--version", "2025-11-25"], ["check", "--out", "nowhere"]],
)
def test_a_reader_that_goes_away_is_no_accident(elsewhere: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    # What a shell reports of a program that SIGPIPE ended; 0 or 1 would say that all was fine, or that there was drift.
    assert (done.returncode, done.stderr) == (141, "")


def test_a_full_disk_behind_standard_output_is_said() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    for arguments in (["-V"], ["model", "--version", "2025-11-25"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == "error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams_do_not_matter(closed: str) -> None:
    done = subprocess.run(
        [BASH, "-c", f"{sys.executable} -m mcp_bindgen.cli -V {closed}"], capture_output=True, check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_with_130_and_nothing_written(elsewhere: Path, number: signal.Signals) -> None:
    code = (
        "import time\nfrom mcp_bindgen import generate\n"
        "def wait(*given, **options):\n    print('waiting', flush=True)\n    time.sleep(60)\n"
        "generate.understand = wait\n"
        "from mcp_bindgen.cli import main\nmain(['--version', '2025-03-26', '--out', 'out'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")
    assert not (elsewhere / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_packages_are_replaced_restores_them(elsewhere: Path, number: signal.Signals) -> None:
    arguments = ["--version", "2025-03-26", "--out", "out"]
    subprocess.run([*COMMAND, *arguments], stdout=subprocess.DEVNULL, check=True)
    init = elsewhere / "out" / "v2025_03_26" / "__init__.py"
    (elsewhere / "out" / "runtime" / "errors.py").write_text("# Generated by mcp-codegen, and changed\n")
    init.write_text("# Generated by mcp-codegen, and changed\n")
    code = (
        "import time\nfrom mcp_bindgen.emit import transaction\nreplace = transaction._replace\n"
        "def wait(*given, **options):\n    replace(*given)\n    print('waiting', flush=True)\n    time.sleep(60)\n"
        f"transaction._replace = wait\nfrom mcp_bindgen.cli import main\nmain({arguments})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")
    assert init.read_text() == "# Generated by mcp-codegen, and changed\n"
    assert not list((elsewhere / "out").glob(".mcp-codegen-*"))


def test_a_bug_of_ours_is_told_apart_from_a_mistake_of_the_user(elsewhere: Path, monkeypatch) -> None:
    code = (
        "from mcp_bindgen import generate\n"
        "def broken(*given, **options):\n    raise ZeroDivisionError('it broke')\n"
        "generate.understand = broken\n"
        "from mcp_bindgen.cli import main\nmain(['model'])"
    )
    done = python(code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: internal error, please report it (ZeroDivisionError: it broke)\n"
        "set MCP_CODEGEN_TRACEBACK=1 to see the traceback\n"
    )
    monkeypatch.setenv("MCP_CODEGEN_TRACEBACK", "1")
    assert "Traceback (most recent call last)" in python(code).stderr


def terminal(arguments: list[str], **environment: str) -> str:
    """What a terminal of 80 columns would show."""
    reader, writer = pty.openpty()
    variables = {name: text for name, text in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=writer,
        stderr=writer,
        env={**variables, "TERM": "xterm", "COLUMNS": "80", **environment},
    ) as process:
        os.close(writer)
        shown = b""
        try:
            while data := os.read(reader, 65536):
                shown += data
        except OSError:
            pass  # Linux says so where others say end of file.
        finally:
            os.close(reader)
        process.wait()
    return shown.decode()


def test_a_terminal_gets_colour_unless_it_says_no() -> None:
    assert "\x1b[1mTool" in terminal(["explain", "Tool"])
    assert "\x1b[" not in terminal(["explain", "Tool"], NO_COLOR="1")
    assert "\x1b[" not in terminal(["explain", "Tool"], TERM="dumb")
    assert "\x1b[" not in terminal(["explain", "Tool"], FORCE_COLOR="0")
    assert "\x1b[1mTool" in terminal(["explain", "Tool"], FORCE_COLOR="", NO_COLOR="")
    assert "\x1b[31m" in terminal(["explain", "Nope"])


def test_a_pipe_gets_colour_only_on_demand(spawn) -> None:
    assert "\x1b[" not in spawn("explain", "Tool").out
    assert "\x1b[1mTool" in spawn("explain", "Tool", FORCE_COLOR="1").out
    assert "\x1b[" not in spawn("explain", "Tool", FORCE_COLOR="1", NO_COLOR="1").out


@pytest.mark.parametrize("name", ["Tool", "tools/call", "RequestMetaObject", "PrimitiveSchemaDefinition"])
def test_what_is_explained_fits_eighty_columns(name: str) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal(["explain", name]))
    assert max(len(line.rstrip("\r")) for line in shown.split("\n")) <= 80


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_stays_json_in_any_encoding(elsewhere: Path, spawn, encoding: str) -> None:
    (elsewhere / "acme.ts").write_text('/** Größe — 🎈 */\nexport type Größe = "ä" | "🎈";\n', encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "model", "--schema", "acme.ts"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=True,
    )
    document = json.loads(done.stdout.decode(encoding))
    assert document["types"]["Größe"] == {
        "kind": "alias",
        "line": 2,
        "doc": "Größe — 🎈",
        "deprecated": None,
        "type": '"ä" | "🎈"',
    }


def test_what_a_terminal_would_obey_is_not_printed(elsewhere: Path, spawn) -> None:
    (elsewhere / "acme.ts").write_text("/** Evil \x1b[31m \u202e text. */\nexport interface Widget { a: string }\n")
    shown = spawn("explain", "Widget", "--schema", "acme.ts")
    assert shown.status in {0, 2}
    assert not {"\x1b", "\u202e"} & set(shown.out + shown.err)
    unknown = spawn("explain", "a\x1b[31mb")
    assert unknown.status == 2
    assert "\x1b" not in unknown.err


def test_completion_for_a_shell_works(spawn) -> None:
    done = spawn(_MCP_CODEGEN_COMPLETE="bash_source")
    assert done.status == 0
    assert "_MCP_CODEGEN_COMPLETE=bash_complete" in done.out


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("val", ["plain,validate"]),
        ("diff 2025-1", ["plain,2025-11-25"]),
        ("diff my.ts", ["file,my.ts"]),
        ("explain tools/c", ["plain,tools/call"]),
        ("explain CallToolRequestP", ["plain,CallToolRequestParams"]),
        ("call --version 2026", ["plain,2026-07-28"]),
        ("bridge --revision 2026", ["plain,2026-07-28"]),
        ("replay --revision 2026", ["plain,2026-07-28"]),
        ("tools snapshot --version 2026", ["plain,2026-07-28"]),
        ("client --version 2026", ["plain,2026-07-28"]),
        ("validate ses", ["file,ses"]),
        ("convert ses", ["file,ses"]),
        ("replay ses", ["file,ses"]),
        ("tools check too", ["file,too"]),
    ],
)
def test_commands_revisions_methods_types_and_files_are_completed(spawn, words: str, completions: list[str]) -> None:
    done = spawn(
        _MCP_CODEGEN_COMPLETE="bash_complete", COMP_WORDS=f"mcp-codegen {words}", COMP_CWORD=str(len(words.split()))
    )
    assert done.out.splitlines() == completions


def test_progress_is_shown_on_a_terminal_past_one_second_only(
    monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path
) -> None:
    from mcp_bindgen.cli.commands import generate as command
    from mcp_bindgen.generate import Bundled

    inputs = [Bundled("2024-11-05"), Bundled("2025-03-26")]
    command.render(inputs, tmp_path)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    command.render(inputs[:1], tmp_path)
    assert capsys.readouterr().err == ""
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    command.render(inputs, tmp_path)
    assert "generating 2025-03-26" in capsys.readouterr().err
