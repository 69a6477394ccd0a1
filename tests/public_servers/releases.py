"""Pinned releases of public servers: how each is installed and started, and a call that it answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from attrs import field, frozen


@frozen
class PublicServer:
    """A server with two releases."""

    name: str
    """Name of the distribution, and of the program that it installs unless ``program`` is set."""
    registry: Literal["PyPI", "npm"]
    releases: tuple[str, str]
    """An older and a newer release."""
    tool: str
    """The method of the typed client that is called."""
    answer: str
    """Text that the answer contains."""
    sdks: tuple[str, str] = ("mcp==1.30.0", "mcp==2.3.0")
    """The SDKs that the releases were written for; their own requirements have no upper limit. PyPI only."""
    program: str = ""
    options: Sequence[str] = ()
    """Arguments of the program; ``{folder}`` is an empty folder."""
    arguments: Mapping[str, Any] = field(factory=dict[str, Any])

    def installed(self, release: str, folder: Path) -> list[str]:
        """Install a release into a folder, unless it is there; return the command that starts it."""
        place = folder / f"{self.name.rpartition('/')[2]}-{release}"
        work = folder / "work"
        work.mkdir(parents=True, exist_ok=True)
        program = self.program or self.name
        if self.registry == "PyPI":
            found = place / "bin" / program
            if not found.exists():
                _run(sys.executable, "-m", "venv", str(place))
                _run(
                    str(place / "bin" / "pip"),
                    "install",
                    "-q",
                    f"{self.name}=={release}",
                    self.sdks[self.releases.index(release)],
                )
        else:
            found = place / "node_modules" / ".bin" / program
            if not found.exists():
                place.mkdir(exist_ok=True)
                _run(
                    "npm",
                    "install",
                    "--silent",
                    "--no-audit",
                    "--no-fund",
                    "--prefix",
                    str(place),
                    f"{self.name}@{release}",
                )
        return [str(found), *(each.format(folder=work) for each in self.options)]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


_OFFICIAL = "@modelcontextprotocol/server-"

SERVERS: Sequence[PublicServer] = (
    PublicServer(
        "mcp-server-time",
        "PyPI",
        ("2025.8.4", "2026.10.19"),
        "get_current_time",
        "UTC",
        arguments={"timezone": "UTC"},
    ),
    PublicServer("mcp-server-git", "PyPI", ("2025.1.14", "2026.10.19"), "git_status", "", arguments={"repo_path": "."}),
    PublicServer(
        "mcp-server-fetch", "PyPI", ("2025.1.17", "2026.10.24"), "fetch", "", arguments={"url": "about:blank"}
    ),
    PublicServer(
        "mcp-server-sqlite",
        "PyPI",
        ("2025.1.14", "2025.4.25"),
        "list_tables",
        "[]",
        sdks=("mcp==1.30.0", "mcp==1.30.0"),
    ),
    PublicServer(
        "mcp-server-calculator",
        "PyPI",
        ("0.1.1", "0.2.1"),
        "calculate",
        "42",
        sdks=("mcp==1.30.0", "mcp==1.30.0"),
        arguments={"expression": "6 * 7"},
    ),
    PublicServer("@playwright/mcp", "npm", ("0.0.64", "0.0.83"), "browser_close", "### ", program="playwright-mcp"),
    PublicServer(
        f"{_OFFICIAL}everything",
        "npm",
        ("2025.9.25", "2026.8.31"),
        "echo",
        "hello",
        program="mcp-server-everything",
        arguments={"message": "hello"},
    ),
    PublicServer(
        f"{_OFFICIAL}filesystem",
        "npm",
        ("2025.8.21", "2026.8.31"),
        "list_allowed_directories",
        "work",
        program="mcp-server-filesystem",
        options=["{folder}"],
    ),
    PublicServer(
        f"{_OFFICIAL}memory",
        "npm",
        ("2025.9.25", "2026.8.31"),
        "read_graph",
        "entities",
        program="mcp-server-memory",
    ),
    PublicServer(
        f"{_OFFICIAL}sequential-thinking",
        "npm",
        ("2025.7.1", "2026.8.31"),
        "sequentialthinking",
        "thought_number",
        program="mcp-server-sequential-thinking",
        arguments={"thought": "Think.", "next_thought_needed": False, "thought_number": 1, "total_thoughts": 1},
    ),
)
"""Every server keeps to its machine; ``fetch`` refuses its URL."""
