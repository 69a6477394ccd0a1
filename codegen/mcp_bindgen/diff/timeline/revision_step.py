"""The step from one revision to the next: the name of a target in the other revision, and the changes that concern it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import evolve, frozen

from mcp_bindgen.diff.alternatives import alias_names, alternatives
from mcp_bindgen.diff.changes import Change
from mcp_bindgen.diff.comparison import compare_in_detail
from mcp_bindgen.diff.finding_kinds import KINDS, Kind
from mcp_bindgen.diff.findings import Finding, TypePair
from mcp_bindgen.diff.timeline.targets import Target, exists, type_of
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Protocol, Type
from mcp_bindgen.ir.walk import parts

_OF_WHOLES: tuple[Kind, ...] = ("type_added", "type_removed", "type_changed")
_NAMES: tuple[Kind, ...] = ("type_added", "type_removed")

_NOTHING = TypePair(None, None)

_ANNOTATIONS: tuple[Kind, ...] = ("deprecated_added", "deprecated_removed", "constraint_changed", "doc_changed")
"""Changes of annotations, by which no alternative is added or removed."""


class RevisionStep:
    """The step between two revisions."""

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self.old, self.new = old, new
        self._comparison = compare_in_detail(old, new)
        pairs, matches = self._comparison.pairs, self._comparison.matches
        reverse = [TypePair(each.new, each.old) for each in pairs]
        self._forward, self._back = _paired(pairs, old, new), _paired(reverse, new, old)
        self._successors = _replaced(pairs, matches.new_name)
        self._predecessors = _replaced(reverse, matches.old_name)

    def forward(self, target: Target) -> Target | None:
        """Return the target of the new revision for one of the old; None if it was removed."""
        return self._across(target, self.new, self._owners_of(target, forward=True))

    def back(self, target: Target) -> Target | None:
        """Return the target of the old revision for one of the new; None if it did not exist."""
        return self._across(target, self.old, self._owners_of(target, forward=False))

    def changes(self, before: Target | None, after: Target | None) -> tuple[Change, ...]:
        """Return the changes that concern a target; None stands for the revision that lacks it."""
        member = {each.member for each in (before, after) if each is not None and each.member is not None}
        if not member:
            return self._of(before, after)
        # The whole may exist in a revision that lacks the alternative.
        old = evolve(before, member=None) if before is not None else None
        new = evolve(after, member=None) if after is not None else None
        found = self._of(old or (new and self.back(new)), new or (old and self.forward(old)))
        own = tuple(change for change in found if change.member in member)
        if own or (before is not None and after is not None):
            return own
        # It was added or removed together with the whole.
        return tuple(change for change in found if change.kind not in _ANNOTATIONS)

    def renames(self, name: str) -> bool:
        """Return whether a type of the old revision has another name in the new one."""
        return name in self._comparison.matches.renamed

    def in_messages(self, method: str) -> tuple[Change, ...]:
        """Return all changes in the messages of a method."""
        return tuple(change for change in self._comparison.difference.changes if method in change.methods)

    def _of(self, before: Target | None, after: Target | None) -> tuple[Change, ...]:
        if before is None or after is None:
            one = before or after
            assert one is not None
            return self._coming(one, new=before is None)
        old, new = extent_of(self.old, before), extent_of(self.new, after)
        # An object that is inline in one revision is reported at its place, which may be inside the target.
        below = tuple(f"{each.subject}{char}" for each in (before, after) for char in ".[")
        return tuple(
            change
            for change in self._comparison.difference.changes
            if change.subject.startswith(below) or _is_own(after, finding := self._comparison.findings[change.id])
            # Another type may have the name now.
            or (change.kind == "type_renamed" and before.kind == "type" and change.subject == before.name)
            or _is_within(finding, old, new, after)
        )

    def _coming(self, target: Target, *, new: bool) -> tuple[Change, ...]:
        """Return the changes that added or removed a target: its own, else those of the type that has it."""

        def concerns_target(finding: Finding, field: str | None) -> bool:
            pairs = (finding.pair, *finding.inherited_by)
            return finding.field == field and target.name in {each.new if new else each.old for each in pairs}

        if target.kind in {"method", "constant"}:
            return self._those(lambda finding: _is_own(target, finding))
        found = self._those(lambda finding: not _is_of_names(finding) and concerns_target(finding, target.field))
        found = found or self._those(lambda finding: finding.kind in _OF_WHOLES and concerns_target(finding, None))
        holder = None if found else holder_of(self.new if new else self.old, target.name)
        return found if holder is None else self._coming(holder, new=new)

    def _those(self, chosen: Callable[[Finding], bool]) -> tuple[Change, ...]:
        findings = self._comparison.findings
        return tuple(change for change in self._comparison.difference.changes if chosen(findings[change.id]))

    def _owners_of(self, target: Target, *, forward: bool) -> Iterator[str]:
        """Yield the possible names of a target's type; the fields of a type go on in the type that replaces it."""
        yield from self._owners(target.name, forward=forward)
        if target.kind == "field":
            yield from (self._successors if forward else self._predecessors).get(target.name, ())

    def _owners(self, name: str, *, forward: bool) -> Iterator[str]:
        """Yield the possible names of a type or inline object in the other revision, the best first."""
        matches = self._comparison.matches
        counterpart = matches.new_name(name) if forward else matches.old_name(name)
        if counterpart is not None:
            yield counterpart
        if name in matches.redefined:
            yield name
        yield from (self._forward if forward else self._back).get(name, ())

    def _across(self, target: Target, there: Protocol, owners: Iterator[str]) -> Target | None:
        if target.kind in {"method", "constant"}:
            owners = iter((target.name,))
        members = [target.member]
        if target.member is not None:
            # The alternative may be a type that was renamed.
            members += self._owners(target.member, forward=there is self.new)
        found = (evolve(target, name=owner, member=member) for owner in owners for member in members)
        return next((each for each in found if exists(there, each)), None)


def _is_of_names(finding: Finding) -> bool:
    """Return whether a finding is about a method or a constant."""
    return KINDS[finding.kind].subject != "type" or finding.pair == _NOTHING


def _is_own(target: Target, finding: Finding) -> bool:
    """Return whether a finding is about the target, which is a method or a constant."""
    return target.kind in {"method", "constant"} and _is_of_names(finding) and finding.subject == target.name


def _is_within(finding: Finding, old: Extent, new: Extent, target: Target) -> bool:
    """Return whether a finding is about a type or field that belongs to a target."""
    if _is_of_names(finding) or (target.kind == "method" and finding.kind in _NAMES):
        # Added or removed names of a message's parts do not concern its method.
        return False
    field = finding.field
    return any(
        (old.has(each.old, field) and new.concerns(each.new, field))
        or (new.has(each.new, field) and old.concerns(each.old, field))
        for each in (finding.pair, *finding.inherited_by)
    )


def _paired(pairs: Iterable[TypePair], here: Protocol, there: Protocol) -> Mapping[str, list[str]]:
    """Map each object to those that replace it in the other revision, for pairs with an inline object."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.old is None or pair.new is None:
            continue
        if here.objects[pair.old].kind == "inline" or there.objects[pair.new].kind == "inline":
            found.setdefault(pair.old, []).append(pair.new)
    return found


def _replaced(pairs: Iterable[TypePair], match: Callable[[str], str | None]) -> Mapping[str, list[str]]:
    """Map each type without a match to those that replace it, and that were compared with it for this reason."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.old is not None and pair.new is not None and match(pair.old) is None:
            found.setdefault(pair.old, []).append(pair.new)
    return found


@frozen
class Extent:
    """The types and the field that belong to a target in one revision."""

    types: frozenset[str]
    """Names of types and paths of objects, with all their fields."""
    field: tuple[str, str] | None
    """The path of an object, and one field of it."""
    named: frozenset[str]
    """Types that these refer to by name; their own changes do not concern the target."""

    def has(self, path: str | None, field: str | None) -> bool:
        """Return whether a type, or a field of it, belongs to the target."""
        return path is not None and (path in self.types or (field is not None and self.field == (path, field)))

    def concerns(self, path: str | None, field: str | None) -> bool:
        """Return whether it belongs to the target, is referred to by it, or does not exist (None)."""
        return path is None or path in self.named or self.has(path, field)


def extent_of(protocol: Protocol, target: Target) -> Extent:
    """Return the extent of a target that the revision has."""
    names: list[str] = []
    kinds: list[Type] = []
    match target.kind:
        case "method":
            names += _of_messages(protocol, target.name)
        case "type":
            names.append(target.name)
        case "field":
            kind = type_of(protocol, target)
            kinds += [] if kind is None else [kind]
        case "constant":
            pass
    kinds += [kind for name in names for kind in _inside(protocol, name)]
    inline, named = _within(protocol, kinds)
    field = None if target.field is None else (target.name, target.field)
    return Extent(frozenset({*names, *inline}), field, frozenset(named))


def holder_of(protocol: Protocol, path: str) -> Target | None:
    """Return the field that holds an inline object; None for a named object or one outside fields."""
    declared = protocol.objects.get(path)
    if declared is None or declared.kind != "inline":
        return None
    for owner, other in protocol.objects.items():
        for field in other.fields:
            if field.declared_in == owner and ObjectOf(path) in parts(field.type):
                return Target("field", owner, field=field.name)
    return None


def _of_messages(protocol: Protocol, name: str) -> Iterator[str]:
    """Yield the types of a method's messages: the message itself, its params, its results."""
    method = protocol.methods[name]
    yield method.interface
    for kind in (method.params, method.result):
        if kind is not None:
            yield from alias_names(kind, protocol.aliases)
            yield from alternatives(kind, protocol.aliases).objects


def _inside(protocol: Protocol, name: str) -> Iterator[Type]:
    """Yield the types inside a type."""
    declared = protocol.objects.get(name)
    if declared is None:
        alias = protocol.aliases[name]
        yield alias.written or alias.type
        return
    yield from (field.type for field in declared.fields)
    if declared.index is not None:
        yield declared.index


def _within(protocol: Protocol, kinds: Iterable[Type]) -> tuple[list[str], list[str]]:
    """Return the inline objects inside some types, on all levels, and the names that these refer to."""
    inline: dict[str, None] = {}
    named: dict[str, None] = {}
    waiting = list(kinds)
    while waiting:
        for part in parts(waiting.pop()):
            if isinstance(part, AliasOf):
                named[part.name] = None
            elif isinstance(part, ObjectOf) and protocol.objects[part.path].kind != "inline":
                named[part.path] = None
            elif isinstance(part, ObjectOf) and part.path not in inline:
                inline[part.path] = None
                waiting.extend(_inside(protocol, part.path))
    return list(inline), list(named)
