"""Temporary package of a schema file."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_bindgen.generate import Input

_PREFIX = "_mcp_bindgen_own_"


@contextmanager
def imported(item: Input) -> Generator[ModuleType]:
    """Generate the package of a schema in a temporary folder; import it for the duration of the context."""
    from mcp_bindgen.generate import generate

    (made,) = generate([item], copy_runtime=False).packages
    name = f"{_PREFIX}{made.name}"
    with tempfile.TemporaryDirectory(prefix="mcp-codegen-") as folder:
        for path, text in made.files.items():
            # The first part of a path is the name of the package.
            file = Path(folder, name, *Path(path).parts[1:])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            yield importlib.import_module(name)
        finally:
            sys.path.remove(folder)
            for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
                del sys.modules[each]
