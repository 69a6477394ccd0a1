"""The methods of a schema: who sends them, their params, and the results of requests.

A message is an interface whose flattened ``method`` is one literal, or an alias of an object that writes it itself. The
unions of messages determine the sender. The result of ``XRequest`` is what ``XResultResponse.result`` allows, else
``XResult``, else ``EmptyResult``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from attrs import define, evolve

from mcp_bindgen.ir.protocol import (
    OTHER_SIDE,
    AliasOf,
    AliasType,
    Enum,
    Field,
    Method,
    ObjectOf,
    ObjectType,
    Side,
    Type,
    Union,
)
from mcp_bindgen.ir.types import Position
from mcp_bindgen.resolve import overrides
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.overrides import Applied, Party
from mcp_bindgen.resolve.settle import leaves

Kind = Literal["request", "notification"]

_UNIONS: Mapping[str, tuple[Kind, Side]] = {
    "ClientRequest": ("request", "client"),
    "ServerRequest": ("request", "server"),
    "ClientNotification": ("notification", "client"),
    "ServerNotification": ("notification", "server"),
}
_REQUESTS_OF: Mapping[Side, str] = {"client": "ClientRequest", "server": "ServerRequest"}
_EMBEDDED = "InputRequest"
"""The union of requests that a server embeds in a result instead of sending them."""

_RESULTS: Mapping[str, Side] = {"ClientResult": "server", "ServerResult": "client"}
"""The unions of results, and the sender of their requests."""

_BASES: Mapping[str, Kind] = {
    "JSONRPCRequest": "request",
    "Request": "request",
    "JSONRPCNotification": "notification",
    "Notification": "notification",
}

_CAPABILITIES: Mapping[Side, str] = {"client": "ClientCapabilities", "server": "ServerCapabilities"}
_LIST_CHANGED = re.compile("notifications/([^/]+)/list_changed")

Alternatives = Callable[[tuple[Type, ...], Position, str], Type]
"""Builds a decided union of types, for a position in the source and a place for faults."""


@define
class Known:
    """The types of messages, and a function that builds a union of types."""

    objects: Mapping[str, ObjectType]
    aliases: Mapping[str, AliasType]
    alternatives: Alternatives

    def named(self, name: str) -> ObjectOf | AliasOf | None:
        """Return the type of that name."""
        if name in self.objects:
            return ObjectOf(name)
        return AliasOf(name) if name in self.aliases else None


class Methods:
    """The methods of one protocol, by wire name, in the order of the source."""

    def __init__(self, known: Known, applied: Applied, faults: Faults) -> None:
        self._known = known
        self._applied = applied
        self._faults = faults
        self._capabilities = DeclaredCapabilities(known.objects, applied)
        self._aliases = {name: alias.type for name, alias in known.aliases.items()}
        self._listed = {name: self._members(name) for name in [*_UNIONS, _EMBEDDED]}
        self.warnings: list[str] = []
        self._empty: list[str] = []
        """Requests without a result of their own, which return ``EmptyResult``."""
        self.all: dict[str, Method] = {}
        for made in known.objects.values():
            name = _method(made)
            if name is not None and not self._is_cut(made):
                self._add(made, name)
        self._refuse_open_methods()
        self._add_conditions()
        self._warn_of_unused_results()
        self._warn_of_unlisted_results()

    def _add_conditions(self) -> None:
        """Add the conditions of notifications that are sent only on request."""
        for entry in self._applied.all(overrides.Requested):
            method = self.all.get(entry.notification)
            if method is not None and method.kind == "notification" and self._has(entry.by):
                self._applied.use(entry)
                self.all[method.name] = evolve(method, requested=entry.when)

    def _has(self, name: str) -> bool:
        """Return whether there is a method or a property (``Type.property``)."""
        owner, _, field = name.partition(".")
        declared = self._known.objects.get(owner)
        return name in self.all or (declared is not None and field in _fields(declared))

    def _refuse_open_methods(self) -> None:
        """Record a fault for a member of a union of messages without one literal as its method."""
        for union in _UNIONS:
            for path in sorted(self._listed[union]):
                made = self._known.objects[path]
                field = _fields(made).get("method")
                if field is None or field.optional or _literal(field.type) is None:
                    name = path.removesuffix("Request").removesuffix("Notification").lower()
                    self._faults.add(
                        _position(made),
                        f"{path} is a member of {union}, so it needs a `method` with one literal, such as "
                        f'method: "acme/{name}"',
                    )

    def _add(self, made: ObjectType, name: str) -> None:
        unions = [union for union in _UNIONS if made.path in self._listed[union]]
        embedded = not unions and made.path in self._listed[_EMBEDDED]
        kind = self._kind(made, unions, embedded=embedded)
        if kind is None:
            return
        sent_by: tuple[Side, ...] = tuple(dict.fromkeys(_UNIONS[union][1] for union in unions))
        if embedded:
            sent_by = ("server",)
        elif not sent_by:
            sent_by = ("client", "server")
            self._warn(made, f"{made.path} is not a member of {', '.join(_UNIONS)}, so both sides may send it")
        if name in self.all:
            other = self.all[name].interface
            self._faults.add(
                _position(made),
                f"{made.path} and {other} have the same method {name!r}; each method must belong to one message",
            )
            return
        params = _fields(made).get("params")
        capability, capability_of = self._capabilities.needed(name, kind, sent_by)
        results = self._results(made, params) if kind == "request" else ()
        self.all[name] = Method(
            name=name,
            kind=kind,
            sent_by=sent_by,
            interface=made.path,
            params=params.type if params else None,
            params_required=params is not None and not params.optional,
            results=results,
            result=(
                self._known.alternatives(results, _position(made), f"the result of {made.path}") if results else None
            ),
            capability=capability,
            capability_of=capability_of,
            embedded=embedded,
        )

    def _is_cut(self, made: ObjectType) -> bool:
        """Return whether its method comes from a message that ``Omit`` or ``Pick`` reduced."""
        source = self._known.objects[_fields(made)["method"].declared_in]
        whole = {each.name for each in source.fields if not each.optional}
        return source.kind == "interface" and not whole <= _fields(made).keys()

    def _kind(self, made: ObjectType, unions: list[str], *, embedded: bool) -> Kind | None:
        kinds = {_UNIONS[union][0] for union in unions}
        if len(kinds) > 1:
            self._faults.add(_position(made), f"{made.path} is listed both as a request and as a notification")
        if kinds or embedded:
            return _UNIONS[unions[0]][0] if unions else "request"
        for base in made.bases:
            if base in _BASES:
                return _BASES[base]
        if made.path.endswith("Notification"):
            return "notification"
        if made.path.endswith("Request") or "id" in _fields(made):
            return "request"
        self._warn(
            made,
            f"{made.path} has a literal `method` but no other sign of a message, so it is treated as a plain object",
        )
        return None

    def _results(self, made: ObjectType, params: Field | None) -> tuple[Type, ...]:
        base = made.path.removesuffix("Request")
        response = self._known.objects.get(f"{base}ResultResponse")
        result = _fields(response).get("result") if response else None
        entry = self._applied.about(overrides.Result, made.path)
        if entry is not None:
            named = [self._known.named(name) for name in entry.results]
            found: list[Type] = [each for each in named if each is not None]
        elif result is not None:
            found = self._alternatives(result.type)
        else:
            own, empty = self._known.named(f"{base}Result"), self._known.named("EmptyResult")
            found = [each for each in (own or empty,) if each]
            self._empty += [] if own else [made.path]
        if not found:
            wanted = f"{base}ResultResponse, {base}Result or EmptyResult"
            self._faults.add(_position(made), f"the result of {made.path} is unknown; declare one of {wanted}")
        return tuple(dict.fromkeys([*found, *self._additional_results(params)]))

    def _warn_of_unused_results(self) -> None:
        """Warn of listed results that answer no request: probably a name that does not match its request."""
        answers = {
            leaf.path
            for method in self.all.values()
            for result in method.results
            for leaf in leaves(result, self._aliases)
            if isinstance(leaf, ObjectOf)
        }
        for union, sender in _RESULTS.items():
            requests = self._members(_REQUESTS_OF[sender])
            empty = [each for each in self._empty if each in requests]
            for path in sorted(self._members(union) - answers):
                if empty:
                    wanted = " or ".join(f"{each.removesuffix('Request')}Result" for each in empty)
                    self._warn(
                        self._known.objects[path],
                        f"{path} is a member of {union}, but the result of no request: "
                        f"{', '.join(empty)} returns EmptyResult; to be a result, it must be named {wanted}",
                    )

    def _warn_of_unlisted_results(self) -> None:
        """Warn of results of requests that no union of results has, if the schema declares the union for them."""
        unions = {sender: union for union, sender in _RESULTS.items() if union in self._aliases}
        found = {each for union in unions.values() for each in self._members(union)}
        found.update(entry.result for entry in self._applied.all(overrides.AdditionalResult))
        for method in self.all.values():
            wanted = [unions[sender] for sender in method.sent_by if sender in unions]
            if method.embedded or not wanted or method.interface in self._empty:
                continue
            for leaf in (leaf for result in method.results for leaf in leaves(result, self._aliases)):
                if isinstance(leaf, ObjectOf) and leaf.path not in found:
                    found.add(leaf.path)
                    self._warn(
                        self._known.objects[leaf.path],
                        f"{leaf.path} is the result of {method.interface}, but not a member of {' or '.join(wanted)}; "
                        "add it to that union",
                    )

    def _additional_results(self, params: Field | None) -> Iterator[Type]:
        for entry in self._applied.all(overrides.AdditionalResult):
            result = self._known.named(entry.result)
            if params is None or result is None:
                continue
            paths = [leaf.path for leaf in leaves(params.type, self._aliases) if isinstance(leaf, ObjectOf)]
            if any(entry.params in (path, *self._known.objects[path].bases) for path in paths):
                self._applied.use(entry)
                yield result

    def _alternatives(self, kind: Type) -> list[Type]:
        """Return the names of the alternatives, each once; only aliases of unions are followed."""
        found: dict[Type, None] = {}
        waiting = [kind]
        seen: set[Type] = set()
        while waiting:
            each = waiting.pop()
            if each in seen:
                continue
            seen.add(each)
            target = self._aliases[each.name] if isinstance(each, AliasOf) else each
            if isinstance(target, Union):
                waiting.extend(target.written[::-1])
            else:
                found[each] = None
        return list(found)

    def _members(self, union: str) -> frozenset[str]:
        if union not in self._aliases:
            return frozenset()
        return frozenset(leaf.path for leaf in leaves(AliasOf(union), self._aliases) if isinstance(leaf, ObjectOf))

    def _warn(self, made: ObjectType, text: str) -> None:
        position = _position(made)
        self.warnings.append(f"{position.file}:{position.line}: {text}")


def _method(made: ObjectType) -> str | None:
    """Return the method of a message: an interface, or an intersection that writes it itself; None for other objects."""
    field = _fields(made).get("method")
    if field is None or field.optional:
        return None
    if made.kind == "inline" or (made.kind == "alias" and field.declared_in != made.path):
        return None
    return _literal(field.type)


def _literal(kind: Type) -> str | None:
    """Return the one text that a type allows; None for any other type."""
    match kind:
        case Enum(values=(str(text),), open=False):
            return text
        case _:
            return None


def _fields(made: ObjectType) -> dict[str, Field]:
    return {each.name: each for each in made.fields}


def _position(made: ObjectType) -> Position:
    return made.position or Position("", 1, 1)


class DeclaredCapabilities:
    """The capabilities that one protocol declares, and the one that a method requires, derived from the words of its name.

    A request requires a capability of its receiver: ``prompts/get`` requires ``prompts``; ``tasks/list`` requires
    ``tasks.list`` if there is one. ``notifications/x/list_changed`` requires ``x.listChanged`` of its sender. Overrides
    state the others.
    """

    def __init__(self, objects: Mapping[str, ObjectType], applied: Applied) -> None:
        self._objects = objects
        self._applied = applied

    def needed(self, method: str, kind: str, sent_by: tuple[Side, ...]) -> tuple[str, Party] | tuple[None, None]:
        """Return the path of the capability and the side that declares it."""
        entry = next((each for each in self._applied.all(overrides.Capability) if each.method == method), None)
        if entry is not None and self._declared(entry.capability.split("."), _sides(entry.of, sent_by)):
            self._applied.use(entry)
            return entry.capability, entry.of
        words = method.split("/")
        if kind == "request":
            party: Party = "receiver"
            sides = _sides(party, sent_by)
            paths = [words[:length] for length in (2, 1) if len(words) >= length]
        else:
            party = "sender"
            sides = sent_by
            changed = _LIST_CHANGED.fullmatch(method)
            paths = [[changed[1], "listChanged"]] if changed else []
        found = next((path for path in paths if self._declared(path, sides)), None)
        return (".".join(found), party) if found else (None, None)

    def _declared(self, path: list[str], sides: Iterable[Side]) -> bool:
        """Return whether a side has a capability of that name."""
        return any(self._in(_CAPABILITIES[side], path) for side in sides)

    def _in(self, owner: str, path: list[str]) -> bool:
        for word in path:
            declared = self._objects.get(owner)
            field = next((each for each in declared.fields if each.name == word), None) if declared else None
            if field is None:
                return False
            owner = field.type.path if isinstance(field.type, ObjectOf) else ""
        return True


def _sides(party: Party, sent_by: tuple[Side, ...]) -> tuple[Side, ...]:
    return sent_by if party == "sender" else tuple(OTHER_SIDE[side] for side in sent_by)
