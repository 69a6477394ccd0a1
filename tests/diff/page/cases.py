"""Differences to make pages of."""

from __future__ import annotations

import itertools
from functools import cache

from mcp_bindgen import catalog, diff
from mcp_bindgen.diff import page
from mcp_bindgen.ir.protocol import Protocol

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
PAIRS = [*itertools.pairwise(REVISIONS), (REVISIONS[0], REVISIONS[-1])]

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onclick="alert(1)" x="',
    "<!-- --><style>*{display:none}</style>",
    "&lt;b&gt; &amp; ' `",
    "\u2028\u2029\u202e evil \u200b",
    "javascript:alert(1)",
    "a b\tc\x00\x07",
    "\ud800",
)


@cache
def loaded(revision: str) -> Protocol:
    return catalog.load(revision)


@cache
def bundled(old: str, new: str) -> tuple[diff.Difference, str]:
    before, after = loaded(old), loaded(new)
    found = diff.compare(before, after)
    return found, page.render(found, before, after)


def change(number: int, text: str = "") -> diff.Change:
    """One of many changes; all that can be a text holds ``text``."""
    levels: tuple[diff.Verdict, ...] = ("breaking", "risky", "compatible", "compatible", "compatible")
    one, other = levels[number % 5], levels[number * 3 % 5]
    subject = f"Type{number // 4}.field{number}{text}"
    return diff.Change(
        id=f"field_type_changed:{subject}",
        kind="field_type_changed",
        rule=f"type-replaced{text}",
        subject=subject,
        member=text or None,
        declared_in=text or None,
        inherited_by=(text,) if text else (),
        old=f'{{ size: number; name?: string{text}; kind: "a" | "b" }}',
        new=f"{{ size: string; name?: string; kind: Kind; more?: Other{text}[] }}",
        required=True,
        sent_by=("client", "server"),
        verdicts=diff.Verdicts(one, other, "breaking"),
        methods=(f"things/{number % 12}{text}", "tools/call"),
        reason=f"An old client may send a number, which a new server refuses, in place {number}.{text}",
        hint=f"Send a text.{text}",
    )


def many(number: int, text: str = "") -> diff.Difference:
    sides = diff.Revision(f"2001-01-01{text}", f"old.ts{text}"), diff.Revision(f"2002-02-02{text}", "new.ts")
    return diff.Difference(*sides, tuple(change(each, text) for each in range(number)))
