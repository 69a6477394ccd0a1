"""Trees become the lines that black would leave; what black would part in ways of its own is kept from it."""

from __future__ import annotations

import ast

import black
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.layout import (
    LINE,
    Alternatives,
    Tree,
    assign,
    exploded,
    guarded,
    inline,
    lines,
    statement,
    tuple_of,
    width,
)

WORD = "w" * 30


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("short", ["x = short"]),
        (("[", ["a", "b"], "]"), ["x = [a, b]"]),
        (("(", ["a"], ",)"), ["x = (a,)"]),
        (("{", [WORD, WORD, f'"{WORD}"'], "}"), ["x = {", f"    {WORD},", f"    {WORD},", f'    "{WORD}",', "}"]),
        (("(", [f'"{WORD * 3}"'], ",)"), ["x = (", f'    "{WORD * 3}",', ")"]),
        (
            ("f(", [("{", [WORD, WORD, WORD], "}")], ")"),
            ["x = f(", "    {", f"        {WORD},", f"        {WORD},", f"        {WORD},", "    },", ")"],
        ),
        # A dictionary's item that is too long has nothing to part; a call has.
        (("{", [f"a: {WORD * 3}"], "}"), ["x = {", f"    a: {WORD * 3},", "}"]),
        (("{", [f"a: f({WORD * 3})"], "}"), ["# fmt: off", "x = {", f"    a: f({WORD * 3}),", "}", "# fmt: on"]),
    ],
)
def test_a_table_is_on_one_line_or_has_a_line_for_each_part(tree: Tree, expected: list[str]) -> None:
    assert lines("x = ", tree) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (("A", "B"), ["    x: A | B = None"]),
        ((WORD, f"{WORD}{WORD[:9]}", "C"), ["    x: (", f"        {WORD} | {WORD}{WORD[:9]} | C", "    ) = None"]),
        (
            (WORD, f"{WORD}2", f"{WORD}3"),
            ["    x: (", f"        {WORD}", f"        | {WORD}2", f"        | {WORD}3", "    ) = None"],
        ),
        ((WORD * 3,), [f"    x: {WORD * 3} = None  # fmt: skip"]),
        ((WORD * 3, "B"), [f"    x: {WORD * 3} | B = None  # fmt: skip"]),
        # How wide these are shown is for black to know.
        (("é" * 40, "B"), [f"    x: {'é' * 40} | B = None  # fmt: skip"]),
    ],
)
def test_alternatives_are_put_into_parentheses(members: tuple[str, ...], expected: list[str]) -> None:
    assert lines("", Alternatives("x: ", members, " = None"), indent=4) == expected


def test_a_signature_that_cannot_be_parted_is_on_one_line() -> None:
    tree: Tree = ("(", ["self", Alternatives("x: ", (WORD * 3,))], ")")
    assert lines("def f", tree, " -> None:", 4) == [f"    def f(self, x: {WORD * 3}) -> None:  # fmt: skip"]


def test_an_explosion_keeps_its_parts_apart_though_they_would_fit() -> None:
    assert exploded("f", ("(", ["a", ("(", ["b"], ",)")], ")")) == ["f(", "    a,", "    (b,),", ")"]


def test_a_comprehension_stands_in_its_brackets_on_three_lines_or_on_one() -> None:
    assert assign("return ", ("[", ["f(e) for e in v"], "]"), 4) == ["    return [f(e) for e in v]"]
    body = f"{WORD}(e) for e in {WORD}"
    assert assign(f"o.{WORD} = ", ("[", [body], "]"), 4) == [f"    o.{WORD} = [", f"        {body}", "    ]"]
    body = f"{WORD}(e) for e in {WORD * 2}"
    assert assign("x = ", ("[", [body], "]"), 4) == [f"    x = [{body}]  # fmt: skip"]


def test_a_statement_that_is_too_long_is_kept_from_black() -> None:
    assert statement("x" * (LINE - 4), 4) == "    " + "x" * (LINE - 4)
    assert statement("x" * (LINE - 3), 4) == "    " + "x" * (LINE - 3) + "  # fmt: skip"
    assert guarded(["x = [", "    1,", "]"]) == ["x = [", "    1,", "]"]


def test_a_character_that_is_not_ascii_may_take_two_columns() -> None:
    assert width("abc") == 3
    assert width("aé漢") == 5


words = st.from_regex(r"[a-z]{1,3}(\.?[a-z]{1,40})?", fullmatch=True).filter(
    lambda word: all(map(_is_name, word.split(".")))
)
atoms = words | st.text(st.sampled_from("ab \\\"'é漢\n"), max_size=40).map(literal) | st.integers(-5, 10**6).map(str)


def _is_name(word: str) -> bool:
    return word.isidentifier() and not _is_keyword(word)


def _is_keyword(word: str) -> bool:
    try:
        ast.parse(f"{word} = 1")
    except SyntaxError:
        return True
    return False


trees: st.SearchStrategy[Tree] = st.recursive(
    atoms,
    lambda inner: st.lists(inner, min_size=1, max_size=5).map(tuple_of)
    | st.lists(inner, min_size=1, max_size=4).map(lambda parts: ("f(", [tuple_of(parts)], ")")),
    max_leaves=12,
)
annotations = st.lists(words, min_size=1, max_size=6, unique=True)
sizes = st.sampled_from([1, 8, 20, 35, 50])


def check(written: list[str], meant: str) -> None:
    code = "\n".join(written) + "\n"
    assert black.format_str(code, mode=black.Mode()) == code
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(meant))


@given(sizes, trees)
def test_black_leaves_tables_as_they_are(size: int, tree: Tree) -> None:
    name = "x" * size
    # A lone expression that is too long is a statement, not a table.
    tree = ("[", [tree], "]") if isinstance(tree, str) else tree
    check(lines(f"{name} = ", tree), f"{name} = {inline(tree)}")


@given(sizes, annotations)
def test_black_leaves_annotations_as_they_are(size: int, members: list[str]) -> None:
    name = "x" * size
    tree = Alternatives(f"{name}: ", tuple(members))
    check(["class C:", *lines("", tree, indent=4)], f"class C:\n    {inline(tree)}")


@given(sizes, st.lists(st.tuples(annotations, st.sampled_from(["", " = None"])), min_size=1, max_size=4))
def test_black_leaves_signatures_as_they_are(size: int, parameters: list[tuple[list[str], str]]) -> None:
    parts: list[Tree] = ["self", "*"]
    parts += [
        Alternatives(f"{'x' * size}{place}: ", tuple(members), default)
        for place, (members, default) in enumerate(parameters)
    ]
    tree: Tree = ("(", parts, ")")
    code = f"def f{inline(tree)} -> None:\n    pass"
    check([*lines("def f", tree, " -> None:"), "    pass"], code)


@given(sizes, words, words)
def test_black_leaves_comprehensions_as_they_are(size: int, function: str, items: str) -> None:
    value: Tree = ("[", [f"{function}(e) for e in {items}"], "]")
    for prefix in (f"o.{'x' * size} = ", f'd["{"x" * size}"] = '):
        check(assign(prefix, value, 0), prefix + inline(value))
