"""Comparison of two schemas, member by member where they are objects.

The whole schemas are decided first. Members only say where they differ: if no member explains the decision, the whole does.
A definition that refers to itself is compared once, at the member by which it is reached first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal

from attrs import evolve, frozen

from mcp_bindgen.diff.tools.annotated_places import annotated_places
from mcp_bindgen.diff.tools.changes import TOOL_VERDICTS, ToolVerdict
from mcp_bindgen.diff.tools.compared_definitions import ComparedDefinitions
from mcp_bindgen.diff.tools.rules import TOOL_RULES
from mcp_bindgen.subsumption.conjunction import Conjunction, Document, are_same, root_of
from mcp_bindgen.subsumption.decision import Decision, Subsumption
from mcp_bindgen.subsumption.json_values import canonical
from mcp_bindgen.subsumption.members import ObjectView
from mcp_bindgen.subsumption.samples import FRESH
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object

Side = Literal["argument", "result"]
"""Arguments: every old value must be valid by the new schema. Results: every new value must be valid by the old one."""

_MAX_DEPTH = 12
"""Maximum levels of members that are compared one by one."""

_ANNOTATIONS = frozenset(
    {
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format"),
        *("$comment", "$schema", "$id", "x-mcp-header"),
    }
)

_OBJECT = Document.of({"type": "object"}, "arguments")

Embed = Callable[[Any], Any]
"""Function from a value of a member to one of the whole."""


@frozen
class SchemaChange:
    """A difference at one place of two schemas."""

    path: tuple[str, ...]
    """Names of the members, from the top."""
    rule: str
    old: Any
    new: Any
    witness: tuple[Any] | None = None
    """A value of the whole schema that one side accepts and the other refuses."""
    verdict: ToolVerdict | None = None
    """The verdict, if it is not that of the rule."""

    @property
    def level(self) -> ToolVerdict:
        """The verdict."""
        return self.verdict or TOOL_RULES[self.rule].verdict


class SchemaComparison:
    """Compares the schemas of one tool on one side."""

    def __init__(self, subsumption: Subsumption, old: Document, new: Document, side: Side) -> None:
        self._subsumption = subsumption
        self._definitions = ComparedDefinitions()
        self._old, self._new = root_of(old), root_of(new)
        self._side: Side = side
        self._is_argument = side == "argument"
        if self._is_argument:
            # Arguments are an object, whatever the schema says (schema.ts, CallToolRequestParams).
            self._one, self._other = (*self._old, *root_of(_OBJECT)), self._new
        else:
            self._one, self._other = self._new, self._old

    def changes(self) -> list[SchemaChange]:
        """Return the changes: those of members, and one of the whole if they do not explain it."""
        proof = self._subsumption.proof(self._one, self._other)
        found = list(self._members(self._old, self._new, (), lambda value: value, 0))
        if proof == "included":
            # What holds for the whole holds for each member that a value can have.
            found = [each for each in found if each.level not in {"breaking", "undecided"}]
            return [
                each if each.level == "compatible" else self._with_witness(each) for each in found or [self._whole()]
            ]
        found = [self._with_witness(each) for each in found]
        needed = "risky" if proof == "open" else "breaking"
        if not any(each.level == needed and each.witness is not None for each in found):
            whole = self._whole()
            if all(TOOL_VERDICTS.index(each.level) < TOOL_VERDICTS.index(whole.level) for each in found):
                found.append(whole)
        return found

    @cached_property
    def _decision(self) -> Decision:
        """The decision about the whole schemas; its search is long, and most members explain the whole."""
        return self._subsumption.decide(self._one, self._other)

    def _whole(self) -> SchemaChange:
        rule = self._rule_of(self._decision, self._old, self._new)
        return SchemaChange((), rule, _text(self._old), _text(self._new), _witness_of(self._decision))

    def _with_witness(self, change: SchemaChange) -> SchemaChange:
        """Return a change with a witness that the judge has confirmed, or that of the whole schemas."""
        if change.level not in {"breaking", "risky"} or change.rule.endswith(("-ignored", "-changed")):
            return change
        witness = change.witness
        if witness is not None and self._subsumption.is_witness(self._one, self._other, witness[0]):
            return change
        if self._decision.answer in {"refuted", "open"}:
            return evolve(change, witness=(self._decision.witness,))
        # Without a witness nothing is breaking.
        return evolve(change, witness=None, verdict="undecided" if change.level == "breaking" else None)

    def _members(
        self, old: Conjunction, new: Conjunction, path: tuple[str, ...], embed: Embed, depth: int
    ) -> Iterator[SchemaChange]:
        """Yield the changes of two objects; nothing if they are none."""
        before, after = self._subsumption.object_of(old), self._subsumption.object_of(new)
        if before is None or after is None or depth > _MAX_DEPTH:
            return
        base = self._base(before, after)
        if base is None:
            return
        with self._definitions.comparing(before, after):
            for name in dict.fromkeys((*before.names, *after.names)):
                yield from self._member(before, after, name, path, _embedding(embed, base, name), depth)
        yield from self._further(before, after, path, embed, base)

    def _base(self, before: ObjectView, after: ObjectView) -> dict[str, Any] | None:
        """Return a small object of the sending side, whose members suit both sides if possible."""
        one, other = (before, after) if self._is_argument else (after, before)
        found: dict[str, Any] = {}
        for name in sorted(one.required):
            for schemas in ((*one.member(name), *other.member(name)), one.member(name)):
                try:
                    found[name] = self._subsumption.samples.smallest(schemas)
                except LookupError:
                    continue
                break
            else:
                return None
        return found

    def _member(
        self, before: ObjectView, after: ObjectView, name: str, path: tuple[str, ...], embed: Embed, depth: int
    ) -> Iterator[SchemaChange]:
        was, now = (
            before.is_declared(name) or name in before.required,
            after.is_declared(name) or name in after.required,
        )
        here = (*path, name)
        old, new = before.member(name), after.member(name)
        if was and now:
            yield from self._presence(before, after, name, here, embed)
            yield from self._value(old, new, here, embed, depth)
        elif self._is_argument:
            yield from self._argument(before, after, name, here, embed)
        else:
            yield from self._result(before, after, name, here, embed)

    def _presence(
        self, before: ObjectView, after: ObjectView, name: str, path: tuple[str, ...], embed: Embed
    ) -> Iterator[SchemaChange]:
        old, new = _text(before.member(name)), _text(after.member(name))
        if name in after.required - before.required:
            rule = f"{self._side}-became-required"
            yield SchemaChange(path, rule, old, new, (embed(_ABSENT),) if self._is_argument else None)
        elif name in before.required - after.required:
            rule = f"{self._side}-became-optional"
            yield SchemaChange(path, rule, old, new, None if self._is_argument else (embed(_ABSENT),))

    def _value(
        self, old: Conjunction, new: Conjunction, path: tuple[str, ...], embed: Embed, depth: int
    ) -> Iterator[SchemaChange]:
        if are_same(old, new):
            return
        objects = self._subsumption.object_of(old), self._subsumption.object_of(new)
        if self._definitions.has(*objects) or self._definitions.explain(old, new):
            return
        before, after = _text(old), _text(new)
        are_objects = None not in objects
        if self._is_argument:
            yield from _annotations(path, old, new, are_objects=are_objects)
        if canonical(_assertions(before)) == canonical(_assertions(after)) and "$ref" not in canonical(before):
            if self._is_argument and are_objects:
                yield from self._members(old, new, path, embed, depth + 1)
            return
        one, other = (old, new) if self._is_argument else (new, old)
        decision = self._subsumption.decide(one, other, is_root=False)
        inner = [] if decision.answer == "undecided" else list(self._members(old, new, path, embed, depth + 1))
        needed = {"included": 0, "open": 1, "undecided": 2, "refuted": 3}[decision.answer]
        if inner and max(TOOL_VERDICTS.index(each.level) for each in inner) >= needed:
            yield from inner
            return
        rule = self._rule_of(decision, old, new)
        witness = _witness_of(decision)
        if rule.endswith("-equivalent") and "$ref" in canonical([before, after]):
            return
        yield SchemaChange(path, rule, before, after, None if witness is None else (embed(witness[0]),))

    def _rule_of(self, decision: Decision, old: Conjunction, new: Conjunction) -> str:
        match decision.answer:
            case "included":
                one, other = (old, new) if self._is_argument else (new, old)
                if self._subsumption.includes(other, one):
                    return f"{self._side}-equivalent"
                return "argument-widened" if self._is_argument else "result-narrowed"
            case "open":
                return "argument-narrowed-open" if self._is_argument else "result-widened-open"
            case "refuted":
                return "argument-narrowed" if self._is_argument else "result-widened"
            case _:
                return f"{self._side}-undecided"

    def _argument(
        self, before: ObjectView, after: ObjectView, name: str, path: tuple[str, ...], embed: Embed
    ) -> Iterator[SchemaChange]:
        old, new = before.member(name), after.member(name)
        if after.is_declared(name) or name in after.required:
            if name in after.required:
                yield SchemaChange(path, "argument-added-required", None, _text(new), (embed(_ABSENT),))
                return
            decision = self._subsumption.decide(old, new, is_root=False)
            if decision.answer == "included":
                yield SchemaChange(path, "argument-added-optional", None, _text(new))
            elif decision.witness is not None or decision.answer == "refuted":
                rule = "argument-added-open" if before.accepts_anything_further() else "argument-narrowed"
                yield SchemaChange(path, rule, None, _text(new), (embed(decision.witness),))
            else:
                rule = "argument-added-open" if before.accepts_anything_further() else "argument-undecided"
                yield SchemaChange(path, rule, None, _text(new))
            return
        decision = self._subsumption.decide(old, new, is_root=False)
        if decision.answer == "included":
            yield SchemaChange(path, "argument-removed-ignored", _text(old), None)
        else:
            witness = _witness_of(decision)
            rule = "argument-removed-refused" if witness else "argument-undecided"
            yield SchemaChange(path, rule, _text(old), None, (embed(witness[0]),) if witness else None)

    def _result(
        self, before: ObjectView, after: ObjectView, name: str, path: tuple[str, ...], embed: Embed
    ) -> Iterator[SchemaChange]:
        old, new = before.member(name), after.member(name)
        decision = self._subsumption.decide(new, old, is_root=False)
        witness = _witness_of(decision)
        embedded = None if witness is None else (embed(witness[0]),)
        if after.is_declared(name):
            rule = "result-member-added" if decision.answer == "included" else "result-member-added-refused"
            yield SchemaChange(path, rule, None, _text(new), embedded)
        elif name in before.required:
            yield SchemaChange(path, "result-member-removed", _text(old), None, (embed(_ABSENT),))
        else:
            rule = "result-member-removed-optional" if decision.answer == "included" else "result-member-removed-open"
            yield SchemaChange(path, rule, _text(old), None, embedded)

    def _further(
        self, before: ObjectView, after: ObjectView, path: tuple[str, ...], embed: Embed, base: dict[str, Any]
    ) -> Iterator[SchemaChange]:
        """Yield the change of members that neither side declares."""
        one, other = (before, after) if self._is_argument else (after, before)
        old, new = before.further(), after.further()
        if canonical(_assertions(_text(old))) == canonical(_assertions(_text(new))):
            return
        decision = self._subsumption.decide(one.further(), other.further(), is_root=False)
        names = {*one.names, *other.names}
        name = next(each for each in (*FRESH, f"x{len(names)}", "x" * (len(names) + 9)) if each not in names)
        witness = _witness_of(decision)
        embedded = None if witness is None else (embed({**base, name: witness[0]}),)
        by_default = one.is_open_by_default()
        match decision.answer, self._side:
            case "included", "argument":
                rule = "arguments-opened"
            case "included", _:
                rule = "result-closed"
            case "undecided", _:
                rule = f"{self._side}-undecided"
            case _, "argument":
                rule = "arguments-closed" if by_default else "arguments-refuse-further"
            case _:
                rule = "result-opened" if by_default else "result-widened"
        yield SchemaChange(path, rule, _text(old), _text(new), embedded)


class _Absent:
    """Stands for a member that is left out."""


_ABSENT = _Absent()


def _embedding(embed: Embed, base: dict[str, Any], name: str) -> Embed:
    def embedded(value: Any) -> Any:
        others = {key: each for key, each in base.items() if key != name}
        return embed(others if isinstance(value, _Absent) else {**others, name: value})

    return embedded


def _witness_of(decision: Decision) -> tuple[Any] | None:
    return (decision.witness,) if decision.answer in {"open", "refuted"} else None


def _text(conjunction: Conjunction) -> Any:
    """Return the schemas of a conjunction as JSON: one, or several in an ``allOf``; the empty one is true."""
    written = [part.written() for part in conjunction]
    return True if not written else written[0] if len(written) == 1 else {"allOf": written}


def _assertions(schema: Any, depth: int = 0) -> Any:
    """Return a schema without what describes values only."""
    if is_array(schema):
        return [_assertions(each, depth + 1) for each in schema]
    if not is_object(schema) or depth > 64:
        return schema
    return {
        name: (
            value
            if name in {"enum", "const", "required"}
            else _members_of(value, depth) if name in _MAPS else _assertions(value, depth + 1)
        )
        for name, value in schema.items()
        if name not in _ANNOTATIONS
    }


_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def _members_of(value: Any, depth: int) -> Any:
    if not is_object(value):
        return value
    return {name: _assertions(each, depth + 1) for name, each in value.items()}


def _annotations(
    path: tuple[str, ...], old: Conjunction, new: Conjunction, *, are_objects: bool
) -> Iterator[SchemaChange]:
    """Yield changes of defaults and formats of an argument and below it; members of objects are compared one by one."""
    for place in annotated_places(old, new, _OF_OBJECTS if are_objects else frozenset()):
        for keyword, rule in (("default", "default-changed"), ("format", "format-changed")):
            before, after = place.values(keyword)
            # A default that was not declared is unknown; a format that is gone restricts less.
            is_change = bool(before and after) if keyword == "default" else bool(after)
            if is_change and canonical(before) != canonical(after):
                below = (*path, *place.path)
                yield SchemaChange(below, rule, before[0] if before else None, after[0] if after else None)


_OF_OBJECTS = frozenset({"properties", "allOf"})


def short_json(value: Any, longest: int = 400) -> str:
    """Return JSON in one line, cut if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[: longest - 2]} …"
