"""The tables of ``_type_tables.py``: the types as data, to find out where a value is wrong and why."""

from __future__ import annotations

from mcp_bindgen.emit.annotations import absent_is_unset
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.envelopes import in_wire_order
from mcp_bindgen.emit.layout import Tree, inline, table, tuple_of
from mcp_bindgen.emit.naming import Names, is_constant
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import (
    AliasOf,
    Constraints,
    Enum,
    Field,
    ListOf,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Type,
    Union,
)


class TypeTables:
    """Planner of the tables of one protocol, in the format of ``codec.type_tables``."""

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._open: list[str] = []
        self._looped: dict[str, None] = {}
        """Recursive inline maps, which need a name in the tables."""

    def tables(self) -> dict[str, list[str]]:
        """Return the lines of ``OBJECTS``, ``ALIASES`` and ``RESULTS``."""
        objects, results = self._objects(), self._results()
        # Last, when all maps that need a name are known.
        return {"objects": objects, "aliases": self._aliases(), "results": results}

    def _objects(self) -> list[str]:
        """Return ``OBJECTS``: class name to members and index signature."""
        entries: list[Tree] = []
        for declared in self._protocol.objects.values():
            if declared.is_map:
                continue
            members: list[Tree] = [self._member(declared, member) for member in in_wire_order(declared)]
            index = "None" if declared.index is None else self.shape(declared.index)
            name = self._names.types[declared.path]
            entries.append((f"{literal(name)}: (", [tuple_of(members), index], ")"))
        return table("OBJECTS: Final[Objects] = ", entries)

    def _aliases(self) -> list[str]:
        """Return ``ALIASES``: alias name to shape."""
        entries: list[Tree] = [
            _prefixed(f"{literal(self._names.types[name])}: ", self.shape(alias.type))
            for name, alias in self._protocol.aliases.items()
        ]
        entries += [
            _prefixed(f"{literal(self._names.types[path])}: ", self._map(declared))
            for path, declared in self._protocol.objects.items()
            if declared.is_map and declared.kind != "inline"
        ]
        # Nothing that is found on the way is new: these are written out wherever they stand.
        entries += [
            _prefixed(f"{literal(path)}: ", self._inline_map(self._protocol.objects[path])) for path in self._looped
        ]
        return table("ALIASES: Final[Aliases] = ", entries)

    def _results(self) -> list[str]:
        """Return ``RESULTS``: method to the shape of its result."""
        entries: list[Tree] = [
            _prefixed(f"{literal(method.name)}: ", self.shape(method.result))
            for method in self._protocol.methods.values()
            if method.result is not None
        ]
        return table("RESULTS: Final[Aliases] = ", entries)

    def _member(self, declared: ObjectType, member: Field) -> Tree:
        attribute = "None" if is_constant(member) else literal(self._names.fields[declared.path][member.name])
        presence = "optional" if member.optional else "tolerated" if member.absence_tolerated else "required"
        absent = "UNSET" if absent_is_unset(self._protocol, member) else "None"
        shape = self.shape(member.type)
        if member.raw:
            shape = tuple_of(['"raw"', shape])
        parts: list[Tree] = [literal(member.name), attribute, literal(presence), shape, absent]
        constraints = _constraints(member.constraints)
        return tuple_of([*parts, *([constraints] if constraints else [])])

    def shape(self, kind: Type) -> Tree:
        """Return a type as nested tuples."""
        match kind:
            case Scalar():
                return literal(kind.kind)
            case Enum(open=True):
                return '"string"'
            case Enum():
                return tuple_of(['"enum"', *(literal(value) for value in kind.values)])
            case ListOf():
                return tuple_of(['"list"', self.shape(kind.element)])
            case ObjectOf():
                declared = self._protocol.objects[kind.path]
                if not declared.is_map:
                    return tuple_of(['"class"', literal(self._names.types[kind.path])])
                if declared.kind == "inline":
                    return self._inline_map(declared)
                return tuple_of(['"alias"', literal(self._names.types[kind.path])])
            case AliasOf():
                return tuple_of(['"alias"', literal(self._names.types[kind.name])])
            case Union():
                members: list[Tree] = [self.shape(member) for member in kind.members]
                return tuple_of(['"union"', self._decision(kind.decision), tuple_of(members)])

    def _inline_map(self, declared: ObjectType) -> Tree:
        if declared.path in self._open:
            self._looped[declared.path] = None
            return tuple_of(['"alias"', literal(declared.path)])
        self._open.append(declared.path)
        shape = self._map(declared)
        self._open.pop()
        return shape

    def _map(self, declared: ObjectType) -> Tree:
        value = '"json"' if declared.index is None else self.shape(declared.index)
        return '"object"' if value == '"json"' else tuple_of(['"map"', value])

    def _decision(self, decision: Decision | None) -> Tree:
        match decision:
            case None:
                return "None"
            case Member():
                return str(decision.index)
            case ByKind():
                kinds: list[Tree] = [
                    tuple_of([literal(kind), self._decision(branch)]) for kind, branch in decision.branches
                ]
                return tuple_of(['"kind"', tuple_of(kinds)])
            case ByTag():
                tags: list[Tree] = [
                    tuple_of([literal(value), self._decision(branch)]) for value, branch in decision.branches
                ]
                absent = self._decision(decision.absent)
                return tuple_of(['"tag"', literal(decision.key), tuple_of(tags), absent])
            case ByKey():
                present, absent = self._decision(decision.present), self._decision(decision.absent)
                return tuple_of(['"key"', literal(decision.key), present, absent])
            case ByNested():
                return tuple_of(['"nested"', literal(decision.key), self._decision(decision.inner)])
            case ByFirst():
                return tuple_of(['"first"', self._decision(decision.inner), self._decision(decision.empty)])
            case Undecidable():
                return tuple_of(['"undecidable"', literal(decision.reason)])


def _prefixed(prefix: str, tree: Tree) -> Tree:
    if isinstance(tree, tuple):
        return (prefix + tree[0], tree[1], tree[2])
    return prefix + inline(tree)


def _constraints(constraints: Constraints) -> Tree | None:
    """Return pairs of name and value of the constraints, which decoding does not check."""
    named = {
        "minimum": constraints.minimum,
        "maximum": constraints.maximum,
        "maxItems": constraints.max_items,
        "format": constraints.format,
    }
    pairs: list[Tree] = [
        tuple_of([literal(name), literal(value)]) for name, value in named.items() if value is not None
    ]
    return tuple_of(pairs) if pairs else None
