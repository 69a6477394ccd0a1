"""Error messages for unknown names: the nearest known ones, and the revisions that have the name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from mcp_bindgen import catalog
from mcp_bindgen.describe import revision_span
from mcp_bindgen.describe.lookup import Lookup, MemberSubject, MethodSubject, TypeSubject, objects_in
from mcp_bindgen.describe.nearest import enumerated, nearest_names
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import ObjectOf, ObjectType

_SHOWN = 70
_LONGEST_PATH = 400
USAGE = "pass a type, field, method, constant or error code of the schema, such as Tool, Tool.name or tools/call"

_CODES_IN_PROSE: Mapping[str, str] = {
    "-32002": (
        "the text of the specification uses it until 2025-11-25 for a resource that does not exist (server/resources, "
        "Error Handling), and -32602 since 2026-07-28"
    ),
}
"""Error codes in the text of the specification that no schema declares, with their meaning."""

_MEMBERS = 3
"""Maximum number of fields of one name that are suggested."""


def unknown_in(name: str, lookup: Lookup, elsewhere: list[str]) -> BindgenError:
    """Return the error for a name that one protocol lacks; the revisions ``elsewhere`` have it."""
    hints = [f"{enumerated(elsewhere, 'and')} {'has' if len(elsewhere) == 1 else 'have'} it"] if elsewhere else []
    hints += _hints(name, [lookup], is_elsewhere=bool(elsewhere))
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


def _hints(name: str, lookups: Iterable[Lookup], *, is_elsewhere: bool = False) -> list[str]:
    """Return suggestions; if the name ``is_elsewhere``, only similar names."""
    names: dict[str, None] = {}
    for lookup in lookups:
        members = _members_near(name, lookup, all_keys=not is_elsewhere) or _members_called(name, lookup)
        members = members or _members_of_similar(name, lookup)
        if members:
            return [f"did you mean {enumerated(members)}?"]
        names.update(dict.fromkeys(official_names(lookup)))
    known = catalog.revisions()
    if name in known:
        older = known[max(known.index(name) - 1, 0)]
        newer = name if older != name else known[1]
        return [f"to compare two revisions, run: mcp-codegen diff {older} {newer}"]
    if name in _CODES_IN_PROSE:
        return [_CODES_IN_PROSE[name]]
    near = [] if is_elsewhere and "." in name else nearest_names(name, names)
    if near:
        return [f"did you mean {enumerated(near)}?"]
    return [] if is_elsewhere else [USAGE]


def official_names(lookup: Lookup) -> list[str]:
    """Return the names of declared types, methods and constants."""
    return [*lookup.protocol.order, *lookup.protocol.methods]


def _members_of_similar(name: str, lookup: Lookup) -> list[str]:
    """Return the fields on a path that begins with a misspelt type."""
    root = re.match(r"[^.\[]+(?=[.\[])", name[:_LONGEST_PATH])
    if root is None:
        return []
    similar = nearest_names(root[0], [path for path in lookup.protocol.order if lookup.find(path)])
    found = (lookup.find(f"{path}{name[root.end() :]}") for path in similar)
    return [subject.name for subject in found if subject is not None]


def _members_near(name: str, lookup: Lookup, *, all_keys: bool) -> list[str]:
    """Return the fields nearest to the first wrong key of a path; ``all_keys``: or else all."""
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
            near = nearest_names(wrong, keys) or (list(keys) if all_keys else [])
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
