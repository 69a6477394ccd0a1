"""Random schema files: TypeScript text of every construct, with names and comments that do their worst."""

from __future__ import annotations

import json

from hypothesis import strategies as st

NAMES = st.sampled_from(
    "Any Literal ClassVar Record Final Unset UNSET define types converter Message Error Request Tool Annotated Task "
    "None True int str list dict object Client UserName HTTPThing A B2 Zed LongNameOfSomethingThatGoesOnAndOnForAWhile"
    .split()
) | st.from_regex(r"[A-Z][a-zA-Z0-9]{0,50}", fullmatch=True)

WIRE_NAMES = st.sampled_from(
    "_meta $schema list type id dict self extra class from import x-y io.example/thing mimeType URLOf é any str "
    "None lambda aVeryLongMemberNameThatFillsALineAllByItselfNearlyToTheVeryEndOfItAndThenSomeMore".split()
) | st.from_regex(r"[a-z][a-zA-Z0-9]{0,30}", fullmatch=True)

NASTY = st.text(
    st.sampled_from(list("abc xyz.,:;-*`'\"\\{}%#\n\t@$") + ["\u202e", "\x7f", "\u2028", "é", "{{", "}}", "{%", '"""'])
    | st.characters(exclude_categories=["Cs"], exclude_characters="/\r\x00"),
    max_size=200,
)

SCALARS = st.sampled_from(["string", "number", "boolean", "unknown", "object", "any"])
LITERALS = st.lists(NASTY.filter(bool) | st.sampled_from(["a", "b", "warning"]), min_size=1, max_size=9, unique=True)


@st.composite
def _comments(draw: st.DrawFn) -> str:
    text = draw(NASTY)
    tags = draw(st.sampled_from(["", "@deprecated it is\n old", "@since 2025-03-26", "@internal"]))
    return f"/** {text}\n {tags} */\n" if draw(st.booleans()) else ""


@st.composite
def _members(draw: st.DrawFn, names: list[str], depth: int = 2) -> str:
    wires = draw(st.lists(WIRE_NAMES, max_size=6, unique_by=_attribute))
    lines: list[str] = []
    for wire in wires:
        mark = draw(st.sampled_from(["", "?"]))
        lines.append(f"{draw(_comments())}{json.dumps(wire)}{mark}: {draw(_types(names, depth))};")
    if draw(st.integers(0, 4)) == 0:
        lines.append(f"[key: string]: {draw(_types(names, 0))};")
    return "{\n" + "\n".join(lines) + "\n}"


def _attribute(wire: str) -> str:
    from mcp_bindgen.emit.naming import field_name

    return field_name(wire)


@st.composite
def _types(draw: st.DrawFn, names: list[str], depth: int) -> str:
    choice = draw(st.integers(0, 9))
    if choice == 0 and names:
        return draw(st.sampled_from(names))
    if choice == 1:
        return " | ".join(json.dumps(each, ensure_ascii=False) for each in draw(LITERALS))
    if choice == 2:
        return draw(st.sampled_from(["string | number", "string | null", "number | boolean | null", '"a" | "b" | string']))
    if choice == 3 and depth:
        return draw(_members(names, depth - 1))
    if choice == 4 and depth:
        return f"({draw(_types(names, depth - 1))})[]"
    if choice == 5 and depth:
        return f"{{ [key: string]: {draw(_types(names, depth - 1))} }}"
    if choice == 6:
        return f"string | {draw(_array_types(names))} | number"
    return draw(SCALARS)


@st.composite
def _array_types(draw: st.DrawFn, names: list[str]) -> str:
    return f"{draw(st.sampled_from([*names, 'string', 'boolean']))}[]"


@st.composite
def schema_texts(draw: st.DrawFn) -> str:
    """A whole schema: constants, interfaces that may use earlier ones, a tagged union, methods."""
    names = draw(st.lists(NAMES, min_size=1, max_size=7, unique_by=lambda name: name.lower().replace("_", "")))
    text: list[str] = []
    known: list[str] = []
    for name in names:
        text.append(f"{draw(_comments())}export interface {name} {draw(_members(known))}")
        known.append(name)
    if draw(st.booleans()):
        text.append('export interface TagOne { kind: "one"; value?: string }')
        text.append('export interface TagTwo { kind: "two" | "three"; value?: number[] }')
        text.append(f"{draw(_comments())}export type OneOrTwo = TagOne | TagTwo;")
        text.append("export interface UsesTags { all: OneOrTwo[]; one?: OneOrTwo; some?: OneOrTwo | OneOrTwo[] }")
    if draw(st.booleans()):
        text.append(f"export const SOME_VALUE = {json.dumps(draw(NASTY), ensure_ascii=False)};")
    return "\n\n".join(text) + "\n"
