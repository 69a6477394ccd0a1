"""Packages for servers, generated from schemas and imported from a folder of their own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module, invalidate_caches
from itertools import count
from pathlib import Path
from typing import Any

from mcp_bindgen.server_clients import generate_server_client

_numbers = count()


def tools_list(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """A list of tools, each with the same schema for arguments and result."""
    return {"tools": [{"name": name, "inputSchema": {}, "outputSchema": each} for name, each in schemas.items()]}


def write_package(value: Any, folder: Path, name: str, **options: Any) -> None:
    """Write the package of a server below a folder."""
    for path, text in generate_server_client(value, "test", name, **options).files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def import_package(value: Any, folder: Path, **options: Any) -> Any:
    """Write and import the package of a server."""
    name = f"server_package_{next(_numbers)}"
    write_package(value, folder, name, **options)
    sys.path.insert(0, str(folder))
    try:
        invalidate_caches()
        package = import_module(name)
        import_module(f"{name}.converter")
    finally:
        sys.path.remove(str(folder))
    return package
