"""Links a schema with the modules it imports from: one flat set of declarations, without renamings.

A type that an import names comes along with everything it refers to, under its original name; where the schema calls it
something else, its references are rewritten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from mcp_bindgen.ir.declarations import Declaration, Import, Module
from mcp_bindgen.ir.types import Reference, TypeQuery
from mcp_bindgen.ir.walk import expressions, renamed
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.scope import Names, Scope, check_query, check_reference

_SCHEMA = ""
"""Stands among the module specifiers for the schema itself; no import can be written that way."""

_ENVELOPES = {"Request": "JSONRPCRequest", "Notification": "JSONRPCNotification"}
"""What a message of the early revisions extends, and what adds the envelope that its text leaves out: whoever imports
the one needs the other to make whole messages of their own."""


def link(module: Module, imported: Mapping[str, Module], faults: Faults) -> Scope:
    """The declarations that make up the result. Names that mean nothing are noted, and stay in the text."""
    linker = _Linker(module, imported, faults)
    linker.run()
    return Scope(linker.result())


class _Linker:
    def __init__(self, module: Module, imported: Mapping[str, Module], faults: Faults) -> None:
        self._faults = faults
        self._modules = {**imported, _SCHEMA: module}
        self._names: dict[str, Names] = {}
        self._taken: dict[str, tuple[str, Declaration]] = {}
        self._waiting: deque[tuple[str, Declaration]] = deque()
        self._roots: list[str] = []
        self._generics: list[Reference] = []
        self._clash = False

    def run(self) -> None:
        names = self._names_of(_SCHEMA)
        for declaration in names.own.values():
            self._take(_SCHEMA, declaration)
            if declaration.exported:
                self._roots.append(declaration.name)
        if names.own and not self._roots:
            first = next(iter(names.own.values()))
            self._faults.add(first.position, "nothing is exported, from here to the end of the file")
        for each in self._modules[_SCHEMA].imports:
            target = self._import(each)
            if target is not None:
                self._take(*target)
                self._roots.append(target[1].name)
        self._close()
        for base, whole in _ENVELOPES.items():
            if base in self._taken and whole not in self._taken:
                specifier = self._taken[base][0]
                found = self._names_of(specifier).own.get(whole)
                if specifier != _SCHEMA and found is not None and found.exported:
                    self._take(specifier, found)
                    self._roots.append(whole)
        self._close()
        for reference in self._generics:
            if reference.name in self._taken:
                # Once the modules are one, the name would mean the declared type.
                self._clash = True
                position = self._taken[reference.name][1].position
                self._faults.add(reference.position, f"{reference.name} is TypeScript's here, and a type at {position}")

        if self._clash:
            self._faults.check()  # Two things of one name are no ground to go on from.

    def result(self) -> dict[str, Declaration]:
        """What is exported or imported, and what that refers to, with references by their original names."""
        texts = {name: self._rewritten(*found) for name, found in self._taken.items()}
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
        ordered = sorted(reached, key=lambda name: (places[self._taken[name][0]], order[self._taken[name][0], name]))
        return {name: texts[name] for name in ordered}

    def _close(self) -> None:
        """Check what the declarations taken so far refer to, and take that too."""
        while self._waiting:
            specifier, declaration = self._waiting.popleft()
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
                    self._take(*found)
                self._check(expression, found[1] if found else None)

    def _check(self, expression: Reference | TypeQuery, meant: Declaration | None) -> None:
        if isinstance(expression, TypeQuery):
            check_query(expression, meant, self._faults)
            return
        check_reference(expression, meant, self._faults)
        if meant is None:
            self._generics.append(expression)

    def _import(self, each: Import) -> tuple[str, Declaration] | None:
        if each.module not in self._modules:
            given = ", ".join(sorted(filter(None, self._modules))) or "none"
            self._faults.add(each.position, f"the module {each.module!r} is not given; given are: {given}")
            return None
        found = self._names_of(each.module).own.get(each.imported)
        if found is None or not found.exported:
            self._faults.add(each.position, f"{each.module!r} does not export {each.imported}")
            return None
        return each.module, found

    def _take(self, specifier: str, declaration: Declaration) -> None:
        name = declaration.name
        if name not in self._taken:
            self._taken[name] = specifier, declaration
            self._waiting.append((specifier, declaration))
            return
        owner, other = self._taken[name]
        if other is not declaration:
            self._clash = True
            here, there = (other, declaration) if owner == _SCHEMA else (declaration, other)
            self._faults.add(
                here.position, f"{name} is also declared at {there.position}, and an import pulls that in; rename one"
            )

    def _names_of(self, specifier: str) -> Names:
        if specifier not in self._names:
            self._names[specifier] = Names(self._modules[specifier], self._faults)
        return self._names[specifier]

    def _rewritten(self, specifier: str, declaration: Declaration) -> Declaration:
        imports = self._modules[specifier].imports
        names = {each.local: each.imported for each in imports if each.local != each.imported}
        return renamed(declaration, names) if names else declaration


def _referred(declaration: Declaration) -> Iterator[str]:
    for expression in expressions(declaration):
        if isinstance(expression, (Reference, TypeQuery)):
            yield expression.name
