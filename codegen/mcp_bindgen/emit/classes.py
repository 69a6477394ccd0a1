"""The view of ``types.py``: constants, aliases and classes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mcp_bindgen.emit.alias_expansion import content, named_in, spelled
from mcp_bindgen.emit.annotations import Annotations, absent_is_unset, default_of, with_absence
from mcp_bindgen.emit.docstrings import describe, docstring, literal
from mcp_bindgen.emit.envelopes import in_wire_order
from mcp_bindgen.emit.layout import LINE, Alternatives, Tree, alternatives, lines, statement, tuple_of, width
from mcp_bindgen.emit.naming import Names, is_constant
from mcp_bindgen.emit.prerequisites import object_of
from mcp_bindgen.emit.view_model import ClassView, DeclarationView, DerivedPropertiesView, MemberView, TypesView
from mcp_bindgen.ir.protocol import AliasType, Enum, Field, ListOf, ObjectType, Protocol, Scalar

_EXTRA = "Undeclared members, by their names in JSON; they are encoded, too."
_TOOL_SCHEMAS = frozenset({"Tool.inputSchema", "Tool.outputSchema"})
"""Types of JSON Schemas; which keywords they declare depends on the revision."""
_BASE64 = "byte"
"""The ``@format`` of text in base64."""


def plan_types(
    protocol: Protocol, names: Names, recursive: Collection[str], imported: Collection[str] = ()
) -> TypesView:
    """Return all that ``types.py`` declares, in an order that Python can evaluate."""
    planner = _Planner(protocol, names, recursive, imported)
    classes = [
        declared for declared in protocol.objects.values() if not declared.is_map and declared.path not in imported
    ]
    simple, later = planner.aliases()
    views = tuple(planner.cls(declared) for declared in classes)
    private = (DeclarationView((line,), ()) for line in planner.private.values())
    return TypesView(
        exported=_exported(protocol, names),
        constants=tuple(planner.constant(name) for name in protocol.constants),
        simple_aliases=tuple(simple),
        classes=views,
        aliases=(*later, *private),
    )


def _exported(protocol: Protocol, names: Names) -> tuple[str, ...]:
    tree: Tree = ("[", [literal(name) for name in sorted({*names.types.values(), *names.constants.values()})], "]")
    return tuple(lines("__all__ = ", tree))


class _Planner:
    def __init__(self, protocol: Protocol, names: Names, recursive: Collection[str], imported: Collection[str]) -> None:
        self._protocol = protocol
        self._names = names
        self._recursive = recursive
        self._imported = imported
        self._annotations = Annotations(protocol, names)
        self._evaluated = Annotations(protocol, names, quoted=recursive)
        self.private: dict[str, str] = {}
        """Aliases for annotations that are too long to write in place."""

    def constant(self, name: str) -> DeclarationView:
        constant = self._protocol.constants[name]
        return DeclarationView(
            declaration=(statement(f"{self._names.constants[name]}: Final = {literal(constant.value)}"),),
            doc=tuple(docstring(describe(constant.about, f"The value of {name}."), 0)),
        )

    def aliases(self) -> tuple[list[DeclarationView], list[DeclarationView]]:
        """Return the aliases that refer to no class, and those that do, each after the aliases that it refers to."""
        simple: list[DeclarationView] = []
        later: list[DeclarationView] = []
        done: set[str] = set()
        needs_class: set[str] = set()
        declared = spelled(self._protocol)

        def visit(path: str) -> None:
            if path in done:
                return
            done.add(path)
            evaluated = list(self._evaluated_in(declared[path]))
            for used in evaluated:
                if used in declared:
                    visit(used)
            if any(used not in declared or used in needs_class for used in evaluated):
                needs_class.add(path)
            if path not in self._imported:
                (later if path in needs_class else simple).append(self._alias(declared[path]))

        for path in declared:
            visit(path)
        return simple, later

    def _evaluated_in(self, declared: ObjectType | AliasType) -> Iterator[str]:
        """Yield the names that must exist when the declaration is evaluated: those that are not quoted."""
        direct = set(named_in(self._protocol, content(declared), inside=False))
        if not isinstance(declared, AliasType):
            direct.clear()
        for name in named_in(self._protocol, content(declared)):
            if name in direct or name not in self._recursive:
                yield name

    def _alias(self, declared: ObjectType | AliasType) -> DeclarationView:
        if isinstance(declared, AliasType):
            name = self._names.types[declared.name]
            parts = self._evaluated.each(declared.type)
        else:
            name = self._names.types[declared.path]
            parts = [self._evaluated.map_of(declared.index)]
        prefix = f"{name}: TypeAlias = "
        if len(parts) == 1 and parts[0].startswith("Literal["):
            written = lines(prefix, ("Literal[", _literal_parts(declared), "]"))
        else:
            written = alternatives(prefix, parts)
        return DeclarationView(tuple(written), tuple(docstring(describe(declared.about, f"The type `{name}`."), 0)))

    def cls(self, declared: ObjectType) -> ClassView:
        fields = [member for member in in_wire_order(declared) if not is_constant(member)]
        attributes = self._names.fields[declared.path]
        slots = tuple_of([literal(name) for name in [*(attributes[member.name] for member in fields), "extra"]])
        extra = (*self._short(declared, "extra", [self._annotations.map_of(declared.index)]), "None")
        extra_view = MemberView(
            annotation=tuple(lines("", Alternatives("extra: ", extra), indent=4)),
            doc=tuple(docstring(_EXTRA, 4)),
            store="        self.extra = extra",
        )
        parameters = [self._parameter(declared, member, attributes[member.name]) for member in fields]
        # Required ones first, as is usual in signatures.
        parameters.sort(key=lambda parameter: bool(parameter.suffix))
        parameters.append(Alternatives("extra: ", extra, " = None"))
        return ClassView(
            name=self._names.types[declared.path],
            head=statement(f"class {self._names.types[declared.path]}(Record):"),
            doc=tuple(docstring(describe(declared.about, self._fallback(declared)), 4)),
            slots=tuple(lines("__slots__ = ", slots, indent=4)),
            constants=tuple(
                self._constant_member(declared, member) for member in declared.fields if is_constant(member)
            ),
            fields=(*(self._member(declared, member) for member in fields), extra_view),
            signature=tuple(lines("def __init__", ("(", ["self", "*", *parameters], ")"), " -> None:", 4)),
            derived=_derived_properties(self._protocol, declared, attributes),
        )

    def _fallback(self, declared: ObjectType) -> str:
        if declared.kind != "inline":
            return f"The type `{declared.path}`."
        owner, _, member = declared.path.partition(".")
        return f"The `{member}` of {_article(owner)} `{owner}`."

    def _constant_member(self, declared: ObjectType, member: Field) -> MemberView:
        assert isinstance(member.type, Enum)
        value = literal(member.type.values[0])
        name = self._names.fields[declared.path][member.name]
        notes = [f"On the wire: `{member.name}`."] if name != member.name else []
        return MemberView(
            annotation=(statement(f"{name}: ClassVar[{self._annotations.of(member.type)}] = {value}", 4),),
            doc=tuple(docstring(describe(member.about, f"Always {value.replace(chr(92), '')}.", notes=notes), 4)),
            store="",
        )

    def _member(self, declared: ObjectType, member: Field) -> MemberView:
        name = self._names.fields[declared.path][member.name]
        notes = [f"On the wire: `{member.name}`."] if member.about.doc and name != member.name else []
        if absent_is_unset(self._protocol, member):
            notes.append("`UNSET` means absent; `None` means null.")
        return MemberView(
            annotation=tuple(lines("", Alternatives(f"{name}: ", self._alternatives(declared, member)), indent=4)),
            doc=tuple(
                docstring(
                    describe(member.about, _member_fallback(member), constraints=member.constraints, notes=notes), 4
                )
            ),
            store=statement(f"self.{name} = {name}", 8),
        )

    def _alternatives(self, declared: ObjectType, member: Field) -> tuple[str, ...]:
        """Return the parts of an annotation, with ``None`` or ``Unset`` if the member may be absent."""
        if member.raw:
            return with_absence(self._protocol, member, [])
        name = self._names.fields[declared.path][member.name]
        parts = self._short(declared, name, self._annotations.alternatives(member.type))
        return with_absence(self._protocol, member, parts)

    def _short(self, declared: ObjectType, attribute: str, parts: list[str]) -> list[str]:
        """Return the parts of an annotation, with a private alias for each part that is too long for a line."""
        room = LINE - 12 - len("list[") if len(parts) > 1 or parts[0].startswith(("list[", "dict[")) else LINE - 17
        short: list[str] = []
        for place, part in enumerate(parts):
            if width(part) <= room:
                short.append(part)
            else:
                # No attribute contains two underscores in a row, so these names are unique.
                name = f"_{self._names.types[declared.path]}__{attribute}_{place}"
                self.private[name] = statement(f"{name}: TypeAlias = {part}")
                short.append(name)
        return short

    def _parameter(self, declared: ObjectType, member: Field, name: str) -> Alternatives:
        return Alternatives(f"{name}: ", self._alternatives(declared, member), default_of(self._protocol, member))


def _literal_parts(declared: ObjectType | AliasType) -> list[str]:
    assert isinstance(declared, AliasType)
    assert isinstance(declared.type, Enum)
    return [literal(value) for value in declared.type.values]


def _article(name: str) -> str:
    return "an" if name[:1].lower() in "aeiou" else "a"


def _member_fallback(member: Field) -> str:
    known = {
        "id": "Id of the request; its response has the same id.",
        "method": "Name of the method.",
        "params": "Params of the method.",
        "result": "Result of the request.",
        "type": "Kind of the object.",
    }
    return known.get(member.name, f"The `{member.name}` member.")


_RESULT_METHODS = frozenset({"text", "data", "as_", "raise_for_error"})
"""Properties and methods of the result of a tool call, besides its members."""


def _derived_properties(
    protocol: Protocol, declared: ObjectType, attributes: Mapping[str, str]
) -> DerivedPropertiesView:
    """Return the properties and methods that a class has besides its members: ``bytes``, ``display_name`` and others.

    ``attributes`` maps the wire names of its members to attribute names.
    An attribute of the class takes precedence over a property of the same name.
    """
    members = {member.name: member for member in declared.fields}
    names = {*attributes.values(), "extra"}
    encoded = next((attributes[member.name] for member in declared.fields if _is_base64(member)), "")
    titles = list(_titles(protocol, members)) if _is_text(members.get("name"), optional=False) else []
    content = members.get("content")
    has_content = content is not None and isinstance(content.type, ListOf)
    fails = declared.path == "CallToolResult" and "isError" in members and has_content
    is_schema = declared.path in _TOOL_SCHEMAS
    return DerivedPropertiesView(
        has_bytes=bool(encoded) and "bytes" not in names,
        has_display_name=bool(titles) and "display_name" not in names,
        is_resource_result=declared.path == "ReadResourceResult" and "contents" in members and "text" not in names,
        is_tool_result=fails and names.isdisjoint(_RESULT_METHODS),
        structured=f"self.{attributes['structuredContent']}" if "structuredContent" in members else "None",
        has_properties=is_schema and "properties" not in names,
        has_required=is_schema and "required" not in names,
        encoded=encoded,
        display_name=tuple(lines("return ", ("record_methods.first_name(", [*titles, "self.name"], ")"), "", 8)),
    )


def _titles(protocol: Protocol, members: Mapping[str, Field]) -> Iterator[str]:
    """Yield the expressions for a label, the preferred one first (2025-06-18, Schema: BaseMetadata.title)."""
    if _is_text(members.get("title"), optional=True):
        yield "self.title"
    hints = members.get("annotations")
    annotations = None if hints is None else object_of(protocol, hints.type)
    if annotations is not None and any(
        each.name == "title" and _is_text(each, optional=True) for each in annotations.fields
    ):
        yield "None if self.annotations is None else self.annotations.title"


def _is_text(member: Field | None, *, optional: bool) -> bool:
    return (
        member is not None
        and isinstance(member.type, Scalar)
        and member.type.kind == "string"
        and member.optional == optional
    )


def _is_base64(member: Field) -> bool:
    return member.constraints.format == _BASE64 and _is_text(member, optional=False)
