"""Comparison of methods: which exist, who sends them, which results answer them, and whether they are embedded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from mcp_bindgen.describe.nearest import enumerated
from mcp_bindgen.describe.usage import carriers
from mcp_bindgen.diff.alternatives import alternatives
from mcp_bindgen.diff.fallback_readings import FallbackReading
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.findings import Finding, TypePair
from mcp_bindgen.diff.rules import HARMLESS, RULES, Weights
from mcp_bindgen.diff.sides import in_order, sides_text
from mcp_bindgen.diff.type_comparer import TypeComparer
from mcp_bindgen.ir.protocol import OTHER_SIDE, AliasOf, Method, Protocol, Side

_HANDSHAKE = frozenset({"initialize"})
"""Requests that start a session; their receiver does nothing else before it has answered."""

_HANDSHAKE_HINT = "Begin as one revision requires; if the peer refuses that, begin as the other requires."

_PROBES = frozenset({"server/discover"})
"""Requests that discover the revision of a peer, which need not know them."""

_PROBE_HINT = "Call it first: a peer that does not know it, or does not respond, has an earlier revision."

_UNREQUESTED = "without a request"
"""Text for notifications that are sent at any time."""

_REQUESTED_BY_PARAM: Mapping[str, str] = {"CreateTaskResult": "task"}
"""Results that answer only requests with a certain member in their params, and the name of that member."""


def compare_methods(types: TypeComparer) -> Iterator[Finding]:
    """Yield the differences of methods, by wire name."""
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


def successor_results(types: TypeComparer) -> Iterator[TypePair]:
    """Yield the removed results of methods, each with the new result that replaces it."""
    for name, method in types.old.methods.items():
        other = types.new.methods.get(name)
        if other is not None and method.result is not None and other.result is not None:
            yield from types.successors(method.result, other.result)


def _removed(method: Method) -> Finding:
    request = method.kind == "request"
    kind: Kind = "method_removed" if request else "notification_removed"
    finding = _finding(method, None, kind, "method-removed" if request else "notification-removed")
    if method.name not in _HANDSHAKE:
        return finding
    reason = (
        f"An old {{s}} begins with `{method.name}`, which a new {{r}} does not know; a new {{s}} never sends it, but an old "
        "{r} requires it to start a session."
    )
    return evolve(finding, weights=Weights("breaking", "breaking"), reason=reason, hint=_HANDSHAKE_HINT)


def _added(method: Method) -> Finding:
    request = method.kind == "request"
    kind: Kind = "method_added" if request else "notification_added"
    finding = _finding(None, method, kind, "method-added" if request else "notification-added")
    if method.name in _PROBES:
        return evolve(finding, hint=_PROBE_HINT)
    if method.name not in _HANDSHAKE:
        return finding
    reason = (
        f"A new {{s}} begins with `{method.name}`, which an old {{r}} does not know; an old {{s}} never sends it, but a new "
        "{r} requires it to start a session."
    )
    return evolve(finding, weights=Weights("breaking", "breaking"), reason=reason, hint=_HANDSHAKE_HINT)


def how_sent(protocol: Protocol, method: Method) -> str:
    """Return how the message of a request is sent, in words."""
    if not method.embedded:
        return "as a separate request"
    found = [f"`{each}`" for each in carriers(protocol, method)]
    return f"inside {enumerated(found) if found else 'another message'}"


def _finding(old: Method | None, new: Method | None, kind: Kind, rule: str) -> Finding:
    method = new or old
    assert method is not None
    sides: tuple[Side, ...] = (*(old.sent_by if old else ()), *(new.sent_by if new else ()))
    return Finding(
        pair=TypePair(old.interface if old else None, new.interface if new else None),
        subject=method.name,
        kind=kind,
        rule=rule,
        old=old.interface if old else None,
        new=new.interface if new else None,
        sent_by=in_order(sides),
        methods=(method.name,),
    )


def _changed(types: TypeComparer, old: Method, new: Method) -> Iterator[Finding]:
    if old.embedded != new.embedded:
        before, after = how_sent(types.old, old), how_sent(types.new, new)
        yield evolve(_finding(old, new, "method_embedded", "method-embedded"), old=before, new=after)
    if old.requested != new.requested:
        yield _requested(old, new)
    if set(old.sent_by) != set(new.sent_by):
        yield _direction_changed(old, new)
    if old.kind == "request":
        yield from _results(types, old, new)


def _requested(old: Method, new: Method) -> Finding:
    """Return the finding for a notification that the receiver has to request in another way."""
    finding = _finding(old, new, "method_embedded", "notification-requested")
    weights = HARMLESS if new.requested is None else None
    return evolve(finding, old=old.requested or _UNREQUESTED, new=new.requested or _UNREQUESTED, weights=weights)


def _direction_changed(old: Method, new: Method) -> Finding:
    """Return the finding for a method with other senders."""
    word = "method" if new.kind == "request" else "notification"
    stopping = RULES[f"{word}-removed"].weights
    starting = RULES[f"{word}-added"].weights
    finding = _finding(old, new, "direction_changed", "direction-changed")
    by_side = {
        side: HARMLESS if side in old.sent_by and side in new.sent_by else starting if side in new.sent_by else stopping
        for side in finding.sent_by
    }
    return evolve(finding, old=sides_text(old.sent_by), new=sides_text(new.sent_by), by_side=tuple(by_side.items()))


def _results(types: TypeComparer, old: Method, new: Method) -> Iterator[Finding]:
    if old.result is None or new.result is None:
        return
    matched = types.match(old.result, new.result)
    finding = evolve(
        _finding(old, new, "method_result_changed", "union-member-added"),
        old=types.old_text.type(old.result),
        new=types.new_text.type(new.result),
        sent_by=in_order(OTHER_SIDE[side] for side in (*old.sent_by, *new.sent_by)),
    )
    # Only the result of a request that both revisions send in the same way reaches a receiver that expects it.
    requesters = set(old.sent_by) & set(new.sent_by) if old.embedded == new.embedded else set[Side]()
    responders = in_order(OTHER_SIDE[side] for side in requesters)

    def result_finding(rule: str, member: str, reading: FallbackReading | None) -> Finding:
        weights = RULES[rule].weights if reading is None else reading.weights
        by_side = tuple((side, weights) for side in responders)
        reason = reading.reason if by_side and reading is not None else None
        return evolve(finding, rule=rule, member=member, by_side=by_side, reason=reason)

    old_names, new_names = _names(types.old, old), _names(types.new, new)
    for path in matched.old:
        member = old_names.get(path) or types.old_text.object(path)
        unasked = _unrequested("An old {s}", path, "a new {r}", types.new, new)
        yield result_finding("union-member-removed", member, unasked or types.readings.read_by_new(path, new.result))
    for path in matched.new:
        member = new_names.get(path) or types.new_text.object(path)
        unasked = _unrequested("A new {s}", path, "an old {r}", types.old, old)
        yield result_finding("union-member-added", member, unasked or types.readings.read_by_old(path, old.result))


def _unrequested(
    responders: str, result: str, requesters: str, protocol: Protocol, method: Method
) -> FallbackReading | None:
    """Return a harmless reading if a result answers only requests that its receiver never sends.

    ``method`` is the receiver's version of the method.
    """
    member = _REQUESTED_BY_PARAM.get(result)
    if member is None or method.params is None:
        return None
    params = alternatives(method.params, protocol.aliases).objects
    if any(each.name == member for path in params for each in protocol.objects[path].fields):
        return None
    reason = f"{responders} returns {{member}} only for requests with `{member}`, which {requesters} never sends."
    return FallbackReading(HARMLESS, reason)


def _names(protocol: Protocol, method: Method) -> dict[str, str]:
    """Return the aliases by which a method refers to its results, such as ``EmptyResult``, by path."""
    found: dict[str, str] = {}
    for result in method.results:
        if isinstance(result, AliasOf):
            paths = alternatives(result, protocol.aliases).objects
            if len(paths) == 1:
                found.setdefault(next(iter(paths)), result.name)
    return found
