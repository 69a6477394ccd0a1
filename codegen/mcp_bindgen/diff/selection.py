"""A selection of changes by method, kind, rule and level; the others are neither shown nor counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import evolve, frozen

from mcp_bindgen.describe.nearest import enumerated, nearest_names
from mcp_bindgen.diff.assessment import Perspective, at_least, level_from
from mcp_bindgen.diff.changes import Change, Difference, Verdict
from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.rules import RULES
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import Protocol

_PAIR = 2
_FEW = 8
"""Maximum number of names that a message lists."""


_LEVEL_WORDS: Mapping[Verdict, str] = {
    "breaking": "breaking",
    "risky": "breaking or risky",
}


@frozen(kw_only=True)
class Selection:
    """The criteria; an empty one selects everything."""

    methods: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    level: Verdict = "compatible"
    """The least severe level to keep, in the pairings of the perspective."""
    perspective: Perspective = "both"

    def check(self, *protocols: Protocol) -> None:
        """Raise BindgenError for an unknown method, kind or rule."""
        _check("--kind", "kind of change", self.kinds, KINDS)
        for option, rules in (("--only", self.only), ("--ignore", self.ignored)):
            _check(option, "rule", rules, RULES)
        known = [name for protocol in protocols for name in protocol.methods]
        _check("--method", "method", self.methods, known)

    @property
    def sentence(self) -> str | None:
        """Return a sentence about the selected changes; None if all are selected."""
        words = [f"messages of {_either(self.methods)}"] if self.methods else []
        words += [f"kind {_either(self.kinds)}"] if self.kinds else []
        words += [f"rule {_either(self.only)}"] if self.only else []
        words += [f"no rule {_either(self.ignored)}"] if self.ignored else []
        words += [f"level {_LEVEL_WORDS[self.level]}"] if self.level in _LEVEL_WORDS else []
        return f"Filtered: {'; '.join(words)}. Other changes are left out." if words else None

    def of(self, difference: Difference) -> Difference:
        """Return the difference with the selected changes only."""
        return evolve(difference, changes=tuple(change for change in difference.changes if self._keeps(change)))

    def _keeps(self, change: Change) -> bool:
        return (
            (not self.methods or not {change.subject, *change.methods}.isdisjoint(self.methods))
            and (not self.kinds or change.kind in self.kinds)
            and (not self.only or change.rule in self.only)
            and change.rule not in self.ignored
            and at_least(level_from(change, self.perspective), self.level)
        )


def _either(words: Iterable[str]) -> str:
    return enumerated([f"`{word}`" for word in words])


def unknown(what: str, word: str, known: Collection[str], otherwise: str) -> str:
    """Return an error message for an unknown name, with the nearest known ones."""
    near = nearest_names(word, known)
    hint = f"did you mean {enumerated(near)}?" if near else otherwise
    return f"unknown {what} {word!r}; {hint}"


def _check(option: str, what: str, words: Iterable[str], known: Collection[str]) -> None:
    for word in words:
        if word not in known:
            names = sorted(set(known))
            listed = f"{', '.join(names[:_FEW])}{', …' if len(names) > _FEW else ''}"
            otherwise = "use --list-rules to list them" if what == "rule" else f"use one of {listed}"
            message = f"{option}: {unknown(what, word, names, otherwise)}"
            raise BindgenError(message)
