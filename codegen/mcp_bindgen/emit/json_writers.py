"""The view of ``_json_writers.py``: straight-line functions from objects to JSON text.

They make the same checks as the encoders. They are faster than the standard library's serialization of encoded values;
orjson is faster still, and with it they are never imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcp_bindgen.emit.conversions import Conversion, refuse
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.encoders import CONDITIONS, Encoders, one_of
from mcp_bindgen.emit.layout import Tree, inline, lines, statement
from mcp_bindgen.emit.naming import free_name
from mcp_bindgen.ir.protocol import Enum, Field, Scalar, Type

_TEXTS = {
    "string": "escape({v})",
    "integer": "integer({v})",
    "float": "number({v})",
    "boolean": "boolean({v})",
    "null": '"null"',
    "json": "anything({v})",
    "object": "anything({v})",
}
"""Expressions for the text of a value whose scalar type has been tested."""


class JsonWriters(Encoders):
    """Planner of the JSON writers of one protocol."""

    verb = "write"
    table = "TEXTS"
    returns = ("str", "str")

    def _start(self, constants: Mapping[str, str | int | float | bool], *, opened: bool) -> tuple[str, ...]:
        text = ",".join(f"{_text(name)}:{_text(value)}" for name, value in constants.items())
        if opened and not text:
            return ()
        return (statement(f"t = {literal('{' + text if text else '')}", 4),)

    def _end(self, *, opened: bool) -> str:
        # Without a member that is always present, the text starts with a superfluous comma.
        return '    return t + "}"' if opened else '    return "{" + t[1:] + "}"'

    def _open_members(self) -> tuple[str, ...]:
        return ("        t += members(o.extra)",)

    def _typed_members(self, each: str) -> tuple[str, ...]:
        return (statement(f't += "".join([f",{{escape(k)}}:{{{each}}}" for k, e in o.extra.items()])', 8),)

    def _store(self, name: str, value: Tree, indent: int, *, first: bool) -> tuple[str, ...]:
        written = inline(value)
        if first:
            return (statement(f"t = {literal(f'{{{_text(name)}:')} + {written}", indent),)
        key = literal(f",{_text(name)}:")
        quote, text = key[0], key[1:-1]
        if "{" in key or any(mark in text + written for mark in ("\\", quote)):
            # Before Python 3.12 an f-string cannot contain every expression.
            return (statement(f"t += {key} + {written}", indent),)
        # One new string instead of two.
        return (statement(f"t = f{quote}{{t}}{text}{{{written}}}{quote}", indent),)

    def write_member(self, member: Field, hint: str) -> Conversion:
        """Return the conversion of the value of a member; base64 text, which may be long, has a faster escape."""
        conversion = self.write(member.type, "v", hint)
        if member.constraints.format == "byte" and conversion.value == "escape(v)":
            return Conversion(conversion.checks, "escape_long(v)")
        return conversion

    def _write_scalar(self, kind: Scalar, v: str) -> Conversion:
        value = _TEXTS[kind.kind].format(v=v)
        if kind.kind in {"float", "json", "string"}:
            # These functions check their argument themselves.
            return Conversion((), value)
        return Conversion(refuse(CONDITIONS[kind.kind].format(v=v), v).checks, value)

    def _write_scalars(self, members: list[Scalar], v: str) -> Conversion:
        text = f"anything({v})"
        if any(member.kind == "integer" for member in members):
            # The id of nearly every message is an integer.
            text = f"(repr({v}) if {v}.__class__ is int else {text})"
        return Conversion(one_of(members, v), text)

    def _write_enum(self, kind: Enum, v: str, hint: str) -> Conversion:
        if kind.open:
            return Conversion((), f"escape({v})")
        if len(kind.values) > 1 and all(isinstance(value, str) for value in kind.values):
            return Conversion((), f"{self._texts(kind, hint)}[{v}]")
        return Conversion(self._check_enum(kind, v, hint), _enum_text(kind, v))

    def _texts(self, kind: Enum, hint: str) -> str:
        """Return the name of the table from literal to text; a lookup also checks the value."""
        if kind.values not in self._choices:
            name = self._choices[kind.values] = free_name(f"{hint.upper()}_TEXT", self._used_names)
            items: list[Tree] = [f"{literal(value)}: {literal(_text(value))}" for value in kind.values]
            self._choice_views.append(tuple(lines(f"{name} = ", ("{", items, "}"))))
        return self._choices[kind.values]

    def _write_items(self, element: Type | None, v: str, hint: str, cls: str, accepted: str) -> Conversion:
        head = refuse(f"{v}.__class__ is not {cls} and not {accepted}({v})", v)
        if element is None or (isinstance(element, Scalar) and element.kind == "json"):
            return Conversion(head.checks, f"anything({v})")
        each = self.write(element, "e", hint)
        value = inline(each.value) if not each.checks else f"{self.function(element, f'{hint}_item')}(e)"
        if cls == "list":
            items = f"map(escape, {v})" if value == "escape(e)" else f"[{value} for e in {v}]"
            return Conversion(head.checks, f"array({items})")
        return Conversion(head.checks, f'mapping([f"{{escape(k)}}:{{{value}}}" for k, e in {v}.items()])')

    def _return(self, kind: Scalar | Enum, indent: int) -> list[str]:
        text = _enum_text(kind, "v") if isinstance(kind, Enum) else _TEXTS[kind.kind].format(v="v")
        return [f"{' ' * indent}return {text}"]


def _enum_text(kind: Enum, v: str) -> str:
    return f"escape({v})" if all(isinstance(value, str) for value in kind.values) else f"anything({v})"


def _text(value: object) -> str:
    """Return the JSON text of a constant."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
