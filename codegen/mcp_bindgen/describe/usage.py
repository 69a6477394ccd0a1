"""The use of the types of a protocol: in which messages, sent by which side, and in which fields of other types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from attrs import frozen

from mcp_bindgen.ir.protocol import OTHER_SIDE, AliasOf, Method, ObjectOf, Protocol, Side, Type
from mcp_bindgen.ir.walk import parts


@frozen
class Occurrence:
    """A part of a message that may hold the type."""

    method: str
    part: Literal["message", "params", "result"]
    sent_by: tuple[Side, ...]


class Usage:
    """References between the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._messages = {method.interface for method in protocol.methods.values()}
        self._targets = {name: tuple(dict.fromkeys(_referred(protocol, name))) for name in _names(protocol)}
        self._occurrences: dict[str, dict[Occurrence, None]] = {}
        for method in protocol.methods.values():
            self._note(method)

    def messages(self, name: str) -> list[Occurrence]:
        """Return the messages in which a type occurs, in source order."""
        return list(self._occurrences.get(name, ()))

    def users(self, name: str) -> list[str]:
        """Return the paths of fields and aliases whose type refers directly to a type."""
        protocol = self._protocol
        found: list[str] = []
        for path, declared in protocol.objects.items():
            found += [
                f"{path}.{member.name}"
                for member in declared.fields
                if name in _named(member.type) and (member.declared_in == path or declared.kind == "inline")
            ]
            if declared.index is not None and not declared.fields and name in _named(declared.index):
                found.append(path)
        found += [alias.name for alias in protocol.aliases.values() if name in _named(alias.type)]
        return found

    def extended_by(self, name: str) -> list[str]:
        """Return the types that extend a type directly or through others."""
        return [path for path, declared in self._protocol.objects.items() if name in declared.bases]

    def _note(self, method: Method) -> None:
        self._occurrences.setdefault(method.interface, {})[Occurrence(method.name, "message", method.sent_by)] = None
        if method.params is not None:
            self._spread(_named(method.params), Occurrence(method.name, "params", method.sent_by))
        answering: tuple[Side, ...] = tuple(OTHER_SIDE[side] for side in method.sent_by)
        for result in method.results:
            self._spread(_named(result), Occurrence(method.name, "result", answering))

    def _spread(self, start: Iterable[str], occurrence: Occurrence) -> None:
        waiting = list(start)
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            # A message inside another has its own entry; going on would put its types into every result.
            if name in seen or name in self._messages:
                continue
            seen.add(name)
            self._occurrences.setdefault(name, {})[occurrence] = None
            waiting.extend(self._targets[name])


def carriers(protocol: Protocol, method: Method) -> tuple[str, ...]:
    """Return the results that may contain the message of an embedded method, in source order."""
    results = dict.fromkeys(
        name
        for each in protocol.methods.values()
        if not each.embedded
        for kind in each.results
        for name in _named(kind)
    )
    return tuple(name for name in results if method.interface in _inside(protocol, name))


def _inside(protocol: Protocol, name: str) -> set[str]:
    """Return a type and all types that its values may contain."""
    found = {name}
    waiting = [name]
    while waiting:
        for part in _referred(protocol, waiting.pop()):
            if part not in found:
                found.add(part)
                waiting.append(part)
    return found


def _referred(protocol: Protocol, name: str) -> Iterator[str]:
    """Yield the types to which a type refers directly."""
    declared = protocol.objects.get(name)
    if declared is None:
        yield from _named(protocol.aliases[name].type)
        return
    for member in declared.fields:
        yield from _named(member.type)
    if declared.index is not None:
        yield from _named(declared.index)


def _names(protocol: Protocol) -> list[str]:
    return [*protocol.objects, *protocol.aliases]


def _named(kind: Type) -> list[str]:
    """Return the types that a type refers to: aliases of unions as well as their members."""
    found: dict[str, None] = {}
    for part in parts(kind):
        if isinstance(part, ObjectOf):
            found[part.path] = None
        elif isinstance(part, AliasOf):
            found[part.name] = None
    return list(found)
