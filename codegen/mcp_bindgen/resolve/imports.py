"""Linking of a schema with the modules that it imports from: one flat set of declarations.

An imported type is included under its original name, with everything that it refers to; references under another name
are rewritten. If the schema itself declares a type of that name, as one that extends ``ClientRequest`` does, the imported
type keeps the name that the import assigns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches

from attrs import evolve

from mcp_bindgen.ir.declarations import Alias, Declaration, Import, Interface, Module
from mcp_bindgen.ir.types import IntersectionType, LiteralType, ObjectLiteral, Property, Reference, TypeQuery
from mcp_bindgen.ir.walk import expressions, renamed
from mcp_bindgen.resolve.distribution import distributed
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.scope import Names, Scope, check_query, check_reference

_CORE = "@modelcontextprotocol/core"
"""The module specifier of the protocol in examples."""
_SCHEMA = ""
"""Module specifier of the schema itself; no import can be written that way."""

_BASES = ("Request", "Notification", "JSONRPCRequest", "JSONRPCNotification")
_ENVELOPES = (
    *("JSONRPCRequest", "JSONRPCNotification", "JSONRPCResponse", "JSONRPCResultResponse"),
    *("JSONRPCError", "JSONRPCErrorResponse"),
)
"""A schema that imports one base of messages needs the others, too: for the envelope of messages of early revisions, and
for responses."""


_CAPABILITIES = ("ClientCapabilities", "ServerCapabilities")


def link(
    module: Module,
    imported: Mapping[str, Module],
    faults: Faults,
    companions: Mapping[str, str] | None = None,
    importable: Callable[[], Collection[str]] = frozenset,
) -> Scope:
    """Return the declarations of the schema and those that it imports; an unknown name is a fault and stays in the text.

    An imported request includes its result and the capability objects. ``companions`` maps a type to one that is included
    with it. A request of the schema itself without a result includes ``EmptyResult``. ``importable`` returns the names of
    the protocol's types, which faults suggest to import.
    """
    linker = _Linker(module, imported, faults, companions or {}, importable)
    linker.run()
    return Scope(distributed(linker.result(), faults))


class _Linker:
    def __init__(
        self,
        module: Module,
        imported: Mapping[str, Module],
        faults: Faults,
        companions: Mapping[str, str],
        importable: Callable[[], Collection[str]],
    ) -> None:
        self._faults = faults
        self._companions = companions
        self._importable = importable
        self._modules = {**imported, _SCHEMA: module}
        self._names: dict[str, Names] = {}
        self._included: dict[str, tuple[str, Declaration]] = {}
        self._waiting: deque[tuple[str, Declaration]] = deque()
        self._roots: list[str] = []
        self._generics: list[Reference] = []
        self._called = {
            (each.module, each.imported): each.local
            for each in module.imports
            if any(each.imported == own.name for own in module.declarations)
        }
        self._clash = False

    def run(self) -> None:
        names = self._names_of(_SCHEMA)
        for declaration in names.own.values():
            self._include(_SCHEMA, declaration)
            if declaration.exported:
                self._roots.append(declaration.name)
        if names.own and not self._roots:
            first = next(iter(names.own.values()))
            self._faults.add(
                first.position, "this file exports no declaration; write `export` before the types of the protocol"
            )
        for each in self._modules[_SCHEMA].imports:
            target = self._import(each)
            if target is not None:
                self._include(*target)
                self._roots.append(self._name(target[0], target[1].name))
        if any(self._is_unanswered(each) for each in names.own.values()):
            for specifier in dict.fromkeys(each.module for each in self._modules[_SCHEMA].imports):
                self._bring(specifier, "EmptyResult")
        self._close()
        for specifier in dict.fromkeys(self._included[base][0] for base in _BASES if base in self._included):
            for whole in _ENVELOPES if specifier != _SCHEMA else ():
                self._bring(specifier, whole)
        self._close()
        for reference in self._generics:
            if reference.name in self._included:
                # Once the modules are one, the name would mean the declared type.
                self._clash = True
                position = self._included[reference.name][1].position
                self._faults.add(
                    reference.position,
                    f"{reference.name} means TypeScript's own type here, but is also declared at {position}; rename it",
                )

        if self._clash:
            self._faults.check()  # Two things of one name are no ground to go on from.

    def result(self) -> dict[str, Declaration]:
        """Return the exported and imported declarations and those that they refer to, under original names."""
        texts = {name: self._rewritten(*found) for name, found in self._included.items()}
        reached = set(self._roots)
        waiting = list(reached)
        while waiting:
            for target in _referred(texts[waiting.pop()]):
                if target in texts and target not in reached:
                    reached.add(target)
                    waiting.append(target)
        places = {specifier: place for place, specifier in enumerate(self._names)}
        order = {
            (specifier, name): place for specifier, names in self._names.items() for place, name in enumerate(names.own)
        }

        def place(name: str) -> tuple[int, int]:
            specifier, declaration = self._included[name]
            return places[specifier], order[specifier, declaration.name]

        return {name: texts[name] for name in sorted(reached, key=place)}

    def _close(self) -> None:
        """Check and include what the included declarations refer to."""
        while self._waiting:
            specifier, declaration = self._waiting.popleft()
            if specifier != _SCHEMA:
                self._bring_along(specifier, declaration)
            for expression in expressions(declaration):
                if not isinstance(expression, (Reference, TypeQuery)):
                    continue
                entry = self._names_of(specifier).table.get(expression.name)
                if isinstance(entry, Import):
                    found = self._import(entry)
                    if found is None:
                        continue  # The fault is the import's.
                else:
                    found = (specifier, entry) if entry else None
                if found is not None:
                    self._include(*found)
                self._check(expression, found[1] if found else None, self._names_of(specifier))

    def _bring_along(self, specifier: str, declaration: Declaration) -> None:
        """Include what belongs to an imported declaration without a reference."""
        name = declaration.name
        if name in self._companions:
            self._bring(specifier, self._companions[name])
        if not _is_message(declaration):
            return
        for capabilities in _CAPABILITIES:
            self._bring(specifier, capabilities)
        base = name.removesuffix("Request")
        if base != name:
            # In the order in which the results of a request are looked for.
            named = (self._bring(specifier, f"{base}{suffix}") for suffix in ("ResultResponse", "Result"))
            if not any(named):
                self._bring(specifier, "EmptyResult")

    def _is_unanswered(self, declaration: Declaration) -> bool:
        """Return whether it is a request for which the schema names no result."""
        base = declaration.name.removesuffix("Request")
        known = self._names_of(_SCHEMA).table
        answers = (f"{base}ResultResponse", f"{base}Result", "EmptyResult")
        return base != declaration.name and _is_message(declaration) and not any(name in known for name in answers)

    def _bring(self, specifier: str, name: str) -> bool:
        """Include a declaration without a reference to it, unless the schema declares the name itself."""
        found = self._names_of(specifier).own.get(name)
        if found is None or not found.exported or name in self._names_of(_SCHEMA).own:
            return False
        self._include(specifier, found)
        self._roots.append(self._name(specifier, name))
        return True

    def _check(self, expression: Reference | TypeQuery, meant: Declaration | None, names: Names) -> None:
        def hint(unknown: str) -> str:
            if unknown in self._importable():
                return f'; import it, as in: import type {{ {unknown} }} from "{_CORE}"'
            near = get_close_matches(unknown, names.table, n=1, cutoff=0.75)
            return f"; did you mean {near[0]}?" if near else ""

        if isinstance(expression, TypeQuery):
            check_query(expression, meant, self._faults, hint)
            return
        check_reference(expression, meant, self._faults, hint)
        if meant is None:
            self._generics.append(expression)

    def _import(self, each: Import) -> tuple[str, Declaration] | None:
        if each.module not in self._modules:
            known = ", ".join(sorted(filter(None, self._modules))) or "none"
            self._faults.add(each.position, f"the module {each.module!r} is unknown; known modules: {known}")
            return None
        found = self._names_of(each.module).own.get(each.imported)
        if found is None or not found.exported:
            self._faults.add(each.position, f"{each.module!r} does not export {each.imported}")
            return None
        return each.module, found

    def _include(self, specifier: str, declaration: Declaration) -> None:
        name = self._name(specifier, declaration.name)
        if name not in self._included:
            self._included[name] = specifier, declaration
            self._waiting.append((specifier, declaration))
            return
        owner, other = self._included[name]
        if other is not declaration:
            self._clash = True
            here, there = (other, declaration) if owner == _SCHEMA else (declaration, other)
            self._faults.add(
                here.position, f"{name} is also declared at {there.position}, which is imported; rename one of them"
            )

    def _names_of(self, specifier: str) -> Names:
        if specifier not in self._names:
            self._names[specifier] = Names(self._modules[specifier], self._faults)
        return self._names[specifier]

    def _name(self, specifier: str, name: str) -> str:
        """Return the name of a declaration of a module in the result."""
        return self._called.get((specifier, name), name)

    def _rewritten(self, specifier: str, declaration: Declaration) -> Declaration:
        names = {each.local: self._name(each.module, each.imported) for each in self._modules[specifier].imports}
        names |= {name: called for (module, name), called in self._called.items() if module == specifier}
        names = {written: name for written, name in names.items() if written != name}
        if not names:
            return declaration
        return evolve(renamed(declaration, names), name=self._name(specifier, declaration.name))


def _is_message(declaration: Declaration) -> bool:
    return any(each.name == "method" and isinstance(each.type, LiteralType) for each in _own(declaration))


def _own(declaration: Declaration) -> Iterator[Property]:
    """Return the properties that a declaration writes itself."""
    if isinstance(declaration, Interface):
        yield from declaration.properties
    elif isinstance(declaration, Alias):
        kind = declaration.type
        for part in kind.members if isinstance(kind, IntersectionType) else (kind,):
            if isinstance(part, ObjectLiteral):
                yield from part.properties


def _referred(declaration: Declaration) -> Iterator[str]:
    for expression in expressions(declaration):
        if isinstance(expression, (Reference, TypeQuery)):
            yield expression.name
