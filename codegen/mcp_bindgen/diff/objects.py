"""Compares two objects field by field, after everything they inherit was written into them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from mcp_bindgen.describe.canonical import literal, schema_type
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.findings import Couple, Finding, Nested, Step, Tolerance
from mcp_bindgen.diff.rules import HARMLESS
from mcp_bindgen.diff.types import Types
from mcp_bindgen.diff.typescript import tags
from mcp_bindgen.ir.protocol import About, Constraints, Field, ObjectOf, ObjectType, Protocol, Type

_ENVELOPE = frozenset({"jsonrpc", "id"})
"""What some revisions spell out in every message, and others leave to its base."""

_TAKEN = "Send it always: receivers of the old revision take it too."

_NOTHING = ObjectType(path="", kind="inline", fields=(), index=None)


class Objects:
    """Comparisons of the objects of two revisions."""

    def __init__(self, types: Types, *, docs: bool) -> None:
        self._types = types
        self._docs = docs
        self._old_messages = _messages(types.old)
        self._new_messages = _messages(types.new)
        self._old_implied = _implied(types.old)
        self._new_implied = _implied(types.new)
        self._old_responses = _responses(self._old_messages)
        self._new_responses = _responses(self._new_messages)

    def compare(self, couple: Couple) -> Iterator[Finding | Nested]:
        """How two objects differ; what is inside them without a name is left to another comparison."""
        old = _NOTHING if couple.old is None else self._types.old.objects[couple.old]
        new = _NOTHING if couple.new is None else self._types.new.objects[couple.new]
        before = {each.name: each for each in old.fields}
        after = {each.name: each for each in new.fields}
        ignored = self._ignored(couple, before, after)
        for name, field in before.items():
            if name not in ignored and name not in after:
                yield self._removed(couple, field, old, new)
        for name, field in after.items():
            if name in ignored:
                continue
            if name in before:
                yield from self._changed(couple, before[name], field)
            else:
                yield self._added(couple, field)
        yield from self._index(couple, old, new)
        if couple.old is not None and couple.new is not None:
            yield from self.words(couple, old.about, new.about)

    def words(self, couple: Couple, old: About, new: About, field: str | None = None) -> Iterator[Finding]:
        """What is said differently about two types, or about a field of theirs."""
        if (old.deprecated is None) != (new.deprecated is None):
            added = new.deprecated is not None
            kind: Kind = "deprecated_added" if added else "deprecated_removed"
            rule = "deprecated-added" if added else "deprecated-removed"
            yield Finding(couple=couple, field=field, kind=kind, rule=rule, old=old.deprecated, new=new.deprecated)
        if self._docs and old.doc != new.doc:
            yield Finding(couple=couple, field=field, kind="doc_changed", rule="doc-changed", old=old.doc, new=new.doc)

    def _ignored(self, couple: Couple, before: dict[str, Field], after: dict[str, Field]) -> set[str]:
        """Fields that are told as something else: the method of a message, and its envelope."""
        found: set[str] = set()
        if couple.old in self._old_messages and couple.new in self._new_messages:
            found.add("method")
        if "method" in before and "method" in after:
            found |= {name for name in _ENVELOPE if (name in before) != (name in after)}
        return found

    def _added(self, couple: Couple, field: Field) -> Finding:
        owner = self._types.partners.of_new(field.declared_in)
        before = self._old_implied.get(couple.old or "", {}).get(field.name)
        base = None if before is None else before[0]
        finding = Finding(
            couple=couple,
            field=field.name,
            kind="field_added",
            rule="field-added-optional" if field.optional else "field-added-required",
            old=None,
            new=self._types.new_text.field(field),
            required=not field.optional,
            declared=(Couple(owner, field.declared_in),) if owner else (),
            declared_in=field.declared_in,
            why=_more_said(field, base),
            hint=_TAKEN if base is not None else None,
        )
        return finding if field.optional else _tolerated(finding, field, "An old {s} does not send it, but a new {r}")

    def _removed(self, couple: Couple, field: Field, old: ObjectType, new: ObjectType) -> Finding:
        owner = self._types.partners.of_old(field.declared_in)
        base = self._base_with(couple, field)
        now_open = (
            old.index is None
            and new.index is not None
            and self._types.acceptance.forward(schema_type(field), new.index)
        )
        rule = "field-removed-optional" if field.optional else "field-removed-required"
        finding = Finding(
            couple=couple,
            field=field.name,
            kind="field_removed",
            rule="field-removed-now-open" if now_open else rule,
            old=self._types.old_text.field(field),
            new=None,
            required=not field.optional,
            declared=(Couple(field.declared_in, owner),) if owner else (),
            declared_in=field.declared_in,
            weights=HARMLESS if base is not None and field.optional else None,
            why=_less_said(field, base, now_open=now_open),
        )
        if field.optional or now_open:
            return finding
        return _tolerated(finding, field, "A new {s} no longer sends it, but an old {r}")

    def _base_with(self, couple: Couple, field: Field) -> str | None:
        """The params that have a field that went, as it was, for all messages that extend theirs."""
        base, kind = self._new_implied.get(couple.new or "", {}).get(field.name, (None, None))
        return base if kind is not None and self._types.acceptance.forward(schema_type(field), kind) else None

    def _changed(self, couple: Couple, old: Field, new: Field) -> Iterator[Finding | Nested]:
        types = self._types
        declared = Couple(old.declared_in, new.declared_in)
        inherited = types.partners.are(old.declared_in, new.declared_in)
        if not inherited and self._are_declared(declared):
            types.meet(old.declared_in, new.declared_in)
        finding = Finding(
            couple=couple,
            field=new.name,
            kind="field_type_changed",
            rule="type-equivalent",
            old=types.old_text.field(old),
            new=types.new_text.field(new),
            declared=(declared,) if inherited else (),
            declared_in=new.declared_in,
        )
        if old.optional and not new.optional:
            required = evolve(finding, kind="field_became_required", rule="field-became-required")
            yield _tolerated(required, new, "An old {s} may leave it out, but a new {r}")
        if new.optional and not old.optional:
            optional = evolve(finding, kind="field_became_optional", rule="field-became-optional")
            yield _tolerated(optional, old, "A new {s} may leave it out, but an old {r}")
        is_params = new.name == "params" and couple.old in self._old_messages and couple.new in self._new_messages
        for each in types.compare(schema_type(old), schema_type(new), is_params=is_params):
            if isinstance(each, Step):
                yield Nested(each.couple, couple, declared if inherited else couple, new.name)
            elif not self._is_answer(couple, new.name):
                yield each.applied(finding, "field_type_changed")
        yield from self._constraints(finding, old.constraints, new.constraints)
        for said in self.words(couple, old.about, new.about, new.name):
            yield evolve(said, declared=finding.declared, declared_in=finding.declared_in)

    def _is_answer(self, couple: Couple, field: str) -> bool:
        """Whether a field holds what answers a method, which is told of that method."""
        return field == "result" and couple.old in self._old_responses and couple.new in self._new_responses

    def _are_declared(self, couple: Couple) -> bool:
        old, new = self._types.old.objects[couple.old or ""], self._types.new.objects[couple.new or ""]
        return old.kind != "inline" and new.kind != "inline"

    def _constraints(self, finding: Finding, old: Constraints, new: Constraints) -> Iterator[Finding]:
        before, after = tags(old), tags(new)
        if before != after:
            yield evolve(finding, kind="constraint_changed", rule="constraint-changed", old=before, new=after)

    def _index(self, couple: Couple, old: ObjectType, new: ObjectType) -> Iterator[Finding | Nested]:
        types = self._types
        before = None if old.index is None else types.old_text.index(old.index)
        after = None if new.index is None else types.new_text.index(new.index)
        finding = Finding(
            couple=couple,
            kind="openness_changed",
            rule="openness-changed",
            old=before,
            new=after,
            declared=self._bases(old, new),
        )
        if old.index is None or new.index is None:
            if old.index is not new.index:
                yield finding
            return
        inline = old.kind == "inline" or new.kind == "inline"
        for each in types.compare(old.index, new.index):
            if isinstance(each, Step):
                yield Nested(each.couple, couple, couple, None)
            else:
                yield each.applied(finding, "field_type_changed" if inline else "type_changed")

    def _bases(self, old: ObjectType, new: ObjectType) -> tuple[Couple, ...]:
        """The bases that two objects share, the farthest first."""
        of_old = self._types.partners.of_old
        shared = [Couple(base, partner) for base in old.bases if (partner := of_old(base)) in new.bases]
        return tuple(shared[::-1])


def _messages(protocol: Protocol) -> frozenset[str]:
    return frozenset(method.interface for method in protocol.methods.values())


def _implied(protocol: Protocol) -> dict[str, dict[str, tuple[str, Type]]]:
    """By the path of the params of a message: what only the params of its base declare; the name of these, its type."""
    found: dict[str, dict[str, tuple[str, Type]]] = {}
    for method in protocol.methods.values():
        if not isinstance(method.params, ObjectOf):
            continue
        own = {each.name for each in protocol.objects[method.params.path].fields}
        for base in protocol.objects[method.interface].bases:
            params = next((each.type for each in protocol.objects[base].fields if each.name == "params"), None)
            if isinstance(params, ObjectOf):
                more = [each for each in protocol.objects[params.path].fields if each.name not in own]
                told = {each.name: (f"{base}.params", schema_type(each)) for each in more}
                found.setdefault(method.params.path, {}).update(told)
    return found


def _responses(messages: Iterable[str]) -> frozenset[str]:
    """The responses that belong to requests of some names."""
    return frozenset(f"{name.removesuffix('Request')}ResultResponse" for name in messages)


def _more_said(field: Field, base: str | None) -> str | None:
    """Why a field that came is judged as it is, where its rule does not tell all; ``base``: the params that had it."""
    if base is not None and field.optional:
        return f"It is not new in messages: {base} had it for all of them, and now these params declare it too."
    if base is not None:
        return f"An old {{s}} may leave it out, which {base} allowed in all messages, and a new {{r}} requires it."
    if field.about.deprecated is not None and field.optional:
        return "An old {r} ignores it, a new {r} does without it; it comes deprecated, and may go in a later revision."
    return None


def _less_said(field: Field, base: str | None, *, now_open: bool) -> str | None:
    """The same for a field that went; ``base``: the params that have it still."""
    if base is not None and field.optional:
        return (
            f"It is not gone from messages: {base} has it for all of them, and these params only no longer declare it."
        )
    if base is not None:
        return f"A new {{s}} may leave it out, which {base} allows in all messages, and an old {{r}} requires it."
    if now_open and field.optional:
        return "A new {s} may put something else there, which an old {r} does not expect."
    return None


def _tolerated(finding: Finding, field: Field, start: str) -> Finding:
    """The finding, harmless for the receivers whose specification asks them to tolerate that the field is absent."""
    default = f", and takes it for {literal(field.default)}" if field.default is not None else ""
    why = f"{start} does without it, as the specification asks{default}."
    match field.absence_asked_of:
        case ():
            return finding
        case (side,):
            return evolve(finding, tolerance=Tolerance(side, why))
        case _:
            return evolve(finding, weights=HARMLESS, why=why)
