"""Compares the constants of two revisions."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from mcp_bindgen.describe.canonical import literal
from mcp_bindgen.diff.findings import Couple, Finding
from mcp_bindgen.ir.protocol import Protocol


def compare_constants(old: Protocol, new: Protocol, *, docs: bool) -> Iterator[Finding]:
    """How the constants differ, by name."""
    nothing = Couple(None, None)
    for name in dict.fromkeys([*old.constants, *new.constants]):
        one, other = old.constants.get(name), new.constants.get(name)
        before = None if one is None else literal(one.value)
        after = None if other is None else literal(other.value)
        finding = Finding(
            couple=nothing, subject=name, kind="constant_changed", rule="constant-changed", old=before, new=after
        )
        if one is None:
            yield evolve(finding, kind="constant_added", rule="constant-added")
        elif other is None:
            yield evolve(finding, kind="constant_removed", rule="constant-removed")
        else:
            if before != after:
                yield finding
            if docs and one.about.doc != other.about.doc:
                yield evolve(finding, kind="doc_changed", rule="doc-changed", old=one.about.doc, new=other.about.doc)
