"""Documentation comments: what they say, and whose they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.ir.declarations import Interface
from mcp_bindgen.ir.documentation import NO_DOC, Doc, Tag
from mcp_bindgen.ir.types import ObjectLiteral
from mcp_bindgen.syntax.declarations import read_schema
from mcp_bindgen.syntax.jsdoc import parse_jsdoc


def docs(text: str) -> dict[str, str]:
    """The documentation of each declaration and member, by its name; of an index signature, by ``[]``."""
    found: dict[str, str] = {}
    for declaration in read_schema(text.encode(), "schema.ts").declarations:
        found[declaration.name] = declaration.doc.text
        if isinstance(declaration, Interface):
            body: Interface | ObjectLiteral = declaration
            for member in body.properties:
                found[member.name] = member.doc.text
                if isinstance(member.type, ObjectLiteral):
                    found |= {inner.name: inner.doc.text for inner in member.type.properties}
            if body.index is not None:
                found["[]"] = body.index.doc.text
    return found


# What a comment says


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("/** One line. */", "One line."),
        ("/**One line.*/", "One line."),
        ("/** One line. **/", "One line."),
        ("/** **bold** */", "**bold**"),
        ("/** */", ""),
        ("/**\n */", ""),
        ("/**\n * Two\n * lines.\n */", "Two\nlines."),
        ("/** Begins at once,\n * goes on.\n */", "Begins at once,\ngoes on."),
        ("/**\r\n * Two  \r\n * lines.\t\r\n */", "Two\nlines."),
        ("/**\n\t * Tabs\n\t *\tbefore.\n\t */", "Tabs\nbefore."),
        ("/**\n * A paragraph.\n *\n * Another.\n */", "A paragraph.\n\nAnother."),
        ("/**\n *\n *\n * Blank lines at the ends.\n *\n */", "Blank lines at the ends."),
        (
            "/**\n * A list:\n * - one\n *   and more\n *     1. nested\n * * starred\n */",
            "A list:\n- one\n  and more\n    1. nested\n* starred",
        ),
        ("/**\n *no space\n *  two spaces\n */", "no space\n two spaces"),
        ("/**\n * **bold** text\n * *italic* text\n */", "**bold** text\n*italic* text"),
        ("/**\n  Undecorated:\n    * starred\n  **bold**\n*/", "Undecorated:\n  * starred\n**bold**"),
        ("/**\n * A line\nwithout its star.\n */", "A line\nwithout its star."),
        ("/**\n * Ends in a row\n **/", "Ends in a row"),
        (
            "/** Not the line ends of Python: \x0b\x0c\x1c\x85\u2028 all one. */",
            "Not the line ends of Python: \x0b\x0c\x1c\x85\u2028 all one.",
        ),
        ("/** é 漢 😀 */", "é 漢 😀"),
    ],
)
def test_the_decoration_is_taken_off_and_the_layout_kept(comment: str, text: str) -> None:
    assert parse_jsdoc(comment) == Doc(text)


@pytest.mark.parametrize(
    ("comment", "text", "tags"),
    [
        ("/** @internal */", "", [("internal", "")]),
        ("/** Text. @internal */", "Text. @internal", []),
        ("/** Mail me@example.org */", "Mail me@example.org", []),
        ("/**\n * Text.\n *\n * @internal\n * @category `tools/call`\n */", "Text.", [("internal", ""), ("category", "`tools/call`")]),
        ("/**\n * @TJS-type number\n */", "", [("TJS-type", "number")]),
        ("/**\n *   @minimum 0\n * \t@maximum 1\n */", "", [("minimum", "0"), ("maximum", "1")]),
        ("/**\n * @a-b_c1\tx\n */", "", [("a-b_c1", "x")]),
        ("/**\n * @deprecated Since\n * long ago;\n *\n * see there.\n *\n * @see There\n */", "", [("deprecated", "Since\nlong ago;\n\nsee there."), ("see", "There")]),
        ("/**\n * @deprecated\n * On the next line.\n */", "", [("deprecated", "On the next line.")]),
        ("/**\n * @deprecated: with a colon\n */", "", [("deprecated", "with a colon")]),
        ("/**\n * @see A\n * @see B\n */", "", [("see", "A"), ("see", "B")]),
        ("/**\n * Packages such as\n * @scope/name are no tags,\n * nor is @this.\n * @user's neither, @ alone\n * @ or @1.\n */", "Packages such as\n@scope/name are no tags,\nnor is @this.\n@user's neither, @ alone\n@ or @1.", []),
        ("/**\r\n * Text.\r\n * @see A\r\n *   b\r\n */", "Text.", [("see", "A\n  b")]),
        ("/**\n  Undecorated.\n  @see A\n*/", "Undecorated.", [("see", "A")]),
        ("/**\n * ```ts\n * @decorator class A {}\n * ```\n * @see A\n */", "```ts\n@decorator class A {}\n```", [("see", "A")]),
        ("/**\n * @example\n * ```\n * @not a tag\n * ```\n * @see A\n */", "", [("example", "```\n@not a tag\n```"), ("see", "A")]),
        ("/**\n * @example ```\n * @not a tag\n * ```\n * @see A\n */", "", [("example", "```\n@not a tag\n```"), ("see", "A")]),
        ("/**\n * ````\n * ```\n * @not\n * ````\n * @tag\n */", "````\n```\n@not\n````", [("tag", "")]),
        ("/**\n * ~~~\n * ```\n * @not\n * ~~~\n * @tag\n */", "~~~\n```\n@not\n~~~", [("tag", "")]),
        ("/**\n * ```inline```\n * @tag\n */", "```inline```", [("tag", "")]),
        ("/**\n * ```\n * ``` no end\n * @not\n */", "```\n``` no end\n@not", []),
    ],
)  # fmt: skip
def test_a_tag_begins_a_line_outside_of_code_blocks(comment: str, text: str, tags: list[tuple[str, str]]) -> None:
    assert parse_jsdoc(comment) == Doc(text, tuple(Tag(name, payload) for name, payload in tags))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("{@link X}", "X"),
        ("See {@link X}, {@link Y.z}.", "See X, Y.z."),
        ("{@link X | the x}", "the x"),
        ("{@link X| the x}", "the x"),
        ("{@link X |the x}", "the x"),
        ("{@link X the x}", "the x"),
        ("{@link X | }", "X"),
        ("{@link X | a | b}", "a | b"),
        ("{@link https://example.org/a?b=c | an example}", "an example"),
        ("{@link https://example.org}", "https://example.org"),
        ("{@linkcode X} {@linkplain X | x}", "X x"),
        ("{@link X |\n * tools/call}", "tools/call"),
        ("{@link}", ""),
        ("{@other X}", "{@other X}"),
        ("{@link X", "{@link X"),
        ('`{ mode: "auto" }` and `{a|b}`', '`{ mode: "auto" }` and `{a|b}`'),
        ("{ @link X }", "{ @link X }"),
        ("{{@link X}}", "{X}"),
        ("A {@includeCode ./x.json}", "A"),
        ("```\n * {@link X}\n * ```\n * {@link Y}", "```\n{@link X}\n```\nY"),
    ],
)
def test_inline_tags_become_plain_text(written: str, text: str) -> None:
    assert parse_jsdoc(f"/** {written} */").text == text
    assert parse_jsdoc(f"/**\n * {written}\n */").text == text
    assert parse_jsdoc(f"/**\n * @see {written}\n */").tag("see") == text


def test_an_example_that_only_includes_a_file_is_left_out_and_its_title_kept() -> None:
    comment = """/**
     * Text.
     *
     * @example Title
     * {@includeCode ./examples/A/b.json}
     *
     * @example
     * {@includeCode ./examples/A/c.json}
     * @category Things
     */"""
    assert parse_jsdoc(comment) == Doc("Text.", (Tag("example", "Title"), Tag("category", "Things")))


_line = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="@{}`~*/\u2028\u2029"), max_size=20
).map(str.strip)


@given(st.lists(_line, min_size=1), st.lists(st.tuples(st.from_regex(r"[a-z]+(-[a-z]+)?", fullmatch=True), _line)))
def test_a_comment_says_what_was_put_in_it(lines: list[str], tags: list[tuple[str, str]]) -> None:
    inner = [*lines, *(f"@{name} {text}" for name, text in tags)]
    expected = Doc("\n".join(lines).strip(), tuple(Tag(name, text) for name, text in tags if text or name != "example"))
    for end in ("\n", "\r\n"):
        assert parse_jsdoc(f"/**{end}" + "".join(f"  * {line}{end}" for line in inner) + "  */") == expected


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("*@{}`~ \n\r\t/|"), max_size=60))
def test_any_comment_can_be_read(text: str) -> None:
    doc = parse_jsdoc(f"/**{text.replace('*/', '')}*/")
    for part in [doc.text, *(tag.text for tag in doc.tags)]:
        assert part == part.strip()
        assert "\r" not in part


# Whose it is


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/** d */ export interface A {}", "d"),
        ("/** d */\nexport const A = 1", "d"),
        ("/** d */\n\n\nexport type A = string", "d"),
        ("/** d */ declare const A: 1", "d"),
        ("/** d */ interface A {}", "d"),
        ("/** d */\n// eslint-disable-next-line\nexport interface A {}", "d"),
        ("/** d */\n/* plain */\nexport interface A {}", "d"),
        ("/* Banner */\n\n/** d */\nexport interface A {}", "d"),
        ("/** other */\n/** d */\nexport interface A {}", "d"),
        ("/** d */ /* e */ // f\ninterface A {}", "d"),
        ("/* plain */ export interface A {}", ""),
        ("// line\nexport interface A {}", ""),
        ("/**/ export interface A {}", ""),
        ("/*** banner ***/ export interface A {}", ""),
        ("/******/ export interface A {}", ""),
        ("/** d */ ; export interface A {}", ""),
        ("/** d */ import { B } from 'b'; export interface A {}", ""),
        ("/** d */ export {}; export interface A {}", ""),
        ("export /** d */ interface A {}", ""),
        ("export interface /** d */ A {}", ""),
        ("export interface A {} /** d */", ""),
        ("export interface A /** d */ { /** e */ }", ""),
        ("export type A = /** d */ | 'a' /** e */ | 'b' /** f */;", ""),
    ],
)
def test_the_last_documentation_comment_before_a_declaration_is_its_own(text: str, expected: str) -> None:
    assert docs(text) == {"A": expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/** d */ a: string", {"a": "d"}),
        ("\n/** d */\na: string\n", {"a": "d"}),
        ("a: string; /** d */\nb: string;", {"a": "", "b": ""}),
        ("a: string; // x\n/** d */\nb: string;", {"a": "", "b": "d"}),
        ("a: string /** d */\nb: string", {"a": "", "b": ""}),
        ("a: string /** d */; b: string", {"a": "", "b": ""}),
        ("a: string, /** d */ b: string", {"a": "", "b": "d"}),
        ("a: string; /** d\n */ b: string", {"a": "", "b": "d"}),
        ("a: string; /** d\n */\nb: string", {"a": "", "b": ""}),
        ("a: string; /** d */\n/** e */\nb: string", {"a": "", "b": "e"}),
        ("a: string\n/** d */\nb: string", {"a": "", "b": "d"}),
        ("a: string | /** d */\nnumber;\nb: string", {"a": "", "b": ""}),
        ("a: 'x' | 'y'; // d\nb: string; /* e */", {"a": "", "b": ""}),
        ("/** d */\n// plain\n\n/* plain */\n'a'?: string", {"a": "d"}),
        ("/** d */ readonly a: string", {"a": "d"}),
        ("readonly /** d */ a /** e */: /** f */ string", {"a": ""}),
        ("/** d */ [key: string]: unknown; /** e */ a: string", {"[]": "d", "a": "e"}),
        ("a: string;\n/** d */\n", {"a": ""}),
        ("/** d */ a: {\n/** e */ b: string; /** f */\nc: string /** g */ };", {"a": "d", "b": "e", "c": ""}),
        ("/** d */ a: { // x\n b: string };\n c: string", {"a": "d", "b": "", "c": ""}),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_last_documentation_comment_before_a_member_is_its_own(
    body: str, expected: dict[str, str], end: str
) -> None:
    assert docs(f"interface A {{{body}}}".replace("\n", end)) == {"A": "", **expected}


def test_a_comment_trailing_a_declaration_is_not_of_the_next() -> None:
    text = "export const A = 1; /** d */\nexport const B = 2 /** e */\nexport interface C {} /** f */\ntype D = string"
    assert docs(text) == dict.fromkeys("ABCD", "")


def test_an_undocumented_declaration_has_the_empty_documentation() -> None:
    (declaration,) = read_schema(b"type A = string", "schema.ts").declarations
    assert declaration.doc == NO_DOC
