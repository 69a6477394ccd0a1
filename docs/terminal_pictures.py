"""Writes pictures of commands in a terminal, from what they print, as SVG; run it as ``nox -s options``."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent / "pictures"
_CALLS: Final = ("mcp-codegen call -- python server.py", "mcp-codegen call call add a=1 b=2 -- python server.py")
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "diff": ("mcp-codegen diff 2025-11-25 2026-07-28 --method resources/subscribe",),
    "explain": ("mcp-codegen explain ping",),
    "call": _CALLS,
    "first_call": _CALLS,
}
"""Name of a picture to the commands in it."""
PAGES: Final[Mapping[str, str]] = {"diff": "cli.md", "explain": "cli.md", "call": "cli.md", "first_call": "index.md"}
"""Name of a picture to the page that shows it; the commands run beside the first ``server.py`` of this page."""
PROMPT: Final = "$ "
COLUMNS: Final = 80

_CELL: Final = 8.4
"""Width of a character. Each run of characters is stretched to it, whatever font the reader has."""
_LINE: Final = 20
_MARGIN: Final = 16
_CLASSES: Final = {"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow"}
"""Codes of ANSI escape sequences that the commands use; 0 ends them."""
_STYLE: Final = """\
rect { fill: #f6f8fa; stroke: #d0d7de }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f; white-space: pre }
.bold { font-weight: 700 }
.dim { fill: #57606a }
.red { fill: #b42318 }
.green { fill: #116329 }
.yellow { fill: #7d4e00 }
@media (prefers-color-scheme: dark) {
  rect { fill: #161b22; stroke: #30363d }
  text { fill: #e6edf3 }
  .dim { fill: #9198a1 }
  .red { fill: #ff7b72 }
  .green { fill: #56d364 }
  .yellow { fill: #e3b341 }
}"""


def pictures() -> dict[Path, str]:
    """Return the pictures by their files."""
    texts: dict[Path, str] = {}
    for name, commands in COMMANDS.items():
        with TemporaryDirectory() as folder:
            write_server(name, folder)
            texts[FOLDER / f"{name}.svg"] = svg(session(commands, folder))
    return texts


def write_server(name: str, folder: str) -> None:
    """Write the server of the page of a picture into a folder."""
    page = Path(__file__).with_name(PAGES[name]).read_text(encoding="utf-8")
    server = page.partition('```python title="server.py"\n')[2].partition("```")[0]
    Path(folder, "server.py").write_text(server, encoding="utf-8")


def session(commands: tuple[str, ...], folder: str, *, coloured: bool = True) -> str:
    """Run commands in a folder and return what a terminal shows. Raise ``CalledProcessError`` for a bad use."""
    text = ""
    for command in commands:
        settings = {"COLUMNS": str(COLUMNS), "FORCE_COLOR" if coloured else "NO_COLOR": "1"}
        inherited = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "NO_COLOR"}}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        done = subprocess.run(  # noqa: S603 - the commands are those above
            shlex.split(command),
            cwd=folder,
            env={**inherited, **settings, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        # A diff with findings has the status 1.
        if done.returncode not in {0, 1}:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout)
        text += f"{PROMPT}{command}\n{done.stdout}"
    return text


def svg(text: str) -> str:
    """Return a picture of a terminal's text; it follows the reader's light or dark scheme."""
    rows = list(_rows(text))
    width = round(COLUMNS * _CELL) + 2 * _MARGIN
    height = len(rows) * _LINE + 2 * _MARGIN
    commands = "; ".join(line.removeprefix(PROMPT) for line in text.splitlines() if line.startswith(PROMPT))
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>Terminal: {escape(commands)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
    ]
    for number, runs in enumerate(rows, 1):
        spans = "".join(_span(column, names, run) for column, names, run in runs)
        lines.append(f'<text y="{_MARGIN + number * _LINE - 5}">{spans}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _span(column: int, names: str, run: str) -> str:
    kind = f' class="{names}"' if names else ""
    start, width = _MARGIN + column * _CELL, len(run) * _CELL
    return f'<tspan{kind} x="{start:.1f}" textLength="{width:.1f}">{escape(run)}</tspan>'


def _rows(text: str) -> Iterator[list[tuple[int, str, str]]]:
    """Yield for each line its runs of one style: column, classes, characters. Raise ``KeyError`` for an unknown code."""
    names: tuple[str, ...] = ()
    for line in text.splitlines():
        runs: list[tuple[int, str, str]] = []
        column = 0
        for codes, run in re.findall(r"(\x1b\[[\d;]*m)|([^\x1b]+)", line):
            if codes:
                for code in codes[2:-1].split(";"):
                    names = () if code in {"", "0"} else (*names, _CLASSES[code])
                continue
            shown = names or (("bold",) if line.startswith(PROMPT) else ())
            runs.append((column, " ".join(shown), run))
            column += len(run)
        yield runs


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, picture in pictures().items():
        path.write_text(picture, encoding="utf-8")
