"""Compares methods: which there are, who sends them, what may answer them, and whether they travel inside others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from mcp_bindgen.diff.alternatives import alternatives
from mcp_bindgen.diff.fallback_readings import Reading
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.findings import Couple, Finding
from mcp_bindgen.diff.rules import HARMLESS, RULES, Weights
from mcp_bindgen.diff.sides import OTHER, in_order, in_words
from mcp_bindgen.diff.types import Types
from mcp_bindgen.ir.protocol import AliasOf, Method, Protocol, Side

_HANDSHAKE = frozenset({"initialize"})
"""Requests without which no session starts: until it was answered, their receiver does nothing else."""

_OTHER_BEGINNING = "Begin in the way of one revision, and in that of the other where it is refused."

_PROBES = frozenset({"server/discover"})
"""Requests that may be sent to whoever does not know them, to find out the revision that is spoken there."""

_PROBE_FIRST = "Call it first: who refuses it as unknown, or does not answer, has an earlier revision."

_ASKED_FOR: Mapping[str, str] = {"CreateTaskResult": "task"}
"""Results that answer only requests in whose params a member is, with the name of that."""


def compare_methods(types: Types) -> Iterator[Finding]:
    """How the methods of two revisions differ, by wire name."""
    before, after = types.old.methods, types.new.methods
    for name, method in before.items():
        if name not in after or after[name].kind != method.kind:
            yield _removed(method)
    for name, method in after.items():
        old = before.get(name)
        if old is None or old.kind != method.kind:
            yield _added(method)
        else:
            yield from _changed(types, old, method)


def continued_results(types: Types) -> Iterator[Couple]:
    """Results of methods that are gone, each with the new result that takes its place."""
    for name, method in types.old.methods.items():
        other = types.new.methods.get(name)
        if other is not None and method.result is not None and other.result is not None:
            yield from types.continued(method.result, other.result)


def _removed(method: Method) -> Finding:
    request = method.kind == "request"
    kind: Kind = "method_removed" if request else "notification_removed"
    finding = _finding(method, None, kind, "method-removed" if request else "notification-removed")
    if method.name not in _HANDSHAKE:
        return finding
    why = (
        f"An old {{s}} begins with {method.name}, which a new {{r}} does not know; a new {{s}} never sends it, and an old "
        "{r} starts no session without it."
    )
    return evolve(finding, weights=Weights("breaking", "breaking"), why=why, hint=_OTHER_BEGINNING)


def _added(method: Method) -> Finding:
    request = method.kind == "request"
    kind: Kind = "method_added" if request else "notification_added"
    finding = _finding(None, method, kind, "method-added" if request else "notification-added")
    if method.name in _PROBES:
        return evolve(finding, hint=_PROBE_FIRST)
    if method.name not in _HANDSHAKE:
        return finding
    why = (
        f"A new {{s}} begins with {method.name}, which an old {{r}} does not know; an old {{s}} never sends it, and a new "
        "{r} starts no session without it."
    )
    return evolve(finding, weights=Weights("breaking", "breaking"), why=why, hint=_OTHER_BEGINNING)


def _finding(old: Method | None, new: Method | None, kind: Kind, rule: str) -> Finding:
    method = new or old
    assert method is not None
    sides: tuple[Side, ...] = (*(old.sent_by if old else ()), *(new.sent_by if new else ()))
    return Finding(
        couple=Couple(old.interface if old else None, new.interface if new else None),
        subject=method.name,
        kind=kind,
        rule=rule,
        old=old.interface if old else None,
        new=new.interface if new else None,
        sent_by=in_order(sides),
        methods=(method.name,),
    )


def _changed(types: Types, old: Method, new: Method) -> Iterator[Finding]:
    if old.embedded != new.embedded:
        words = ("as a request of its own", "inside another message")
        before, after = words if new.embedded else words[::-1]
        yield evolve(_finding(old, new, "method_embedded", "method-embedded"), old=before, new=after)
    if set(old.sent_by) != set(new.sent_by):
        yield _turned(old, new)
    if old.kind == "request":
        yield from _results(types, old, new)


def _turned(old: Method, new: Method) -> Finding:
    """The method has other senders."""
    word = "method" if new.kind == "request" else "notification"
    stopping = RULES[f"{word}-removed"].weights
    starting = RULES[f"{word}-added"].weights
    finding = _finding(old, new, "direction_changed", "direction-changed")
    by_side = {
        side: HARMLESS if side in old.sent_by and side in new.sent_by else starting if side in new.sent_by else stopping
        for side in finding.sent_by
    }
    return evolve(finding, old=in_words(old.sent_by), new=in_words(new.sent_by), by_side=tuple(by_side.items()))


def _results(types: Types, old: Method, new: Method) -> Iterator[Finding]:
    if old.result is None or new.result is None:
        return
    matched = types.match(old.result, new.result)
    finding = evolve(
        _finding(old, new, "method_result_changed", "union-member-added"),
        old=types.old_text.type(old.result),
        new=types.new_text.type(new.result),
        sent_by=in_order(OTHER[side] for side in (*old.sent_by, *new.sent_by)),
    )
    # Only an answer to what both revisions ask for, in the same way, gets where the other revision reads it.
    asking = set(old.sent_by) & set(new.sent_by) if old.embedded == new.embedded else set[Side]()
    answering = in_order(OTHER[side] for side in asking)

    def told(rule: str, member: str, reading: Reading | None) -> Finding:
        weights = RULES[rule].weights if reading is None else reading.weights
        by_side = tuple((side, weights) for side in answering)
        why = reading.why if by_side and reading is not None else None
        return evolve(finding, rule=rule, member=member, by_side=by_side, why=why)

    old_names, new_names = _names(types.old, old), _names(types.new, new)
    for path in matched.old:
        member = old_names.get(path) or types.old_text.object(path)
        unasked = _unasked("An old {s}", path, "a new {r}", types.new, new)
        yield told("union-member-removed", member, unasked or types.readings.of_old(path, new.result))
    for path in matched.new:
        member = new_names.get(path) or types.new_text.object(path)
        unasked = _unasked("A new {s}", path, "an old {r}", types.old, old)
        yield told("union-member-added", member, unasked or types.readings.of_new(path, old.result))


def _unasked(answering: str, result: str, asking: str, protocol: Protocol, method: Method) -> Reading | None:
    """That a result answers only requests that its receiver never sends, if so: ``method`` is as that one has it."""
    member = _ASKED_FOR.get(result)
    if member is None or method.params is None:
        return None
    params = alternatives(method.params, protocol.aliases).objects
    if any(each.name == member for path in params for each in protocol.objects[path].fields):
        return None
    why = f"{answering} answers with {{member}} only if the request has {member}, which {asking} never sends."
    return Reading(HARMLESS, why)


def _names(protocol: Protocol, method: Method) -> dict[str, str]:
    """What the results of a method are called where another name than their own is used: ``EmptyResult``."""
    found: dict[str, str] = {}
    for result in method.results:
        if isinstance(result, AliasOf):
            paths = alternatives(result, protocol.aliases).objects
            if len(paths) == 1:
                found.setdefault(next(iter(paths)), result.name)
    return found
