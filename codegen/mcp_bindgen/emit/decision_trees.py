"""Decision trees as statements that select the member of a union."""

from __future__ import annotations

from typing import Protocol as Interface

from mcp_bindgen.emit.conversions import Conversion, repeats_check
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.layout import assign, lines, statement, statements
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import Type, Union

_KINDS = {
    "string": "{v}.__class__ is str",
    "number": "{v}.__class__ is int or {v}.__class__ is float",
    "boolean": "{v}.__class__ is bool",
    "null": "{v} is None",
    "array": "{v}.__class__ is list",
    "object": "{v}.__class__ is dict",
}


class Reader(Interface):
    """The part of the decoders that this module uses."""

    def read(self, kind: Type, v: str, hint: str) -> Conversion:
        """Return the conversion of the value in ``v`` to ``kind``."""
        ...

    def choice_by(self, kind: Union, tag: ByTag, hint: str) -> str | None:
        """Return the name of the table from tag to function, if each tag selects a class."""
        ...


class DecisionTreeWriter:
    """Writer of the body of the function that decodes one union."""

    def __init__(self, reader: Reader, kind: Union, hint: str) -> None:
        self._reader = reader
        self._kind = kind
        self._hint = hint

    def lines(self, decision: Decision) -> list[str]:
        """Return statements that end in a return or a raise."""
        return self._decide(decision, "v", 4, None)

    def _decide(self, decision: Decision, look: str, indent: int, known: str | None) -> list[str]:
        """Return statements that test the variable ``look``; ``known`` is the JSON kind of ``v``, if already tested."""
        pad = " " * indent
        match decision:
            case Member():
                return self._read_as(decision, indent, known)
            case ByKind():
                written: list[str] = []
                for kind, branch in decision.branches:
                    written.append(f"{pad}if {_KINDS[kind].format(v=look)}:")
                    written.extend(self._decide(branch, look, indent + 4, kind if look == "v" else known))
                return [*written, f"{pad}raise Invalid"]
            case ByTag():
                return self._by_tag(decision, look, indent, known)
            case ByKey():
                test = statement(f"if {literal(decision.key)} in {look}:", indent)
                present = self._decide(decision.present, look, indent + 4, known)
                if decision.absent is None:
                    return [test, *present, f"{pad}raise Invalid"]
                return [test, *present, *self._decide(decision.absent, look, indent, known)]
            case ByNested():
                inner = f"{look}_inner"
                return [
                    statement(f"{inner} = {look}[{literal(decision.key)}]", indent),
                    f"{pad}if {inner}.__class__ is not dict:",
                    f"{pad}    raise Invalid",
                    *self._decide(decision.inner, inner, indent, known),
                ]
            case ByFirst():
                first = f"{look}_first"
                return [
                    f"{pad}if not {look}:",
                    *self._decide(decision.empty, look, indent + 4, known),
                    f"{pad}{first} = {look}[0]",
                    *self._decide(decision.inner, first, indent, known),
                ]
            case Undecidable():
                return lines("raise Undecidable", ("(", [literal(decision.reason)], ")"), indent=indent)

    def _read_as(self, decision: Member, indent: int, known: str | None) -> list[str]:
        one_of_many = len(self._kind.members) > 1
        hint = f"{self._hint}_{decision.index + 1}" if one_of_many else self._hint
        conversion = self._reader.read(self._kind.members[decision.index], "v", hint)
        checks = conversion.checks[2:] if repeats_check(conversion, known) else conversion.checks
        return [*statements(checks, indent), *assign("return ", conversion.value, indent)]

    def _by_tag(self, decision: ByTag, look: str, indent: int, known: str | None) -> list[str]:
        pad = " " * indent
        key = literal(decision.key)
        table = self._reader.choice_by(self._kind, decision, self._hint) if look == "v" else None
        if table is not None:
            return [statement(f"return {table}[v[{key}]](v)", indent)]
        written: list[str] = []
        if decision.absent is not None:
            written.append(statement(f"if {key} not in {look}:", indent))
            written.extend(self._decide(decision.absent, look, indent + 4, known))
        tag = f"{look}_tag"
        written.append(statement(f"{tag} = {look}[{key}]", indent))
        grouped: dict[Decision, list[str | int | bool]] = {}
        for value, branch in decision.branches:
            grouped.setdefault(branch, []).append(value)
        for branch, values in grouped.items():
            tests = [_equals(tag, value) for value in values]
            written.append(statement(f"if {' or '.join(tests)}:", indent))
            written.extend(self._decide(branch, look, indent + 4, known))
        return [*written, f"{pad}raise Invalid"]


def _equals(tag: str, value: str | int | bool) -> str:
    if isinstance(value, str):
        return f"{tag} == {literal(value)}"
    if isinstance(value, bool):
        return f"{tag} is {value}"
    return f"({tag}.__class__, {tag}) == (int, {value})"
