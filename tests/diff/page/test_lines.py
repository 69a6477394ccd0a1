from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.diff.page.side_by_side import MAX_LINES, Row, lines, rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", ["string"]),
        ("{}", ["{}"]),
        ("{ size: number }", ["{ size: number }"]),
        ("{ a: string; b?: number }", ["{", "  a: string;", "  b?: number;", "}"]),
        ("{ a: { [key: string]: unknown }; b: {} }", ["{", "  a: { [key: string]: unknown };", "  b: {};", "}"]),
        ("{ a: { b: string; c: X }[] }", ["{", "  a: {", "    b: string;", "    c: X;", "  }[];", "}"]),
        ('{ "a; {": "}"; b: "\\"{" }', ["{", '  "a; {": "}";', '  b: "\\"{";', "}"]),
        ("A | B", ["A | B"]),
        (" | ".join(["LongName"] * 8), ["LongName", *["| LongName"] * 7]),
        (f"({' | '.join(['LongName'] * 8)})[]", [f"({' | '.join(['LongName'] * 8)})[]"]),
        ('"', ['"']),
        ("", []),
    ],
)
def test_a_member_has_a_line(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


@given(st.text(alphabet='{}()|;"\\ abc:', max_size=80))
def test_nothing_but_space_and_the_last_semicolon_is_added_or_lost(text: str) -> None:
    def bare(some: str) -> str:
        return some.replace(" ", "").replace(";", "")

    assert bare("".join(lines(text))) == bare(text)


def test_same_lines_stand_beside_each_other() -> None:
    assert list(rows(["a", "b", "c"], ["a", "x", "y", "c"])) == [
        Row("a", "a", same=True),
        Row("b", "x", same=False),
        Row(None, "y", same=False),
        Row("c", "c", same=True),
    ]


def test_long_texts_are_marked_by_what_the_other_side_has() -> None:
    many = [str(number) for number in range(MAX_LINES + 1)]
    found = list(rows(["gone", *many], many))
    assert [row.old for row in found if not row.same] == ["gone"]
    assert len(found) == MAX_LINES + 2
