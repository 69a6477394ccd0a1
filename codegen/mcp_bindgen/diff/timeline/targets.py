"""The targets of a history, in the terms of one revision: a type, field, method or constant, or an alternative of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from attrs import evolve, frozen

from mcp_bindgen.describe.canonical import literal, schema_type
from mcp_bindgen.describe.lookup import ConstantSubject, Lookup, MemberSubject, MethodSubject, Subject, TypeSubject
from mcp_bindgen.diff.alternatives import alternatives
from mcp_bindgen.diff.methods import how_sent
from mcp_bindgen.diff.sides import sides_text
from mcp_bindgen.diff.typescript import TypeScript, below
from mcp_bindgen.ir.protocol import About, Field, ObjectOf, Protocol, Type

_LAST_STEP = re.compile(r"(\.[^.\[\]]+|\[[^\]]+\])(\[\])*$")

TargetKind: TypeAlias = Literal["type", "field", "method", "constant"]


@frozen
class Target:
    """A subject in one revision; other revisions may use another name."""

    kind: TargetKind
    name: str
    """The name of the method, constant or type; for a field the type or path of its object."""
    field: str | None = None
    member: str | None = None
    """An alternative, as TypeScript writes it."""

    @property
    def subject(self) -> str:
        """The name in differences: ``Tool.outputSchema``; an alternative follows after a colon, as in ids."""
        whole = self.name if self.field is None else below(self.name, self.field)
        return whole if self.member is None else f"{whole}:{self.member}"


def target_of(query: str, lookup: Lookup) -> Target | None:
    """Return the target of a query in one revision; None if it does not exist there."""
    found = lookup.find(query)
    if found is not None:
        return _target(found)
    for whole, word in _with_member(query, lookup):
        known = members(lookup.protocol, whole)
        member = next((text for text in (word, literal(word)) if text in known), None)
        if member is not None:
            return evolve(whole, member=member)
    return None


def alternatives_of(query: str, lookup: Lookup) -> tuple[str, list[str]] | None:
    """Return the subject and known alternatives of a query with an unknown alternative."""
    found = next(((whole.subject, members(lookup.protocol, whole)) for whole, _ in _with_member(query, lookup)), None)
    return found if found is not None and found[1] else None


def _with_member(query: str, lookup: Lookup) -> Iterator[tuple[Target, str]]:
    """Yield the readings of a query with an alternative after a colon; a name may contain a colon itself."""
    for place in (place for place, char in enumerate(query) if char == ":"):
        found = lookup.find(query[:place])
        if found is not None:
            yield _target(found), query[place + 1 :]


def is_gone(query: str, lookup: Lookup) -> bool:
    """Return whether a revision has the owner of a queried field and lacks the field."""
    head = _LAST_STEP.sub("", query.partition(":")[0])
    return head != query and lookup.find(head) is not None and lookup.find(query) is None


def exists(protocol: Protocol, target: Target) -> bool:
    """Return whether a revision has a target by exactly this name."""
    if target.member is not None and target.member not in members(protocol, target):
        return False
    match target.kind:
        case "method":
            return target.name in protocol.methods
        case "constant":
            return target.name in protocol.constants
        case "type":
            return target.name in protocol.objects or target.name in protocol.aliases
        case "field":
            return field_of(protocol, target) is not None


def field_of(protocol: Protocol, target: Target) -> Field | None:
    """Return the field of a target."""
    owner = protocol.objects.get(target.name)
    fields = owner.fields if owner is not None else ()
    return next((each for each in fields if each.name == target.field), None)


def type_of(protocol: Protocol, target: Target) -> Type | None:
    """Return the type of a target; None for constants and for what the revision lacks."""
    match target.kind:
        case "method":
            method = protocol.methods.get(target.name)
            return method.result if method is not None else None
        case "type":
            alias = protocol.aliases.get(target.name)
            if alias is not None:
                return alias.written or alias.type
            return ObjectOf(target.name) if target.name in protocol.objects else None
        case "field":
            found = field_of(protocol, target)
            return schema_type(found) if found is not None else None
        case "constant":
            return None


def members(protocol: Protocol, target: Target) -> list[str]:
    """Return the alternatives of a target, as TypeScript writes them; none if there is only one."""
    kind = type_of(protocol, target)
    texts = TypeScript(protocol)
    seen: set[Type] = set()
    while kind is not None and kind not in seen:
        seen.add(kind)
        found = alternatives(kind, protocol.aliases)
        names = [*found.literals, *(["string"] if found.any_string else []), *found.scalars]
        names += [*map(texts.object, found.objects), *(name or texts.type(each) for each, name in found.lists.items())]
        if len(names) != 1:
            return names
        # The alternatives of an array or map are those of its elements or values.
        kind = next((each.element for each in found.lists), None) or _values(protocol, next(iter(found.objects), None))
    return []


def about(protocol: Protocol, target: Target) -> About:
    """Return the documentation of an existing target."""
    match target.kind:
        case "method":
            return protocol.objects[protocol.methods[target.name].interface].about
        case "constant":
            return protocol.constants[target.name].about
        case "type":
            return (protocol.objects.get(target.name) or protocol.aliases[target.name]).about
        case "field":
            found = field_of(protocol, target)
            assert found is not None
            return found.about


def text_of(protocol: Protocol, target: Target) -> str:
    """Return the text of an existing target: its type, its value, or its senders and results."""
    texts = TypeScript(protocol)
    if target.member is not None:
        return target.member
    match target.kind:
        case "constant":
            return literal(protocol.constants[target.name].value)
        case "type":
            declared = protocol.objects.get(target.name)
            return texts.braces(declared) if declared is not None else texts.definition(target.name)
        case "field":
            found = field_of(protocol, target)
            assert found is not None
            return texts.field(found)
        case "method":
            method = protocol.methods[target.name]
            inside = f", {how_sent(protocol, method)}" if method.embedded else ""
            inside += f", {method.requested}" if method.requested is not None else ""
            answer = f", result {texts.type(method.result)}" if method.result is not None else ""
            return f"{method.kind} from {sides_text(method.sent_by)}{inside}{answer}"


def _target(found: Subject) -> Target:
    match found:
        case MethodSubject():
            return Target("method", found.name)
        case ConstantSubject():
            return Target("constant", found.name)
        case TypeSubject():
            return Target("type", found.name)
        case MemberSubject():
            return Target("field", found.owner.path, field=found.member.name)


def _values(protocol: Protocol, path: str | None) -> Type | None:
    declared = protocol.objects.get(path or "")
    return declared.index if declared is not None and declared.is_map else None
