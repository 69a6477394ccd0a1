"""Text of a schema as text of a program: docstrings and literals that say what was written, and nothing else."""

from __future__ import annotations

import ast
import textwrap

import black
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.emit.docstrings import describe, docstring, literal
from mcp_bindgen.ir.protocol import About, Constraints
from strategies.schema_texts import strings, texts

LONG = "word " * 17


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", '"plain"'),
        ("", '""'),
        ('say "so"', "'say \"so\"'"),
        ("it's", '"it\'s"'),
        ("both ' and \"", '"both \' and \\""'),
        ('two " and " one \'', "'two \" and \" one \\''"),
        ("back\\slash", '"back\\\\slash"'),
        ("line\nbreak\r\t\0", '"line\\nbreak\\r\\t\\x00"'),
        ("\u202eright to left", '"\\u202eright to left"'),
        ("\U000e0041", '"\\U000e0041"'),
        ("é漢😀", '"é漢😀"'),
        (True, "True"),
        (-5, "-5"),
        (0.5, "0.5"),
        (1e16, "1e16"),
        (1e-7, "1e-07"),
        (None, "None"),
    ],
)
def test_a_literal_is_written_as_black_would(value: str | float | None, written: str) -> None:
    assert literal(value) == written


@given(strings | st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.booleans())
def test_a_literal_stands_for_its_value(value: str | float) -> None:
    written = literal(value)
    assert written.isprintable()
    read = ast.literal_eval(written)
    assert (read, type(read)) == (value, type(value))
    code = f"x = [\n    {written},\n]\n"
    assert black.format_str(code, mode=black.Mode()) == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Short.", ['"""Short."""']),
        ("", ['"""Undocumented."""']),
        (" \n ", ['"""Undocumented."""']),
        ('"Quoted"', ['""" "Quoted" """']),
        ("Ends in \\", ['"""Ends in \\\\"""']),
        ('Has """ in it.', ['"""Has \\"\\"\\" in it."""']),
        ("A\nparagraph.\n\nAnother.", ['"""A paragraph.', "", "Another.", '"""']),
        ("- one\n- two", ['"""- one', "- two", '"""']),
        (f"- {LONG[:80]}ending\n- two", [f'"""- {LONG[:79]}', "  ending", "- two", '"""']),
        (f"- {LONG[:80]}ending", [f'"""- {LONG[:79]}', "ending", '"""']),
        ("```\ncode\n  more\n```", ['"""```', "code", "  more", "```", '"""']),
        ("x" * 100, ['"""' + "x" * 100 + '"""']),
        (f"{LONG}1", [f'"""{LONG}'.rstrip(), "1", '"""']),
        ("\tTab\x07\u202e.", ['"""Tab\\x07\\u202e."""']),
    ],
)
def test_a_docstring_is_wrapped_as_black_would_leave_it(text: str, expected: list[str]) -> None:
    assert docstring(text, 0) == expected


@given(texts | st.text(), st.sampled_from([0, 4]))
def test_a_docstring_says_its_text_and_black_leaves_it_alone(text: str, indent: int) -> None:
    written = docstring(text, indent)
    code = "\n".join(written) + "\n"
    if indent:
        code = f"class A:\n{code}"
    assert all(line.isprintable() for line in written)
    tree = ast.parse(code)
    node = tree.body[0] if indent else tree
    assert isinstance(node, (ast.ClassDef, ast.Module))
    assert len(node.body) == 1
    said = ast.get_docstring(node, clean=False)
    assert said is not None
    assert said.split() == (text.split() or ["Undocumented."])
    assert black.format_str(code, mode=black.Mode()) == code


@given(st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True), min_size=30, max_size=60).map(" ".join))
def test_prose_stays_within_the_line(text: str) -> None:
    assert all(len(line) <= 88 for line in docstring(text, 4))


@pytest.mark.parametrize(
    ("about", "constraints", "expected"),
    [
        (About(), None, "Fallback."),
        (About(doc="Said."), None, "Said."),
        (About(doc="Said."), Constraints(minimum=0, maximum=1.5), "Said.\n\nFrom 0 to 1.5."),
        (About(doc="Said."), Constraints(minimum=0), "Said.\n\nAt least 0."),
        (About(doc="Said."), Constraints(maximum=-1), "Said.\n\nAt most -1."),
        (About(doc="Said."), Constraints(max_items=3), "Said.\n\nAt most 3 items."),
        (About(doc="Said."), Constraints(format="uri"), "Said.\n\nFormat: `uri`."),
        (About(doc="Said."), Constraints(number="integer"), "Said."),
        (About(doc="Said.", deprecated=""), None, "Said.\n\nDeprecated."),
        (About(doc="Said.", deprecated="Use b."), None, "Said.\n\nDeprecated: Use b."),
        (About(doc="Said.", since="2025-03-26"), None, "Said.\n\nSince 2025-03-26."),
        (
            About(doc="Said.", deprecated="Gone.", since="x"),
            Constraints(minimum=1, format="byte"),
            "Said.\n\nAt least 1. Format: `byte`.\n\nDeprecated: Gone.\n\nSince x.",
        ),
    ],
)
def test_a_description_says_all_that_is_known(about: About, constraints: Constraints | None, expected: str) -> None:
    assert describe(about, "Fallback.", constraints=constraints) == expected


def test_notes_follow_the_constraints() -> None:
    said = describe(About(), "Fallback.", constraints=Constraints(minimum=1), notes=["Note."])
    assert said == "Fallback.\n\nAt least 1. Note."


def test_paragraphs_of_a_docstring_survive_inspection() -> None:
    written = "\n".join(docstring(f"First.\n\n{LONG * 2}\n\n- item\n- other", 4))
    said = textwrap.dedent(ast.literal_eval(written.strip()))
    assert said.count("\n\n") == 2
