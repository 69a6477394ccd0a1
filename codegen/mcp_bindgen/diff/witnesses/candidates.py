"""Candidate messages that might show a change: for each rule the place and the value that is there, or missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import TypeAlias

from attrs import evolve, frozen
from mcp_bindings_runtime.codec.type_tables import Path

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.diff.alternatives import alternatives
from mcp_bindgen.diff.changes import Change, Outcome
from mcp_bindgen.diff.message_kinds import is_sent
from mcp_bindgen.diff.typescript import below
from mcp_bindgen.diff.witnesses.message_checker import Json
from mcp_bindgen.diff.witnesses.routes import Direction, Route, Start, routes, with_envelope_first
from mcp_bindgen.diff.witnesses.value_generator import Form
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Protocol, Type

MESSAGE = "JSONRPCMessage"
"""The union of all messages."""

MAX_FORMS = 10_000
"""Maximum number of values of a type that are tried."""

_REFUSED: tuple[Outcome, ...] = ("refused",)
_EITHER: tuple[Outcome, ...] = ("refused", "ignored")


@frozen
class Candidate:
    """A message that should be refused, or ignored in part. Paths begin where the route does."""

    route: Route
    value: Json
    """The value at the end of the route."""
    place: Path
    """The path at or below which the effect must show."""
    outcomes: tuple[Outcome, ...]


_LEAVES_OUT = frozenset({"field_added", "field_became_required", "field_became_optional", "field_removed"})
"""Kinds of changes after which a sender may omit a member that the receiver requires."""

_Field: TypeAlias = tuple[str, str]
"""The path of an object, and a member of it."""


class Candidates:
    """Candidates for the changes between two revisions."""

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._fields: dict[str, _Field] = {}
        for protocol in (old, new):
            for path, declared in protocol.objects.items():
                self._fields |= {below(path, field.name): (path, field.name) for field in declared.fields}

    def unanswered(self, change: Change, direction: Direction) -> Iterator[Json]:
        """Yield the request that the receiver does not accept as a request of its own from this sender."""
        if change.kind not in {"method_added", "method_removed", "method_embedded", "direction_changed"}:
            return
        method = direction.sending.methods.get(change.subject)
        other = direction.receiving.methods.get(change.subject)
        if method is None or method.kind != "request" or not is_sent(method, direction.side):
            return
        if other is None or other.kind != "request" or not is_sent(other, direction.side):
            yield from map(with_envelope_first, direction.generator.smallest_values(ObjectOf(method.interface)))

    def of(self, change: Change, direction: Direction) -> Iterator[Candidate]:
        """Yield the messages that might show a change."""
        if change.kind == "method_result_changed":
            yield from self._results(change, direction)
        elif change.kind.startswith("method_"):
            yield from self._embedded(change, direction)
        elif change.subject == MESSAGE:
            yield from self._batches(change, direction)
        else:
            field = self._fields.get(change.subject)
            if field is not None:
                yield from self._field(change, direction, *field)
            if change.kind.startswith(("type_", "union_", "enum_")):
                yield from self._type(change, direction)

    def _results(self, change: Change, direction: Direction) -> Iterator[Candidate]:
        for start in direction.starts:
            if start.answers == change.subject:
                for form in _forms(change, direction, start.sent):
                    yield Candidate(Route(start, (), start.sent, ()), form.value, (), _EITHER)

    def _embedded(self, change: Change, direction: Direction) -> Iterator[Candidate]:
        """Yield the smallest messages in which the sender embeds the request."""
        method = direction.sending.methods.get(change.subject)
        if method is None or not method.embedded:
            return
        request = ObjectOf(method.interface)
        for start in direction.starts:
            # The receiver does not expect it there: only the sender's schema has the routes.
            for route in routes(direction.sending, direction.sending, evolve(start, read=start.sent)):
                if route.sent == request:
                    yield from (
                        Candidate(evolve(route, start=start), each, (), _EITHER)
                        for each in direction.generator.smallest_values(request)
                    )

    def _batches(self, change: Change, direction: Direction) -> Iterator[Candidate]:
        """Yield arrays of a message that both revisions have."""
        kind = AliasOf(MESSAGE)
        if MESSAGE not in direction.sending.aliases or MESSAGE not in direction.receiving.aliases:
            return
        route = Route(Start(kind, kind), (), kind, ())
        for form in _forms(change, direction, kind):
            if form.value.__class__ is list:
                items: list[Json] = form.value
                value = [_known(direction, is_response="method" not in item) for item in items]
                if value and None not in value:
                    yield Candidate(route, value, (), _REFUSED)
            else:
                yield Candidate(route, form.value, (), _REFUSED)

    def _field(self, change: Change, direction: Direction, owner: str, name: str) -> Iterator[Candidate]:
        for holder in dict.fromkeys([owner, *change.inherited_by]):
            for route in direction.routes.get(holder, ()):
                if isinstance(route.sent, ObjectOf):
                    yield from self._member(change, direction, route, route.sent.path, name)

    def _member(self, change: Change, direction: Direction, route: Route, path: str, name: str) -> Iterator[Candidate]:
        declared = direction.sending.objects[path]
        field = next((each for each in declared.fields if each.name == name), None)
        kind = declared.index if field is None else schema_type(field)
        place = (*route.path, name)
        for smallest in direction.generator.smallest_values(ObjectOf(path)):
            if change.kind in _LEAVES_OUT and name not in smallest:
                yield Candidate(route, smallest, place, _REFUSED)
            if change.rule == "field-removed-optional" and field is not None:
                for value in direction.generator.smallest_values(schema_type(field)):
                    yield Candidate(route, {**smallest, name: value}, place, _EITHER)
            elif change.kind not in _LEAVES_OUT or change.rule == "field-removed-now-open":
                outcomes = _EITHER if change.kind.startswith("union_") else _REFUSED
                for form in _forms(change, direction, kind):
                    yield Candidate(route, {**smallest, name: form.value}, place, outcomes)

    def _type(self, change: Change, direction: Direction) -> Iterator[Candidate]:
        for route in direction.routes.get(change.subject, ()):
            if change.subject in _named(route.sent) or not _is_named(direction.sending, change.subject):
                for form in _forms(change, direction, route.sent):
                    yield Candidate(route, form.value, route.path, _EITHER)


def _forms(change: Change, direction: Direction, kind: Type | None) -> Iterator[Form]:
    """Yield values of a type that contain the added or removed member; all values if the change has no member."""
    if kind is None:
        return
    generator = direction.generator
    objects = alternatives(kind, direction.sending.aliases).objects
    more = (form for path in objects for form in generator.with_each_member(path))
    for form in islice(chain(generator.forms(kind), more), MAX_FORMS):
        if change.member is None or change.member in form.members:
            yield form


def _known(direction: Direction, *, is_response: bool) -> Json | None:
    """Return the smallest message that both revisions have."""
    found = [
        start.message(value)
        for start in direction.starts
        if bool(start.below) == is_response
        for value in direction.generator.smallest_values(start.sent)
        if direction.receiver.accepts(start.read, value)
    ]
    return min(found, key=lambda message: len(json.dumps(message)), default=None)


def _named(kind: Type) -> set[str]:
    return {kind.path} if isinstance(kind, ObjectOf) else {kind.name} if isinstance(kind, AliasOf) else set()


def _is_named(protocol: Protocol, name: str) -> bool:
    return name in protocol.objects or name in protocol.aliases
