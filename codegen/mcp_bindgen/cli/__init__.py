"""The command ``mcp-codegen``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from mcp_bindgen.cli.missing_extra import MISSING_EXTRA


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, by default ``sys.argv``, and exit with its status."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        # Treat it as Ctrl-C: clean up, print a message and exit with 130.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # Imported here, as the bindings may be installed without the generator's dependencies.
        from mcp_bindgen.cli.app import run
    except ModuleNotFoundError as problem:
        if problem.name is None or problem.name.startswith("mcp_bindgen"):
            raise
        sys.stderr.write(MISSING_EXTRA)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
