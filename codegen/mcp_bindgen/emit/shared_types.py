"""Types that the package of an extension imports from the package of the revision that it extends."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from mcp_bindgen.emit.imports import Sources
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.ir.protocol import AliasOf, AliasType, ObjectOf, ObjectType, Protocol
from mcp_bindgen.ir.walk import parts


@frozen
class SharedTypes:
    """The types that two packages share, by path; none for a package that stands alone."""

    package: str = ""
    """Name of the package that defines them."""
    classes: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()

    @property
    def paths(self) -> frozenset[str]:
        """Paths of all shared types."""
        return self.classes | self.aliases

    def imports(self, names: Names) -> Sources:
        """Return the names of the types to import."""
        return self._from("types", (names.types[path] for path in self.paths))

    def functions(self, module: str, verb: str, names: Names) -> Sources:
        """Return the names of the functions for the classes: those of ``_decoders``, for example."""
        return self._from(module, (f"{verb}_{names.functions[path]}" for path in self.classes))

    def _from(self, module: str, names: Iterator[str]) -> Sources:
        return ((f"..{self.package}.{module}", tuple(sorted(names))),) if self.package else ()


def shared_types(protocol: Protocol, names: Names, other: Protocol, package: str) -> SharedTypes:
    """Return the types of ``protocol`` that ``other``, emitted as ``package``, declares in the same way.

    All that a shared type refers to is shared or the same, too.
    """
    other_names = Names(other)

    def is_same(path: str, declared: ObjectType | AliasType) -> bool:
        if declared != (other.objects.get(path) or other.aliases.get(path)):
            return False
        return all(mine.get(path) == theirs.get(path) for mine, theirs in _names(names, other_names))

    everything: dict[str, ObjectType | AliasType] = {**protocol.objects, **protocol.aliases}
    same = {path for path, declared in everything.items() if is_same(path, declared)}
    while different := {path for path in same if not same.issuperset(_references(everything[path]))}:
        same -= different
    return SharedTypes(
        package,
        classes=frozenset(path for path in same & protocol.objects.keys() if not protocol.objects[path].is_map),
        aliases=frozenset(same & protocol.aliases.keys()),
    )


def _names(names: Names, other: Names) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    yield {**names.types}, {**other.types}
    yield {**names.fields}, {**other.fields}


def _references(declared: ObjectType | AliasType) -> Iterator[str]:
    if isinstance(declared, AliasType):
        kinds = [declared.type]
    else:
        kinds = [member.type for member in declared.fields]
        kinds += [] if declared.index is None else [declared.index]
    for kind in kinds:
        for part in parts(kind):
            if isinstance(part, ObjectOf):
                yield part.path
            elif isinstance(part, AliasOf):
                yield part.name
