"""Schema text in, protocol or faults out: what the tests of the resolver share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from checkout import REVISIONS
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import Field, Protocol, Type, Union
from mcp_bindgen.ir.type_text import type_text
from mcp_bindgen.resolve.overrides import Overrides
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

SCHEMAS = Path(__file__).parents[2] / "schema"
NONE = Overrides()


def resolve(
    text: str,
    *,
    revision: str = "acme",
    imported: Mapping[str, str] | None = None,
    overrides: Overrides = NONE,
) -> Protocol:
    modules = {name: read_schema(each.encode(), f"{name[2:]}.ts") for name, each in (imported or {}).items()}
    return resolve_protocol(
        read_schema(text.encode(), "acme.ts"),
        revision=revision,
        base=revision if revision in REVISIONS else None,
        imported=modules,
        overrides=overrides,
    )


def faults(text: str, *, imported: Mapping[str, str] | None = None, overrides: Overrides = NONE) -> list[str]:
    """The faults of a schema, as people read them; fails where there are none."""
    with pytest.raises(SchemaError) as caught:
        resolve(text, imported=imported, overrides=overrides)
    return str(caught.value).splitlines()


_bundled: dict[str, Protocol] = {}


def bundled(revision: str) -> Protocol:
    """The protocol of a revision's schema in the checkout."""
    if revision not in _bundled:
        data = (SCHEMAS / revision / "schema.ts").read_bytes()
        _bundled[revision] = resolve_protocol(read_schema(data, "schema.ts"), revision=revision, base=revision)
    return _bundled[revision]


def field(protocol: Protocol, path: str) -> Field:
    """The field ``Type.name``, where ``Type`` may be the path of an inline object."""
    owner, _, name = path.rpartition(".")
    return next(each for each in protocol.objects[owner].fields if each.name == name)


def type_of(text: str) -> str:
    """What ``text`` means as the type of a property, in TypeScript's words."""
    return type_text(kind_of(text))


def kind_of(text: str, more: str = "") -> Type:
    """What ``text`` means as the type of a property."""
    return field(resolve(f"export interface Owner {{ it: {text} }}\n{more}"), "Owner.it").type


def tree(kind: Type) -> str:
    """The decision of a union in one line: ``[key? present : absent]``, ``tag key(value: ...)``."""
    assert isinstance(kind, Union), kind
    return _tree(kind.decision, [type_text(member) for member in kind.members])


def _tree(decision: Decision, members: list[str]) -> str:
    match decision:
        case Member():
            return members[decision.index]
        case ByKind():
            return f"{{{', '.join(f'{kind}: {_tree(branch, members)}' for kind, branch in decision.branches)}}}"
        case ByTag():
            branches = [f"{value}: {_tree(branch, members)}" for value, branch in decision.branches]
            if decision.absent is not None:
                branches.append(f"absent: {_tree(decision.absent, members)}")
            return f"{decision.key}({', '.join(branches)})"
        case ByKey():
            absent = "refuse" if decision.absent is None else _tree(decision.absent, members)
            return f"[{decision.key}? {_tree(decision.present, members)} : {absent}]"
        case ByNested():
            return f"{decision.key}.{_tree(decision.inner, members)}"
        case ByFirst():
            return f"first{_tree(decision.inner, members)} empty: {_tree(decision.empty, members)}"
        case Undecidable():
            return f"undecidable: {decision.reason}"


def union(members: str, declarations: str) -> str:
    """The tree of ``type U = members`` over the declarations."""
    return tree(resolve(f"export type U = {members}\n{declarations}").aliases["U"].type)
