"""Text that black leaves as it is: on one line where it fits, else one part to a line with a trailing comma.

Black takes many times as long as the rest of the generation, so it judges the output in the tests instead of making it.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

LINE = 88
"""Black's default, so that a copy in somebody's project suits their black as well."""


@frozen
class Alternatives:
    """``prefix a | b | c suffix``; in parentheses where it needs more than a line."""

    prefix: str
    members: tuple[str, ...]
    suffix: str = ""


Tree = str | Alternatives | tuple[str, Sequence["Tree"], str]
"""Finished text, an annotation, or an opening (``name(``), parts and a closing bracket (``,)`` for a tuple of one)."""


def inline(tree: Tree) -> str:
    """The tree on one line."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Alternatives):
        return f"{tree.prefix}{' | '.join(tree.members)}{tree.suffix}"
    opening, parts, closing = tree
    return f"{opening}{', '.join(inline(part) for part in parts)}{closing}"


def tuple_of(parts: Sequence[Tree]) -> Tree:
    """A tuple; the comma of a tuple of one belongs to its closing bracket."""
    return ("(", parts, ",)" if len(parts) == 1 else ")")


def lines(prefix: str, tree: Tree, suffix: str = "", indent: int = 0) -> list[str]:
    """``prefix tree suffix`` at ``indent`` columns, as the lines black would leave."""
    pad = " " * indent
    whole = f"{pad}{prefix}{inline(tree)}{suffix}"
    if len(whole) <= LINE or isinstance(tree, str):
        return [whole]
    if isinstance(tree, Alternatives):
        return _parenthesized(tree, prefix, suffix, indent)
    return exploded(prefix, tree, suffix, indent)


def exploded(prefix: str, tree: tuple[str, Sequence[Tree], str], suffix: str = "", indent: int = 0) -> list[str]:
    """One part to a line with a trailing comma, which black then keeps even if all would fit on one."""
    pad = " " * indent
    opening, parts, closing = tree
    inner = [line for part in parts for line in lines("", part, ",", indent + 4)]
    return [f"{pad}{prefix}{opening}", *inner, f"{pad}{closing.lstrip(',')}{suffix}"]


def statement(text: str, indent: int = 0) -> str:
    """One simple statement; one that is too long is kept from black, which would part it."""
    line = " " * indent + text
    return line if len(line) <= LINE else f"{line}  # fmt: skip"


def _parenthesized(tree: Alternatives, prefix: str, suffix: str, indent: int) -> list[str]:
    pad = " " * indent
    joined = " | ".join(tree.members)
    if len(tree.members) == 1:
        # There is nothing that parentheses could part.
        return [f"{pad}{prefix}{inline(tree)}{suffix}  # fmt: skip"]
    opening, closing = f"{pad}{prefix}{tree.prefix}(", f"{pad}){tree.suffix}{suffix}"
    if indent + 4 + len(joined) <= LINE:
        return [opening, f"{pad}    {joined}", closing]
    first, *rest = tree.members
    return [opening, f"{pad}    {first}", *(f"{pad}    | {member}" for member in rest), closing]


def assign(prefix: str, value: Tree, indent: int) -> list[str]:
    """A statement that does something with an expression, as black would leave it."""
    if isinstance(value, tuple):
        return comprehension(prefix, value, indent)
    return [statement(prefix + inline(value), indent)]


def comprehension(prefix: str, tree: Tree, indent: int) -> list[str]:
    """A comprehension as black writes it: on a line, in brackets on a line of its own, or clause by clause."""
    pad = " " * indent
    whole = f"{pad}{prefix}{inline(tree)}"
    if len(whole) <= LINE:
        return [whole]
    assert isinstance(tree, tuple)
    opening, (body,), closing = tree
    assert isinstance(body, str)
    if indent + 4 + len(body) <= LINE:
        return [f"{pad}{prefix}{opening}", f"{pad}    {body}", f"{pad}{closing}"]
    return [f"{whole}  # fmt: skip"]
