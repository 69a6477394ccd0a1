"""Error messages for unknown names: the nearest known ones, and the revisions that have the name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mcp_bindgen import catalog
from mcp_bindgen.describe import revision_span
from mcp_bindgen.describe.lookup import Lookup, MemberSubject, MethodSubject, TypeSubject, objects_in
from mcp_bindgen.describe.nearest import nearest_names
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import ObjectOf, ObjectType

_SHOWN = 70
_LONGEST_PATH = 400
_MEMBERS = 3
"""Maximum number of fields of one name that are suggested."""


def unknown_in(name: str, lookup: Lookup, elsewhere: list[str]) -> BindgenError:
    """Return the error for a name that one protocol lacks; the revisions ``elsewhere`` have it."""
    hints = [f"{_listed(elsewhere, 'and')} {'has' if len(elsewhere) == 1 else 'have'} it"] if elsewhere else []
    hints += _hints(name, [lookup])
    return _unknown(name, lookup.protocol.revision, hints)


def unknown_anywhere(name: str) -> BindgenError:
    """Return the error for a name that no bundled revision has."""
    lookups = [revision_span.lookup(revision) for revision in catalog.revisions()]
    return unknown_among(name, lookups, "the bundled revisions")


def unknown_among(name: str, lookups: Sequence[Lookup], where: str | None = None) -> BindgenError:
    """Return the error for a name that none of some revisions has, the oldest first; ``where``: a name for them all."""
    revisions = [lookup.protocol.revision for lookup in lookups]
    return _unknown(
        name, where or " to ".join(dict.fromkeys([revisions[0], revisions[-1]])), _hints(name, reversed(lookups))
    )


def _unknown(name: str, where: str, hints: list[str]) -> BindgenError:
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    return BindgenError("; ".join([f"{shown!r} not found in {where}", *hints]))


def _hints(name: str, lookups: Iterable[Lookup]) -> list[str]:
    names: dict[str, None] = {}
    for lookup in lookups:
        members = _members_near(name, lookup) or _members_called(name, lookup)
        if members:
            return [f"did you mean {_listed(members, 'or')}?"]
        names.update(dict.fromkeys(official_names(lookup)))
    known = catalog.revisions()
    if name in known:
        older = known[max(known.index(name) - 1, 0)]
        newer = name if older != name else known[1]
        return [f"to compare two revisions, run: mcp-codegen diff {older} {newer}"]
    near = nearest_names(name, names)
    if near:
        return [f"did you mean {_listed(near, 'or')}?"]
    return ["pass a type, field, method, constant or error code of the schema, such as Tool, Tool.name or tools/call"]


def official_names(lookup: Lookup) -> list[str]:
    """Return the names of declared types, methods and constants."""
    return [*lookup.protocol.order, *lookup.protocol.methods]


def _members_near(name: str, lookup: Lookup) -> list[str]:
    """Return the fields nearest to the first wrong key of a path."""
    for match in reversed(list(re.finditer(r"[.\[]", name[:_LONGEST_PATH]))):
        subject = lookup.find(name[: match.start()])
        owners: list[ObjectType] = []
        if isinstance(subject, TypeSubject) and isinstance(subject.declared, ObjectType):
            owners = [subject.declared]
        elif isinstance(subject, MemberSubject):
            owners = list(objects_in(lookup.protocol, subject.member.type))
        elif isinstance(subject, MethodSubject):
            owners = list(objects_in(lookup.protocol, ObjectOf(subject.method.interface)))
        if owners and subject is not None:
            wrong = name[match.start() :].strip('.[]"').split(".")[0]
            keys = dict.fromkeys(member.name for owner in owners for member in owner.fields)
            near = nearest_names(wrong, keys) or list(keys)
            return [_path(subject.name, key) for key in near]
    return []


def _members_called(name: str, lookup: Lookup) -> list[str]:
    """Return some fields with exactly this name, each at the type that declares it."""
    owners = [each for each in lookup.protocol.objects.values() if each.kind == "interface"]
    return [
        _path(owner.path, name)
        for owner in owners
        if any(member.name == name and member.declared_in == owner.path for member in owner.fields)
    ][:_MEMBERS]


def _path(owner: str, key: str) -> str:
    return f"{owner}.{key}" if key.isidentifier() else f'{owner}["{key}"]'


def _listed(words: list[str], last: str) -> str:
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
