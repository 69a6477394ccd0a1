"""Meaning of names: within one module, and among the linked declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.declarations import Alias, Constant, Declaration, Import, Interface, Module
from mcp_bindgen.ir.types import Reference, TypeQuery
from mcp_bindgen.resolve.faults import Faults

GENERICS: Mapping[str, int] = MappingProxyType(
    {"Array": 1, "Omit": 2, "Partial": 1, "Pick": 2, "Record": 2, "Required": 1}
)
"""TypeScript's generic types that a schema may use, with the number of their arguments."""

_INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "Boolean": "boolean",
        "Date": "string",
        "Map": "Record<string, T>",
        "Number": "number",
        "Object": "object",
        "Readonly": "the type without it",
        "ReadonlyArray": "T[]",
        "ReadonlyMap": "Record<string, T>",
        "ReadonlySet": "T[]",
        "Set": "T[]",
        "String": "string",
        "Uint8Array": "string, for text in base64",
    }
)
"""JavaScript's and TypeScript's own types that a schema may not use, with what to write instead."""

Entry: TypeAlias = Declaration | Import


class Names:
    """The names that one module can use: its declarations, and its imports by local name."""

    def __init__(self, module: Module, faults: Faults) -> None:
        self.table: dict[str, Entry] = {}
        self.own: dict[str, Declaration] = {}
        for entry in [*module.declarations, *module.imports]:
            name = entry.local if isinstance(entry, Import) else entry.name
            if name in self.table:
                faults.add(entry.position, f"{name} is declared twice, first at {self.table[name].position}")
                continue
            self.table[name] = entry
            if not isinstance(entry, Import):
                self.own[name] = entry


@frozen
class Scope:
    """One flat set of declarations, whose names have been checked."""

    declarations: Mapping[str, Declaration]
    """The declarations of the result: the schema's own in the order of the source, then the imported ones."""
    types: Mapping[str, Interface | Alias] = field(init=False, eq=False)
    constants: Mapping[str, Constant] = field(init=False, eq=False)

    def __attrs_post_init__(self) -> None:
        types = {name: each for name, each in self.declarations.items() if not isinstance(each, Constant)}
        constants = {name: each for name, each in self.declarations.items() if isinstance(each, Constant)}
        object.__setattr__(self, "types", types)
        object.__setattr__(self, "constants", constants)

    def generic(self, reference: Reference) -> str | None:
        """Return the generic type of TypeScript that is meant; None for a declared name, which has precedence."""
        declared = reference.name in self.types or GENERICS.get(reference.name) != len(reference.arguments)
        return None if declared else reference.name


def check_reference(
    reference: Reference, meant: Declaration | None, faults: Faults, hint: Callable[[str], str]
) -> None:
    """Record a fault if a name is not a type, or has the wrong number of arguments.

    ``hint`` returns the advice for a name that is not known.
    """
    name, count = reference.name, len(reference.arguments)
    if isinstance(meant, Constant):
        faults.add(reference.position, f"{name} is a constant, not a type; write typeof {name}")
    elif meant is not None:
        if count:
            faults.add(reference.position, f"{name} takes no type arguments, got {count}")
    elif name in _INSTEAD:
        faults.add(reference.position, f"{name} is not supported; write {_INSTEAD[name]}")
    elif name not in GENERICS:
        faults.add(reference.position, f"{name} is neither declared nor imported{hint(name)}")
    elif count != GENERICS[name]:
        faults.add(reference.position, f"{name} takes {_count(GENERICS[name])}, got {count}")


def check_query(query: TypeQuery, meant: Declaration | None, faults: Faults, hint: Callable[[str], str]) -> None:
    """Record a fault for a ``typeof`` of anything but a constant."""
    if meant is None:
        faults.add(query.position, f"{query.name} is neither declared nor imported{hint(query.name)}")
    elif not isinstance(meant, Constant):
        faults.add(query.position, f"typeof takes a constant, but {query.name} is a type")


def _count(arguments: int) -> str:
    return "1 type argument" if arguments == 1 else f"{arguments} type arguments"
