"""Detection of renamed types; a rename is reported only if the structure proves it.

Two messages with the same method are the same message. Two other types are the same if one is used where the other was and
has the same fields of the same types; or if nothing refers to either and they have too much in common for a coincidence. If
several types match, none is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mcp_bindgen.describe.canonical import object_of, schema_type
from mcp_bindgen.diff.findings import TypeDifference, TypePair
from mcp_bindgen.diff.pair_comparer import PairComparer
from mcp_bindgen.diff.type_matches import TypeMatches, declared
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ObjectOf, Protocol, Type
from mcp_bindgen.ir.walk import parts


def find_matches(old: Protocol, new: Protocol) -> TypeMatches:
    """Return the matches of two revisions, renamed types included."""
    matches = TypeMatches(old, new)
    for name, method in old.methods.items():
        other = new.methods.get(name)
        if other is not None and other.kind == method.kind and _are_free(matches, method.interface, other.interface):
            matches.rename(method.interface, other.interface)
    # Each rename that is found may prove others, of types that refer to it.
    while _are_names_left(matches) and (found := _round(old, new, matches)):
        for pair in found:
            matches.rename(pair.old or "", pair.new or "")
    return matches


def _are_names_left(matches: TypeMatches) -> bool:
    return bool((matches.only_old() or matches.redefined) and (matches.only_new() or matches.redefined))


def _are_free(matches: TypeMatches, old: str, new: str) -> bool:
    return matches.new_name(old) is None and matches.old_name(new) is None


def _round(old: Protocol, new: Protocol, matches: TypeMatches) -> list[TypePair]:
    """Return the renames that are proved, given those known so far."""
    comparer = PairComparer(old, new, matches)
    pairs = matches.pairs()
    found = comparer.compare_pairs(pair for pair in pairs if pair.old in old.objects)
    for pair in pairs:
        if pair.old in old.aliases:
            comparer.compare_alias(pair, found)
    for name in matches.redefined:
        comparer.compare_redefined(name)
    proof = _Proof(old, new, matches)
    candidates = [pair for pair in comparer.types.rename_candidates if proof.holds(pair, same_place=True)]
    unused = [pair for pair in _unused(old, new, matches) if proof.holds(pair, same_place=False)]
    return _unambiguous([*candidates, *unused])


def _unambiguous(pairs: list[TypePair]) -> list[TypePair]:
    old_names, new_names = Counter(pair.old for pair in pairs), Counter(pair.new for pair in pairs)
    return [pair for pair in pairs if old_names[pair.old] == new_names[pair.new] == 1]


def _unused(old: Protocol, new: Protocol, matches: TypeMatches) -> Iterable[TypePair]:
    """Yield pairs of types with the same fields to which nothing refers."""
    old_names = [name for name in matches.only_old() if name in old.objects]
    new_names = [name for name in matches.only_new() if name in new.objects]
    if not old_names or not new_names:
        return []
    shapes = _shapes(new, new_names)
    # If several look the same, none is reported.
    found = [
        TypePair(names[0], shapes[shape][0])
        for shape, names in _shapes(old, old_names).items()
        if len(names) == len(shapes.get(shape, ())) == 1
    ]
    if not found:
        return []
    used = _used(old), _used(new)
    return [pair for pair in found if pair.old not in used[0] and pair.new not in used[1]]


def _shapes(protocol: Protocol, names: Iterable[str]) -> dict[frozenset[tuple[str, bool, str]], list[str]]:
    """Return the names of some objects, by the texts of their fields."""
    texts = TypeScript(protocol)
    found: dict[frozenset[tuple[str, bool, str]], list[str]] = {}
    for name in names:
        fields = protocol.objects[name].fields
        shape = frozenset((field.name, field.optional, texts.field(field)) for field in fields)
        found.setdefault(shape, []).append(name)
    return found


def _used(protocol: Protocol) -> set[str]:
    """Return the names that a field, an alias, an index signature, a method or an extending type refers to."""
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
    def __init__(self, old: Protocol, new: Protocol, matches: TypeMatches) -> None:
        self._old, self._new = old, new
        self._old_names, self._new_names = set(declared(old)), set(declared(new))
        self._matches = matches

    def holds(self, pair: TypePair, *, same_place: bool) -> bool:
        """Return whether two types are the same but for their names; ``same_place``: one is used where the other was."""
        old, new = pair.old or "", pair.new or ""
        if self._still_exists(old, new):
            return False
        # A type may refer to itself.
        self._matches.assume(old, new)
        try:
            if old in self._old.objects and new in self._new.objects:
                return self._objects(old, new, same_place=same_place)
            if old in self._old.aliases and new in self._new.aliases:
                return self._same([(self._old.aliases[old].type, self._new.aliases[new].type)])
            return False
        finally:
            self._matches.forget(old, new)

    def _still_exists(self, old: str, new: str) -> bool:
        """Return whether either name is that of a type which both revisions have."""
        return (
            not _are_free(self._matches, old, new)
            or (old in self._new_names and not self._is_reused(old))
            or (new in self._old_names and not self._is_reused(new))
        )

    def _is_reused(self, name: str) -> bool:
        """Return whether a name stands for something else now, and not for the same type in another form."""
        if name not in self._matches.redefined:
            return False
        protocol = self._new if name in self._new.aliases else self._old
        return object_of(protocol, protocol.aliases[name]) is None

    def _objects(self, old: str, new: str, *, same_place: bool) -> bool:
        before, after = self._old.objects[old], self._new.objects[new]
        fields = {field.name: field for field in after.fields}
        if {field.name for field in before.fields} != fields.keys() or not fields:
            return False
        if (before.index is None) != (after.index is None):
            return False
        if not same_place and len(fields) == 1 and not any(map(_is_tag, before.fields)):
            return False
        return self._same([(schema_type(field), schema_type(fields[field.name])) for field in before.fields])

    def _same(self, pairs: Iterable[tuple[Type, Type]]) -> bool:
        """Return whether types accept the same messages and have the same texts."""
        comparer = PairComparer(self._old, self._new, self._matches)
        for old, new in pairs:
            for each in comparer.types.compare(old, new):
                if isinstance(each, TypeDifference) or not comparer.compare_deeply(each.pair).same:
                    return False
        return True


def _is_tag(field: Field) -> bool:
    return isinstance(field.type, Enum) and len(field.type.values) == 1 and not field.type.open
