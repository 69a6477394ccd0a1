"""Output folder of a command."""

from __future__ import annotations

import os
from pathlib import Path

from mcp_bindgen import resources
from mcp_bindgen.cli import output
from mcp_bindgen.errors import BindgenError

_EXAMPLE = "src/your_package/mcp"


def target_of(out: Path | None, wanted: str) -> Path:
    """Return the folder of ``--out``, else that of the checkout; ``wanted`` is the command for the error message."""
    target = out or resources.default_target()
    if target is None:
        message = (
            f'no output folder given; write out = "{_EXAMPLE}" below [tool.mcp-codegen] in pyproject.toml, or run: '
            f"{wanted} --out {_EXAMPLE}"
        )
        raise BindgenError(message)
    # Not Path.resolve(): messages show the path as the user wrote it.
    target = Path(os.path.normpath(target))
    installed = resources.installation_around(Path(os.path.normpath(target.absolute())))
    if installed is None:
        installed = resources.installation_around(target.resolve())
    if installed is not None:
        message = f"cannot write to {output.shown(installed)}, an installed package; pass another folder to --out"
        raise BindgenError(message)
    return target
