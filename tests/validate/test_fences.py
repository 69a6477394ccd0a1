"""Where code blocks of a Markdown text begin and end, and what is left of the text."""

from __future__ import annotations

import pytest
from mcp_bindgen.validate.fences import Block, Document, split


def blocks(text: str) -> list[tuple[str, str, int]]:
    return [(block.language, block.text, block.line) for block in split(text).blocks]


def test_a_block_is_what_stands_between_two_fences() -> None:
    assert split("one\n```json\n{}\n```\ntwo\n") == Document([Block("json", "{}\n", 3)], "one\ntwo")


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("json", "json"),
        ("  JSON  ", "json"),
        ("json theme={null}", "json"),
        ('json title="a.json" {1,3}', "json"),
        ("json Tools List Request", "json"),
        ("json:a.json", "json"),
        ("json,ignore", "json"),
        ("{.json .numbered}", "json"),
        ("jsonc", "jsonc"),
        ("json5", "json5"),
        ("json-rpc", "json-rpc"),
        ("", ""),
    ],
)
def test_the_language_is_the_first_word_of_the_info_string(info: str, language: str) -> None:
    assert blocks(f"```{info}\nx\n```\n") == [(language, "x\n", 2)]


@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "~~~~"])
def test_a_fence_is_closed_by_one_of_its_kind_that_is_no_shorter(fence: str) -> None:
    inner = "".join(f"{each}\n" for each in ("``", "~~", fence[1:], f"{fence} x"))
    other = "~~~~~~" if fence[0] == "`" else "``````"
    text = f"{fence}json\n{inner}{other}\n{fence}{fence[0]}  \nafter\n"
    assert blocks(text) == [("json", f"{inner}{other}\n", 2)]


def test_a_block_within_a_longer_fence_is_text() -> None:
    assert blocks("````md\n```json\n{}\n```\n````\n") == [("md", "```json\n{}\n```\n", 2)]


def test_backquotes_in_an_info_string_make_it_no_fence() -> None:
    assert blocks("```json``` is a fence\n") == []
    assert blocks("~~~json `x`\n~~~\n") == [("json", "", 2)]


@pytest.mark.parametrize("indent", ["  ", "   ", "\t", "        ", "- ", "* ", "1. ", "12) ", "  - "])
def test_a_fence_may_be_indented_or_begin_an_item_of_a_list(indent: str) -> None:
    blank = " " * len(indent)
    assert blocks(f"{indent}```json\n{blank}{{}}\n{blank}```\nafter\n") == [("json", f"{blank}{{}}\n", 2)]


def test_marks_of_a_quotation_are_blanks() -> None:
    assert blocks("> ```json\n> {}\n>> x\n> ```\nafter\n") == [("json", "  {}\n > x\n", 2)]


def test_a_block_ends_with_its_quotation() -> None:
    document = split("> ```json\n> {}\nafter\n```json\n[]\n```\n")
    assert document.blocks == [Block("json", "  {}\n", 2, closed=False), Block("json", "[]\n", 5)]
    assert document.prose == "after"


def test_a_block_that_is_never_closed_ends_with_the_text() -> None:
    assert split("```json\n{}").blocks == [Block("json", "{}\n", 2, closed=False)]


@pytest.mark.parametrize(("start", "end"), [("<!--", "-->"), ("{/*", "*/}")])
def test_what_is_commented_out_is_not_shown(start: str, end: str) -> None:
    hidden = f"{start}\n```json\n1\n```\n{end}\n"
    assert blocks(f"{hidden}{start} short {end}\n```json\n2\n```\n") == [("json", "2\n", 8)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_editors_count_them(end: str) -> None:
    lines = ["\ufeffone\x0b\x0c\u2028\u0085", "```json", '"\u2028"', "{}", "```", "```json", "[]", "```"]
    assert blocks(end.join(lines)) == [("json", '"\u2028"\n{}\n', 3), ("json", "[]\n", 7)]


def test_a_mark_at_the_start_of_the_text_is_no_part_of_it() -> None:
    assert blocks("\ufeff```json\n{}\n```\n") == [("json", "{}\n", 2)]
