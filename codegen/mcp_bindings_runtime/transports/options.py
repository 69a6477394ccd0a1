"""Options of the server process that a client starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..options import Options, option
from ..validation import require_instance, require_string_keys

if TYPE_CHECKING:
    from os import PathLike

    from .child import Stderr


class StdioOptions(Options):
    """Options of a server process. Raises ``UsageError`` for an unknown option and for a value that is not valid."""

    env: Mapping[str, str] | None = option(default=None)
    """Environment variables to set for the server, in addition to the few that every program needs, such as `PATH`."""
    inherit_env: bool = option(default=False)
    """If true, the server inherits all environment variables of this process."""
    cwd: str | PathLike[str] | None = option(default=None)
    """Working directory of the server; by default the working directory of this process."""
    stderr: Stderr = option(default="inherit")
    """Destination of the server's standard error: `"inherit"` for the standard error of this process, `"capture"` to show
    the last lines in errors, a callback that receives each line, a file, or a descriptor, such as `subprocess.DEVNULL` to
    drop all lines.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        require_string_keys(env=self.env)
        for name, value in (self.env or {}).items():
            require_instance(f"the variable {name} of `env`", value, str, "a str")
