"""Lookup of names: a type, a field on a path, a method, a constant, or a Python name of one of these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from attrs import field, frozen

from mcp_bindgen.emit.naming import Names
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import (
    AliasOf,
    AliasType,
    Constant,
    Field,
    ListOf,
    Method,
    ObjectOf,
    ObjectType,
    Protocol,
    Type,
    Union,
)

_STEP = re.compile(r'\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|\[[^\]]*\]|(?P<plain>[^.\[\]]+)')
_NUMBER = re.compile(r"-?\d+")
_PREFIXES = ("mcp.", "types.", "methods.")
"""Qualifiers of names in programs that use the bindings."""


@frozen
class TypeSubject:
    """A declared type, or an inline object by its path."""

    name: str
    declared: ObjectType | AliasType = field(eq=False)


@frozen
class MemberSubject:
    """A field of an object: the declared type to start from, then wire names."""

    root: str
    keys: tuple[str, ...]
    owner: ObjectType = field(eq=False)
    member: Field = field(eq=False)

    @property
    def name(self) -> str:
        """The path: ``Tool.inputSchema``; a key that is not an identifier is in brackets."""
        return self.root + "".join(f".{key}" if key.isidentifier() else f"[{json.dumps(key)}]" for key in self.keys)


@frozen
class MethodSubject:
    """A request or notification."""

    name: str
    method: Method = field(eq=False)


@frozen
class ConstantSubject:
    """An exported constant."""

    name: str
    constant: Constant = field(eq=False)


Subject: TypeAlias = TypeSubject | MemberSubject | MethodSubject | ConstantSubject


class Lookup:
    """Names of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol

    @cached_property
    def python(self) -> Names | None:
        """The Python names; None if the schema allows none, which the generator reports."""
        try:
            return Names(self.protocol)
        except BindgenError:
            return None

    def find(self, query: str) -> Subject | None:
        """Return the subject of a query; None if this protocol has none."""
        for prefix in _PREFIXES:
            query = query.removeprefix(prefix)
        return self._named(query) or self._by_python_name(query) or self._by_value(query) or self._by_path(query)

    def has(self, subject: Subject) -> bool:
        """Return whether this protocol has the same subject, by wire name."""
        match subject:
            case TypeSubject():
                return subject.name in self.protocol.objects or subject.name in self.protocol.aliases
            case MemberSubject():
                return self._walk(subject.root, subject.keys) is not None
            case MethodSubject():
                return subject.name in self.protocol.methods
            case ConstantSubject():
                return subject.name in self.protocol.constants

    def fields(self, subject: Subject) -> list[str]:
        """Return the names of the fields that may follow a subject in a path."""
        match subject:
            case TypeSubject():
                kind = self._reference(subject.name)
            case MemberSubject():
                kind = subject.member.type
            case MethodSubject():
                kind = self._reference(subject.method.interface)
            case ConstantSubject():
                kind = None
        objects = () if kind is None else objects_in(self.protocol, kind)
        return list(dict.fromkeys(member.name for each in objects for member in each.fields))

    def _named(self, name: str) -> Subject | None:
        protocol = self.protocol
        if name in protocol.methods:
            return MethodSubject(name, protocol.methods[name])
        if name in protocol.constants:
            return ConstantSubject(name, protocol.constants[name])
        declared = protocol.objects.get(name) or protocol.aliases.get(name)
        # A path to an inline object is walked, which finds the field that holds it.
        return TypeSubject(name, declared) if declared and not _is_inline(declared) else None

    def _by_python_name(self, name: str) -> Subject | None:
        if self.python is None or not name.isidentifier():
            return None
        for path, python in self.python.types.items():
            if python == name:
                return TypeSubject(path, self.protocol.objects.get(path) or self.protocol.aliases[path])
        for method, python in self.python.methods.items():
            if python == name:
                return MethodSubject(method, self.protocol.methods[method])
        return None

    def _by_value(self, text: str) -> Subject | None:
        if not _NUMBER.fullmatch(text):
            return None
        found = (constant for constant in self.protocol.constants.values() if str(constant.value) == text)
        constant = next(found, None)
        return None if constant is None else ConstantSubject(constant.name, constant)

    def _by_path(self, query: str) -> Subject | None:
        declared = [path for path, each in self.protocol.objects.items() if not _is_inline(each)]
        names = [*self.protocol.methods, *declared, *self.protocol.aliases]
        # The longest first: a method's name may begin like another's.
        for name in sorted(names, key=len, reverse=True):
            if query.startswith((f"{name}.", f"{name}[")):
                method = self.protocol.methods.get(name)
                root = name if method is None else method.interface
                return self._walk(root, _steps(query[len(name) :]))
        head, _, rest = query.partition(".")
        start = self._by_python_name(head) if rest else None
        if isinstance(start, TypeSubject):
            return self._walk(start.name, _steps(rest))
        return self._walk(start.method.interface, _steps(rest)) if isinstance(start, MethodSubject) else None

    def _walk(self, root: str, keys: tuple[str, ...]) -> MemberSubject | None:
        """Return the field at the end of a path of keys, which leads through lists, aliases and members of unions."""
        kind: Type | None = self._reference(root)
        found: tuple[ObjectType, Field] | None = None
        followed: list[str] = []
        for key in keys:
            found = self._member(kind, key) if kind is not None else None
            if found is None:
                return None
            followed.append(found[1].name)
            kind = found[1].type
        return None if found is None else MemberSubject(root, tuple(followed), *found)

    def _reference(self, name: str) -> Type | None:
        if name in self.protocol.objects:
            return ObjectOf(name)
        return AliasOf(name) if name in self.protocol.aliases else None

    def _member(self, kind: Type, key: str) -> tuple[ObjectType, Field] | None:
        for declared in objects_in(self.protocol, kind):
            python = self.python.fields[declared.path] if self.python else {}
            for member in declared.fields:
                if key in {member.name, python.get(member.name)}:
                    return declared, member
        return None


def objects_in(protocol: Protocol, kind: Type) -> Iterator[ObjectType]:
    """Yield the objects that a value of a type may be or may hold in a list, in source order."""
    seen: set[str] = set()
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        match part:
            case ListOf():
                waiting.append(part.element)
            case Union():
                waiting.extend(part.written[::-1])
            case AliasOf() if part.name not in seen:
                seen.add(part.name)
                waiting.append(protocol.aliases[part.name].type)
            case ObjectOf() if part.path not in seen:
                seen.add(part.path)
                declared = protocol.objects[part.path]
                yield declared
                if declared.index is not None and not declared.fields:
                    waiting.append(declared.index)
            case _:
                pass


def _is_inline(declared: ObjectType | AliasType) -> bool:
    return isinstance(declared, ObjectType) and declared.kind == "inline"


def _steps(path: str) -> tuple[str, ...]:
    """Return the keys of a path: ``a``, ``b/c``, ``d`` for ``.a["b/c"].d[]``."""
    steps: list[str] = []
    for match in _STEP.finditer(path):
        if match["quoted"] is not None:
            steps.append(re.sub(r"\\(.)", r"\1", match["quoted"]))
        elif match["plain"] is not None:
            steps.append(match["plain"])
    return tuple(steps)
