"""Every snippet of README.md, CONTRIBUTING.md, examples/README.md and docs/ runs, page by page, in a folder of its own outside the checkout.

By the language of the fenced block: ``python`` is executed, with one namespace for a page, and what it prints is compared
with an ``output`` block right after it; ``console`` holds commands (``$ …``) and what they print; ``ts``, ``toml`` and
other blocks with a ``title="NAME"`` become files. ``...`` in expected output stands for anything. ``sh`` is for commands
that need a network or a fresh clone; SH says where each of them runs.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import black
import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen.cli.app import run

FIRST = ("README.md", "docs/index.md")
"""Pages of which each snippet runs alone, in the folder with the files of the page."""
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

WIDTH = black.DEFAULT_LINE_LENGTH
"""Characters of a line of code that fit beside both sidebars of the site (docs/stylesheets/code.css)."""

HERE = {"check", "diff", "explain", "generate", "history", "list", "matrix", "model", "validate"}
"""Subcommands that start no programs and import no modules of the page: they run in the process of the tests.

A process of their own would import the generator each time. That the program itself does so is tested by the other
subcommands, and in tests/cli/test_entry_point.py.
"""
RUN = {"python", "output", "console"}
SH = {
    'eval "$(_MCP_CODEGEN_COMPLETE=bash_source mcp-codegen)"': "tests/cli/test_completion.py",
    'python3 -m venv .venv && .venv/bin/python -m pip install -q -e ".[codegen]" && .venv/bin/mcp-codegen --version '
    "2025-03-26": "tests/packaging/test_readme.py",
    "python3 -m venv .venv && .venv/bin/python -m pip install -q nox && .venv/bin/nox": ".ci/run",
    "python3 -m venv .venv && .venv/bin/python -m pip install -q nox": "the same, without its last step",
    ".venv/bin/nox -s tests-3.11 -- tests/emit": "noxfile.py: tests-3.11",
    ".venv/bin/nox -s tests-3.11 -- tests/emit/test_golden.py": "noxfile.py: tests-3.11",
    "pip install mcp-bindings": "noxfile.py: build, with the wheel",
    'pip install "mcp-bindings[codegen]"': "noxfile.py: build, with the wheel",
    'pip install "mcp-bindings[fast]"': "noxfile.py: build, with the wheel",
}


class Block(NamedTuple):
    """One fenced block."""

    line: int
    """Of the fence, from 1."""
    language: str
    title: str | None
    text: str


def blocks(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        fence = re.match(r"( *)```(\w*)(?: +title=\"([^\"]+)\")?$", line)
        if fence is None:
            continue
        if start is None:
            start, opened = number, fence
        else:
            indent = len(opened[1])
            text = "".join(f"{inner[indent:]}\n" for inner in lines[start : number - 1])
            yield Block(start, opened[2], opened[3], text)
            start = None
    assert start is None, f"{page}:{start}: the block is not closed"


def matches(expected: str, found: str) -> bool:
    """Whether the texts are equal, ``...`` standing for anything: within a line, or as a line for any lines."""
    pattern = re.escape(expected.rstrip()).replace(r"\.\.\.", ".*")
    return re.fullmatch(pattern, found.rstrip(), re.DOTALL) is not None


@contextlib.contextmanager
def kept_log_settings() -> Iterator[None]:
    """Undo what the code inside ``with`` sets for the log, which is shared by all tests of the process."""
    root = logging.getLogger()
    handlers, levels = [*root.handlers], {name: logging.getLogger(name).level for name in root.manager.loggerDict}
    levels["root"] = root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for name in ("root", *root.manager.loggerDict):
            logging.getLogger(name).setLevel(levels.get(name, logging.NOTSET))


class Page:
    """Runs the blocks of one page, in order."""

    def __init__(self, page: Path, folder: Path) -> None:
        self._page = page
        self._folder = folder
        text = page.read_text(encoding="utf-8")
        self._newest = max((each for each in REVISIONS if each in text), default=REVISIONS[-1])
        """The newest revision when the page was written: where programs choose the newest, it stands for that of today."""
        self._namespace: dict[str, Any] = {"__name__": "snippet"}
        self._printed = ""

    def run(self, block: Block) -> None:
        place = f"{self._page.relative_to(ROOT)}:{block.line}"
        if block.title is not None:
            file = self._folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            self._python(block)
        elif block.language == "output":
            assert self._matches(block.text, self._printed), f"{place}: printed was\n{self._printed}"
            self._printed = ""
        elif block.language == "console":
            self._console(block, place)
        elif block.language == "sh":
            for line in block.text.splitlines():
                assert line in SH, f"{place}: who runs {line!r}?"
        else:
            assert block.language in {"text", "mermaid"}, f"{place}: a block of {block.language!r} needs a title"

    def _matches(self, expected: str, found: str) -> bool:
        return matches(expected, found) or matches(expected.replace(self._newest, REVISIONS[-1]), found)

    def _python(self, block: Block) -> None:
        # Empty lines before it make the numbers in a traceback those of the page.
        code = compile("\n" * block.line + block.text, str(self._page), "exec", dont_inherit=True)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(self._folder):
            exec(code, self._namespace)
        self._printed = printed.getvalue()

    def _console(self, block: Block, place: str) -> None:
        status = 0
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            if command == "echo $?":
                assert expected.strip() == str(status), f"{place}: the status was {status}"
                status = 0
                continue
            assert status == 0, f"{place}: before {command!r} the status was {status}"
            status, printed = self._start(command)
            assert self._matches(expected, printed), f"{place}: {command}\nprinted\n{printed}"
        assert status == 0, f"{place}: the last status was {status}; show it with: $ echo $?"

    def _start(self, command: str) -> tuple[int, str]:
        """Run a command; return its status and what it prints."""
        words = shlex.split(command)
        colourless = {"NO_COLOR": "1", "COLUMNS": str(WIDTH)}
        if words[0] == "mcp-codegen" and (len(words) == 1 or words[1] in HERE or words[1].startswith("--")):
            return self._run_here(words[1:], colourless)
        beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        done = subprocess.run(
            words,
            cwd=self._folder,
            env={**os.environ, **colourless, "PATH": beside, "PYTHONPATH": "src"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def _run_here(self, arguments: list[str], environment: dict[str, str]) -> tuple[int, str]:
        printed = io.BytesIO()
        with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open(encoding="utf-8") as nothing:
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.chdir(self._folder)
            stream = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)
            patch.setattr(sys, "stdin", nothing)
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            status = run(arguments)
        return status, printed.getvalue().decode()


@pytest.fixture
def own_imports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Undo what a page adds to ``sys.path`` and imports from there: the next page has another ``src``."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]
    # The cache knows a relative folder by its name alone.
    sys.path_importer_cache.pop("src", None)


@pytest.mark.usefixtures("own_imports")
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_the_snippets_of_the_page_run(page: Path, tmp_path: Path) -> None:
    runner = Page(page, tmp_path)
    with kept_log_settings():
        for block in blocks(page):
            runner.run(block)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_the_snippets_of_the_page_are_formatted(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            place = f"{page.relative_to(ROOT)}:{block.line}"
            assert block.text == black.format_str(block.text, mode=black.Mode()), place
            # Black splits no text and no comment.
            assert [line for line in block.text.splitlines() if len(line) > WIDTH] == [], place


@pytest.mark.parametrize("page", FIRST)
def test_the_first_snippets_run_when_copied_alone(page: str, tmp_path: Path) -> None:
    for block in blocks(ROOT / page):
        if block.language == "python":
            assert block.title is not None, f"{page}:{block.line}: name the file that a reader copies this to"
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, block.title],
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])},
            )
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a ... c\n", "a b c\n", True),
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("a\n", "a\nb\n", False),
    ],
)
def test_expected_output_may_leave_out_parts(expected: str, found: str, same: bool) -> None:
    assert matches(expected, found) is same
