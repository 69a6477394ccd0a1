"""The explanation of a type, field, method or constant as a JSON document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcp_bindgen import catalog
from mcp_bindgen.describe import revision_span
from mcp_bindgen.describe.canonical import Canonical, literal, object_of, schema_type
from mcp_bindgen.describe.lookup import (
    ConstantSubject,
    Lookup,
    MemberSubject,
    MethodSubject,
    Subject,
    TypeSubject,
    objects_in,
)
from mcp_bindgen.describe.revision_span import Span
from mcp_bindgen.describe.usage import Occurrence, Usage, carriers
from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import (
    About,
    AliasOf,
    Constraints,
    Field,
    ListOf,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Side,
    Type,
    Union,
)
from mcp_bindgen.ir.type_text import TypeText

FORMAT = "mcp-explain/1"

Json = dict[str, Any]

SIDES: tuple[Side, ...] = ("client", "server")


def explain(subject: Subject, lookup: Lookup, *, bundled: bool, span: Span | None = None) -> Json:
    """Return the document of a subject; ``bundled``: its protocol comes with the generator.

    Only revisions have a history: an extension may use a revision's name for something else. ``span``: the revisions that
    have the subject, by that name or another; by default those that have it by its name.
    """
    return _Explanation(lookup, bundled).of(subject, span)


class _Explanation:
    def __init__(self, lookup: Lookup, bundled: bool) -> None:
        self._lookup = lookup
        self._protocol: Protocol = lookup.protocol
        self._bundled = bundled
        self._historic = bundled and self._protocol.revision in catalog.revisions()
        self._canonical = Canonical(self._protocol)
        self._usage = Usage(self._protocol)

    def of(self, subject: Subject, span: Span | None) -> Json:
        head: Json = {"format": FORMAT, "name": subject.name, "revision": self._protocol.revision}
        if self._historic:
            span = span or revision_span.span_of(subject)
            head["revisions"] = list(span.having)
            head["since"] = span.words
        match subject:
            case TypeSubject():
                return {**head, **self._type(subject.name)}
            case MemberSubject():
                return {**head, **self._member_page(subject)}
            case MethodSubject():
                return {**head, **self._method(subject)}
            case ConstantSubject():
                about = _about(subject.constant.about)
                return {
                    **head,
                    "subject": "constant",
                    "value": subject.constant.value,
                    **about,
                    **self._python(subject.name),
                }

    def _type(self, name: str) -> Json:
        declared = self._protocol.objects.get(name)
        page: Json
        if declared is None:
            alias = self._protocol.aliases[name]
            page = {"subject": "type", "kind": "alias", **_about(alias.about), "type": self._text(alias.type)}
            page |= self._discriminator(alias.type)
            target = object_of(self._protocol, alias)
            page |= {} if target is None else {"members": [self._member(each, target.path) for each in target.fields]}
        else:
            page = {"subject": "type", "kind": declared.kind, **_about(declared.about)}
            page |= {"extends": list(declared.bases)} if declared.bases else {}
            if declared.index is not None:
                page["further_members"] = self._text(declared.index)
            page["members"] = [self._member(member, declared.path) for member in declared.fields]
            if self._historic:
                former = revision_span.former_members(name, self._protocol.revision)
                page |= {"former_members": [{"name": old, "until": last} for old, last in former]} if former else {}
        extended = self._usage.extended_by(name)
        names = self._lookup.python
        has_class = names is not None and not (declared is not None and declared.kind == "inline" and declared.is_map)
        page |= self._python(names.types[name]) if names and has_class else {}
        page |= {"extended_by": extended} if extended else {}
        page["used_by"] = self._usage.users(name)
        page["messages"] = [_occurrence(found) for found in self._usage.messages(name)]
        return page

    def _member_page(self, subject: MemberSubject) -> Json:
        entry = self._member(subject.member, subject.owner.path)
        # The head of a page has more details than a row.
        entry = {name: value for name, value in entry.items() if name not in {"name", "since"}}
        occurrences = self._usage.messages(subject.owner.path)
        return {
            "subject": "member",
            "of": subject.owner.path,
            "key": subject.member.name,
            **entry,
            **self._annotation(subject.member),
            "canonical": self._canonical.text(schema_type(subject.member)),
            **self._discriminator(subject.member.type),
            "messages": [_occurrence(found) for found in occurrences],
        }

    def _method(self, subject: MethodSubject) -> Json:
        method = subject.method
        interface = self._protocol.objects[method.interface]
        names = self._lookup.python
        page: Json = {
            "subject": "method",
            "kind": method.kind,
            **_about(interface.about),
            "sent_by": list(method.sent_by),
            "embedded": method.embedded,
            "message": method.interface,
        }
        page |= {"inside": list(carriers(self._protocol, method))} if method.embedded else {}
        page |= {"sent_when": method.requested} if method.requested is not None else {}
        page |= self._python(f"methods.{names.methods[method.name]}") if names else {}
        if method.capability is not None:
            page["capability"] = method.capability
            page["capability_of"] = [
                side for side in SIDES if (side in method.sent_by) == (method.capability_of == "sender")
            ] or list(method.sent_by)
        if method.params is not None:
            page["params"] = {
                "type": self._text(method.params),
                "required": method.params_required,
                **self._content(method.params),
                **self._discriminator(method.params),
            }
        if method.kind == "request":
            page["results"] = [{"type": self._text(result), **self._content(result)} for result in method.results]
            page |= self._discriminator(method.result) if method.result else {}
        return page

    def _member(self, member: Field, owner: str) -> Json:
        names = self._lookup.python
        entry: Json = {
            "name": member.name,
            **({"attribute": names.fields[owner][member.name]} if names else {}),
            "type": self._text(schema_type(member)),
            "required": not member.optional,
            **_about(member.about),
            "constraints": constraint_words(member.constraints),
            "declared_in": member.declared_in,
            "inherited": member.declared_in != owner,
        }
        entry |= {"envelope": True} if member.envelope else {}
        entry |= {"default": member.default} if member.default is not None else {}
        entry |= {"null_tolerated": True} if member.null_tolerated else {}
        entry |= {"absence_tolerated": True} if member.absence_tolerated else {}
        if self._historic:
            first = revision_span.first_with_member(owner, member.name)
            known = self._first(owner)
            entry |= {"since": first} if first is not None and first != known else {}
        inline = self._inline(member.type)
        if inline is not None:
            if inline.index is not None:
                entry["further_members"] = self._text(inline.index)
            entry["members"] = [self._member(inner, inline.path) for inner in inline.fields]
        return entry

    def _first(self, owner: str) -> str | None:
        having = (r for r in catalog.revisions() if owner in revision_span.lookup(r).protocol.objects)
        return next(having, None)

    def _inline(self, kind: Type) -> ObjectType | None:
        """Return the inline object of a type or of a list's elements, if it has fields to show."""
        while isinstance(kind, ListOf):
            kind = kind.element
        declared = self._protocol.objects[kind.path] if isinstance(kind, ObjectOf) else None
        return declared if declared is not None and declared.kind == "inline" and declared.fields else None

    def _content(self, kind: Type) -> Json:
        """Return the members of an object, also by another name; of a union, those of each alternative."""
        found = [] if isinstance(kind, ListOf) else list(objects_in(self._protocol, kind))
        if len(found) <= 1:
            return {"members": [self._member(member, each.path) for each in found for member in each.fields]}
        alternatives = [
            {
                "type": self._text(ObjectOf(each.path)),
                "members": [self._member(member, each.path) for member in each.fields],
            }
            for each in found
        ]
        return {"members": [], "alternatives": alternatives}

    def _text(self, kind: Type) -> str:
        return TypeWords(self._protocol).type(kind)

    def _discriminator(self, kind: Type) -> Json:
        while isinstance(kind, (AliasOf, ListOf)):
            kind = self._protocol.aliases[kind.name].type if isinstance(kind, AliasOf) else kind.element
        return {"told_apart": discriminator_lines(self._protocol, kind)} if isinstance(kind, Union) else {}

    def _python(self, name: str) -> Json:
        if not self._bundled:
            return {"python": name}
        return {"python": f"mcp_bindings.{catalog.package_name(self._protocol.revision)}.{name}"}

    def _annotation(self, member: Field) -> Json:
        names = self._lookup.python
        return {"annotation": Annotations(self._protocol, names).of(member.type)} if names else {}


def _about(about: About) -> Json:
    return {"doc": about.doc, "deprecated": about.deprecated}


def _occurrence(found: Occurrence) -> Json:
    return {"method": found.method, "part": found.part, "sent_by": list(found.sent_by)}


_SCALARS = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "boolean": "boolean",
    "null": "null",
    "json": "any JSON",
    "object": "object",
}


class TypeWords(TypeText):
    """Types as users write them; inline objects are ``{…}``."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def scalar(self, kind: Scalar) -> str:
        """Return the word for a scalar."""
        return _SCALARS[kind.kind]

    def object(self, path: str) -> str:
        """Return the name of an object."""
        declared = self._protocol.objects[path]
        if declared.kind != "inline":
            return path
        if declared.is_map:
            return f"map of {'any JSON' if declared.index is None else self.type(declared.index)}"
        return "{…}"


def constraint_words(constraints: Constraints) -> list[str]:
    """Return the constraints of a field in words."""
    words: list[str] = []
    low, high = constraints.minimum, constraints.maximum
    if low is not None and high is not None:
        words.append(f"{low} to {high}")
    elif low is not None:
        words.append(f"at least {low}")
    elif high is not None:
        words.append(f"at most {high}")
    if constraints.max_items is not None:
        words.append(f"at most {constraints.max_items} items")
    if constraints.format is not None:
        words.append(f"format {constraints.format}")
    return words


def discriminator_lines(protocol: Protocol, union: Union) -> list[str]:
    """Return how the members of a union are distinguished, one check of the value a line."""
    return _Decisions(protocol, union).lines(union.decision, "")


class _Decisions:
    def __init__(self, protocol: Protocol, union: Union) -> None:
        self._members = [TypeWords(protocol).type(member) for member in union.members]

    def lines(self, decision: Decision, indent: str) -> list[str]:
        match decision:
            case Member():
                return [indent + self._members[decision.index]]
            case ByKind() if len(decision.branches) == 1:
                # A single kind is not a choice: "an object" is obvious.
                return self.lines(decision.branches[0][1], indent)
            case ByKind():
                return self._branches("by the JSON type", decision.branches, indent)
            case ByTag():
                branches = [(literal(value), inner) for value, inner in decision.branches]
                absent = [] if decision.absent is None else [("absent", decision.absent)]
                return self._branches(f"by {decision.key!r}", (*branches, *absent), indent)
            case ByKey():
                other = [] if decision.absent is None else [("absent", decision.absent)]
                return self._branches(
                    f"by the presence of {decision.key!r}", [("present", decision.present), *other], indent
                )
            case ByNested():
                inner = self.lines(decision.inner, indent)
                return [f"{indent}inside {decision.key!r}, {inner[0].strip()}", *inner[1:]]
            case ByFirst():
                branches = [("first element", decision.inner), ("empty", decision.empty)]
                return self._branches("by the first element", branches, indent)
            case Undecidable():
                return [f"{indent}impossible: {decision.reason}"]

    def _branches(self, title: str, branches: Iterable[tuple[str, Decision]], indent: str) -> list[str]:
        lines = [f"{indent}{title}:"]
        for value, inner in branches:
            head, *rest = self.lines(inner, f"{indent}    ")
            lines += [f"{indent}  {value} -> {head.strip()}", *rest]
        return lines
