"""Comparison of two objects field by field, inherited fields included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from mcp_bindgen.describe.canonical import literal, schema_type
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.findings import Finding, InlineOccurrence, InlinePair, Tolerance, TypePair
from mcp_bindgen.diff.rules import HARMLESS
from mcp_bindgen.diff.type_comparer import TypeComparer
from mcp_bindgen.diff.typescript import tags
from mcp_bindgen.ir.protocol import About, Constraints, Field, ObjectOf, ObjectType, Protocol, Type

_ENVELOPE = frozenset({"jsonrpc", "id"})
"""Fields that some revisions declare in every message and others in its base."""

_SEND_ALWAYS = "Always send it: receivers of the old revision accept it too."

_NOTHING = ObjectType(path="", kind="inline", fields=(), index=None)


class ObjectComparer:
    """Compares objects of two revisions."""

    def __init__(self, types: TypeComparer, *, docs: bool) -> None:
        self._types = types
        self._docs = docs
        self._old_messages = _messages(types.old)
        self._new_messages = _messages(types.new)
        self._old_implied = _implied(types.old)
        self._new_implied = _implied(types.new)
        self._old_responses = _responses(self._old_messages)
        self._new_responses = _responses(self._new_messages)

    def compare(self, pair: TypePair) -> Iterator[Finding | InlineOccurrence]:
        """Yield the differences of two objects; inline pairs in them are left to the caller."""
        old = _NOTHING if pair.old is None else self._types.old.objects[pair.old]
        new = _NOTHING if pair.new is None else self._types.new.objects[pair.new]
        before = {each.name: each for each in old.fields}
        after = {each.name: each for each in new.fields}
        ignored = self._ignored(pair, before, after)
        for name, field in before.items():
            if name not in ignored and name not in after:
                yield self._removed(pair, field, old, new)
        for name, field in after.items():
            if name in ignored:
                continue
            if name in before:
                yield from self._changed(pair, before[name], field)
            else:
                yield self._added(pair, field)
        yield from self._index(pair, old, new)
        if pair.old is not None and pair.new is not None:
            yield from self.compare_docs(pair, old.about, new.about)

    def compare_docs(self, pair: TypePair, old: About, new: About, field: str | None = None) -> Iterator[Finding]:
        """Yield the differences in the documentation of two types, or of a field."""
        if (old.deprecated is None) != (new.deprecated is None):
            added = new.deprecated is not None
            kind: Kind = "deprecated_added" if added else "deprecated_removed"
            rule = "deprecated-added" if added else "deprecated-removed"
            yield Finding(pair=pair, field=field, kind=kind, rule=rule, old=old.deprecated, new=new.deprecated)
        if self._docs and old.doc != new.doc:
            yield Finding(pair=pair, field=field, kind="doc_changed", rule="doc-changed", old=old.doc, new=new.doc)

    def _ignored(self, pair: TypePair, before: dict[str, Field], after: dict[str, Field]) -> set[str]:
        """Return the fields that are reported elsewhere: the method of a message, and its envelope."""
        found: set[str] = set()
        if pair.old in self._old_messages and pair.new in self._new_messages:
            found.add("method")
        if "method" in before and "method" in after:
            found |= {name for name in _ENVELOPE if (name in before) != (name in after)}
        return found

    def _added(self, pair: TypePair, field: Field) -> Finding:
        owner = self._types.matches.old_name(field.declared_in)
        before = self._old_implied.get(pair.old or "", {}).get(field.name)
        base = None if before is None else before[0]
        finding = Finding(
            pair=pair,
            field=field.name,
            kind="field_added",
            rule="field-added-optional" if field.optional else "field-added-required",
            old=None,
            new=self._types.new_text.field(field),
            required=not field.optional,
            declaring_pairs=(TypePair(owner, field.declared_in),) if owner else (),
            declared_in=field.declared_in,
            reason=_added_reason(field, base),
            hint=_SEND_ALWAYS if base is not None else None,
        )
        return finding if field.optional else _tolerated(finding, field, "An old {s} does not send it, but a new {r}")

    def _removed(self, pair: TypePair, field: Field, old: ObjectType, new: ObjectType) -> Finding:
        owner = self._types.matches.new_name(field.declared_in)
        base = self._base_with(pair, field)
        now_open = (
            old.index is None
            and new.index is not None
            and self._types.acceptance.new_accepts_old(schema_type(field), new.index)
        )
        rule = "field-removed-optional" if field.optional else "field-removed-required"
        finding = Finding(
            pair=pair,
            field=field.name,
            kind="field_removed",
            rule="field-removed-now-open" if now_open else rule,
            old=self._types.old_text.field(field),
            new=None,
            required=not field.optional,
            declaring_pairs=(TypePair(field.declared_in, owner),) if owner else (),
            declared_in=field.declared_in,
            weights=HARMLESS if base is not None and field.optional else None,
            reason=_removed_reason(field, base, now_open=now_open),
        )
        if field.optional or now_open:
            return finding
        return _tolerated(finding, field, "A new {s} no longer sends it, but an old {r}")

    def _base_with(self, pair: TypePair, field: Field) -> str | None:
        """Return the params, shared by all messages, that still have a removed field with its old type."""
        base, kind = self._new_implied.get(pair.new or "", {}).get(field.name, (None, None))
        return base if kind is not None and self._types.acceptance.new_accepts_old(schema_type(field), kind) else None

    def _changed(self, pair: TypePair, old: Field, new: Field) -> Iterator[Finding | InlineOccurrence]:
        types = self._types
        declared = TypePair(old.declared_in, new.declared_in)
        inherited = types.matches.are_matched(old.declared_in, new.declared_in)
        if not inherited and self._are_declared(declared):
            types.add_rename_candidate(old.declared_in, new.declared_in)
        finding = Finding(
            pair=pair,
            field=new.name,
            kind="field_type_changed",
            rule="type-equivalent",
            old=types.old_text.field(old),
            new=types.new_text.field(new),
            declaring_pairs=(declared,) if inherited else (),
            declared_in=new.declared_in,
        )
        if old.optional and not new.optional:
            required = evolve(finding, kind="field_became_required", rule="field-became-required")
            yield _tolerated(required, new, "An old {s} may omit it, but a new {r}")
        if new.optional and not old.optional:
            optional = evolve(finding, kind="field_became_optional", rule="field-became-optional")
            yield _tolerated(optional, old, "A new {s} may omit it, but an old {r}")
        is_params = new.name == "params" and pair.old in self._old_messages and pair.new in self._new_messages
        for each in types.compare(schema_type(old), schema_type(new), is_params=is_params):
            if isinstance(each, InlinePair):
                yield InlineOccurrence(each.pair, pair, declared if inherited else pair, new.name)
            elif not self._is_result(pair, new.name):
                yield each.apply_to(finding, "field_type_changed")
        yield from self._constraints(finding, old.constraints, new.constraints)
        for docs_finding in self.compare_docs(pair, old.about, new.about, new.name):
            yield evolve(docs_finding, declaring_pairs=finding.declaring_pairs, declared_in=finding.declared_in)

    def _is_result(self, pair: TypePair, field: str) -> bool:
        """Return whether a field holds the result of a method, which is reported with that method."""
        return field == "result" and pair.old in self._old_responses and pair.new in self._new_responses

    def _are_declared(self, pair: TypePair) -> bool:
        old, new = self._types.old.objects[pair.old or ""], self._types.new.objects[pair.new or ""]
        return old.kind != "inline" and new.kind != "inline"

    def _constraints(self, finding: Finding, old: Constraints, new: Constraints) -> Iterator[Finding]:
        before, after = tags(old), tags(new)
        if before != after:
            yield evolve(finding, kind="constraint_changed", rule="constraint-changed", old=before, new=after)

    def _index(self, pair: TypePair, old: ObjectType, new: ObjectType) -> Iterator[Finding | InlineOccurrence]:
        types = self._types
        before = None if old.index is None else types.old_text.index(old.index)
        after = None if new.index is None else types.new_text.index(new.index)
        finding = Finding(
            pair=pair,
            kind="openness_changed",
            rule="openness-changed",
            old=before,
            new=after,
            declaring_pairs=self._bases(old, new),
        )
        if old.index is None or new.index is None:
            if old.index is not new.index:
                yield finding
            return
        inline = old.kind == "inline" or new.kind == "inline"
        for each in types.compare(old.index, new.index):
            if isinstance(each, InlinePair):
                yield InlineOccurrence(each.pair, pair, pair, None)
            else:
                yield each.apply_to(finding, "field_type_changed" if inline else "type_changed")

    def _bases(self, old: ObjectType, new: ObjectType) -> tuple[TypePair, ...]:
        """Return the bases that two objects share, the farthest first."""
        new_name = self._types.matches.new_name
        shared = [TypePair(base, counterpart) for base in old.bases if (counterpart := new_name(base)) in new.bases]
        return tuple(shared[::-1])


def _messages(protocol: Protocol) -> frozenset[str]:
    return frozenset(method.interface for method in protocol.methods.values())


def _implied(protocol: Protocol) -> dict[str, dict[str, tuple[str, Type]]]:
    """Map the path of a message's params to the fields that only its base's params declare: their owner and type."""
    found: dict[str, dict[str, tuple[str, Type]]] = {}
    for method in protocol.methods.values():
        if not isinstance(method.params, ObjectOf):
            continue
        own = {each.name for each in protocol.objects[method.params.path].fields}
        for base in protocol.objects[method.interface].bases:
            params = next((each.type for each in protocol.objects[base].fields if each.name == "params"), None)
            if isinstance(params, ObjectOf):
                more = [each for each in protocol.objects[params.path].fields if each.name not in own]
                inherited = {each.name: (f"{base}.params", schema_type(each)) for each in more}
                found.setdefault(method.params.path, {}).update(inherited)
    return found


def _responses(messages: Iterable[str]) -> frozenset[str]:
    """Return the names of the responses to some requests."""
    return frozenset(f"{name.removesuffix('Request')}ResultResponse" for name in messages)


def _added_reason(field: Field, base: str | None) -> str | None:
    """Return the reason for an added field if its rule does not explain all; ``base``: the params that had it before."""
    if base is not None and field.optional:
        return f"It is not new in messages: `{base}` declared it for all of them, and now these params declare it too."
    if base is not None:
        return f"An old {{s}} may omit it, as `{base}` allowed in all messages, but a new {{r}} requires it."
    if field.about.deprecated is not None and field.optional:
        return "An old {r} ignores it, and a new {r} accepts its absence; it is deprecated and may be removed later."
    return None


def _removed_reason(field: Field, base: str | None, *, now_open: bool) -> str | None:
    """Return the same for a removed field; ``base``: the params that still have it."""
    if base is not None and field.optional:
        return (
            f"Messages may still contain it: `{base}` declares it for all of them, and only these params no longer do."
        )
    if base is not None:
        return f"A new {{s}} may omit it, as `{base}` allows in all messages, but an old {{r}} requires it."
    if now_open and field.optional:
        return "A new {s} may send another value there, which an old {r} does not expect."
    return None


def _tolerated(finding: Finding, field: Field, start: str) -> Finding:
    """Return the finding as harmless for receivers that must tolerate an absent field by their specification."""
    default = f", and assumes {literal(field.default)}" if field.default is not None else ""
    reason = f"{start} accepts its absence, as the specification requires{default}."
    match field.absence_required_of:
        case ():
            return finding
        case (side,):
            return evolve(finding, tolerance=Tolerance(side, reason))
        case _:
            return evolve(finding, weights=HARMLESS, reason=reason)
