"""The view of ``_decoders.py``: straight-line functions from JSON values to typed ones."""

from __future__ import annotations

from attrs import frozen

from mcp_bindgen.emit.annotations import absent_is_unset
from mcp_bindgen.emit.docstrings import docstring, literal
from mcp_bindgen.emit.layout import LINE, Tree, lines, statement
from mcp_bindgen.emit.naming import Names, is_constant
from mcp_bindgen.emit.plan import CodecView, DecoderView, FunctionView, StepView
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union

_CLASSES = {"string": "str", "integer": "int", "boolean": "bool", "object": "dict"}
_CHECKS = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "mapping",
}
_KINDS = {
    "string": "v.__class__ is str",
    "number": "v.__class__ is int or v.__class__ is float",
    "boolean": "v.__class__ is bool",
    "null": "v is None",
    "array": "v.__class__ is list",
    "object": "v.__class__ is dict",
}


@frozen
class Reading:
    """How a value in a variable is read: statements that check it, and the expression of what it becomes."""

    checks: tuple[str, ...]
    value: Tree

    @property
    def is_copy(self) -> bool:
        """The value stays what it is."""
        return self.value in {"v", "e"}


class Decoders:
    """Plans the decoders of one protocol; functions and tables that types turn out to need are collected on the way."""

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._functions: dict[tuple[Type, bool], str] = {}
        self._function_views: list[FunctionView] = []
        self._tables: dict[object, str] = {}
        self._table_views: list[tuple[str, ...]] = []
        self._choices: dict[object, str] = {}
        self._choice_views: list[tuple[str, ...]] = []
        self._taken: set[str] = set(names.functions.values())

    def plan(self) -> CodecView:
        """The whole module."""
        objects = [self._object(declared) for declared in self._protocol.objects.values() if not declared.is_map]
        types: list[Tree] = [
            f"types.{self._names.types[declared.path]}: structure_{self._names.functions[declared.path]}"
            for declared in self._protocol.objects.values()
            if not declared.is_map
        ]
        for name in self._protocol.aliases:
            types.append(f"types.{self._names.types[name]}: {self.function(AliasOf(name), self._names.functions[name])}")
        for declared in self._protocol.objects.values():
            if declared.is_map and declared.kind != "inline":
                function = self.function(ObjectOf(declared.path), self._names.functions[declared.path])
                types.append(f"types.{self._names.types[declared.path]}: {function}")
        results: list[Tree] = []
        for method in self._protocol.methods.values():
            if method.result is not None:
                function = self.function(method.result, f"{self._names.methods[method.name].lower()}_result")
                results.append(f"{literal(method.name)}: {function}")
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
        constants: list[tuple[str, str]] = []
        for member in declared.fields:
            hint = f"{function}_{self._names.fields[declared.path][member.name]}"
            if is_constant(member):
                assert isinstance(member.type, Enum)
                constants.append((literal(member.name), self._differs(f"d[{literal(member.name)}]", member.type)))
            elif member.optional or member.absence_tolerated:
                optional.append(self._step(declared, member, hint, 8))
            else:
                required.append(self._step(declared, member, hint, 4))
        return DecoderView(
            signature=tuple(lines(f"def structure_{function}", ("(", ["d: Json"], ")"), f" -> types.{name}:")),
            cls=name,
            constants=tuple(constants),
            required=tuple(required),
            optional=tuple(optional),
            count=len(constants) + len(required),
            extra=self._extra(declared, function),
        )

    def _step(self, declared: ObjectType, member: Field, hint: str, indent: int) -> StepView:
        reading = self.read(member.type, "v", hint)
        attribute = self._names.fields[declared.path][member.name]
        if member.raw:
            checks = (*reading.checks, one_line(reading.value)) if not reading.is_copy else reading.checks
            reading = Reading(checks, "v")
        return StepView(
            key=literal(member.name),
            attribute=attribute,
            checks=tuple(" " * indent + line for line in reading.checks),
            store=tuple(assign(f"o.{attribute} = ", reading.value, indent)),
            absent="UNSET" if absent_is_unset(self._protocol, member) else "None",
        )

    def _extra(self, declared: ObjectType, function: str) -> tuple[str, ...]:
        """What becomes of members that are not declared. Counting them makes the usual case, none, nearly free."""
        if not declared.fields:
            return ("    o.extra = d or None",)
        table = self.keys(declared)
        value: Tree = "d[k]"
        if declared.index is not None:
            reading = self.read(declared.index, "e", f"{function}_extra")
            if reading.checks or not reading.is_copy:
                value = f"{self.function(declared.index, f'{function}_extra')}(d[k])"
        count = "len(d) == n"
        body: Tree = ("{", [f"k: {one_line(value)} for k in d if k not in {table}"], "}")
        written = f"    o.extra = None if {count} else {one_line(body)}"
        if len(written) <= LINE:
            return (written,)
        return (f"    if {count}:", "        o.extra = None", "    else:", *_comprehension("o.extra = ", body, 8))

    def keys(self, declared: ObjectType) -> str:
        """The table of the wire names that a class declares."""
        wire = tuple(member.name for member in declared.fields)
        return self._table(("keys", declared.path), f"{self._names.functions[declared.path].upper()}_KEYS", wire)

    def _table(self, identity: object, wanted: str, values: tuple[str | int | float | bool, ...]) -> str:
        if identity not in self._tables:
            name = self._free(wanted)
            self._tables[identity] = name
            items: list[Tree] = [literal(value) for value in values]
            if any(not isinstance(value, str) for value in values):
                items = [f"({type(value).__name__}, {literal(value)})" for value in values]
            self._table_views.append(tuple(lines(f"{name} = frozenset(", ("{", items, "}"), ")")))
        return self._tables[identity]

    def tables_in(self, checks: tuple[str, ...]) -> list[str]:
        """The tables of literals that these statements look into."""
        return [name for name in self._tables.values() if any(line.endswith(f" in {name}:") for line in checks)]

    def _free(self, wanted: str) -> str:
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _differs(self, value: str, kind: Enum) -> str:
        """The condition under which a value is not the one literal of ``kind``."""
        (only,) = kind.values
        if isinstance(only, str):
            return f"{value} != {literal(only)}"
        return f"{value}.__class__ is not {type(only).__name__} or {value} != {literal(only)}"

    def read(self, kind: Type, v: str, hint: str) -> Reading:
        """How the value in the variable ``v`` is read as ``kind``; ``hint`` names what may have to be made for it."""
        match kind:
            case Scalar():
                return self._read_scalar(kind, v)
            case Enum(open=True):
                return _refuse(f"{v}.__class__ is not str", v)
            case Enum():
                return self._read_enum(kind, v, hint)
            case ListOf():
                return self._read_list(kind, v, hint)
            case ObjectOf():
                return self._read_object(kind, v, hint)
            case AliasOf():
                alias = self._protocol.aliases[kind.name]
                hint = self._names.functions[kind.name]
                if alias.recursive and not isinstance(alias.type, Scalar):
                    return Reading((), f"{self.function(kind, hint)}({v})")
                if isinstance(alias.type, Union) and not _is_simple(self._protocol, alias.type):
                    return Reading((), f"{self.function(kind, hint)}({v})")
                return self.read(alias.type, v, hint)
            case Union():
                return self._read_union(kind, v, hint)

    def _read_scalar(self, kind: Scalar, v: str) -> Reading:
        condition = _refused(kind, v)
        return Reading((), v) if condition is None else _refuse(condition, v)

    def _read_enum(self, kind: Enum, v: str, hint: str) -> Reading:
        if len(kind.values) == 1:
            return _refuse(self._differs(v, kind), v)
        table = self._table(kind, hint.upper(), kind.values)
        if all(isinstance(value, str) for value in kind.values):
            return _refuse(f"{v} not in {table}", v)
        return _refuse(f"({v}.__class__, {v}) not in {table}", v)

    def _read_list(self, kind: ListOf, v: str, hint: str) -> Reading:
        element = self.read(kind.element, "e", hint)
        head = _refuse(f"{v}.__class__ is not list", v)
        if element.is_copy:
            if not element.checks:
                return head
            return Reading((*head.checks, f"for e in {v}:", *(f"    {line}" for line in element.checks)), v)
        each = element.value if not element.checks else f"{self.function(kind.element, f'{hint}_item')}(e)"
        return Reading(head.checks, ("[", [f"{one_line(each)} for e in {v}"], "]"))

    def _read_map(self, index: Type | None, v: str, hint: str) -> Reading:
        head = _refuse(f"{v}.__class__ is not dict", v)
        if index is None:
            return head
        element = self.read(index, "e", hint)
        if element.is_copy:
            if not element.checks:
                return head
            return Reading((*head.checks, f"for e in {v}.values():", *(f"    {line}" for line in element.checks)), v)
        each = element.value if not element.checks else f"{self.function(index, f'{hint}_item')}(e)"
        return Reading(head.checks, ("{", [f"k: {one_line(each)} for k, e in {v}.items()"], "}"))

    def _read_object(self, kind: ObjectOf, v: str, hint: str) -> Reading:
        declared = self._protocol.objects[kind.path]
        if declared.is_map:
            return self._read_map(declared.index, v, hint)
        return Reading((), f"structure_{self._names.functions[kind.path]}({v})")

    def _read_union(self, kind: Union, v: str, hint: str) -> Reading:
        if all(isinstance(member, Scalar) for member in kind.members) and _is_simple(self._protocol, kind):
            return _refuse(_refused_by_all([member for member in kind.members if isinstance(member, Scalar)], v), v)
        tag = _plain_tag(self._protocol, kind)
        if tag is not None:
            return Reading((), f"{self._choice(kind, tag, hint)}[{v}[{literal(tag.key)}]]({v})")
        return Reading((), f"{self.function(kind, hint)}({v})")

    def _choice(self, kind: Union, tag: ByTag, hint: str) -> str:
        """The table from tag to function of a union of classes: one look-up, however many members."""
        identity = (kind.members, tag)
        if identity not in self._choices:
            name = self._choices[identity] = self._free(hint.upper())
            items: list[Tree] = []
            for value, leaf in tag.branches:
                assert isinstance(leaf, Member)
                member = kind.members[leaf.index]
                assert isinstance(member, ObjectOf)
                items.append(f"{literal(value)}: structure_{self._names.functions[member.path]}")
            self._choice_views.append(tuple(lines(f"{name}: Decoders = ", ("{", items, "}"))))
        return self._choices[identity]

    def function(self, kind: Type, hint: str) -> str:
        """The name of a function that reads ``kind``, made if there is none yet."""
        if isinstance(kind, Scalar) and kind.kind in _CHECKS:
            return f"checks.{_CHECKS[kind.kind]}"
        if isinstance(kind, ObjectOf) and not self._protocol.objects[kind.path].is_map:
            return f"structure_{self._names.functions[kind.path]}"
        if isinstance(kind, AliasOf):
            hint = self._names.functions[kind.name]
            target = self._protocol.aliases[kind.name].type
            if isinstance(target, ObjectOf) and not self._protocol.objects[target.path].is_map:
                return self.function(target, hint)
        key = (kind, True)
        if key not in self._functions:
            name = f"structure_{hint}"
            while name in self._functions.values() or (not isinstance(kind, AliasOf) and hint in self._taken):
                hint += "_"
                name = f"structure_{hint}"
            self._functions[key] = name
            self._function_views.append(self._function(kind, name, hint))
        return self._functions[key]

    def _function(self, kind: Type, name: str, hint: str) -> FunctionView:
        expanded = self._protocol.aliases[kind.name].type if isinstance(kind, AliasOf) else kind
        if isinstance(expanded, Union) and not _is_simple(self._protocol, expanded):
            if isinstance(expanded.decision, Undecidable):
                body = lines("raise Undecidable", ("(", [literal(expanded.decision.reason)], ")"), indent=4)
            else:
                body = self._decide(expanded, expanded.decision, "v", hint, 4)
        else:
            reading = self.read(expanded, "v", hint)
            body = [*(f"    {line}" for line in reading.checks), *assign("return ", reading.value, 4)]
        return FunctionView(
            signature=tuple(lines(f"def {name}", ("(", ["v: Json"], ")"), " -> Json:")),
            body=tuple(body),
        )

    def _decide(
        self, kind: Union, decision: Decision, look: str, hint: str, indent: int, known: str | None = None
    ) -> list[str]:
        """Statements that end in a return or a raise, for the value in ``v``; the tree looks at ``look``.

        ``known`` is the JSON kind that the value has been found to have.
        """
        pad = " " * indent
        match decision:
            case Member():
                member = kind.members[decision.index]
                reading = self.read(member, "v", hint if len(kind.members) == 1 else f"{hint}_{decision.index + 1}")
                checks = reading.checks[2:] if checks_again(reading, known) else reading.checks
                return [*(pad + line for line in checks), *assign("return ", reading.value, indent)]
            case ByKind():
                written: list[str] = []
                for json_kind, branch in decision.branches:
                    condition = _KINDS[json_kind].replace("v", look) if look != "v" else _KINDS[json_kind]
                    written.append(f"{pad}if {condition}:")
                    known = json_kind if look == "v" else None
                    written.extend(self._decide(kind, branch, look, hint, indent + 4, known))
                return [*written, f"{pad}raise Invalid"]
            case ByTag():
                return self._decide_by_tag(kind, decision, look, hint, indent)
            case ByKey():
                present = self._decide(kind, decision.present, look, hint, indent + 4)
                absent = (
                    [f"{pad}raise Invalid"]
                    if decision.absent is None
                    else self._decide(kind, decision.absent, look, hint, indent)
                )
                return [statement(f"if {literal(decision.key)} in {look}:", indent), *present, *absent]
            case ByNested():
                inner = "w" if look == "v" else look + "w"
                return [
                    statement(f"{inner} = {look}[{literal(decision.key)}]", indent),
                    f"{pad}if {inner}.__class__ is not dict:",
                    f"{pad}    raise Invalid",
                    *self._decide(kind, decision.inner, inner, hint, indent),
                ]
            case ByFirst():
                inner = "w" if look == "v" else look + "w"
                return [
                    f"{pad}if not {look}:",
                    *self._decide(kind, decision.empty, look, hint, indent + 4),
                    f"{pad}{inner} = {look}[0]",
                    *self._decide(kind, decision.inner, inner, hint, indent),
                ]
            case Undecidable():
                return lines("raise Undecidable", ("(", [literal(decision.reason)], ")"), indent=indent)

    def _decide_by_tag(self, kind: Union, decision: ByTag, look: str, hint: str, indent: int) -> list[str]:
        pad = " " * indent
        key = literal(decision.key)
        written: list[str] = []
        if decision.absent is not None:
            written.append(statement(f"if {key} not in {look}:", indent))
            written.extend(self._decide(kind, decision.absent, look, hint, indent + 4))
        if decision.absent is None and look == "v" and _leads_to_classes(self._protocol, kind, decision):
            choice = self._choice(kind, decision, f"{hint}_tags" if hint.upper() in self._taken else hint)
            written.append(statement(f"return {choice}[v[{key}]](v)", indent))
            return written
        tag = f"tag{indent // 4}"
        written.append(statement(f"{tag} = {look}[{key}]", indent))
        grouped: dict[Decision, list[str | int | bool]] = {}
        for value, branch in decision.branches:
            grouped.setdefault(branch, []).append(value)
        for branch, values in grouped.items():
            conditions = [f"not ({self._differs(tag, Enum((value,)))})" for value in values if not isinstance(value, str)]
            conditions += [f"{tag} == {literal(value)}" for value in values if isinstance(value, str)]
            written.append(statement(f"if {' or '.join(conditions)}:", indent))
            written.extend(self._decide(kind, branch, look, hint, indent + 4))
        return [*written, f"{pad}raise Invalid"]


def checks_again(reading: Reading, known: str | None) -> bool:
    """Whether the first check of a reading only asks what is known already."""
    repeated = {
        "string": "if v.__class__ is not str:",
        "number": "if v.__class__ is not int and v.__class__ is not float:",
        "boolean": "if v.__class__ is not bool:",
        "null": "if v is not None:",
        "array": "if v.__class__ is not list:",
        "object": "if v.__class__ is not dict:",
    }
    return known is not None and reading.checks[:1] == (repeated[known],)


def _plain_tag(protocol: Protocol, kind: Union) -> ByTag | None:
    """The tag, where nothing else has to be looked at and every member is a class."""
    decision = kind.decision
    if isinstance(decision, ByKind) and len(decision.branches) == 1:
        (_, decision) = decision.branches[0]
    if isinstance(decision, ByTag) and decision.absent is None and _leads_to_classes(protocol, kind, decision):
        return decision
    return None


def _leads_to_classes(protocol: Protocol, kind: Union, decision: ByTag) -> bool:
    for value, leaf in decision.branches:
        if not isinstance(value, str) or not isinstance(leaf, Member):
            return False
        member = kind.members[leaf.index]
        if not isinstance(member, ObjectOf) or protocol.objects[member.path].is_map:
            return False
    return True


def _is_simple(protocol: Protocol, kind: Union) -> bool:
    if isinstance(kind.decision, Undecidable):
        return False
    return all(isinstance(member, Scalar) for member in kind.members) or _plain_tag(protocol, kind) is not None


def _refused(kind: Scalar, v: str) -> str | None:
    """The condition under which a value is not of a scalar type; None where every value is."""
    match kind.kind:
        case "json":
            return None
        case "null":
            return f"{v} is not None"
        case "float":
            return f"{v}.__class__ is not int and {v}.__class__ is not float"
        case _:
            return f"{v}.__class__ is not {_CLASSES[kind.kind]}"


def _refused_by_all(members: list[Scalar], v: str) -> str:
    """The condition under which a value is of none of these types, of which none takes every value."""
    classes = dict.fromkeys(_CLASSES[member.kind] for member in members if member.kind in _CLASSES)
    if any(member.kind == "float" for member in members):
        classes |= {"int": None, "float": None}
    conditions = [f"{v}.__class__ is not {name}" for name in classes]
    if len(conditions) > 2:
        conditions = [f"{v}.__class__ not in ({', '.join(classes)})"]
    if any(member.kind == "null" for member in members):
        conditions.append(f"{v} is not None")
    return " and ".join(conditions)


def _refuse(condition: str, v: str) -> Reading:
    return Reading((f"if {condition}:", "    raise Invalid"), v)


def one_line(tree: Tree) -> str:
    """The expression without line breaks."""
    if isinstance(tree, str):
        return tree
    opening, parts, closing = tree
    return f"{opening}{', '.join(one_line(part) for part in parts)}{closing}"


def assign(prefix: str, value: Tree, indent: int) -> list[str]:
    """A statement that does something with an expression, as black would leave it."""
    if isinstance(value, tuple):
        return _comprehension(prefix, value, indent)
    return [statement(prefix + value, indent)]


def _comprehension(prefix: str, tree: Tree, indent: int) -> list[str]:
    """A comprehension as black writes it: on a line, in brackets on a line of its own, or clause by clause."""
    pad = " " * indent
    whole = f"{pad}{prefix}{one_line(tree)}"
    if len(whole) <= LINE:
        return [whole]
    assert isinstance(tree, tuple)
    opening, (body,), closing = tree
    assert isinstance(body, str)
    if indent + 4 + len(body) <= LINE:
        return [f"{pad}{prefix}{opening}", f"{pad}    {body}", f"{pad}{closing}"]
    return [f"{whole}  # fmt: skip"]
