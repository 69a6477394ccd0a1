"""What the reader makes of schema text: each construct, and the laws that hold for all of them."""

from __future__ import annotations

import hashlib
import random
from typing import Any, TypeAlias

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_bindgen.ir.declarations import (
    NO_DOC,
    Alias,
    Constant,
    Declaration,
    Doc,
    Import,
    IndexSignature,
    Interface,
    Module,
    Property,
)
from mcp_bindgen.ir.types import (
    ArrayType,
    IntersectionType,
    Keyword,
    KeywordName,
    LiteralType,
    LookupType,
    ObjectLiteral,
    Position,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
)
from mcp_bindgen.syntax.declarations import read_schema

HERE = Position("", 0, 0)
"""Any place: positions take no part in equality."""


def read(text: str | bytes) -> Module:
    return read_schema(text if isinstance(text, bytes) else text.encode(), "schema.ts")


def only(text: str | bytes) -> Declaration:
    (declaration,) = read(text).declarations
    return declaration


def type_of(text: str) -> TypeExpression:
    alias = only(f"type A = {text};")
    assert isinstance(alias, Alias)
    return alias.type


def body_of(text: str) -> Interface:
    interface = only(f"interface A {{{text}}}")
    assert isinstance(interface, Interface)
    return interface


def keyword(name: KeywordName) -> Keyword:
    return Keyword(name, HERE)


def literal(value: str | float) -> LiteralType:
    return LiteralType(value, HERE)


def ref(name: str, *arguments: TypeExpression) -> Reference:
    return Reference(name, arguments, HERE)


def array(element: TypeExpression) -> ArrayType:
    return ArrayType(element, HERE)


def union(*members: TypeExpression) -> UnionType:
    return UnionType(members, HERE)


def intersection(*members: TypeExpression) -> IntersectionType:
    return IntersectionType(members, HERE)


def prop(name: str, type_: TypeExpression, *, optional: bool = False, readonly: bool = False) -> Property:
    return Property(name, type_, optional, readonly, position=HERE)


def index(value: TypeExpression) -> IndexSignature:
    return IndexSignature(value, position=HERE)


def obj(*properties: Property, index: IndexSignature | None = None) -> ObjectLiteral:
    return ObjectLiteral(properties, index, HERE)


STRING, NUMBER = keyword("string"), keyword("number")
A, B, C, D = ref("A"), ref("B"), ref("C"), ref("D")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", STRING),
        ("number", NUMBER),
        ("boolean", keyword("boolean")),
        ("unknown", keyword("unknown")),
        ("any", keyword("any")),
        ("object", keyword("object")),
        ("never", keyword("never")),
        ("null", keyword("null")),
        ("undefined", keyword("undefined")),
        ('"text"', literal("text")),
        ("'text'", literal("text")),
        ("''", literal("")),
        ("true", literal(True)),
        ("false", literal(False)),
        ("5", literal(5)),
        ("-5", literal(-5)),
        ("- 5", literal(-5)),
        ("+5", literal(5)),
        ("0.25", literal(0.25)),
        (".5", literal(0.5)),
        ("5.", literal(5)),
        ("1e3", literal(1000)),
        ("1.5e-3", literal(0.0015)),
        ("1_000_000", literal(1_000_000)),
        ("0x1F", literal(31)),
        ("-0xff", literal(-255)),
        ("0o17", literal(15)),
        ("0b101", literal(5)),
        ("Tool", ref("Tool")),
        ("type", ref("type")),
        ("$_é", ref("$_é")),
        ("string[]", array(STRING)),
        ("string[][]", array(array(STRING))),
        ("readonly string[]", array(STRING)),
        ("readonly string[][]", array(array(STRING))),
        ("readonly (A | B)[]", array(union(A, B))),
        ("Array<string>", ref("Array", STRING)),
        ("ReadonlyArray<string>", ref("ReadonlyArray", STRING)),
        ("Record<string, unknown>", ref("Record", STRING, keyword("unknown"))),
        ("Omit<A, 'x' | 'y'>", ref("Omit", A, union(literal("x"), literal("y")))),
        ("Pick<A, 'x',>", ref("Pick", A, literal("x"))),
        ("Partial<Required<A>>", ref("Partial", ref("Required", A))),
        ("Array<{ a: string }>", ref("Array", obj(prop("a", STRING)))),
        ("typeof NAME", TypeQuery("NAME", HERE)),
        ("(typeof NAME)[]", array(TypeQuery("NAME", HERE))),
        ('A["method"]', LookupType(A, "method", HERE)),
        ("A['params']['name']", LookupType(LookupType(A, "params", HERE), "name", HERE)),
        ("(A & B)['x']", LookupType(intersection(A, B), "x", HERE)),
        ("A['x'][]", array(LookupType(A, "x", HERE))),
        ("(A)", A),
        ("((A))", A),
        ("{}", obj()),
        ("{ a: string }", obj(prop("a", STRING))),
        ("{ a: { b?: A }[] }", obj(prop("a", array(obj(prop("b", A, optional=True)))))),
        ("{ [key: string]: any }", obj(index=index(keyword("any")))),
    ],
)
def test_each_type_is_read_as_what_it_says(text: str, expected: TypeExpression) -> None:
    assert type_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A | B | C", union(A, B, C)),
        ("| A | B", union(A, B)),
        ("| A", A),
        ("& A", A),
        ("(A | B) | C", union(A, B, C)),
        ("A | (B | (C | D))", union(A, B, C, D)),
        ("A | ((| B | C))", union(A, B, C)),
        ("A & B & C", intersection(A, B, C)),
        ("A & (B & C)", intersection(A, B, C)),
        ("A & B | C & D", union(intersection(A, B), intersection(C, D))),
        ("(A | B) & C", intersection(union(A, B), C)),
        ("A & (B | C)", intersection(A, union(B, C))),
        ("(A | B)[]", array(union(A, B))),
        ("(A | B)[] | C", union(array(union(A, B)), C)),
        ("A[] | B", union(array(A), B)),
        ("A /* a */ | /** b */ B // c\n | C", union(A, B, C)),
        # The parser takes everything after `readonly` for its operand.
        ("readonly A[] | B", union(array(A), B)),
        ("A | readonly B[] | C", union(A, array(B), C)),
        ("A | readonly B[] & C", union(A, intersection(array(B), C))),
        ("readonly A[] & B | C", union(intersection(array(A), B), C)),
        ("A & (readonly B[])", intersection(A, array(B))),
    ],
)
def test_unions_and_intersections_are_flat_and_in_order(text: str, expected: TypeExpression) -> None:
    assert type_of(text) == expected


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [("1", 1, int), ("true", True, bool), ("1.0", 1, int), ("1e2", 100, int), ("1.5", 1.5, float), ("-0", 0, int)],
)
def test_a_literal_has_the_type_of_its_value(text: str, value: object, type_: type) -> None:
    read_type = type_of(text)
    assert isinstance(read_type, LiteralType)
    assert (read_type.value, type(read_type.value)) == (value, type_)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("a: string", (prop("a", STRING),)),
        ("a?: string", (prop("a", STRING, optional=True),)),
        ("readonly a?: string", (prop("a", STRING, optional=True, readonly=True),)),
        ("readonly: A; type: B; get?: C", (prop("readonly", A), prop("type", B), prop("get", C, optional=True))),
        ("a: string; b: number", (prop("a", STRING), prop("b", NUMBER))),
        ("a: string, b: number,", (prop("a", STRING), prop("b", NUMBER))),
        ("a: string\n b: number", (prop("a", STRING), prop("b", NUMBER))),
        ("a: string\n [key: string]: A\n b: number", (prop("a", STRING), prop("b", NUMBER))),
        ("; a: string;", (prop("a", STRING),)),
        ("'x.y/z': string; \"\": number", (prop("x.y/z", STRING), prop("", NUMBER))),
        ('"\\u{61}\\x62"?: string', (prop("ab", STRING, optional=True),)),
        ("1: A; 0x10: B; 1.50: C; 1e3: D", (prop("1", A), prop("16", B), prop("1.5", C), prop("1000", D))),
        ("_meta: A; $schema: B; é: C", (prop("_meta", A), prop("$schema", B), prop("é", C))),
        ("a /* x */ ? /* y */ : /* z */ string /* q */;", (prop("a", STRING, optional=True),)),
    ],
)
def test_the_properties_of_a_body(text: str, expected: tuple[Property, ...]) -> None:
    assert body_of(text).properties == expected


@pytest.mark.parametrize(
    "text", ["[key: string]: A", "readonly [k: string]: A;", "[type: string]: A", "x: B, [k: string]: A"]
)
def test_an_index_signature_is_read_apart_from_the_properties(text: str) -> None:
    assert body_of(text).index == index(A)


def test_an_interface_names_its_bases_in_order() -> None:
    interface = only('interface X extends A, Omit<\n  B,\n  "k"\n>, C { }')
    assert interface == Interface("X", (A, ref("Omit", B, literal("k")), C), (), None, exported=False, position=HERE)


@pytest.mark.parametrize(
    ("text", "exported"),
    [
        ("@;", False),
        ("export @;", True),
        ("declare @;", False),
        ("export declare @;", True),
        ("@; export { X }", True),
        ("export { type X }; @;", True),
        ("@; export type { X };", True),
        ("export {}; @;", False),
    ],
)
@pytest.mark.parametrize("declaration", ["interface X {}", "type X = string", 'const X = "a"'])
def test_a_declaration_is_exported_where_the_file_says_so(text: str, exported: bool, declaration: str) -> None:
    found = only(text.replace("@", declaration))
    assert (found.name, found.exported) == ("X", exported)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('= "2.0"', "2.0"),
        ("= '2.0' as const", "2.0"),
        (': "2.0"', "2.0"),
        (": '2.0' = '2.0'", "2.0"),
        (": string = '2.0'", "2.0"),
        ("= -32700", -32700),
        (": -32700", -32700),
        ("= -32_700 as const", -32700),
        (": ErrorCode = 0x10", 16),
        ("= 0.5", 0.5),
        ("= true", True),
        (": false", False),
        ("/* a */ = /* b */ 1 /* c */", 1),
    ],
)
@pytest.mark.parametrize("declare", ["const", "export const", "export declare const"])
def test_a_constant_has_the_value_of_its_initializer_or_literal_type(declare: str, text: str, value: object) -> None:
    constant = only(f"{declare} NAME{text};")
    assert isinstance(constant, Constant)
    assert (constant.name, constant.value, type(constant.value)) == ("NAME", value, type(value))


@pytest.mark.parametrize(("value", "expected"), [("", None), ('= "x"', "x")])
def test_a_constant_may_have_the_type_of_a_property(value: str, expected: str | None) -> None:
    constant = only(f'export declare const NAME: A["key"] {value};')
    assert constant == Constant("NAME", expected, type=LookupType(A, "key", HERE), position=HERE)


def test_interfaces_of_one_name_are_merged() -> None:
    text = """
        interface X extends A { a: B; c?: C }
        /** Doc. */
        interface X extends B, A { d: D; a: B; [key: string]: C }
    """
    properties = (prop("a", B), prop("c", C, optional=True), prop("d", D))
    assert only(text) == Interface("X", (A, B), properties, index(C), Doc("Doc."), exported=False, position=HERE)


def test_one_statement_may_declare_several_constants_and_documents_the_first() -> None:
    first, second = read("/** Doc. */ export const A = 1, B = 2;").declarations
    assert (first.name, first.doc.text, second.name, second.doc) == ("A", "Doc.", "B", NO_DOC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('import { A } from "./x"', [("A", "A")]),
        ("import type { A as B, C } from './x';", [("A", "B"), ("C", "C")]),
        ('import { type A, type B as C, D, } from "./x"', [("A", "A"), ("B", "C"), ("D", "D")]),
        ('import { type } from "./x"', [("type", "type")]),
        ('import {} from "./x"', []),
    ],
)
def test_imports_of_names(text: str, expected: list[tuple[str, str]]) -> None:
    module = read(text)
    assert module.imports == tuple(Import(name, local, "./x", position=HERE) for name, local in expected)
    assert module.declarations == ()


@pytest.mark.parametrize("text", ["", "\n\n", "// nothing\n", "/* a */ /** b */", ";;;", "export {};"])
def test_a_file_may_declare_nothing(text: str) -> None:
    assert read(text) == Module("schema.ts", "", ())


def test_the_hash_is_of_the_bytes_and_no_part_of_equality() -> None:
    plain, marked = b"type A = string;\n", b"\xef\xbb\xbftype A = string;\r\n"
    assert read(plain).sha256 == hashlib.sha256(plain).hexdigest()
    assert read(marked).sha256 == hashlib.sha256(marked).hexdigest()
    assert read(plain) == read(marked)


@pytest.mark.parametrize(
    "start",
    [
        "",
        "\ufeff",
        "// é 😀\n// x\r\n\n",
        "/* 漢\n字 */ ",
        'type é = "😀"; ',
        "\ufeff/* é */ ",
        "\t",
        f"/* {'é' * 70_000} */",
    ],
)
def test_positions_count_lines_and_characters_from_one(start: str) -> None:
    text = start + 'interface Ünit { "😀é": string, b?: Tool }'
    interface = read(text).declarations[-1]
    assert isinstance(interface, Interface)
    lines = text.removeprefix("\ufeff").split("\n")
    first, second = interface.properties
    for place, expected in [
        (interface.position, "Ünit {"),
        (first.position, '"😀é":'),
        (first.type.position, "string,"),
        (second.position, "b?:"),
        (second.type.position, "Tool }"),
    ]:
        assert lines[place.line - 1][place.column - 1 :].startswith(expected)
        assert place.file == "schema.ts"


# Laws

Token: TypeAlias = str
"""A token; one that begins with a blank must stay on the line of the token before it."""


def _join(parts: list[list[Token]], separator: Token) -> list[Token]:
    return [token for number, part in enumerate(parts) for token in ([separator] if number else []) + part]


_names = st.sampled_from(["A", "Tool", "Éa", "x1", "$y", "_meta", "method"])
_texts = st.sampled_from(['"a"', "'b'", '"// no /* comment"', '"{ [ ("', "'it\\'s'", '"é😀"', '"`"'])
_leaves: st.SearchStrategy[list[Token]] = st.one_of(
    st.sampled_from(
        ["string", "number", "boolean", "unknown", "any", "object", "null", "undefined", "true", "-1", "0.5"]
    ).map(lambda text: [text]),
    _texts.map(lambda text: [text]),
    _names.map(lambda name: [name]),
    _names.map(lambda name: ["typeof", name]),
)


def _members(types: st.SearchStrategy[list[Token]]) -> st.SearchStrategy[list[Token]]:
    names = st.lists(
        st.sampled_from(["a", "b", "_c", "'d-e'", '"f"', "7", "readonly", "type"]), unique=True, max_size=4
    )

    @st.composite
    def members(draw: st.DrawFn) -> list[Token]:
        parts = [[name, *draw(st.sampled_from([[], ["?"]])), ":", *draw(types)] for name in draw(names)]
        if draw(st.booleans()):
            parts.insert(draw(st.integers(0, len(parts))), ["[", "key", ":", "string", "]", ":", *draw(types)])
        return ["{", *(token for part in parts for token in [*part, draw(st.sampled_from([";", ","]))]), "}"]

    return members()


def _compounds(types: st.SearchStrategy[list[Token]]) -> st.SearchStrategy[list[Token]]:
    grouped = types.map(lambda type_: ["(", *type_, ")"])
    several = st.lists(grouped, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda parts: _join(parts, "|")),
        several.map(lambda parts: ["|", *_join(parts, "|")]),
        several.map(lambda parts: _join(parts, "&")),
        grouped.map(lambda type_: [*type_, " [", "]"]),
        grouped.map(lambda type_: ["readonly", *([" " + type_[0], *type_[1:]]), " [", "]"]),
        grouped.map(lambda type_: [*type_, " [", '"key"', "]"]),
        st.lists(types, min_size=1, max_size=2).map(lambda parts: ["Array", "<", *_join(parts, ","), ">"]),
        _members(types),
    )


_types = st.recursive(_leaves, _compounds, max_leaves=8)


@st.composite
def _declarations(draw: st.DrawFn) -> list[list[Token]]:
    found: list[list[Token]] = []
    for name in draw(st.lists(st.sampled_from(["A", "B1", "Ünit", "Tool", "X"]), unique=True, max_size=4)):
        start: list[Token] = draw(st.sampled_from([[], ["export"], ["export", " declare"]]))
        glue = " " if start else ""
        kind = draw(st.integers(0, 2))
        if kind == 0:
            found.append([*start, glue + "type", " " + name, "=", *draw(_types), ";"])
        elif kind == 1:
            bases: list[Token] = draw(st.sampled_from([[], ["extends", "B", ",", "Omit", "<", "C", ",", '"a"', ">"]]))
            found.append([*start, glue + "interface", " " + name, *bases, *draw(_members(_types))])
        else:
            found.append(
                [*start, glue + "const", name, "=", *draw(st.sampled_from([["-", "1"], ["'x'", " as", "const"]])), ";"]
            )
    return found


_inline_space = st.sampled_from([" ", "\t", "  /* c { ' */ ", ' /** d " */ '])
_space = _inline_space | st.sampled_from(
    ["\n", "\r\n", " // e ( ` '\n", " /** f\r\n * @g\r\n */\r\n", "/*\n*/", "\n\n \n"]
)


def _plain(declarations: list[list[Token]]) -> str:
    return "\n".join(" ".join(token.strip() for token in tokens) for tokens in declarations)


def _without_docs(module: Module) -> Module:
    return attrs.evolve(module, declarations=tuple(_undocumented(declaration) for declaration in module.declarations))


def _undocumented(value: Any) -> Any:
    """The same value with the empty documentation all the way down."""
    if value is None or isinstance(value, (str, int, float, Position)):
        return value
    if isinstance(value, Doc):
        return NO_DOC
    if not attrs.has(value.__class__):
        return tuple(map(_undocumented, value))
    names = [field.name for field in value.__attrs_attrs__]
    return attrs.evolve(value, **{name: _undocumented(getattr(value, name)) for name in names})


@given(_declarations(), st.data())
def test_layout_and_comments_change_nothing_but_documentation(
    declarations: list[list[Token]], data: st.DataObject
) -> None:
    spaced = "".join(
        data.draw(_inline_space if token.startswith(" ") else _space) + token.strip()
        for tokens in declarations
        for token in tokens
    )
    assert _without_docs(read(spaced)) == _without_docs(read(_plain(declarations)))


@given(_declarations(), st.randoms(use_true_random=False))
def test_the_order_of_declarations_changes_nothing_but_their_order(
    declarations: list[list[Token]], chance: random.Random
) -> None:
    shuffled = list(declarations)
    chance.shuffle(shuffled)
    before, after = read(_plain(declarations)).declarations, read(_plain(shuffled)).declarations
    assert set(before) == set(after)
    assert [declaration.name for declaration in after] == [_name(tokens) for tokens in shuffled]


def _name(tokens: list[Token]) -> str:
    return next(token.strip() for token in tokens if token.strip() in {"A", "B1", "Ünit", "Tool", "X"})


@given(_declarations())
def test_reading_is_a_function_of_the_bytes(declarations: list[list[Token]]) -> None:
    assert read(_plain(declarations)) == read(_plain(declarations))


_SHORT = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\b": r"\b", "\f": r"\f", "\v": r"\v", "\0": r"\0", "\\": r"\\"}


@st.composite
def _quoted(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and a string literal that stands for it."""
    quote = draw(st.sampled_from("\"'"))
    value, written = "", quote
    for char in draw(
        st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\r\0\\\"'`😀\u2028"), max_size=20)
    ):
        code = ord(char)
        units = char.encode("utf-16-be")
        ways = [f"\\u{{{code:x}}}", "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))]
        if char in _SHORT:
            ways.append(_SHORT[char] if char != "\0" else r"\x00")
        elif char != quote:
            ways.append(char)
        if char not in "0123456789bfnrtuvx\n\r\u2028\u2029\\":
            ways.append("\\" + char if char != "\0" else ways[0])
        if code <= 0xFF:
            ways.append(f"\\x{code:02X}")
        written += draw(st.sampled_from(["", "", "", "\\\n", "\\\r\n", "\\\u2028"])) + draw(st.sampled_from(ways))
        value += char
    return value, written + quote


@given(_quoted())
@example(("A\0", r"'\A\0'"))
def test_a_string_literal_stands_for_its_text_however_it_is_written(quoted: tuple[str, str]) -> None:
    value, written = quoted
    module = read(f"type T = {written}; const V = {written}; interface I {{ {written}: A[{written}] }}")
    assert module == Module(
        "schema.ts",
        "",
        (
            Alias("T", literal(value), exported=False, position=HERE),
            Constant("V", value, exported=False, position=HERE),
            Interface("I", (), (prop(value, LookupType(A, value, HERE)),), None, exported=False, position=HERE),
        ),
    )


@given(st.integers(min_value=-(2**53), max_value=2**53), st.sampled_from(["d", "#x", "#o", "#b", "_d"]))
def test_whole_numbers_are_read_in_every_base(value: int, form: str) -> None:
    assert type_of(format(value, form)) == literal(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_what_they_are_in_javascript(value: float) -> None:
    assert type_of(repr(value)) == literal(int(value) if value.is_integer() else value)


def test_whole_numbers_beyond_the_exact_ones_are_rounded_as_in_javascript() -> None:
    assert type_of("9007199254740993") == literal(9007199254740992)
