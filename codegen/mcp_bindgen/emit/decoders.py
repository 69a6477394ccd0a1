"""The view of ``_decoders.py``: straight-line functions from JSON values to objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mcp_bindgen.emit.annotations import absent_is_unset
from mcp_bindgen.emit.conversions import Conversion, differs, refuse, refused, refused_by_all
from mcp_bindgen.emit.decision_trees import DecisionTreeWriter
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.envelopes import find_envelopes, in_wire_order
from mcp_bindgen.emit.layout import LINE, Tree, assign, inline, lines, statement, statements, width
from mcp_bindgen.emit.naming import RESERVED_TABLES, Names, free_name, is_constant, own_function
from mcp_bindgen.emit.view_model import CodecView, DecoderView, FunctionView, StepView
from mcp_bindgen.ir.decisions import ByKind, ByTag, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union

_CHECKS = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "mapping",
}


class Decoders:
    """Planner of the decoders of one protocol; it collects the functions and tables that types need on the way."""

    def __init__(
        self, protocol: Protocol, names: Names, recursive: Collection[str], imported: Collection[str] = ()
    ) -> None:
        self._protocol = protocol
        self._names = names
        self._recursive = recursive
        self._imported = imported
        self._response = find_envelopes(protocol).response
        self._maps = {
            path: declared.index or Scalar("json", "unknown")
            for path, declared in protocol.objects.items()
            if declared.is_map
        }
        self._functions: dict[object, str] = {}
        self._wanted: list[tuple[Type, str]] = []
        self._function_views: list[FunctionView] = []
        self._tables: dict[object, str] = {}
        self._places: dict[str, int] = {}
        """Names of the tables, with their places in the module."""
        self._table_views: list[tuple[str, ...]] = []
        self._choices: dict[object, str] = {}
        self._choice_views: list[tuple[str, ...]] = []
        self._used_names: set[str] = {*RESERVED_TABLES, *names.functions.values()}

    def plan(self) -> CodecView:
        """Return the view of the module."""
        objects = [
            self._object(declared)
            for declared in self._protocol.objects.values()
            if not declared.is_map and declared.path not in self._imported
        ]
        types: list[Tree] = [
            f"types.{self._names.types[declared.path]}: structure_{self._names.functions[declared.path]}"
            for declared in self._protocol.objects.values()
            if not declared.is_map
        ]
        types += [
            f"types.{self._names.types[name]}: {self.function(AliasOf(name), self._names.functions[name])}"
            for name in self._protocol.aliases
        ]
        for declared in self._protocol.objects.values():
            if declared.is_map and declared.kind != "inline":
                function = self.function(ObjectOf(declared.path), self._names.functions[declared.path])
                types.append(f"types.{self._names.types[declared.path]}: {function}")
        results: list[Tree] = []
        for method in self._protocol.methods.values():
            if method.result is not None:
                function = self.function(method.result, f"{self._names.methods[method.name].lower()}_result")
                results.append(f"{literal(method.name)}: {function}")
        # Planning one may add others; the loop replaces recursion, which could be thousands of levels deep.
        for kind, stem in self._wanted:
            self._function_views.append(self._function(kind, stem))
        return CodecView(
            tables=tuple(self._table_views),
            objects=tuple(objects),
            functions=tuple(self._function_views),
            choices=(
                *self._choice_views,
                tuple(lines("TYPES: Decoders = ", ("{", types, "}"))),
                tuple(lines("RESULTS: Decoders = ", ("{", results, "}"))),
            ),
        )

    def _object(self, declared: ObjectType) -> DecoderView:
        name = self._names.types[declared.path]
        function = self._names.functions[declared.path]
        required: list[StepView] = []
        optional: list[StepView] = []
        constants: list[str] = []
        for member in in_wire_order(declared):
            hint = f"{function}_{self._names.fields[declared.path][member.name]}"
            if is_constant(member):
                assert isinstance(member.type, Enum)
                constants.append(statement(f"if {differs(f'd[{literal(member.name)}]', member.type)}:", 4))
            elif member.optional or member.absence_tolerated:
                optional.append(self._step(declared, member, hint, optional=True))
            else:
                required.append(self._step(declared, member, hint, optional=False))
        arguments: list[Tree] = ["d: Json"]
        if declared.path == self._response:
            arguments.append("finish: Callable[[Json], Any] | None = None")
        return DecoderView(
            signature=tuple(lines(f"def structure_{function}", ("(", arguments, ")"), f" -> types.{name}:")),
            constants=tuple(constants),
            new=statement(f"o = new(types.{name})", 4),
            required=tuple(required),
            optional=tuple(optional),
            has_optional=bool(optional),
            count=len(constants) + len(required),
            extra=self._extra(declared, function, "n" if optional else str(len(constants) + len(required))),
        )

    def _step(self, declared: ObjectType, member: Field, hint: str, *, optional: bool) -> StepView:
        conversion = self.read(member.type, "v", hint)
        attribute = self._names.fields[declared.path][member.name]
        if member.raw:
            checks = (*conversion.checks, inline(conversion.value)) if not conversion.is_copy else conversion.checks
            conversion = Conversion(checks, "v")
        key, indent = literal(member.name), 8 if optional else 4
        checks = statements(conversion.checks, indent)
        store = tuple(assign(f"o.{attribute} = ", conversion.value, indent))
        if declared.path == self._response and member.name == "result":
            # The caller that knows the request passes the decoder of its result.
            pad, inner = " " * indent, " " * (indent + 4)
            otherwise = (
                *statements(conversion.checks, indent + 4),
                *assign(f"o.{attribute} = ", conversion.value, indent + 4),
            )
            checks = (f"{pad}if finish is not None:", f"{inner}o.{attribute} = finish(v)", f"{pad}else:")
            store = otherwise
        test = (statement(f"if {key} in d:", 4),) if optional else ()
        absent = "UNSET" if absent_is_unset(self._protocol, member) else "None"
        return StepView(
            load=(*test, statement(f"v = d[{key}]", indent)),
            checks=checks,
            store=store,
            absent=statement(f"o.{attribute} = {absent}", 8) if optional else "",
        )

    def _extra(self, declared: ObjectType, function: str, count: str) -> tuple[str, ...]:
        """Return the statements that keep undeclared members; comparing counts first makes the usual case fast."""
        if not declared.fields:
            return ("    o.extra = d or None",)
        table = self.keys(declared)
        value: Tree = "d[k]"
        if declared.index is not None:
            conversion = self.read(declared.index, "e", f"{function}_extra")
            if conversion.checks or not conversion.is_copy:
                value = f"{self.function(declared.index, f'{function}_extra')}(d[k])"
        usual = f"len(d) == {count}"
        body: Tree = ("{", [f"k: {inline(value)} for k in d if k not in {table}"], "}")
        written = f"    o.extra = None if {usual} else {inline(body)}"
        if width(written) <= LINE:
            return (written,)
        return (f"    if {usual}:", "        o.extra = None", "    else:", *assign("o.extra = ", body, 8))

    def keys(self, declared: ObjectType) -> str:
        """Return the name of the table of the wire names that a class declares."""
        wire = tuple(member.name for member in declared.fields)
        return self._table(("keys", declared.path), f"{self._names.functions[declared.path].upper()}_KEYS", wire)

    def _table(self, identity: object, wanted: str, values: tuple[str | int | float | bool, ...]) -> str:
        if identity not in self._tables:
            name = free_name(wanted, self._used_names)
            self._tables[identity] = name
            self._places[name] = len(self._places)
            items: list[Tree] = [literal(value) for value in values]
            if any(not isinstance(value, str) for value in values):
                items = [f"({type(value).__name__}, {literal(value)})" for value in values]
            self._table_views.append(tuple(lines(f"{name} = ", ("frozenset(", [("{", items, "}")], ")"))))
        return self._tables[identity]

    def tables(self) -> Iterable[str]:
        """Return the names of all tables of literals."""
        return self._tables.values()

    def tables_in(self, checks: tuple[str, ...]) -> list[str]:
        """Return the names of the tables of literals that statements use."""
        # By the end of each line, since there may be thousands of tables.
        named = {line.rpartition(" in ")[2].removesuffix(":") for line in checks if line.endswith(":")}
        return sorted(named & self._places.keys(), key=self._places.__getitem__)

    def read(self, kind: Type, v: str, hint: str) -> Conversion:
        """Return the conversion of the value in ``v`` to ``kind``; ``hint`` names functions and tables made for it."""
        match kind:
            case Scalar():
                return self._read_scalar(kind, v)
            case Enum(open=True):
                return refuse(f"{v}.__class__ is not str", v)
            case Enum():
                return self._read_enum(kind, v, hint)
            case ListOf():
                return self._read_list(kind, v, hint)
            case ObjectOf():
                return self._read_object(kind, v, hint)
            case AliasOf():
                alias = self._protocol.aliases[kind.name]
                hint = self._names.functions[kind.name]
                if kind.name in self._recursive:
                    return Conversion((), f"{self.function(kind, hint)}({v})")
                if isinstance(alias.type, Union) and not self._is_simple(alias.type):
                    return Conversion((), f"{self.function(kind, hint)}({v})")
                return self.read(alias.type, v, hint)
            case Union():
                return self._read_union(kind, v, hint)

    def _read_scalar(self, kind: Scalar, v: str) -> Conversion:
        condition = refused(kind, v)
        return Conversion((), v) if condition is None else refuse(condition, v)

    def _read_enum(self, kind: Enum, v: str, hint: str) -> Conversion:
        if len(kind.values) == 1:
            return refuse(differs(v, kind), v)
        table = self._table(kind, hint.upper(), kind.values)
        if all(isinstance(value, str) for value in kind.values):
            return refuse(f"{v} not in {table}", v)
        return refuse(f"({v}.__class__, {v}) not in {table}", v)

    def _read_list(self, kind: ListOf, v: str, hint: str) -> Conversion:
        element = self.read(kind.element, "e", hint)
        head = refuse(f"{v}.__class__ is not list", v)
        if element.is_copy:
            if not element.checks:
                return head
            return Conversion((*head.checks, f"for e in {v}:", *(f"    {line}" for line in element.checks)), v)
        each = element.value if not element.checks else f"{self.function(kind.element, f'{hint}_item')}(e)"
        return Conversion(head.checks, ("[", [f"{inline(each)} for e in {v}"], "]"))

    def _read_map(self, index: Type | None, v: str, hint: str) -> Conversion:
        head = refuse(f"{v}.__class__ is not dict", v)
        if index is None:
            return head
        element = self.read(index, "e", hint)
        if element.is_copy:
            if not element.checks:
                return head
            return Conversion((*head.checks, f"for e in {v}.values():", *(f"    {line}" for line in element.checks)), v)
        each = element.value if not element.checks else f"{self.function(index, f'{hint}_item')}(e)"
        return Conversion(head.checks, ("{", [f"k: {inline(each)} for k, e in {v}.items()"], "}"))

    def _read_object(self, kind: ObjectOf, v: str, hint: str) -> Conversion:
        declared = self._protocol.objects[kind.path]
        if kind.path in self._recursive:
            return Conversion((), f"{self.function(kind, self._names.functions[kind.path])}({v})")
        if declared.is_map:
            return self._read_map(declared.index, v, hint)
        return Conversion((), f"structure_{self._names.functions[kind.path]}({v})")

    def _read_union(self, kind: Union, v: str, hint: str) -> Conversion:
        if all(isinstance(member, Scalar) for member in kind.members) and self._is_simple(kind):
            return refuse(refused_by_all([member for member in kind.members if isinstance(member, Scalar)], v), v)
        tag = _plain_tag(kind)
        if tag is not None:
            table = self.choice_by(kind, tag, hint)
            if table is not None:
                return Conversion((), f"{table}[{v}[{literal(tag.key)}]]({v})")
        return Conversion((), f"{self.function(kind, hint)}({v})")

    def choice_by(self, kind: Union, tag: ByTag, hint: str) -> str | None:
        """Return the name of the table from tag to function of a union of classes, which replaces a chain of tests."""
        functions = self._functions_by(kind, tag)
        if functions is None:
            return None
        if functions not in self._choices:
            name = self._choices[functions] = free_name(hint.upper(), self._used_names)
            items: list[Tree] = [f"{literal(value)}: {function}" for value, function in functions]
            self._choice_views.append(tuple(lines(f"{name}: Decoders = ", ("{", items, "}"))))
        return self._choices[functions]

    def _functions_by(self, kind: Union, tag: ByTag) -> tuple[tuple[str, str], ...] | None:
        """Return the function for each tag; None unless each tag selects a class and the tag is required."""
        if tag.absent is not None:
            return None
        functions: list[tuple[str, str]] = []
        for value, leaf in tag.branches:
            member = kind.members[leaf.index] if isinstance(leaf, Member) else None
            if not isinstance(value, str) or not isinstance(member, ObjectOf):
                return None
            if self._protocol.objects[member.path].is_map:
                return None
            functions.append((value, f"structure_{self._names.functions[member.path]}"))
        return tuple(functions)

    def _is_simple(self, kind: Union) -> bool:
        """Return whether a union is decoded without a function of its own."""
        if isinstance(kind.decision, Undecidable):
            return False
        if all(isinstance(member, Scalar) and member.kind != "json" for member in kind.members):
            return True
        tag = _plain_tag(kind)
        return tag is not None and self._functions_by(kind, tag) is not None

    def function(self, kind: Type, hint: str) -> str:
        """Return the name of the function that decodes ``kind``, and plan it if there is none yet."""
        if isinstance(kind, Scalar) and kind.kind in _CHECKS:
            return f"checks.{_CHECKS[kind.kind]}"
        if isinstance(kind, ObjectOf) and not self._protocol.objects[kind.path].is_map:
            return f"structure_{self._names.functions[kind.path]}"
        if isinstance(kind, AliasOf):
            target = self._protocol.aliases[kind.name].type
            if isinstance(target, ObjectOf) and not self._protocol.objects[target.path].is_map:
                return self.function(target, hint)
        form = self._form(kind)
        match form:
            # Another name for a recursive type is decoded by the function of that type.
            case (0, AliasOf(name=name) | ObjectOf(path=name) as target) if target != kind:
                return self.function(target, self._names.functions[name])
            case _:
                pass
        if form not in self._functions:
            stem = own_function(self._names, kind) or free_name(hint, self._used_names)
            self._functions[form] = f"structure_{stem}"
            self._wanted.append((kind, stem))
        return self._functions[form]

    def _form(self, kind: Type) -> object:
        """Return the expanded type of a name; names with equal forms share a function."""
        if not isinstance(kind, AliasOf | ObjectOf):
            return kind
        maps = 0
        while True:
            if isinstance(kind, AliasOf) and kind.name not in self._recursive:
                kind = self._protocol.aliases[kind.name].type
            elif isinstance(kind, ObjectOf) and kind.path not in self._recursive and kind.path in self._maps:
                kind = self._maps[kind.path]
                maps += 1
            else:
                return (maps, kind.kind if isinstance(kind, Scalar) else kind)

    def _function(self, kind: Type, hint: str) -> FunctionView:
        expanded = self._protocol.aliases[kind.name].type if isinstance(kind, AliasOf) else kind
        if isinstance(expanded, Union) and not self._is_simple(expanded):
            body = DecisionTreeWriter(self, expanded, hint).lines(expanded.decision)
        else:
            # A map that contains itself is decoded by the function that is made here.
            if isinstance(kind, ObjectOf):
                conversion = self._read_map(self._protocol.objects[kind.path].index, "v", hint)
            else:
                conversion = self.read(expanded, "v", hint)
            body = [*statements(conversion.checks, 4), *assign("return ", conversion.value, 4)]
        return FunctionView(
            signature=tuple(lines(f"def structure_{hint}", ("(", ["v: Json"], ")"), " -> Json:")),
            body=tuple(body),
        )


def _plain_tag(kind: Union) -> ByTag | None:
    """Return the tag of a union if it alone decides."""
    decision = kind.decision
    if isinstance(decision, ByKind) and len(decision.branches) == 1:
        _, decision = decision.branches[0]
    return decision if isinstance(decision, ByTag) else None
