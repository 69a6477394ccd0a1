"""Files made to be too much: too long, too deep, or with more of one thing than anyone writes."""

from __future__ import annotations

import pytest
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.declarations import Alias, Interface
from mcp_bindgen.ir.types import ArrayType, IntersectionType, LiteralType, UnionType
from mcp_bindgen.syntax import parse, scan
from mcp_bindgen.syntax.declarations import MAX_FAULTS, read_schema

MANY = 20_000
TOO_MANY = 100_000


def faults_of(text: str) -> list[str]:
    with pytest.raises(SchemaError) as refused:
        read_schema(text.encode(), "schema.ts")
    return [f"{fault.position.line}:{fault.position.column}: {fault.message}" for fault in refused.value.faults]


def alias_of(text: str) -> Alias:
    (alias,) = read_schema(text.encode(), "schema.ts").declarations
    assert isinstance(alias, Alias)
    return alias


def test_a_file_of_the_greatest_size_is_read() -> None:
    data = b"type A = string;"
    assert len(read_schema(data + b" " * (parse.MAX_BYTES - len(data)), "schema.ts").declarations) == 1


def test_a_larger_file_is_refused_before_it_is_looked_at() -> None:
    with pytest.raises(SchemaError) as refused:
        read_schema(b"\xff" * (parse.MAX_BYTES + 1), "schema.ts")
    assert str(refused.value) == "schema.ts:1:1: the file has 4194305 bytes; the limit is 4194304"


TOO_DEEP = f"nested too deeply: the limit is {scan.MAX_DEPTH} levels"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("type A = " + "{a:" * TOO_MANY + "B" + "}" * TOO_MANY, "1:310"),
        ("type A = " + "(" * TOO_MANY + "B" + ")" * TOO_MANY, "1:110"),
        ("type A = " + "B<" * TOO_MANY + "B" + ">" * TOO_MANY, "1:211"),
        ("type A = " + "[" * TOO_MANY + "B" + "]" * TOO_MANY, "1:110"),
        ("{" * TOO_MANY, "1:101"),
        ("(" * TOO_MANY, "1:101"),
        ("[" * TOO_MANY, "1:101"),
        ("`${" * TOO_MANY, "1:302"),
        ("{([<" * TOO_MANY, "1:101"),
        ("//\u2028" + "{" * TOO_MANY, "1:104"),
        ("type A = `a${" + "{" * TOO_MANY, "1:113"),
        ("type A = B" + "[]" * TOO_MANY, "1:10"),
        ("type A = B" + '["a"]' * TOO_MANY, "1:10"),
    ],
)
def test_nesting_beyond_the_limit_is_refused_where_it_is_reached(text: str, place: str) -> None:
    assert faults_of(text) == [f"{place}: {TOO_DEEP}"]


@pytest.mark.parametrize(
    ("start", "end", "depth"),
    [
        ("(", ")", 100),
        ("{a:", "}", 99),
        ("Array<", ">", 99),
        ("{a:(B|", ")[]}", 24),
        ("", "[]", 99),
        ("(B&C)|(", ")", 50),
    ],
)
def test_nesting_up_to_the_limit_is_read(start: str, end: str, depth: int) -> None:
    assert alias_of(f"type A = {start * depth}B{end * depth};").name == "A"


@pytest.mark.parametrize("text", ['"{{{{"', "'(((('", "/* [[[[ */ B", "// ((((\nB", '"\\"{{{{" /* \' */'])
def test_brackets_in_strings_and_comments_do_not_nest(text: str) -> None:
    assert alias_of(f"type A = {text.replace(text[3], text[3] * 1000) if text[3] in '{([' else text};").name == "A"


@pytest.mark.parametrize(("start", "length"), [("", TOO_MANY), ("| ", MANY)])
def test_a_union_may_have_very_many_members(start: str, length: int) -> None:
    union = alias_of(f"type A = {start}" + " | ".join(f'"{number}"' for number in range(length))).type
    assert isinstance(union, UnionType)
    assert [member.value for member in union.members if isinstance(member, LiteralType)] == [
        str(n) for n in range(length)
    ]


def test_an_intersection_may_have_very_many_members() -> None:
    intersection = alias_of("type A = " + " & ".join(f"B{number}" for number in range(MANY))).type
    assert isinstance(intersection, IntersectionType)
    assert len(intersection.members) == MANY


def test_a_union_may_have_very_many_readonly_members() -> None:
    union = alias_of("type A = " + " | ".join(f"readonly B{number}[]" for number in range(MANY))).type
    assert isinstance(union, UnionType)
    assert len(union.members) == MANY
    assert all(isinstance(member, ArrayType) for member in union.members)


@pytest.mark.parametrize("separator", ["\n", " "])
def test_a_file_may_have_very_many_declarations(separator: str) -> None:
    text = separator.join(f"export interface A{number} {{ é: string }}" for number in range(MANY))
    declarations = read_schema(text.encode(), "schema.ts").declarations
    assert [declaration.name for declaration in declarations] == [f"A{number}" for number in range(MANY)]


def test_a_body_may_have_very_many_members() -> None:
    text = "interface A { " + "; ".join(f"a{number}: B" for number in range(MANY)) + " }"
    (interface,) = read_schema(text.encode(), "schema.ts").declarations
    assert isinstance(interface, Interface)
    assert len(interface.properties) == MANY


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("type A = " + "keyof " * TOO_MANY + "B;", "1:10: found a `keyof` type"),
        ("type A = " + "()=>" * TOO_MANY + "B;", "1:10: found a function type"),
        ("type A = " + "B extends C ? D : " * TOO_MANY + "E;", "1:10: found a conditional type"),
        ("type A = b" + ".b" * TOO_MANY + ";", "1:10: found a dotted name"),
        ("const A = " + "- " * TOO_MANY + "1;", "1:11: found a unary expression"),
        ("const A = 1" + " as const" * TOO_MANY + ";", "1:11: found an as expression"),
        ("declare " * TOO_MANY + "interface A {}", "1:9: found an ambient declaration after `declare`"),
        ("type A = " + "9" * TOO_MANY + ";", "1:10: this number is too large"),
        ("type A = 0x" + "f" * TOO_MANY + ";", "1:10: this number is too large"),
        ("type A = '\\u{" + "1" * TOO_MANY + "}';", "1:11: unknown escape sequence"),
        ("type A = " + "readonly " * TOO_MANY + "B[];", "1:19: found a readonly type after `readonly`"),
        ("type A = " + "|" * TOO_MANY + "B;", "1:11: found `|` with no type before it"),
        ("{}" * TOO_MANY + "type A = void;", "1:1: found a statement block"),
        ("export " * TOO_MANY, "1:1: syntax error at `export export"),
        ("'" * MANY, "1:"),
        ("a<b>(c)" * 20_000, "1:"),
        ("a!" * MANY, "1:"),
    ],
)
def test_what_is_refused_is_refused_at_any_length(text: str, found: str) -> None:
    assert faults_of(text)[0].startswith(found)


def test_only_the_first_faults_are_told_and_the_others_counted() -> None:
    faults = faults_of("interface A { " + "a(): void; " * (MAX_FAULTS + 3) + "}")
    assert len(faults) == MAX_FAULTS + 1
    assert faults[-1].endswith(": and 3 more errors")


@pytest.mark.parametrize(
    "comment",
    [
        "/** " + "{@link " * MANY + "*/",
        "/** {@link " + " " * MANY + "*/",
        "/** {@" + "a" * MANY + "*/",
        "/** @" + "a" * MANY + "/ */",
        "/**\n" + "`" * MANY + "*/",
        "/**\n" + "* @a b\n" * MANY + "*/",
        "/**" + "*" * MANY + "/",
        "/**/ " * MANY,
        "/** a */" * MANY,
    ],
)
def test_a_comment_may_be_very_long(comment: str) -> None:
    assert alias_of(f"{comment} type A = string;").name == "A"
