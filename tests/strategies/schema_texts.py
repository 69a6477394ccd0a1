"""Random schema files: valid TypeScript of every construct, with hostile names, strings and comments.

The generator must accept each text of ``schema_texts()``, unless two of its names clash in Python. Its unions are
decidable and its references valid; everything else is random.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from attrs import define, field
from hypothesis import strategies as st
from mcp_bindgen.emit.naming import field_name, snake
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.resolve.overrides import Overrides
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

Kinds = frozenset[str]

ANY: Kinds = frozenset({"string", "number", "boolean", "null", "array", "object"})
MARK = "qqz"
"""Part of every text that is not a name, and of no name: so a name in emitted code that contains it came from a text.
"""

_NASTY_PARTS = st.sampled_from(
    [
        *"abc xyz.,:;-*`'\"\\{}%#\n\t@$<>|()[]",
        '"""',
        "'''",
        '\\"""',
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "*\\/",
        "\\N{DASH}",
        "\u202e",
        "\u2066",
        "\x7f",
        "\x85",
        "\u2028",
        "\ufeff",
        "\xa0",
        "\x1b[31m",
        "\\",
        "\\n",
        "\\x41",
        "\\u",
        "é",
        "漢",
        "😀",
        f"{MARK} ",
        f"\n- {MARK}",
        f"\n  1. {MARK}",
        f"\n\n    {MARK}",
        "\n```\n  x\n```\n",
        f"import {MARK}",
        f"{MARK}()",
        f"# {MARK}",
        "# fmt: off",
        "# fmt: on",
        "# fmt: skip",
        "# type: ignore",
        "# -*- coding: ascii -*-",
        "word" * 25,
    ]
)
_nasty_text = st.lists(_NASTY_PARTS, max_size=30).map("".join)
_plain_text = st.sampled_from(
    [f"What {MARK} is.", f"One of {MARK}, two.\n\nAnd a paragraph " + "of many words " * 12, f"See {{@link {MARK}}}."]
)

texts = (_nasty_text | _plain_text).map(lambda text: text.replace("*/", "*\\/").replace("\x00", ""))
"""Characters of a comment: any except its end."""

strings = st.one_of(
    st.sampled_from(
        ["a", "b", "low", "A", "a b", "", "0", "None", "True", "self", f"{MARK}", "\0", "\r\n", "\x0c", "*/"]
    ),
    _nasty_text,
    st.text(max_size=12),
    st.integers(60, 130).map(lambda size: "long " * (size // 5)),
).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
"""Characters of a string literal: any."""

_NAMES = (
    "Any Literal ClassVar Final Record TypeAlias Unset UNSET define annotations types converter methods revision runtime "
    "checks Json Invalid NoneType Undecidable Callable Mapping Decoders Types TYPES Results RESULTS Values VALUES Objects "
    "OBJECTS Aliases Requests REQUESTS decode encode structure unstructure expect fits opaque keys ByClass Codec "
    "Message Error Request Notification Result Tool Annotated Task Client Server Context None True False str list dict "
    "int bool float def lambda self d o v e k n cls A B C AB Ab A1 Zed Union Optional Enum Exception KeyError "
    "HTTPServer JSONRPC UserName User_Name Ünït 名前 T R property print"
).split()
_type_names = st.one_of(
    st.sampled_from(_NAMES),
    st.from_regex(r"[A-Z][a-zA-Z0-9]{0,9}(_[a-z0-9]{1,5})?", fullmatch=True),
    st.builds(
        "{}{}".format,
        st.sampled_from("ABCDEFG"),
        st.sampled_from([20, 30, 40, 50, 60, 75, 100]).map(lambda size: "Long" * (size // 4)),
    ),
).filter(lambda name: MARK not in name.lower())
_WIRE_NAMES = (
    "_meta $schema list type id dict self extra class from import x-y io.example/thing mimeType URLOf é any str int "
    "None lambda async bool float object a b c name value items data e d o v k n cls types new init __init__ __class__ "
    "__slots__ __dict__ mro jsonrpc method params 0 42 1st {{x}} a'b a\"b a\\b a.b a:b */ true null #"
).split()
_wire_names = st.one_of(
    st.sampled_from([*_WIRE_NAMES, "two words", "line\nbreak", "\u202eab", "nul\0x", 'tri"""ple', "'''x"]),
    st.from_regex(r"[a-z]{1,3}[A-Z]?[a-z0-9]{0,6}", fullmatch=True),
    st.sampled_from([20, 30, 40, 50, 60, 75, 100]).map(lambda size: "wordy" * (size // 5)),
    st.sampled_from([15, 25, 40]).map(lambda size: "sp ace" * (size // 3)),
).filter(lambda wire: bool(field_name(wire)) and MARK not in wire.lower())

_SCALARS = {"string": {"string"}, "number": {"number"}, "boolean": {"boolean"}, "object": {"object"}}


class Drawn(NamedTuple):
    """The text of a type, with the JSON kinds of its values."""

    text: str
    kinds: Kinds


@define
class Class:
    """A declared object type: its wire names and attribute names."""

    name: str
    wires: dict[str, str] = field(factory=dict[str, str])
    """Attribute names by wire name."""


@define
class _Schema:
    """A schema file under construction."""

    draw: st.DrawFn
    generics: bool
    text: list[str] = field(factory=list[str])
    taken: set[str] = field(factory=set[str])
    classes: dict[str, Class] = field(factory=dict[str, Class])
    aliases: dict[str, Kinds] = field(factory=dict[str, Kinds])
    constants: dict[str, Kinds] = field(factory=dict[str, Kinds])
    methods: set[str] = field(factory=set[str])
    unfinished: set[str] = field(factory=set[str])

    # Names

    def name(self) -> str:
        """Draw an unused name for a type."""
        return self.claim(self.draw(_type_names))

    def claim(self, wanted: str) -> str:
        """Return that name, or a variant of it if it is taken."""
        name, number = wanted, 1
        while snake(name) in self.taken or not snake(name):
            number += 1
            name = f"{wanted}X{number}"
        self.taken.add(snake(name))
        return name

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == one_in

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    # Text

    def quoted(self, text: str) -> str:
        """Draw a string literal."""
        plain = json.dumps(text, ensure_ascii=self.draw(st.booleans()))
        # JSON may leave these as they are; in JavaScript they end lines or, as NUL, must not be in a file.
        return plain.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x7f", "\\x7f")

    def key(self, wire: str) -> str:
        """Draw a property name, quoted if necessary."""
        bare = wire.isascii() and wire.replace("$", "_").isidentifier()
        return wire if bare and self.draw(st.booleans()) else self.quoted(wire)

    def doc(self, *tags: str) -> str:
        """Draw a documentation comment, or none."""
        if not tags and self.draw(st.booleans()):
            return ""
        text = self.draw(texts)
        also = [
            *tags,
            *([f"@deprecated {self.draw(texts)}"] if self.chance(8) else []),
            *(["@since 2025-03-26"] if self.chance(12) else []),
            *(["@internal"] if self.chance(20) else []),
        ]
        return "/** " + text.replace("\n", "\n * ") + "".join(f"\n * {tag}" for tag in also) + "\n */\n"

    # Types

    def type(self, depth: int, refused: Kinds = frozenset()) -> Drawn:
        """Draw a type whose values are not of the refused kinds."""
        options = [self._scalar, self._literals, self._open_literals, self._reference, self._constant]
        if depth:
            options += [self._array, self._map, self._object, self._object, self._union, self._generic, self._lookup]
        for _ in range(3):
            drawn = self.draw(st.sampled_from(options))(depth)
            if not drawn.kinds & refused:
                return drawn
        return self._fallback(refused)

    def _fallback(self, refused: Kinds) -> Drawn:
        for text in ("string", "number", "boolean", "null", "object"):
            if text not in refused:
                return Drawn(text, frozenset({text}))
        return Drawn("string[]", frozenset({"array"}))

    def _scalar(self, depth: int) -> Drawn:
        text = self.pick([*_SCALARS, *_SCALARS, "unknown", "any"])
        return Drawn(text, frozenset(_SCALARS.get(text, ANY)))

    def _literals(self, depth: int) -> Drawn:
        strange = st.one_of(st.integers(-5, 5), st.booleans(), st.sampled_from([10**15, 0.5, -1.25]))
        size = 40 if self.chance(15) else 6
        values = self.draw(st.lists(strings if self.chance(3) else strings | strange, min_size=1, max_size=size))
        kinds = {str: "string", bool: "boolean", int: "number", float: "number"}
        written = [self.quoted(value) if isinstance(value, str) else json.dumps(value) for value in values]
        return Drawn(" | ".join(written), frozenset(kinds[value.__class__] for value in values))

    def _open_literals(self, depth: int) -> Drawn:
        known = [self.quoted(value) for value in self.draw(st.lists(strings, min_size=1, max_size=4))]
        rest = self.pick(["string", "(string & {})"])
        return Drawn(" | ".join([*known, rest]), frozenset({"string"}))

    def _reference(self, depth: int) -> Drawn:
        known = [*self.classes, *self.aliases]
        if not known:
            return self._scalar(depth)
        name = self.pick(known)
        return Drawn(name, self.aliases.get(name, frozenset({"object"})))

    def _constant(self, depth: int) -> Drawn:
        if not self.constants:
            return self._literals(depth)
        name = self.pick(list(self.constants))
        return Drawn(f"typeof {name}", self.constants[name])

    def _array(self, depth: int) -> Drawn:
        element = self.type(depth - 1).text
        form = self.pick(["({})[]", "Array<{}>", "readonly ({})[]", "({})[][]"])
        return Drawn(form.format(element), frozenset({"array"}))

    def _map(self, depth: int) -> Drawn:
        return Drawn(self.map_of(self.type(depth - 1).text), frozenset({"object"}))

    def map_of(self, value: str) -> str:
        return (
            f"Record<string, {value}>"
            if self.generics and self.draw(st.booleans())
            else f"{{ [key: string]: {value} }}"
        )

    def _object(self, depth: int) -> Drawn:
        return Drawn(self.members(Class("inline"), depth - 1), frozenset({"object"}))

    def _union(self, depth: int) -> Drawn:
        parts: list[str] = []
        kinds: Kinds = frozenset()
        for _ in range(self.draw(st.integers(2, 5))):
            if len(kinds) < len(ANY):
                drawn = self.type(depth - 1, refused=kinds)
                parts.append(f"({drawn.text})" if self.chance(3) else drawn.text)
                kinds |= drawn.kinds
        lead = "| " if self.chance(5) else ""
        return Drawn("(" + lead + " | ".join(parts) + ")", kinds)

    def _generic(self, depth: int) -> Drawn:
        full = [name for name, each in self.classes.items() if each.wires and name not in self.unfinished]
        if not full:
            return self._map(depth)
        name = self.pick(full)
        some = " | ".join(self.quoted(wire) for wire in list(self.classes[name].wires)[:2])
        texts = [f"Omit<{name}, {some}>", f"Pick<{name}, {some}>", f"Partial<{name}>", f"Required<{name}>"]
        more = self.members(Class("more", dict(self.classes[name].wires)), 0)
        return Drawn(self.pick([*texts, f"({name} & {more})"]), frozenset({"object"}))

    def _lookup(self, depth: int) -> Drawn:
        # Not into one that is being written, which would make its properties of themselves.
        full = [name for name, each in self.classes.items() if each.wires and name not in self.unfinished]
        if not full:
            return self._array(depth)
        name = self.pick(full)
        return Drawn(f"{name}[{self.quoted(self.pick(list(self.classes[name].wires)))}]", ANY)

    # Declarations

    def members(self, into: Class, depth: int) -> str:
        """Draw braces with properties, whose names are added to the class."""
        lines: list[str] = []
        for wire in self.draw(st.lists(_wire_names, max_size=6, unique=True)):
            if wire in into.wires or field_name(wire).strip("_") in into.wires.values():
                continue
            into.wires[wire] = field_name(wire).strip("_")
            drawn = self.type(depth)
            tags = ["@minimum 0", "@maximum 1.5", "@TJS-type number", "@format uri", "@maxItems 3"]
            doc = self.doc(*([self.pick(tags)] if self.chance(6) else []))
            mark = self.pick(["", "?"])
            also = " | undefined" if self.chance(12) else ""
            lines.append(f"{doc}{'readonly ' if self.chance(9) else ''}{self.key(wire)}{mark}: {drawn.text}{also};")
        if self.chance(5):
            lines.append(f"[key: string]: {self.type(0).text};")
        return "{\n" + "\n".join(lines) + "\n}"

    def interface(self) -> None:
        name = self.name()
        made = Class(name)
        bases = ""
        if self.classes and self.chance(3):
            base = self.classes[self.pick(list(self.classes))]
            made.wires.update(base.wires)
            bases = f" extends {base.name}"
        if self.chance(3):
            # Before its members, which may then refer to it.
            self.classes[name] = made
            self.unfinished.add(name)
        members = self.members(made, 2)
        self.classes[name] = made
        self.unfinished.discard(name)
        self.text.append(f"{self.doc()}export interface {name}{bases} {members}")

    def alias(self) -> None:
        name = self.name()
        drawn = self.type(2)
        self.text.append(f"{self.doc()}export type {name} = {drawn.text};")
        self.aliases[name] = drawn.kinds

    def recursive_aliases(self) -> None:
        one, two = self.name(), self.name()
        scalar = self.pick(["string", '"a" | "b"', "number | null", "boolean", self.quoted(self.draw(strings))])
        form = self.pick(["({})[]", "{{ [key: string]: {} }}", "{{ again?: {} }}", "({})[][]"])
        kind = frozenset({"array" if form.endswith("]") else "object"})
        text = form.format(self.pick([one, two]))
        direct = self.chance(3)
        self.text.append(f"{self.doc()}export type {one} = {text if direct else f'{scalar} | {text}'};")
        self.text.append(
            f"{self.doc()}export type {two} = {self.pick([f'{one}[]', f'{{ [key: string]: {one} }}', one])};"
        )
        self.aliases[one] = kind if direct else ANY
        self.aliases[two] = ANY

    def constant(self) -> None:
        name = self.name()
        value = self.draw(strings | st.integers(-(10**9), 10**9) | st.booleans())
        kind = {str: "string", int: "number", bool: "boolean"}[value.__class__]
        written = self.quoted(value) if isinstance(value, str) else json.dumps(value)
        self.text.append(f"{self.doc()}export const {name} = {written};")
        self.constants[name] = frozenset({kind})

    def tagged_union(self) -> None:
        """Declare interfaces that a key with literals distinguishes, perhaps including one that may lack the key."""
        key = self.draw(_wire_names)
        count = 40 if self.chance(25) else self.draw(st.integers(1, 5))
        values = self.draw(st.lists(strings, min_size=count, max_size=count, unique=True))
        names: list[str] = []
        for place, value in enumerate(values):
            made = Class(self.name(), {key: field_name(key).strip("_")})
            mark = "?" if place == 1 and self.chance(2) else ""
            more = f" | {self.quoted(value + ' too')}" if self.chance(6) and value + " too" not in values else ""
            rest = self.members(made, 1 if count < 9 else 0).removeprefix("{")
            literal = f"{self.doc()}{self.key(key)}{mark}: {self.quoted(value)}{more};"
            self.text.append(f"{self.doc()}export interface {made.name} {{ {literal}{rest}")
            self.classes[made.name] = made
            names.append(made.name)
        union = " | ".join(names)
        name = self.name()
        self.text.append(f"{self.doc()}export type {name} = {union};")
        self.aliases[name] = frozenset({"object"})
        self._uses(name, union)

    def keyed_union(self) -> None:
        """Declare interfaces that each require a key of their own, perhaps with alternatives that are arrays."""
        keys = self.draw(
            st.lists(_wire_names, min_size=2, max_size=3, unique_by=lambda wire: field_name(wire).strip("_"))
        )
        names: list[str] = []
        for key in keys:
            made = Class(self.name(), {key: field_name(key).strip("_")})
            self.text.append(f"{self.doc()}export interface {made.name} {{ {self.key(key)}: {self.type(1).text} }}")
            self.classes[made.name] = made
            names.append(made.name)
        name = self.name()
        self.text.append(f"export type {name} = {' | '.join(names)};")
        self.aliases[name] = frozenset({"object"})
        self._uses(name, " | ".join(names))

    def nested_union(self) -> None:
        """Declare interfaces that only an inner object distinguishes."""
        names = [self.name(), self.name()]
        for name, value in zip(names, ("one", "two"), strict=True):
            inner = f'{{ kind: "{value}"; a?: string }}'
            self.text.append(f"export interface {name} {{ inner: {inner} }}")
            self.classes[name] = Class(name, {"inner": "inner"})
        self._uses(names[0], " | ".join(names))

    def _uses(self, name: str, union: str) -> None:
        """Declare a class whose fields contain the union in every way."""
        made = Class(self.name(), {"all": "all", "one": "one", "some": "some", "by": "by", "lists": "lists"})
        fields = [
            f"all: ({union})[]",
            f"one?: {name} | null",
            f"some: ({union}) | ({union})[] | string | number",
            f"by?: {self.map_of(union)}",
            f"lists: string[] | number[] | ({union})[]",
            f"[key: string]: {name}" if self.chance(4) else "",
        ]
        self.text.append(f"export interface {made.name} {{ {'; '.join(filter(None, fields))} }}")
        self.classes[made.name] = made

    def messages(self) -> None:
        """Declare the envelopes, and some requests and notifications."""
        if "jsonrpc_request" in self.taken:
            return
        modern = self.draw(st.booleans())
        names = [
            "RequestId",
            "Request",
            "Notification",
            "Result",
            "EmptyResult",
            "JSONRPCRequest",
            "JSONRPCNotification",
        ]
        names += ["JSONRPCResponse", "JSONRPCError", "ClientRequest", "ServerNotification"]
        if any(snake(name) in self.taken for name in names):
            return
        self.taken.update(snake(name) for name in names)
        self.text += [
            "export type RequestId = string | number;",
            "export interface Request { method: string; params?: { [key: string]: unknown } }",
            "export interface Notification { method: string; params?: { [key: string]: unknown } }",
            "export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }",
            "export type EmptyResult = Result;",
            'export interface JSONRPCRequest extends Request { jsonrpc: "2.0"; id: RequestId }',
            'export interface JSONRPCNotification extends Notification { jsonrpc: "2.0" }',
            'export interface JSONRPCResponse { jsonrpc: "2.0"; id: RequestId; result: Result }',
            'export interface JSONRPCError { jsonrpc: "2.0"; id: RequestId; error: { code: number; message: string } }',
        ]
        if self.draw(st.booleans()):
            self.text.append("export type JSONRPCBatchRequest = (JSONRPCRequest | JSONRPCNotification)[];")
            self.taken.add("jsonrpc_batch_request")
        requests = [
            self.request("Request", "JSONRPCRequest" if modern else "Request")
            for _ in range(self.draw(st.integers(1, 3)))
        ]
        sent = [self.request("Notification", "JSONRPCNotification" if modern else "Notification")]
        self.text.append(f"export type ClientRequest = {' | '.join(requests)};")
        self.text.append(f"export type ServerNotification = {' | '.join(sent)};")

    def request(self, suffix: str, base: str) -> str:
        method = self.draw(strings.filter(lambda text: text not in self.methods))
        self.methods.add(method)
        stem = self.name()
        name = self.claim(f"{stem}{suffix}")
        params = self.pick(["params", "params?", ""])
        written = (
            "" if not params else f"{params}: {self.pick([self.members(Class(name), 1), '{ [key: string]: unknown }'])}"
        )
        self.text.append(
            f"{self.doc()}export interface {name} extends {base} {{ method: {self.quoted(method)}; {written} }}"
        )
        if suffix == "Request" and name == f"{stem}Request" and self.draw(st.booleans()):
            result = Class(self.claim(f"{stem}Result"), {"_meta": "meta"})
            self.text.append(f"{self.doc()}export interface {result.name} extends Result {self.members(result, 1)}")
        return name


def many_members(count: int) -> str:
    """Return a schema in which unions, a class and the messages have very many alternatives."""
    union = " | ".join(f"M{place}Request" for place in range(count))
    literals = " | ".join(f'"{MARK} {place}"' for place in range(count))
    return "\n".join(
        [
            *(f'export interface M{place}Request {{ method: "{place}" }}' for place in range(count)),
            "export interface EmptyResult {}",
            f"export type U = {union};",
            f"export type L = {literals};",
            f"export interface X {{ u: U; v?: {union} | null; w: (U | string)[]; l: L; [key: string]: {union} }}",
        ]
    )


@st.composite
def schema_texts(draw: st.DrawFn, max_size: int = 5) -> str:
    """Draw a whole schema file."""
    schema = _Schema(draw, generics=draw(st.booleans()))
    # A declared type of that name would stand for itself.
    schema.taken.update(["record"] if schema.generics else [])
    parts: list[Callable[[], None]] = [
        schema.interface,
        schema.interface,
        schema.interface,
        schema.alias,
        schema.constant,
    ]
    parts += [schema.recursive_aliases, schema.tagged_union, schema.keyed_union, schema.nested_union, schema.messages]
    for part in draw(st.lists(st.sampled_from(parts), max_size=max_size)):
        part()
    end = draw(st.sampled_from(["\n", "\r\n", ""]))
    return "\n\n".join(schema.text) + end


def resolvable_texts() -> st.SearchStrategy[str]:
    """Return a strategy for valid schema files: one in some thousands has an index signature that its base forbids."""
    return schema_texts().filter(_is_resolved)


def _is_resolved(text: str) -> bool:
    try:
        resolve_protocol(read_schema(text.encode(), "acme.ts"), revision="acme", overrides=Overrides())
    except SchemaError:
        return False
    return True
