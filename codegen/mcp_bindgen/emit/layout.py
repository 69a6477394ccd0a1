"""Code in black's format: on one line if it fits, else one part a line with a trailing comma.

Running black would take many times as long as the rest of the generation; the tests run it on the output instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from attrs import frozen

LINE = 88
"""Maximum columns of a line: black's default, so that a copy passes black in the user's project."""

MAX_BARS = 200
"""Limit on alternatives joined by ``|``, which Python parses as nested expressions."""

_SKIP = "  # fmt: skip"
_ITEM = re.compile(r' *([\w.]+|"[^"\\]*")(: [\w.]+)?,?')
"""A line of a table that cannot be split."""


@frozen
class Alternatives:
    """``prefix a | b | c suffix``, in parentheses if it needs more than one line."""

    prefix: str
    members: tuple[str, ...]
    suffix: str = ""


Bracketed: TypeAlias = tuple[str, Sequence["Tree"], str]
"""An opening (``name(``), parts and a closing bracket (``,)`` for a tuple of one)."""
Tree: TypeAlias = str | Alternatives | Bracketed
"""Finished text, an annotation, or parts in brackets."""


def inline(tree: Tree) -> str:
    """Return the tree on one line."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Alternatives):
        return f"{tree.prefix}{' | '.join(tree.members)}{tree.suffix}"
    opening, parts, closing = tree
    return f"{opening}{', '.join(inline(part) for part in parts)}{closing}"


def tuple_of(parts: Sequence[Tree]) -> Bracketed:
    """Return the tree of a tuple; the comma of a tuple of one is part of its closing bracket."""
    return ("(", parts, ",)" if len(parts) == 1 else ")")


def width(text: str) -> int:
    """Return the maximum number of columns of a text; a character that is not ASCII may have two."""
    return len(text) if text.isascii() else len(text) + sum(not char.isascii() for char in text)


def alternatives(prefix: str, members: Sequence[str]) -> list[str]:
    """Return ``prefix a | b | c`` at the left margin, or ``prefix Union[a, b, c]`` if there are too many."""
    if len(members) > MAX_BARS:
        return lines(prefix, ("Union[", members, "]"))
    return lines("", Alternatives(prefix, tuple(members)))


def statement(text: str, indent: int = 0) -> str:
    """Return a simple statement or the head of a compound one, with ``fmt: skip`` if it is too long."""
    line = " " * indent + text
    return line if width(line) <= LINE else f"{line}{_SKIP}"


def statements(texts: Iterable[str], indent: int) -> tuple[str, ...]:
    """Return several statements, indented in addition to their own indentation."""
    return tuple(statement(text, indent) for text in texts)


def lines(prefix: str, tree: Tree, suffix: str = "", indent: int = 0) -> list[str]:
    """Return the lines of ``prefix tree suffix`` at ``indent`` columns in black's format."""
    return _protected(_fitted(prefix, tree, suffix, indent), prefix, tree, suffix, indent)


def _fitted(prefix: str, tree: Tree, suffix: str, indent: int) -> list[str]:
    whole = f"{' ' * indent}{prefix}{inline(tree)}{suffix}"
    if width(whole) <= LINE or isinstance(tree, str):
        return [whole]
    if isinstance(tree, Alternatives):
        return _parenthesized(tree, prefix, suffix, indent)
    if tree[2] == ",)" and sum(map(str.isascii, whole)) <= LINE:
        # It may fit by black's count, and the comma of a tuple of one does not prevent black from joining the lines.
        return [whole]
    return exploded(prefix, tree, suffix, indent)


def exploded(prefix: str, tree: Bracketed, suffix: str = "", indent: int = 0) -> list[str]:
    """Return one part a line with a trailing comma, which black keeps even if all would fit on one line."""
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
        # It cannot be split, or it may fit by black's count.
        return [f"{pad}{prefix}{inline(tree)}{suffix}"]
    opening, closing = f"{pad}{prefix}{tree.prefix}(", f"{pad}){tree.suffix}{suffix}"
    if indent + 4 + width(joined) <= LINE:
        return [opening, f"{pad}    {joined}", closing]
    first, *rest = tree.members
    return [opening, f"{pad}    {first}", *(f"{pad}    | {member}" for member in rest), closing]


def _protected(written: list[str], prefix: str, tree: Tree, suffix: str, indent: int) -> list[str]:
    """Return the lines, with black disabled if one may be too long: for a table as they are, else on one line."""
    if isinstance(tree, tuple) and not indent and not suffix:
        return guarded(written)
    if all(width(line) <= LINE for line in written):
        return written
    return [f"{' ' * indent}{prefix}{inline(tree)}{suffix}{_SKIP}"]


def guarded(written: list[str]) -> list[str]:
    """Return a statement at the left margin, with black disabled if a line is too long."""
    fits = all(width(line) <= LINE or _ITEM.fullmatch(line) for line in written)
    return written if fits else ["# fmt: off", *written, "# fmt: on"]


def table(prefix: str, entries: Sequence[Tree]) -> list[str]:
    """Return a dict at the left margin with one line for each entry, however long it is."""
    if not entries:
        return [f"{prefix}{{}}"]
    return guarded([f"{prefix}{{", *(f"    {inline(entry)}," for entry in entries), "}"])


def assign(prefix: str, value: Tree, indent: int) -> list[str]:
    """Return a statement with an expression, on one line, or on three for a comprehension in brackets."""
    pad = " " * indent
    if isinstance(value, tuple) and width(f"{pad}{prefix}{inline(value)}") > LINE:
        opening, (body,), closing = value
        three = [f"{pad}{prefix}{opening}", f"{pad}    {inline(body)}", f"{pad}{closing}"]
        if all(width(line) <= LINE for line in three):
            return three
    return [statement(prefix + inline(value), indent)]
