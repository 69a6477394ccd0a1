"""The view of ``_encoders.py``: straight-line functions from objects to JSON values."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mcp_bindgen.emit.annotations import absent_is_unset
from mcp_bindgen.emit.conversions import Conversion, of_no_class, refuse, scalar_classes
from mcp_bindgen.emit.decoders import Decoders
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.envelopes import in_wire_order
from mcp_bindgen.emit.layout import Tree, assign, inline, lines, statement, statements
from mcp_bindgen.emit.naming import RESERVED_TABLES, Names, free_name, is_constant, own_function
from mcp_bindgen.emit.view_model import CodecView, EncoderView, FunctionView, StepView
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union

CONDITIONS = {
    "string": "{v}.__class__ is not str and not is_string({v})",
    "integer": "{v}.__class__ is not int and not is_integer({v})",
    "float": "{v}.__class__ is not int and not is_number({v})",
    "boolean": "{v}.__class__ is not bool",
    "null": "{v} is not None",
    "object": "{v}.__class__ is not dict and not is_object({v})",
}
_KINDS = {str: "string", int: "float", float: "float", bool: "boolean"}
_SCALAR_TESTS = {
    "string": "is_string(v)",
    "integer": "is_integer(v)",
    "float": "is_number(v)",
    "boolean": "v.__class__ is bool",
    "null": "v is None",
    "object": "is_object(v)",
}


class Encoders:
    """Planner of the encoders of one protocol; they share tables of names and literals with the decoders."""

    verb = "unstructure"
    """Prefix of the names of the functions."""
    table = "VALUES"
    """Name of the table from class to function."""
    returns = ("JsonObject", "Json")
    """Return types of the functions for classes and for other types."""

    def __init__(
        self,
        protocol: Protocol,
        names: Names,
        decoders: Decoders,
        recursive: Collection[str],
        imported: Collection[str] = (),
    ) -> None:
        self._protocol = protocol
        self._names = names
        self._recursive = recursive
        self._imported = imported
        self._decoders = decoders
        self._functions: dict[Type, str] = {}
        self._wanted: list[tuple[Type, str]] = []
        self._choices: dict[object, str] = {}
        self._choice_views: list[tuple[str, ...]] = []
        self._used_names: set[str] = {*RESERVED_TABLES, *decoders.tables(), *names.functions.values()}
        self._tables: set[str] = set()

    def plan(self) -> CodecView:
        """Return the view of the module."""
        classes = [declared for declared in self._protocol.objects.values() if not declared.is_map]
        objects = [self._object(declared) for declared in classes if declared.path not in self._imported]
        values: list[Tree] = [
            f"types.{self._names.types[declared.path]}: {self.verb}_{self._names.functions[declared.path]}"
            for declared in classes
        ]
        # Planning one may add others; the loop replaces recursion, which could be thousands of levels deep.
        functions = tuple(self._function(kind, stem) for kind, stem in self._wanted)
        return CodecView(
            tables=tuple((table,) for table in sorted(self._tables)),
            objects=tuple(objects),
            functions=functions,
            choices=(*self._choice_views, tuple(self._by_class(values))),
        )

    def _by_class(self, values: list[Tree]) -> list[str]:
        # Type checkers infer nothing from an empty table.
        annotation = "" if values else ": ByClass[Any]"
        return lines(f"{self.table}{annotation} = ", ("ByClass(", [("{", values, "}")], ")"))

    def _object(self, declared: ObjectType) -> EncoderView:
        function = self._names.functions[declared.path]
        constants = {
            member.name: member.type.values[0]
            for member in in_wire_order(declared)
            if is_constant(member) and isinstance(member.type, Enum)
        }
        required: list[StepView] = []
        optional: list[StepView] = []
        for member in in_wire_order(declared):
            hint = f"{function}_{self._names.fields[declared.path][member.name]}"
            if is_constant(member):
                continue
            if member.optional or member.absence_tolerated:
                optional.append(self._step(declared, member, hint, optional=True))
            else:
                first = not constants and not required
                required.append(self._step(declared, member, hint, optional=False, first=first))
        name = f"types.{self._names.types[declared.path]}"
        arguments = ("(", ["o: Any"], ")")
        return EncoderView(
            signature=tuple(lines(f"def {self.verb}_{function}", arguments, f" -> {self.returns[0]}:")),
            check=(statement(f"if o.__class__ is not {name}:", 4), statement(f"expect(o, {name})", 8)),
            start=self._start(constants, opened=bool(required)),
            required=tuple(required),
            optional=tuple(optional),
            extra=self._extra(declared, function),
            end=self._end(opened=bool(constants or required)),
        )

    def _start(self, constants: Mapping[str, str | int | float | bool], *, opened: bool) -> tuple[str, ...]:
        """Return the statement that starts the output with the constants; ``opened`` if a member is always present."""
        items: list[Tree] = [f"{literal(name)}: {literal(value)}" for name, value in constants.items()]
        return tuple(lines("d: JsonObject = ", ("{", items, "}"), indent=4))

    def _end(self, *, opened: bool) -> str:
        return "    return d"

    def _extra(self, declared: ObjectType, function: str) -> tuple[str, ...]:
        """Return the statements that write ``extra`` and raise for names that the type declares."""
        declares = self._table(self._decoders.keys(declared)) if declared.fields else "frozenset()"
        head = statement(f"undeclared(o.extra, {declares})", 8)
        index = declared.index
        if index is None or (isinstance(index, Scalar) and index.kind == "json"):
            return (head, *self._open_members())
        return (head, *self._typed_members(f"{self.function(index, f'{function}_extra')}(e)"))

    def _open_members(self) -> tuple[str, ...]:
        """Return the statements that write the members in ``o.extra`` as any JSON."""
        return ("        opaque(o.extra)", "        d.update(o.extra)")

    def _typed_members(self, each: str) -> tuple[str, ...]:
        """Return the statements that write the members in ``o.extra`` as the declared type."""
        body: Tree = ("(", [f"(k, {each}) for k, e in o.extra.items()"], ")")
        return ("        keys(o.extra)", *assign("d.update", body, 8))

    def _step(self, declared: ObjectType, member: Field, hint: str, *, optional: bool, first: bool = False) -> StepView:
        if member.raw:
            # The class of a dict is unknown; the decoder checks that it is of the declared type.
            declares = isinstance(member.type, ObjectOf) and not self._protocol.objects[member.type.path].is_map
            check = self._table(self._decoders.function(member.type, hint)) if declares else "opaque"
            conversion = Conversion((), f"raw(v, {check})")
        else:
            conversion = self.write_member(member, hint)
        absent = "UNSET" if absent_is_unset(self._protocol, member) else "None"
        test, indent = ((f"    if v is not {absent}:",), 8) if optional else ((), 4)
        return StepView(
            load=(statement(f"v = o.{self._names.fields[declared.path][member.name]}", 4), *test),
            checks=statements(conversion.checks, indent),
            store=self._store(member.name, conversion.value, indent, first=first),
            absent="",
        )

    def write_member(self, member: Field, hint: str) -> Conversion:
        """Return the conversion of the value of a member, which is in ``v``."""
        return self.write(member.type, "v", hint)

    def _store(self, name: str, value: Tree, indent: int, *, first: bool) -> tuple[str, ...]:
        return tuple(assign(f"d[{literal(name)}] = ", value, indent))

    def _table(self, name: str) -> str:
        self._tables.add(name)
        return name

    def write(self, kind: Type, v: str, hint: str) -> Conversion:
        """Return the conversion of the value in ``v`` from ``kind``; ``hint`` names functions and tables made for it."""
        match kind:
            case Scalar():
                return self._write_scalar(kind, v)
            case Enum():
                return self._write_enum(kind, v, hint)
            case ListOf():
                return self._write_items(kind.element, v, hint, "list", "is_array")
            case ObjectOf():
                declared = self._protocol.objects[kind.path]
                if kind.path in self._recursive:
                    return Conversion((), f"{self.function(kind, self._names.functions[kind.path])}({v})")
                if declared.is_map:
                    return self._write_items(declared.index, v, hint, "dict", "is_object")
                return Conversion((), f"{self.verb}_{self._names.functions[kind.path]}({v})")
            case AliasOf():
                alias = self._protocol.aliases[kind.name]
                apart = isinstance(alias.type, Union) and not self._is_simple(alias.type)
                if apart or kind.name in self._recursive:
                    return Conversion((), f"{self.function(kind, self._names.functions[kind.name])}({v})")
                return self.write(alias.type, v, self._names.functions[kind.name])
            case Union():
                return self._write_union(kind, v, hint)

    def _write_scalar(self, kind: Scalar, v: str) -> Conversion:
        if kind.kind == "json":
            return Conversion((f"if {v}.__class__ not in ATOMS:", f"    opaque({v})"), v)
        checked = refuse(CONDITIONS[kind.kind].format(v=v), v)
        return Conversion((*checked.checks, f"opaque({v})"), v) if kind.kind == "object" else checked

    def _write_enum(self, kind: Enum, v: str, hint: str) -> Conversion:
        return Conversion(self._check_enum(kind, v, hint), v)

    def _check_enum(self, kind: Enum, v: str, hint: str) -> tuple[str, ...]:
        if kind.open:
            return refuse(CONDITIONS["string"].format(v=v), v).checks
        checks = self._decoders.read(kind, v, hint).checks
        for table in self._decoders.tables_in(checks):
            self._table(table)
        return checks

    def _write_items(self, element: Type | None, v: str, hint: str, cls: str, accepted: str) -> Conversion:
        head = refuse(f"{v}.__class__ is not {cls} and not {accepted}({v})", v)
        if element is None or (isinstance(element, Scalar) and element.kind == "json"):
            return Conversion((*head.checks, f"opaque({v})"), v)
        if cls == "dict":
            head = Conversion((*head.checks, f"keys({v})"), v)
        each = self.write(element, "e", hint)
        if each.is_copy:
            values = v if cls == "list" else f"{v}.values()"
            loop = (f"for e in {values}:", *(f"    {line}" for line in each.checks)) if each.checks else ()
            return Conversion((*head.checks, *loop), v)
        value = inline(each.value) if not each.checks else f"{self.function(element, f'{hint}_item')}(e)"
        if cls == "list":
            return Conversion(head.checks, ("[", [f"{value} for e in {v}"], "]"))
        return Conversion(head.checks, ("{", [f"k: {value} for k, e in {v}.items()"], "}"))

    def _is_simple(self, kind: Union) -> bool:
        """Return whether a union is encoded without a function of its own: scalars only, or classes only."""
        scalars = all(isinstance(member, Scalar) and member.kind not in {"json", "object"} for member in kind.members)
        return scalars or len(self._classes(kind)) == len(kind.members)

    def _write_union(self, kind: Union, v: str, hint: str) -> Conversion:
        scalars = [member for member in kind.members if isinstance(member, Scalar)]
        if len(scalars) == len(kind.members) and self._is_simple(kind):
            return self._write_scalars(scalars, v)
        classes = self._classes(kind)
        if len(classes) == len(kind.members):
            return Conversion((), f"{self._choice(classes, hint)}[{v}.__class__]({v})")
        return Conversion((), f"{self.function(kind, hint)}({v})")

    def _write_scalars(self, members: list[Scalar], v: str) -> Conversion:
        return Conversion(one_of(members, v), v)

    def _classes(self, kind: Union) -> tuple[str, ...]:
        """Return the paths of the members that are classes."""
        return tuple(
            member.path
            for member in kind.members
            if isinstance(member, ObjectOf) and not self._protocol.objects[member.path].is_map
        )

    def _choice(self, classes: tuple[str, ...], hint: str) -> str:
        """Return the name of the table from class to function of a union."""
        if classes not in self._choices:
            name = self._choices[classes] = free_name(hint.upper(), self._used_names)
            items: list[Tree] = [
                f"types.{self._names.types[path]}: {self.verb}_{self._names.functions[path]}" for path in classes
            ]
            self._choice_views.append(tuple(lines(f"{name} = ", ("ByClass(", [("{", items, "}")], ")"))))
        return self._choices[classes]

    def function(self, kind: Type, hint: str) -> str:
        """Return the name of the function that encodes ``kind``, and plan it if there is none yet."""
        if isinstance(kind, ObjectOf) and not self._protocol.objects[kind.path].is_map:
            return f"{self.verb}_{self._names.functions[kind.path]}"
        if kind not in self._functions:
            stem = own_function(self._names, kind) or free_name(hint, self._used_names)
            self._functions[kind] = f"{self.verb}_{stem}"
            self._wanted.append((kind, stem))
        return self._functions[kind]

    def _function(self, kind: Type, hint: str) -> FunctionView:
        expanded = self._protocol.aliases[kind.name].type if isinstance(kind, AliasOf) else kind
        if isinstance(expanded, Union):
            body = self._union_body(expanded, hint)
        else:
            if isinstance(kind, ObjectOf):
                # A map that contains itself is encoded by the function that is made here.
                conversion = self._write_items(self._protocol.objects[kind.path].index, "v", hint, "dict", "is_object")
            else:
                conversion = self.write(expanded, "v", hint)
            body = [*statements(conversion.checks, 4), *assign("return ", conversion.value, 4)]
        signature = lines(f"def {self.verb}_{hint}", ("(", ["v: Any"], ")"), f" -> {self.returns[1]}:")
        return FunctionView(signature=tuple(signature), body=tuple(body))

    def _union_body(self, kind: Union, hint: str) -> list[str]:
        """Return statements that select the member of a union by the Python class of ``v``."""
        body: list[str] = []
        lists = [member for member in kind.members if isinstance(member, ListOf)]
        if len(lists) == 1:
            conversion = self.write(lists[0], "v", hint)
            body.append("    if is_array(v):")
            body += [*statements(conversion.checks[2:], 8), *assign("return ", conversion.value, 8)]
        elif lists:
            functions = [self.function(member, f"{hint}_{place + 1}") for place, member in enumerate(lists)]
            body.append("    if is_array(v):")
            body += lines("return first_match", ("(", ["v", *functions], ")"), indent=8)
        for member in kind.members:
            if isinstance(member, ObjectOf) and self._protocol.objects[member.path].is_map:
                conversion = self.write(member, "v", hint)
                body.append("    if is_object(v):")
                body += [*statements(conversion.checks[2:], 8), *assign("return ", conversion.value, 8)]
                break
        for member in kind.members:
            if isinstance(member, Scalar) and member.kind != "json":
                body += [f"    if {_SCALAR_TESTS[member.kind]}:", *self._return(member, 8)]
            elif isinstance(member, Enum):
                refused = self._check_enum(member, "v", hint)[0].removeprefix("if ").removesuffix(":")
                # Unhashable objects cannot be looked up in a table of literals.
                test = _SCALAR_TESTS[_KINDS[type(member.values[0])]]
                body += [statement(f"if {test} and not ({refused}):", 4), *self._return(member, 8)]
        classes = self._classes(kind)
        if classes:
            return [*body, statement(f"return {self._choice(classes, hint)}[v.__class__](v)", 4)]
        json = next((member for member in kind.members if isinstance(member, Scalar) and member.kind == "json"), None)
        return [*body, "    raise Invalid"] if json is None else [*body, *self._return(json, 4)]

    def _return(self, kind: Scalar | Enum, indent: int) -> list[str]:
        """Return statements that return ``v``, whose class has been tested."""
        pad = " " * indent
        deep = isinstance(kind, Scalar) and kind.kind in {"json", "object"}
        return [*([f"{pad}opaque(v)"] if deep else []), f"{pad}return v"]


def one_of(members: list[Scalar], v: str) -> tuple[str, ...]:
    """Return statements that raise for a value of none of these scalars; the usual classes are tested first."""
    functions = {"string": "is_string", "integer": "is_integer", "float": "is_number", "object": "is_object"}
    tests = dict.fromkeys(functions[member.kind] for member in members if member.kind in functions)
    # A float may be infinite, so its class alone is not enough.
    classes = scalar_classes(members, number="int")
    condition = f"if {of_no_class(classes, v)}:"
    return (condition, f"    fits({', '.join([v, *tests])})") if tests else (condition, "    raise Invalid")
