"""The rules of ``rules.toml``: how a step treats a difference that the structures of two protocols do not decide."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias, cast, get_args

from attrs import field, frozen
from mcp_bindings_runtime.bridge.replacements import REPLACEMENTS

from mcp_bindgen.errors import BindgenError

Kind: TypeAlias = Literal["method", "alternative", "member", "value", "object", "batch", "general"]
"""``method``: one that the target lacks. ``alternative``: a type in a union that the target's lacks. ``member``: one that
the target lacks or requires. ``value``: a type that is narrower in the target. ``object``: a whole object. ``general``:
reasons that the planner uses by itself."""

KINDS: tuple[Kind, ...] = get_args(Kind)
ACTIONS = frozenset({"refuse", "omit", "drop", "keep", "require", "add", "apply", "split", "note"})

_SOURCE = "codegen/mcp_bindgen/bridge/rules.toml"
_SAMPLE_REASON = "why, for the reader of a report"
_SAMPLE_SECTION = "page of the specification"
_SAMPLE_CHANGES = "ids of the risky and breaking changes that it handles, if any"

_STEP = re.compile(r"\S+ -> \S+")
_KEYS = frozenset({"steps", "subjects", "at", "do", "function", "value", "reason", "section", "changes"})


class RuleError(BindgenError):
    """Raised for a rule that cannot be read or matches nothing, and for a difference without a rule."""


@frozen(kw_only=True)
class Rule:
    """One rule."""

    kind: Kind
    steps: tuple[str, ...]
    """The steps for which it holds, ``2025-11-25 -> 2025-06-18``."""
    subjects: tuple[str, ...]
    """Patterns of its subjects: methods, type names, ``Type.member``."""
    at: tuple[str, ...] = ("*",)
    """For an alternative, patterns of the places of the union."""
    do: str
    function: str | None = None
    """For ``apply``, a function of ``mcp_bindings_runtime.bridge.replacements``."""
    value: Any = field(default=None, eq=False)
    """For ``add``, the JSON value, or a placeholder."""
    reason: str
    section: str
    changes: tuple[str, ...] = ()
    """Patterns of the ids of changes of ``diff`` that this rule handles."""


@frozen
class Rules:
    """The rules of one file."""

    rules: tuple[Rule, ...]
    source: str = _SOURCE

    @classmethod
    def parse(cls, text: str, source: str = _SOURCE) -> Rules:
        """Read the text of a file; raise ``RuleError`` with the faulty rule."""
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message = f"{source}: {error}"
            raise RuleError(message) from None
        found: list[Rule] = []
        for kind, rows in tables.items():
            for place, row in enumerate(cast("list[dict[str, Any]]", rows), 1):
                problem = _problem(kind, row)
                if problem is not None:
                    message = f"{source}: [[{kind}]], rule {place}: {problem}"
                    raise RuleError(message)
                found.append(_rule(cast("Kind", kind), row))
        return cls(tuple(found), source)

    @classmethod
    def bundled(cls) -> Rules:
        """Return the rules of the steps between bundled revisions."""
        return _bundled()

    def of_step(self, source: str, target: str) -> StepRules:
        """Return the rules that hold for one step."""
        step = f"{source} -> {target}"
        return StepRules([rule for rule in self.rules if step in rule.steps or "*" in rule.steps], step, self.source)


class StepRules:
    """The rules of one step, which of their patterns were used, and which rules are missing."""

    def __init__(self, rules: Iterable[Rule], step: str, source: str) -> None:
        self.rules = list(rules)
        self._step = step
        self._source = source
        self._used: set[tuple[int, str]] = set()
        self._missing: dict[tuple[Kind, str, str], Rule] = {}

    def find(self, kind: Kind, subject: str, at: str = "") -> Rule | None:
        """Return the rule about a subject, or None, and mark it as used."""
        for rule in self.rules:
            if rule.kind == kind and any(matches(at, pattern) for pattern in rule.at):
                for pattern in rule.subjects:
                    if matches(subject, pattern):
                        self._used.add((id(rule), pattern))
                        return rule
        return None

    def require(self, kind: Kind, subject: str, at: str = "", *, do: str = "refuse") -> Rule:
        """Return the rule about a subject, or a substitute with the action ``do``, which ``check`` reports."""
        rule = self.find(kind, subject, at)
        if rule is None:
            place = (kind, subject, at)
            substitute = Rule(
                kind=kind,
                steps=(self._step,),
                subjects=(subject,),
                at=(at,) if at else ("*",),
                do=do,
                reason=_SAMPLE_REASON,
                section=_SAMPLE_SECTION,
            )
            rule = self._missing.setdefault(place, substitute)
        return rule

    def check(self) -> None:
        """Raise ``RuleError`` for missing rules, or else for patterns of rules of this step alone that match nothing."""
        if self._missing:
            raise RuleError(self._missing_text())
        idle = [
            f"\n    [[{rule.kind}]] {pattern}"
            for rule in self.rules
            if "*" not in rule.steps
            for pattern in rule.subjects
            if (id(rule), pattern) not in self._used
        ]
        if idle:
            message = (
                f"{self._source}: these rules match nothing in the step {self._step}; "
                f"correct their subjects or the step, or remove them:{''.join(idle)}"
            )
            raise RuleError(message)

    def _missing_text(self) -> str:
        """Return the names of all missing rules, and an example of each."""
        named = [f"{kind} {subject}{f' at {at}' if at else ''}" for kind, subject, at in self._missing]
        examples = "\n\n".join(map(_example, self._missing.values()))
        if len(named) == 1:
            return f"{self._source}: no rule for the {named[0]} in the step {self._step}; add one, for example:\n{examples}"
        listed = "".join(f"\n    {each}" for each in named)
        return (
            f"{self._source}: {len(named)} rules are missing in the step {self._step}:{listed}\n"
            f"add them, for example:\n{examples}"
        )


def matches(text: str, pattern: str) -> bool:
    """Return whether a text matches a pattern, in which ``*`` and ``?`` are wildcards; brackets are those of a place."""
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def _example(rule: Rule) -> str:
    """Return the text of a rule, to copy into the file and to complete."""
    lines = [f"[[{rule.kind}]]", f'steps = ["{rule.steps[0]}"]', f"subjects = [{json.dumps(rule.subjects[0])}]"]
    lines += [] if rule.at == ("*",) else [f"at = [{json.dumps(rule.at[0])}]"]
    lines += [f'do = "{rule.do}"', f'reason = "{rule.reason}"', f'section = "{rule.section}"']
    lines += [f'changes = ["{_SAMPLE_CHANGES}"]']
    return "\n".join(f"    {line}" for line in lines)


@cache
def _bundled() -> Rules:
    return Rules.parse((files("mcp_bindgen.bridge") / "rules.toml").read_text("utf-8"))


def _problem(kind: str, row: Mapping[str, Any]) -> str | None:
    if kind not in KINDS:
        return f"unknown kind; use one of {', '.join(KINDS)}"
    unknown = [key for key in row if key not in _KEYS]
    if unknown:
        return f"unknown key {unknown[0]!r}; use one of {', '.join(sorted(_KEYS))}"
    missing = [key for key in ("steps", "subjects", "do", "reason", "section") if not row.get(key)]
    if missing:
        return f"{missing[0]} is missing"
    unreadable = [step for step in row["steps"] if step != "*" and not _STEP.fullmatch(step)]
    if unreadable:
        return f"unknown step {unreadable[0]!r}; write it as '2025-06-18 -> 2025-11-25', or '*' for each step"
    if row["reason"] == _SAMPLE_REASON or row["section"] == _SAMPLE_SECTION:
        return "reason or section is the text of the example; write why the rule holds, and where the specification says so"
    if _SAMPLE_CHANGES in row.get("changes", ()):
        return (
            "changes has the text of the example; write ids of `mcp-codegen diff --format json`, or leave changes out"
        )
    if row["do"] not in ACTIONS:
        return f"unknown action {row['do']!r}; use one of {', '.join(sorted(ACTIONS))}"
    if row["do"] == "apply" and row.get("function") not in REPLACEMENTS:
        return f"unknown function {row.get('function')!r}; use one of {', '.join(REPLACEMENTS)}"
    return None


def _rule(kind: Kind, row: Mapping[str, Any]) -> Rule:
    values: dict[str, Any] = {
        key: value if key == "value" or isinstance(value, str) else tuple(value) for key, value in row.items()
    }
    return Rule(kind=kind, **values)
