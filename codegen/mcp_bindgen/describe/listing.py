"""The bundled revisions and extensions with their contents: ``mcp-codegen list``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp_bindgen import catalog
from mcp_bindgen.generate import count_types
from mcp_bindgen.ir.protocol import Protocol

FORMAT = "mcp-list/1"


def describe_revisions(target: Path | None) -> dict[str, Any]:
    """Return the document; ``target`` is the default output directory."""
    return {
        "format": FORMAT,
        "target": None if target is None else str(target),
        "revisions": [_revision(catalog.load(revision)) for revision in catalog.revisions()],
        "extensions": [_revision(catalog.load(extension)) for extension in catalog.extensions()],
    }


def _revision(protocol: Protocol) -> dict[str, Any]:
    official = catalog.official_files().get(protocol.revision)
    kinds = [method.kind for method in protocol.methods.values()]
    return {
        "revision": protocol.revision,
        "package": catalog.package_name(protocol.revision),
        "types": count_types(protocol),
        "requests": kinds.count("request"),
        "notifications": kinds.count("notification"),
        "sha256": protocol.sha256,
        "official": None if official is None else official._asdict(),
    }


def render_revisions(document: dict[str, Any], target: str | None) -> str:
    """Return the document as text, with the target as users type it."""
    head = ("revision", "types", "requests", "notifications", "compared with the official")
    rows = [
        (
            entry["revision"],
            str(entry["types"]),
            str(entry["requests"]),
            str(entry["notifications"]),
            f"schema.ts {entry['official']['sha256'][:12]}" if entry["official"] else "-",
        )
        for entry in (*document["revisions"], *document["extensions"])
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in {0, 4} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]
    where = f"written to {target}" if target else "written to the folder of --out"
    return "\n".join([*lines, "", f"Packages are {where}, as {_packages(document)}."])


def _packages(document: dict[str, Any]) -> str:
    names = [entry["package"] for entry in document["revisions"]]
    more = [entry["package"] for entry in document["extensions"]]
    return " and ".join([f"{names[0]} to {names[-1]}" if len(names) > 1 else "".join(names), *more])
