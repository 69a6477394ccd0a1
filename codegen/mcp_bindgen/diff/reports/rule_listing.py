"""The rules as a table, a page or JSON: ``--list-rules`` and ``--explain``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from mcp_bindgen.diff.changes import VERDICTS
from mcp_bindgen.diff.rules import RULES, Rule, verdicts_of
from mcp_bindgen.diff.selection import unknown
from mcp_bindgen.diff.sides import SIDES
from mcp_bindgen.errors import BindgenError

FORMAT = "mcp-diff-rules/1"

_SPECIAL = "direction-changed"


def chosen(word: str | None) -> list[Rule]:
    """Return all rules, or the one of this name; raise BindgenError if it does not exist."""
    if word is None:
        return list(RULES.values())
    if word not in RULES:
        message = unknown("rule", word, RULES, "use --list-rules to list them")
        raise BindgenError(message)
    return [RULES[word]]


def document(rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the rules as JSON."""
    return {
        "format": FORMAT,
        "rules": [
            {
                "id": rule.id,
                "old_sender_new_receiver": rule.weights.old_to_new,
                "new_sender_old_receiver": rule.weights.new_to_old,
                "api": rule.api,
                "explanation": rule.explanation,
            }
            for rule in rules
        ],
    }


def listing(rules: Sequence[Rule]) -> str:
    """Return a table with a line for each rule."""
    widest = max(len(rule.id) for rule in rules)
    level = max(map(len, VERDICTS))
    rows = [("rule", "old to new", "new to old", "code", "")]
    rows += [(rule.id, rule.weights.old_to_new, rule.weights.new_to_old, rule.api, rule.explanation) for rule in rules]
    lines = [
        f"{one:{widest}}  {two:{level}}  {three:{level}}  {four:{level}}  {five}"
        for one, two, three, four, five in rows
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def page(rule: Rule, width: int) -> str:
    """Return a page about one rule."""
    lines = [rule.id, "", *textwrap.wrap(rule.explanation, width), ""]
    lines += [
        f"an old sender with a new receiver   {rule.weights.old_to_new}",
        f"a new sender with an old receiver   {rule.weights.new_to_old}",
        f"code written for the old revision   {rule.api}",
        "",
    ]
    if rule.id == _SPECIAL:
        lines += textwrap.wrap("The verdicts depend on the sides that start and stop sending it.", width)
    else:
        for side in SIDES:
            both = verdicts_of({side: rule.weights}, rule.api)
            lines.append(
                f"sent by the {side}: old client, new server {both.old_client_new_server}; "
                f"new client, old server {both.new_client_old_server}"
            )
    lines += [
        "",
        *textwrap.wrap(
            "A change may have a milder verdict than its rule if the specification makes it harmless. Its reason says why.",
            width,
        ),
    ]
    return "".join(f"{line}\n" for line in lines)
