"""Text that black leaves as it is: on one line where it fits, else one part to a line with a trailing comma.

Black takes many times as long as the rest of the generation, so it judges the output in the tests instead of making it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from attrs import frozen

LINE = 88
"""Black's default, so that a copy in somebody's project suits their black as well."""

MAX_BARS = 200
"""Alternatives that are joined by ``|``: Python reads each one as nested in the next, and gives up at some thousands."""

_SKIP = "  # fmt: skip"
_ITEM = re.compile(r' *([\w.]+|"[^"\\]*")(: [\w.]+)?,?')
"""A line of a table that nothing could part."""


@frozen
class Alternatives:
    """``prefix a | b | c suffix``; in parentheses where it needs more than a line."""

    prefix: str
    members: tuple[str, ...]
    suffix: str = ""


Bracketed: TypeAlias = tuple[str, Sequence["Tree"], str]
"""An opening (``name(``), parts and a closing bracket (``,)`` for a tuple of one)."""
Tree: TypeAlias = str | Alternatives | Bracketed
"""Finished text, an annotation, or parts in brackets."""


def inline(tree: Tree) -> str:
    """The tree on one line."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Alternatives):
        return f"{tree.prefix}{' | '.join(tree.members)}{tree.suffix}"
    opening, parts, closing = tree
    return f"{opening}{', '.join(inline(part) for part in parts)}{closing}"


def tuple_of(parts: Sequence[Tree]) -> Bracketed:
    """A tuple; the comma of a tuple of one belongs to its closing bracket."""
    return ("(", parts, ",)" if len(parts) == 1 else ")")


def width(text: str) -> int:
    """The columns that a text takes at most: how wide a character is shown is not for us to know."""
    return len(text) if text.isascii() else len(text) + sum(not char.isascii() for char in text)


def alternatives(prefix: str, members: Sequence[str]) -> list[str]:
    """``prefix a | b | c`` at the left margin, or ``prefix Union[a, b, c]`` where there are too many for that."""
    if len(members) > MAX_BARS:
        return lines(prefix, ("Union[", members, "]"))
    return lines("", Alternatives(prefix, tuple(members)))


def statement(text: str, indent: int = 0) -> str:
    """One simple statement, or the head of another; one that is too long is kept from black, which would part it."""
    line = " " * indent + text
    return line if width(line) <= LINE else f"{line}{_SKIP}"


def statements(texts: Iterable[str], indent: int) -> tuple[str, ...]:
    """Several of them, each with the indent that it has besides."""
    return tuple(statement(text, indent) for text in texts)


def lines(prefix: str, tree: Tree, suffix: str = "", indent: int = 0) -> list[str]:
    """``prefix tree suffix`` at ``indent`` columns, as the lines black would leave."""
    return _protected(_fitted(prefix, tree, suffix, indent), prefix, tree, suffix, indent)


def _fitted(prefix: str, tree: Tree, suffix: str, indent: int) -> list[str]:
    whole = f"{' ' * indent}{prefix}{inline(tree)}{suffix}"
    if width(whole) <= LINE or isinstance(tree, str):
        return [whole]
    if isinstance(tree, Alternatives):
        return _parenthesized(tree, prefix, suffix, indent)
    if tree[2] == ",)" and sum(map(str.isascii, whole)) <= LINE:
        # Black may find that it fits; and the comma of a tuple of one does not keep it from joining the lines.
        return [whole]
    return exploded(prefix, tree, suffix, indent)


def exploded(prefix: str, tree: Bracketed, suffix: str = "", indent: int = 0) -> list[str]:
    """One part to a line with a trailing comma, which black then keeps even if all would fit on one."""
    pad = " " * indent
    opening, parts, closing = tree
    inner = [line for part in parts for line in _fitted("", part, ",", indent + 4)]
    return [f"{pad}{prefix}{opening}", *inner, f"{pad}{closing.lstrip(',')}{suffix}"]


_GENERIC = re.compile(r"(?P<name>list|dict)\[(?P<parts>.*)\]")


def _parenthesized(tree: Alternatives, prefix: str, suffix: str, indent: int) -> list[str]:
    pad = " " * indent
    joined = " | ".join(tree.members)
    generic = _GENERIC.fullmatch(joined) if len(tree.members) == 1 and not tree.suffix and joined.isascii() else None
    if generic and indent + 4 + width(generic["parts"]) <= LINE:
        name, parts = generic["name"], generic["parts"]
        return [f"{pad}{prefix}{tree.prefix}{name}[", f"{pad}    {parts}", f"{pad}]{suffix}"]
    if len(tree.members) == 1 or not joined.isascii():
        # There is nothing to part, or black may find that the whole fits after all.
        return [f"{pad}{prefix}{inline(tree)}{suffix}"]
    opening, closing = f"{pad}{prefix}{tree.prefix}(", f"{pad}){tree.suffix}{suffix}"
    if indent + 4 + width(joined) <= LINE:
        return [opening, f"{pad}    {joined}", closing]
    first, *rest = tree.members
    return [opening, f"{pad}    {first}", *(f"{pad}    | {member}" for member in rest), closing]


def _protected(written: list[str], prefix: str, tree: Tree, suffix: str, indent: int) -> list[str]:
    """Text of which a line is too long, or may be, is kept from black: a table as it is, all else on one line."""
    if isinstance(tree, tuple) and not indent and not suffix:
        return guarded(written)
    if all(width(line) <= LINE for line in written):
        return written
    return [f"{' ' * indent}{prefix}{inline(tree)}{suffix}{_SKIP}"]


def guarded(written: list[str]) -> list[str]:
    """A statement at the left margin, kept from black if it has a line that is too long."""
    fits = all(width(line) <= LINE or _ITEM.fullmatch(line) for line in written)
    return written if fits else ["# fmt: off", *written, "# fmt: on"]


def table(prefix: str, entries: Sequence[Tree]) -> list[str]:
    """Return a dict at the left margin with one line for each entry, however long it is."""
    if not entries:
        return [f"{prefix}{{}}"]
    return guarded([f"{prefix}{{", *(f"    {inline(entry)}," for entry in entries), "}"])


def assign(prefix: str, value: Tree, indent: int) -> list[str]:
    """A statement that does something with an expression: on a line, or a comprehension in brackets on three."""
    pad = " " * indent
    if isinstance(value, tuple) and width(f"{pad}{prefix}{inline(value)}") > LINE:
        opening, (body,), closing = value
        three = [f"{pad}{prefix}{opening}", f"{pad}    {inline(body)}", f"{pad}{closing}"]
        if all(width(line) <= LINE for line in three):
            return three
    return [statement(prefix + inline(value), indent)]
