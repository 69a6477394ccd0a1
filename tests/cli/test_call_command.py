"""``mcp-codegen call``, with a server of this checkout behind it."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
from checkout import REVISIONS, ROOT
from conformance import server as fixture
from support.raw_http_client import endpoint
from support.scripted_peers import PATIENCE, environment

DESK = ROOT / "tests" / "cli" / "programs" / "desk.py"
NEWEST_WITH_HANDSHAKE = "2025-11-25"


@pytest.fixture
def desk(cli, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs ``mcp-codegen call`` with these arguments on a server of one revision, or of all."""
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])

    def run(*arguments: str, revisions: tuple[str, ...] = (NEWEST_WITH_HANDSHAKE,)) -> Any:
        return cli("call", *arguments, "--", sys.executable, str(DESK), *revisions)

    return run


@pytest.mark.parametrize("revision", ["2025-06-18", "2026-07-28"])
def test_a_server_over_http(cli, monkeypatch: pytest.MonkeyPatch, revision: str) -> None:
    with endpoint(*fixture.build()) as wire, Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        to = ("--url", f"http://127.0.0.1:{wire.port}/mcp", "--version", revision, "--header", "X-Who: me")
        status, out, _ = cli("call", "list", "prompts", *to)
        assert (status, out.splitlines()[0]) == (0, f"conformance-fixture 1.0.0, revision {revision}")
        status, out, err = cli("call", "call", "test_tool_with_progress", *to, "--raw")
        assert (status, out) == (0, "The work is done.\n")
        assert "progress: 100/100" in err
        assert "--> {" in err
        status, _, err = cli("call", "call", "test_error_handling", *to)
        assert (status, err) == (1, "error: the tool 'test_error_handling' failed\n")


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (
            ["--url", "nonsense"],
            2,
            "error: 'nonsense' is not the URL of a server; write 'http://nonsense', or with https",
        ),
        (["--url", "http://127.0.0.1:1/mcp"], 1, "error: "),
        (
            ["--url", "http://127.0.0.1:1/mcp", "--", "server"],
            2,
            "error: two servers given: 'server', which follows --, is the command of a server",
        ),
        (
            ["--url", "http://127.0.0.1:1/mcp", "--header", "nonsense"],
            2,
            "--header must have the form 'NAME: VALUE', got 'nonsense'",
        ),
        (["--header", "a: b", "--", "server"], 2, "--header requires --url"),
        (["--token-env", "NOWHERE", "--", "server"], 2, "--token-env requires --url"),
        (["--url", "http://127.0.0.1:1/mcp", "--token-env", "NOWHERE"], 2, "NOWHERE is not set, or empty"),
        (
            ["--url", "http://127.0.0.1:1/mcp", "--token-env", "PATH", "--header", "authorization: me"],
            2,
            "--token-env and --header set the header Authorization both",
        ),
    ],
)
def test_a_url_that_leads_nowhere(cli, arguments: list[str], status: int, complaint: str) -> None:
    found = cli("call", *arguments)
    assert (found.status, found.out) == (status, "")
    assert complaint in found.err


def test_a_server_of_a_configuration_file(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"command": sys.executable, "args": [str(DESK), NEWEST_WITH_HANDSHAKE], "env": environment()}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"desk": entry}}), "utf-8")
    assert cli("call", "call", "add", "a=1", "b=2", "--config", ".mcp.json", "desk")[:2] == (0, "3\n")
    status, _, err = cli("call", "list", "--config", ".mcp.json", "disk")
    assert (status, err) == (2, "error: .mcp.json has no server 'disk'; did you mean desk?\n")
    status, _, err = cli("call", "list", "--config", ".mcp.json", "desk", "--", "server")
    assert status == 2
    assert "two servers given" in err


SLOW = """
from mcp_bindings import v2025_11_25 as mcp

server = mcp.Server("slow", "1.0", tasks=mcp.MemoryTasks())


@server.tool(execution=mcp.ToolExecution(task_support="required"))
def slow(n: int) -> str:
    return f"{n} of {n}"


server.run_stdio()
"""


def test_a_tool_that_has_to_be_a_task_is_waited_for(cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    program = tmp_path / "slow.py"
    program.write_text(SLOW, encoding="utf-8")
    status, out, err = cli("call", "call", "slow", "n=3", "--", sys.executable, str(program))
    assert (status, out, err) == (0, "3 of 3\n", "")


SENDING = """
from mcp_bindings import ResponseError, v2026_07_28 as mcp

server = mcp.Server("sending", "1.0")


@server.tool
def ask() -> str:
    raise ResponseError(-32600, "cannot send 'elicitation/create' without a session")


@server.tool
def refuse() -> str:
    raise ResponseError(-32600, "refused")


server.run_stdio()
"""


@pytest.mark.parametrize(
    ("tool", "hint"),
    [
        (
            "ask",
            f"if the server sends requests itself, which {REVISIONS[-1]} does not have, add --version 2025-11-25\n",
        ),
        ("refuse", ""),
    ],
)
def test_a_server_that_cannot_send_a_request_in_the_newest_revision_is_to_be_called_in_an_earlier_one(
    cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tool: str, hint: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    program = tmp_path / "sending.py"
    program.write_text(SENDING, encoding="utf-8")
    status, out, err = cli("call", "call", tool, "--", sys.executable, str(program))
    assert (status, out, err.partition("(-32600)\n")[2]) == (1, "", hint)


LISTING = """\
desk 1.0, revision {revision}
It answers.

tools (8)
  add
    Add two numbers.
    a  number  required  the first
    b  number  = 1       what to add
  echo
    Say what was given.
  picture
  ask
  fail
  refuse
  wait
  die

resources (1)
  desk://note
    text/plain, 12 bytes, note

prompts (1)
  greet
    who  text  required  whom to greet
"""


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_a_server_offers_is_listed_in_its_revision(desk, revision: str) -> None:
    assert desk(revisions=(revision,)) == (0, LISTING.format(revision=revision), "")


def test_the_revision_is_the_newest_that_both_speak_or_the_one_that_is_asked_for(desk) -> None:
    first = desk("list", "prompts", revisions=tuple(REVISIONS))
    assert first.out.startswith(f"desk 1.0, revision {REVISIONS[-1]}\n")
    second = desk("list", "prompts", "--version", REVISIONS[0], revisions=tuple(REVISIONS))
    assert second.out.startswith(f"desk 1.0, revision {REVISIONS[0]}\n")
    assert "tools" not in second.out


def test_a_revision_that_the_server_does_not_speak(desk) -> None:
    status, out, err = desk("--version", "2025-06-18")
    assert (status, out) == (1, "")
    assert (
        "the peer does not support 2025-06-18; it supports 2025-11-25; leave out --version to negotiate the revision"
        in err
    )
    err = desk("--version", "2026-07-28").err
    assert (
        err == "error: the peer does not support 2026-07-28 and does not say what it supports; "
        "leave out --version to negotiate the revision\n"
    )
    status, out, err = desk("--version", "2025-06-19")
    assert (status, out, err) == (
        2,
        "",
        "error: '2025-06-19' is not a bundled revision; did you mean 2025-06-18?\n",
    )


def test_a_list_for_programs(desk) -> None:
    status, out, err = desk("list", "tools", "prompts", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert list(document) == ["format", "revision", "server", "capabilities", "instructions", "tools", "prompts"]
    assert document["server"] == {"name": "desk", "version": "1.0"}
    assert document["prompts"] == [
        {"name": "greet", "arguments": [{"name": "who", "description": "whom to greet", "required": True}]}
    ]


def test_a_tool_is_called_with_typed_arguments_and_what_it_tells_is_told_apart(desk) -> None:
    status, out, err = desk("call", "add", "a=1", "b=2.5")
    assert (status, out) == (0, "3.5\n")
    assert sorted(err.splitlines()) == ["[info] adding", "progress: 1/2"]


def test_control_characters_in_progress_are_escaped(desk) -> None:
    _, _, err = desk("call", "add", json.dumps({"a": 1, "step": "half\nerror: \x9b31m no"}))
    assert sorted(err.splitlines()) == ["[info] adding", r"progress: 1/2 half\u000aerror: \u009b31m no"]


def test_all_log_messages_are_told_before_the_end(desk) -> None:
    for level, told in (("info", True), ("error", False)):
        assert ("[info] adding" in desk("call", "add", "a=1", "--log", level).err) is told
        assert ("[info] adding" in desk("call", "add", "a=1", "--log", level, revisions=("2026-07-28",)).err) is told


def test_a_result_for_programs_is_what_the_server_sent(desk) -> None:
    out = desk("call", "picture", "--json").out
    assert json.loads(out)["content"][1] == {"type": "image", "data": "iVBORw0K", "mimeType": "image/png"}


def test_json_on_a_terminal_has_no_character_that_the_terminal_obeys(desk) -> None:
    out = desk("prompt", "greet", "who=\x9b31m \u202e é", "--json").out
    assert r"Say hello to \u009b31m \u202e é" in out
    assert json.loads(out)["messages"][0]["content"]["text"] == "Say hello to \x9b31m \u202e é."


def test_bytes_are_summarised_or_saved(desk, elsewhere: Path) -> None:
    status, out, err = desk("call", "picture")
    assert (status, out) == (0, "a picture\n[image image/png, 6 bytes]\n")
    assert err == "add --save FOLDER to save the content in brackets to files\n"
    assert desk("call", "picture", "--save", "here") == (
        0,
        "a picture\n[image image/png, 6 bytes: here/picture.png]\n",
        "",
    )
    assert desk("read", "desk://pixel", "--json", "--save", "here").status == 0
    assert {each.name: each.read_bytes() for each in Path("here").iterdir()} == {
        "picture.png": b"\x89PNG\r\n",
        "pixel.png": b"\x89PNG\r\n",
    }


def test_a_resource_and_a_prompt(desk) -> None:
    assert desk("read", "desk://note") == (0, "a line\nand \x1b[31manother\n", "")
    assert desk("prompt", "greet", "who=Ada") == (0, "user:\n  Say hello to Ada.\n", "")


def test_a_server_has_the_environment_of_the_shell(desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK", "oak")
    assert desk("call", "echo", "x:=[1]").out == "{'x': [1]} oak\n"


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["call", "fail"], 1, "error: the tool 'fail' failed"),
        (["call", "refuse"], 1, 'error: the server returned an error: refused (-32000)\n{\n  "why": "because"\n}'),
        (["call", "die"], 1, "exited with status 3"),
        (["call", "wait", "--timeout", "0.2"], 1, "no answer in 0.2 s"),
        (["call", "ad"], 2, "error: the server has no tool 'ad'; did you mean add?"),
        (["call", "add"], 2, "error: the tool 'add' needs a (number); write a=…"),
        (["call", "add", "a=x"], 2, "error: a: expected number, got 'x'"),
        (["prompt", "meet"], 2, "error: the server has no prompt 'meet'; did you mean greet?"),
        (["prompt", "greet"], 2, "error: the prompt 'greet' needs who"),
        (["call"], 2, "error: call needs the name of a tool"),
        (["read", "a", "b"], 2, "error: read takes one URI, got 2 arguments"),
        (["list", "tool"], 2, "error: cannot list 'tool'; did you mean tools?"),
        (["add", "a=1"], 2, "error: unknown action 'add'; use one of list, call, read, prompt"),
        (
            ["tools"],
            2,
            "error: unknown action 'tools'; use one of list, call, read, prompt; to list them, write: list tools",
        ),
        (["http://h/mcp"], 2, "for a running server, write: mcp-codegen call --url http://h/mcp"),
        (["sh", "a b"], 2, "to start a server, write: mcp-codegen call -- sh 'a b'"),
        (["--record", f"{os.devnull}/file"], 2, "pass a writable file to --record"),
        (["--timeout", "0"], 2, "--timeout"),
    ],
)
def test_what_goes_wrong_has_its_status(desk, arguments: list[str], status: int, complaint: str) -> None:
    found = desk(*arguments)
    assert found.status == status
    assert complaint in found.err


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["call"], 2, "error: no server given; run: mcp-codegen call -- COMMAND…"),
        (["call", "list"], 2, "error: no server given; run: mcp-codegen call list -- COMMAND…"),
        (["call", "list", "http://h/mcp"], 2, "no server given; run: mcp-codegen call list --url http://h/mcp"),
        (
            ["call", "list", "--", "http://h/mcp"],
            2,
            "is a URL and not a command; run: mcp-codegen call list --url http://h/mcp",
        ),
        (["call", "read", "http://h/a"], 2, "run: mcp-codegen call read http://h/a -- COMMAND…"),
        (["call", "call", "x", "python", "s.py"], 2, "no server given; run: mcp-codegen call call x -- python s.py"),
        (
            ["tools", "snapshot", "python", "s.py"],
            2,
            "extra argument (s.py); the command of a server follows --: mcp-codegen tools snapshot -- python s.py",
        ),
        (["tools", "snapshot", "a", "b"], 2, "Got unexpected extra argument (b)\n"),
        (
            ["call", "list", "--", "sh server.sh"],
            2,
            "error: 'sh server.sh' is a whole command in quotes; write it without them: mcp-codegen call list -- sh server.sh",
        ),
        (
            ["call", "list", "tools", "--", "--url", "http://h/mcp"],
            2,
            "error: '--url', which follows --, is an option and not a command; write options before --",
        ),
        (
            ["call", "call", "add", "--a", "1", "--url", "http://h/mcp"],
            2,
            "error: unknown option --a; an argument of the tool is written a=VALUE\n",
        ),
        (
            ["list", "tools", "--url", "http://h/mcp"],
            2,
            "error: unknown option --url; to use a server, run: mcp-codegen call list tools --url http://h/mcp\n",
        ),
        (
            ["tools", "list", "--url", "http://h/mcp"],
            2,
            "error: No such command 'list'; to use a server, run: mcp-codegen call list tools --url http://h/mcp\n",
        ),
        (
            ["resources", "--", "python", "server.py"],
            2,
            "error: unknown command 'resources'; to use a server, run: mcp-codegen call list resources -- python server.py\n",
        ),
        (
            ["read", "a://b c", "--", "python", "server.py"],
            2,
            "error: unknown command 'read'; to use a server, run: mcp-codegen call read 'a://b c' -- python server.py\n",
        ),
        (["call", "--", "no-such-program"], 2, "error: cannot start 'no-such-program': no such program in PATH"),
        (["call", "--", sys.executable, "-c", "pass"], 1, "exited with status 0"),
    ],
)
def test_a_server_that_is_none(cli, arguments: list[str], status: int, complaint: str) -> None:
    found = cli(*arguments)
    assert (found.status, found.out) == (status, "")
    assert complaint in found.err


def test_a_quiet_call_shows_what_the_server_writes_only_if_it_ends() -> None:
    def called(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mcp_bindgen", "call", *arguments, "--", sys.executable]
        program = [*command, "-c", "import sys; sys.stderr.write('a\\nb\\n'); sys.exit(3)"]
        return subprocess.run(program, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)

    assert called().stderr.startswith("a\nb\nerror: ")
    quiet = called("-q")
    assert quiet.stderr.startswith("error: ")
    assert quiet.stderr.endswith("exited with status 3; the last lines of its standard error:\n    a\n    b\n")


def test_a_server_that_does_not_start_says_why_once() -> None:
    complaint = "set DESK_KEY to the key of the desk"
    command = [
        sys.executable,
        "-m",
        "mcp_bindgen",
        "call",
        "--",
        sys.executable,
        "-c",
        f"import sys; sys.exit('{complaint}')",
    ]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    first, second = done.stderr.splitlines()
    assert first == complaint
    assert second.endswith("status 1; if it needs an environment variable, set it in this shell: export NAME=value")


def test_a_server_of_a_configuration_file_that_does_not_start_gets_its_variables_there(cli) -> None:
    entry = {"command": sys.executable, "args": ["-c", "import os; os.environ['DESK_KEY']"]}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"desk": entry}}), "utf-8")
    for command in (["call", "list"], ["tools", "snapshot"]):
        status, _, err = cli(*command, "--config", ".mcp.json", "desk")
        assert status
        assert "; if it needs an environment variable, add it to 'env' of .mcp.json, server 'desk'\n" in err


def test_the_wire_is_shown_and_recorded(cli, desk, elsewhere: Path) -> None:
    err = desk("call", "add", "a=1", "--raw", "--record", "new/folder/it.jsonl").err
    assert '--> {"jsonrpc":"2.0","method":"tools/call"' in err
    assert "<-- {" in err
    assert cli("validate", "new/folder/it.jsonl", "--rules").status == 0


def test_where_nobody_can_answer_a_question_is_declined(desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
            status, out, err = desk("call", "ask", revisions=(revision,))
            assert (status, out) == (0, "decline None\n")
            assert "the server asks: Who are you?\ndeclined, because standard input is not a terminal" in err


class OnATerminal:
    """``mcp-codegen call`` with a terminal for its input and its errors."""

    def __init__(self, *arguments: str) -> None:
        self._own, theirs = pty.openpty()
        command = [sys.executable, "-m", "mcp_bindgen.cli", "call", *arguments]
        env = {**environment(), "NO_COLOR": "1"}
        self.process = subprocess.Popen(
            command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env=env, text=True
        )
        os.close(theirs)
        self.seen = ""

    def wait_for(self, text: str) -> None:
        """Reads until a text has been shown."""
        while text not in self.seen:
            ready, _, _ = select.select([self._own], [], [], PATIENCE)
            assert ready, f"nothing more came, and no {text!r}: {self.seen}"
            try:
                self.seen += os.read(self._own, 4096).decode()
            except OSError:  # EIO: nobody has the terminal any more
                pytest.fail(f"the program has ended without {text!r}: {self.seen}")

    def type(self, text: str) -> None:
        os.write(self._own, text.encode())

    def end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self._own)


@pytest.mark.parametrize("revision", ["2025-06-18", "2026-07-28"])
def test_somebody_answers_on_the_terminal(revision: str) -> None:
    with OnATerminal("call", "ask", "--", sys.executable, str(DESK), revision) as terminal:
        for shown, typed in (("answer?", "\n"), ("name <string>: ", "Ada\n"), ("send it?", "y\n")):
            terminal.wait_for(shown)
            terminal.type(typed)
        assert terminal.end() == (0, "accept {'name': 'Ada'}\n")


@pytest.mark.parametrize("revision", ["2025-06-18", "2026-07-28"])
def test_ctrl_c_leaves_a_question(revision: str) -> None:
    with OnATerminal("call", "ask", "--", sys.executable, str(DESK), revision) as terminal:
        terminal.wait_for("answer?")
        terminal.process.send_signal(signal.SIGINT)
        terminal.wait_for("error: interrupted")
        assert terminal.end() == (130, "")


@pytest.mark.parametrize("action", [("call", "add", "a=1", "b=2"), ("list", "tools")])
def test_a_result_is_compared_with_a_file(desk, elsewhere: Path, action: tuple[str, ...]) -> None:
    status, out, _ = desk(*action, "--json")
    assert status == 0
    # The order of keys does not count.
    Path("expected.json").write_text(json.dumps(json.loads(out), sort_keys=True), encoding="utf-8")
    status, out_of_comparison, _ = desk(*action, "--expect", "expected.json")
    assert (status, out_of_comparison) == (0, "as expected in expected.json\n")
    assert desk(*action, "--expect", "expected.json", "-q")[:2] == (0, "")
    Path("expected.json").write_text(json.dumps({**json.loads(out), "more": 1}), encoding="utf-8")
    status, out, err = desk(*action, "--expect", "expected.json")
    assert status == 1
    assert '-  "more": 1' in out
    assert "error: the result differs from expected.json; if it is right, write it there with --json\n" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read expected.json: No such file or directory; write it with --json"), ("{", "is not JSON")],
)
def test_an_expectation_that_cannot_be_read_is_an_error(desk, elsewhere: Path, text: str | None, message: str) -> None:
    if text is not None:
        Path("expected.json").write_text(text, encoding="utf-8")
    status, _, err = desk("call", "add", "a=1", "b=2", "--expect", "expected.json")
    assert status == 2
    assert message in err
