"""A server for the files below one folder: ``python file_browser.py FOLDER``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from mcp_bindings import inside
from mcp_bindings import v2026_07_28 as mcp

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
server = mcp.Server("files", "1.0", instructions="Lists a folder; read a file as files:///PATH.")


@dataclass
class Entry:
    """A file or a folder."""

    name: str
    folder: bool
    size: int


@server.tool(annotations=mcp.ToolAnnotations(read_only_hint=True))
def list_folder(path: str = "") -> list[Entry]:
    """List the files and folders in a folder."""
    try:
        # `inside` resolves links and "..", and refuses whatever leads out of the folder.
        entries = sorted(inside(folder, path).iterdir())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise mcp.ToolError(f"there is no folder {path!r}") from error
    return [Entry(each.name, each.is_dir(), each.stat().st_size) for each in entries]


@server.resource_template("files:///{+path}")
def read_file(path: str) -> Path:
    """Read a file, as text if it is text."""
    return inside(folder, path)


if __name__ == "__main__":
    server.run_stdio()
