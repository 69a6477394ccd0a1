"""An explanation as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from attrs import frozen

Json = dict[str, Any]

_LABEL = 14
_NAMES = 26
"""Maximum length of a name that has its type in the same line."""


def _plain(text: str) -> str:
    return text


@frozen
class Style:
    """The styles of parts of the text; plain by default."""

    strong: Callable[[str], str] = _plain
    faint: Callable[[str], str] = _plain
    warning: Callable[[str], str] = _plain


def render_page(document: Json, *, width: int = 80, style: Style | None = None) -> str:
    """Return the text of an explanation, with lines of prose no wider than ``width``."""
    return "\n".join(_Page(max(width, 40), style or Style()).lines(document))


class _Page:
    def __init__(self, width: int, style: Style) -> None:
        self._width = width
        self._style = style

    def lines(self, document: Json) -> Iterator[str]:
        kind = document.get("kind") or document["subject"]
        origin = f"{kind} in {_safe(document['revision'])}"
        yield f"{self._style.strong(_safe(document['name']))}  {self._style.faint(origin)}"
        yield ""
        yield from self._prose(document)
        yield from self._facts(document)
        yield from self._trees(document)
        yield from self._sections(document)

    def _prose(self, document: Json) -> Iterator[str]:
        if document["doc"]:
            yield from self._paragraphs(document["doc"], 0)
            yield ""
        if document["deprecated"] is not None:
            yield from map(self._style.warning, self._paragraphs(_deprecation(document), 0))
            yield ""

    def _facts(self, document: Json) -> Iterator[str]:
        for label, value in _facts(document):
            yield from self._fact(label, value)

    def _fact(self, label: str, value: str) -> Iterator[str]:
        first, *rest = self._wrapped(value, "", "", self._width - _LABEL) or [""]
        yield f"{self._style.faint(label.ljust(_LABEL))}{first}"
        yield from (" " * _LABEL + line for line in rest)

    def _trees(self, document: Json) -> Iterator[str]:
        method = document["subject"] == "method"
        params: Json = document.get("params") or {}
        trees: list[tuple[str, list[str]]] = [
            (
                "How results are distinguished" if method else "How alternatives are distinguished",
                document.get("told_apart", []),
            ),
            ("How params are distinguished", params.get("told_apart", [])),
        ]
        for title, tree in trees:
            if tree:
                yield ""
                yield self._style.strong(title)
            for line in tree:
                indent = " " * (len(line) - len(line.lstrip()) + 2)
                yield from self._wrapped(line.strip(), indent, f"{indent}    ")

    def _sections(self, document: Json) -> Iterator[str]:
        params = document.get("params")
        if params is not None:
            needed = "required" if params["required"] else "optional"
            yield from self._part("Params", f"{params['type']}, {needed}", params)
        for result in document.get("results", []):
            yield from self._part("Result", result["type"], result)
        if "members" in document:
            yield from self._members("Members", document["members"])
        former = document.get("former_members", [])
        if former:
            yield ""
            yield self._style.strong("No longer declared" if "further_members" in document else "Removed members")
            for old in former:
                until = self._style.faint(f"until {old['until']}")
                yield f"  {_safe(old['name'])}  {until}"

    def _part(self, label: str, words: str, part: Json) -> Iterator[str]:
        """Yield the members of params or of a result, or those of each of its alternatives."""
        if "alternatives" not in part:
            yield from self._members(f"{label}  {words}", part["members"])
            return
        yield ""
        yield self._style.strong(_safe(f"{label}  {words}"))
        yield self._style.faint(f"  one of the {len(part['alternatives'])} that follow")
        for each in part["alternatives"]:
            yield from self._members(f"{label}  {each['type']}", each["members"])

    def _members(self, title: str, members: list[Json]) -> Iterator[str]:
        yield ""
        yield self._style.strong(_safe(title))
        if not members:
            yield self._style.faint("  none")
        yield from self._rows(members, 2)

    def _rows(self, members: list[Json], indent: int) -> Iterator[str]:
        column = max((len(member["name"]) for member in members if len(member["name"]) <= _NAMES), default=0)
        for member in members:
            yield from self._row(member, indent, column)

    def _row(self, member: Json, indent: int, column: int) -> Iterator[str]:
        name = _safe(member["name"])
        pad = " " * indent
        hang = " " * (indent + column + 2)
        needed = "required" if member["required"] else "optional"
        kind = self._wrapped(f"{member['type']}, {needed}", hang, hang)
        if len(name) > _NAMES:
            yield pad + self._style.strong(name)
        else:
            first = kind.pop(0).removeprefix(hang)
            yield f"{pad}{self._style.strong(name)}{' ' * (column - len(name))}  {first}"
        yield from kind
        if member["doc"]:
            yield from self._paragraphs(member["doc"], indent + 4)
        if member["deprecated"] is not None:
            yield from map(self._style.warning, self._paragraphs(_deprecation(member), indent + 4))
        notes = "; ".join(_notes(member))
        if notes:
            yield from map(self._style.faint, self._paragraphs(f"({notes})", indent + 4))
        yield from self._rows(member.get("members", []), indent + 4)

    def _paragraphs(self, text: str, indent: int) -> Iterator[str]:
        pad = " " * indent
        for number, block in enumerate(text.split("\n\n")):
            if number:
                yield ""
            for item in _items(block):
                hang = "  " if item.startswith(("- ", "* ")) else ""
                yield from self._wrapped(item, pad, pad + hang)

    def _wrapped(self, text: str, first: str, rest: str, width: int | None = None) -> list[str]:
        return textwrap.wrap(
            _safe(text),
            width or self._width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _facts(document: Json) -> Iterator[tuple[str, str]]:
    """Yield the facts that are short enough for a label."""
    yield from _OWN_FACTS[document["subject"]](document)
    if "since" in document:
        yield "in", document["since"]
    if "attribute" in document:
        yield "in Python", f"{document['attribute']}: {document['annotation']}"
    if "python" in document:
        yield "in Python", document["python"]
    for label in ("extends", "extended_by", "used_by"):
        if document.get(label):
            yield label.replace("_", " "), ", ".join(document[label])
    yield from _occurrences(document)


def _type_facts(document: Json) -> Iterator[tuple[str, str]]:
    if "type" in document:
        yield "type", document["type"]
    if "further_members" in document:
        yield "others", f"further members: {document['further_members']}"


def _member_facts(document: Json) -> Iterator[tuple[str, str]]:
    yield "type", f"{document['type']}, {'required' if document['required'] else 'optional'}"
    yield "member of", document["of"]
    notes = "; ".join(_notes({**document, "since": None}))
    if notes:
        yield "notes", notes


def _method_facts(document: Json) -> Iterator[tuple[str, str]]:
    words = [" and ".join(document["sent_by"])]
    words += [f"only inside {' or '.join(document['inside']) or 'other messages'}"] if document["embedded"] else []
    words += [document["sent_when"]] if "sent_when" in document else []
    yield "sent by", ", ".join(words)
    yield "message", document["message"]
    if "capability" in document:
        yield "capability", f"{document['capability']}, declared by the {' or the '.join(document['capability_of'])}"
    if "results" in document:
        yield "result", " or ".join(result["type"] for result in document["results"])


def _constant_facts(document: Json) -> Iterator[tuple[str, str]]:
    yield "value", str(document["value"])


_OWN_FACTS: dict[str, Callable[[Json], Iterator[tuple[str, str]]]] = {
    "type": _type_facts,
    "member": _member_facts,
    "method": _method_facts,
    "constant": _constant_facts,
}


def _occurrences(document: Json) -> Iterator[tuple[str, str]]:
    for side in ("client", "server"):
        found: dict[str, list[str]] = {}
        for each in document.get("messages", []):
            if side in each["sent_by"]:
                found.setdefault(each["part"], []).append(each["method"])
        parts = [("the message" if part == "message" else part, methods) for part, methods in found.items()]
        if parts:
            yield f"from {side}s", "; ".join(f"in {part} of {', '.join(methods)}" for part, methods in parts)


def _notes(member: Json) -> list[str]:
    notes: list[str] = list(member["constraints"])
    if "default" in member:
        # A required value whose absence would mean something else has no other value.
        is_fixed = member["required"] and not member.get("absence_tolerated")
        notes.append(f"always {member['default']!r} here" if is_fixed else f"default {member['default']!r}")
    if member.get("absence_tolerated"):
        notes.append("receivers accept its absence")
    if member.get("null_tolerated"):
        notes.append("receivers accept null")
    if member.get("envelope"):
        notes.append("part of the JSON-RPC envelope")
    if member["inherited"]:
        notes.append(f"from {member['declared_in']}")
    if member.get("since"):
        notes.append(f"since {member['since']}")
    if "further_members" in member:
        notes.append(f"further members: {member['further_members']}")
    return notes


def _deprecation(entry: Json) -> str:
    return f"Deprecated: {entry['deprecated']}" if entry["deprecated"] else "Deprecated."


def _items(block: str) -> list[str]:
    """Return the paragraphs of a block: its lines joined, each list item by itself."""
    items: list[str] = []
    for line in block.split("\n"):
        if items and not line.lstrip().startswith(("- ", "* ")):
            items[-1] = f"{items[-1]} {line.strip()}"
        else:
            items.append(line.strip())
    return items


def _safe(text: Any) -> str:
    """Return text of a schema without control characters, which a terminal would interpret."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(text))
