"""The modules of ``bridge``: one for the steps between two neighbouring revisions, and the functions for users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_bindings_runtime.bridge.step_tables import StepTables
from mcp_bindings_runtime.distribution import BUNDLED

from mcp_bindgen import __version__, templates
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.header import HEADER
from mcp_bindgen.emit.imports import COPIED_RUNTIME


def bridge_files(
    revisions: Sequence[str],
    steps: Sequence[tuple[StepTables, StepTables]],
    runtime: str = COPIED_RUNTIME,
    package: str | None = None,
) -> dict[str, str]:
    """Return the files of ``bridge``, by path.

    ``steps`` are those between each revision and the next, first to the older, then to the newer one. ``package`` is the
    name of the directory in the documentation; None for that of the bundled packages.
    """
    header = f"{HEADER} {__version__}.\n# Do not edit; run: mcp-codegen generate\n"
    quoted = [literal(revision) for revision in revisions]
    files = {
        "bridge/__init__.py": header + _fill("__init__", revisions=quoted, runtime=runtime, package=package or BUNDLED)
    }
    for older, newer in steps:
        name = f"v{older.target}_to_v{older.source}".replace("-", "_")
        directions = [_direction("OLDER", older), _direction("NEWER", newer)]
        text = _fill("step", older=older.target, newer=older.source, directions=directions, runtime=runtime)
        files[f"bridge/{name}.py"] = header + text
    return files


def _fill(template: str, **values: Any) -> str:
    return templates.environment(autoescape=False).get_template(f"bridge/{template}.py.j2").render(**values)


def _direction(constant: str, tables: StepTables) -> dict[str, str]:
    reasons = [f"Reason({literal(each.why)}, {literal(each.section)})" for each in tables.reasons]
    return {
        "constant": constant,
        "doc": f"From {tables.source} to {tables.target}.",
        "source": literal(tables.source),
        "target": literal(tables.target),
        "batches": literal(tables.batches),
        "reasons": "\n".join(["(", *(f"        {each}," for each in reasons), "    )"]) if reasons else "()",
        **{
            name: _table(getattr(tables, name))
            for name in ("senders", "methods", "results", "envelopes", "capabilities", "objects", "shapes", "aliases")
        },
    }


def _table(entries: Mapping[str, Any]) -> str:
    """Return a dict with one entry a line."""
    if not entries:
        return "{}"
    return "\n".join(["{", *(f"        {literal(key)}: {_python(entries[key])}," for key in sorted(entries)), "    }"])


def _python(value: Any) -> str:
    """Return tuples, lists and dicts of literals as Python writes them."""
    if value.__class__ is tuple:
        parts = list(_each(value))
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if value.__class__ is list:
        return f"[{', '.join(_each(value))}]"
    if value.__class__ is dict:
        return f"{{{', '.join(f'{literal(key)}: {_python(each)}' for key, each in value.items())}}}"
    return literal(value)


def _each(values: Sequence[Any]) -> Iterator[str]:
    return map(_python, values)
