"""Finds types that have another name now. One is claimed only where the structure proves it.

Two messages with the same method are the same message. Two other types are, if the one stands where the other did, and
has the same fields of the same types; or if nothing refers to either, and there is more to them than could be the same
by chance. Where several could be meant, none is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mcp_bindgen.describe.canonical import object_of, schema_type
from mcp_bindgen.diff.exploration import Exploration
from mcp_bindgen.diff.findings import Couple, Shift
from mcp_bindgen.diff.type_matches import Partners, declared
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ObjectOf, Protocol, Type
from mcp_bindgen.ir.walk import parts


def find_partners(old: Protocol, new: Protocol) -> Partners:
    """The partners of two revisions, renamed types among them."""
    partners = Partners(old, new)
    for name, method in old.methods.items():
        other = new.methods.get(name)
        if other is not None and other.kind == method.kind and _are_free(partners, method.interface, other.interface):
            partners.rename(method.interface, other.interface)
    # Each rename that is found may prove others, of types that refer to it.
    while _are_names_left(partners) and (found := _round(old, new, partners)):
        for couple in found:
            partners.rename(couple.old or "", couple.new or "")
    return partners


def _are_names_left(partners: Partners) -> bool:
    return bool((partners.only_old() or partners.redefined) and (partners.only_new() or partners.redefined))


def _are_free(partners: Partners, old: str, new: str) -> bool:
    return partners.of_old(old) is None and partners.of_new(new) is None


def _round(old: Protocol, new: Protocol, partners: Partners) -> list[Couple]:
    """The renames that are proved, given those known so far."""
    exploration = Exploration(old, new, partners)
    couples = partners.couples()
    found = exploration.couples(couple for couple in couples if couple.old in old.objects)
    for couple in couples:
        if couple.old in old.aliases:
            exploration.alias(couple, found)
    for name in partners.redefined:
        exploration.redefined(name)
    proof = _Proof(old, new, partners)
    candidates = [couple for couple in exploration.types.meetings if proof.holds(couple, meeting=True)]
    unused = [couple for couple in _unused(old, new, partners) if proof.holds(couple, meeting=False)]
    return _unambiguous([*candidates, *unused])


def _unambiguous(couples: list[Couple]) -> list[Couple]:
    olds, news = Counter(couple.old for couple in couples), Counter(couple.new for couple in couples)
    return [couple for couple in couples if olds[couple.old] == news[couple.new] == 1]


def _unused(old: Protocol, new: Protocol, partners: Partners) -> Iterable[Couple]:
    """Types that nothing refers to, each with those of the other revision that look like it."""
    olds = [name for name in partners.only_old() if name in old.objects]
    news = [name for name in partners.only_new() if name in new.objects]
    if not olds or not news:
        return []
    shapes = _shapes(new, news)
    # Where several look the same, none of them can be meant.
    found = [
        Couple(names[0], shapes[shape][0])
        for shape, names in _shapes(old, olds).items()
        if len(names) == len(shapes.get(shape, ())) == 1
    ]
    if not found:
        return []
    used = _used(old), _used(new)
    return [couple for couple in found if couple.old not in used[0] and couple.new not in used[1]]


def _shapes(protocol: Protocol, names: Iterable[str]) -> dict[frozenset[tuple[str, bool, str]], list[str]]:
    """Some objects, by what their fields look like."""
    texts = TypeScript(protocol)
    found: dict[frozenset[tuple[str, bool, str]], list[str]] = {}
    for name in names:
        fields = protocol.objects[name].fields
        shape = frozenset((field.name, field.optional, texts.field(field)) for field in fields)
        found.setdefault(shape, []).append(name)
    return found


def _used(protocol: Protocol) -> set[str]:
    """The names that something refers to: a field, an alias, an index signature, a method, a type that extends it."""
    kinds: list[Type] = [alias.type for alias in protocol.aliases.values()]
    found = {method.interface for method in protocol.methods.values()}
    for made in protocol.objects.values():
        found.update(made.bases)
        kinds += [field.type for field in made.fields]
        kinds += [made.index] if made.index is not None else []
    for method in protocol.methods.values():
        kinds += method.results
    for part in (part for kind in kinds for part in parts(kind)):
        if isinstance(part, ObjectOf):
            found.add(part.path)
        elif isinstance(part, AliasOf):
            found.add(part.name)
    return found


class _Proof:
    def __init__(self, old: Protocol, new: Protocol, partners: Partners) -> None:
        self._old, self._new = old, new
        self._old_names, self._new_names = set(declared(old)), set(declared(new))
        self._partners = partners

    def holds(self, couple: Couple, *, meeting: bool) -> bool:
        """Whether two types are the same but for their names; ``meeting``: one stands where the other did."""
        old, new = couple.old or "", couple.new or ""
        if self._lives_on(old, new):
            return False
        # A type may refer to itself.
        self._partners.assume(old, new)
        try:
            if old in self._old.objects and new in self._new.objects:
                return self._objects(old, new, meeting=meeting)
            if old in self._old.aliases and new in self._new.aliases:
                return self._same([(self._old.aliases[old].type, self._new.aliases[new].type)])
            return False
        finally:
            self._partners.forget(old, new)

    def _lives_on(self, old: str, new: str) -> bool:
        """Whether either name is that of a type which both revisions have."""
        return (
            not _are_free(self._partners, old, new)
            or (old in self._new_names and not self._is_given_away(old))
            or (new in self._old_names and not self._is_given_away(new))
        )

    def _is_given_away(self, name: str) -> bool:
        """Whether a name stands for something else now, and not only for the same by another name."""
        if name not in self._partners.redefined:
            return False
        protocol = self._new if name in self._new.aliases else self._old
        return object_of(protocol, protocol.aliases[name]) is None

    def _objects(self, old: str, new: str, *, meeting: bool) -> bool:
        before, after = self._old.objects[old], self._new.objects[new]
        fields = {field.name: field for field in after.fields}
        if {field.name for field in before.fields} != fields.keys() or not fields:
            return False
        if (before.index is None) != (after.index is None):
            return False
        if not meeting and len(fields) == 1 and not any(map(_is_tag, before.fields)):
            return False
        return self._same([(schema_type(field), schema_type(fields[field.name])) for field in before.fields])

    def _same(self, pairs: Iterable[tuple[Type, Type]]) -> bool:
        """Whether types take the same messages and are written alike."""
        exploration = Exploration(self._old, self._new, self._partners)
        for old, new in pairs:
            for each in exploration.types.compare(old, new):
                if isinstance(each, Shift) or not exploration.deep(each.couple).same:
                    return False
        return True


def _is_tag(field: Field) -> bool:
    return isinstance(field.type, Enum) and len(field.type.values) == 1 and not field.type.open
