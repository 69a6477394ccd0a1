"""``key=value`` words as the arguments of a tool or a prompt.

=============  ==========================================================================
``key=text``   a value of the type that the tool's input schema says
``key:=JSON``  this JSON, whatever the schema says
``key=@FILE``  the text of a file, read as ``text`` would be; ``-`` is standard input
``key:=@FILE`` the JSON of a file
``@FILE``      all arguments: a JSON object; words beside it add to it, or replace
``{…}``        the same, as JSON instead of a file
=============  ==========================================================================

A repeated word adds an item to an array; for an argument that is not an array, it is an error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mcp_bindgen import catalog
from mcp_bindgen.calling import schemas
from mcp_bindgen.calling.schemas import InvalidValueError, Json
from mcp_bindgen.errors import BindgenError

_BRANCHING = frozenset({"allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"})
"""Keywords with which ``properties`` may not name all properties."""


class Word(NamedTuple):
    """A ``key=value`` word; ``exact`` if the value is JSON."""

    key: str
    text: str
    exact: bool


def for_tool(name: str, schema: Json, words: Sequence[str]) -> dict[str, Json]:
    """Return the arguments of a tool by its input schema; raise `BindgenError` for unknown or missing ones."""
    who = f"the tool {name!r}"
    top = schemas.resolved(schema, schema)
    known = schemas.as_object(top.get("properties"))
    # Schemas are open by default, but an undeclared name is usually a typing error.
    opened = top.get("additionalProperties", not known) is not False or bool(_BRANCHING & top.keys())
    from_files, parsed = _split(words)
    grouped: dict[str, list[Word]] = {}
    for word in parsed:
        grouped.setdefault(word.key, []).append(word)
    arguments = dict(from_files)
    for key, group in grouped.items():
        if key not in known and not opened and not group[0].exact:
            raise _unknown(who, key, known, f"; to send it anyway, write {key}:=JSON")
        arguments[key] = _value(key, group, known.get(key, {}), schema)
    _require(who, arguments, schemas.as_list(top.get("required")), known, schema)
    return arguments


def for_prompt(name: str, declared: Sequence[Json], words: Sequence[str]) -> dict[str, str]:
    """Return the arguments of a prompt, which are strings; raise `BindgenError` as ``for_tool``."""
    who = f"the prompt {name!r}"
    from_files, parsed = _split(words)
    named = {str(each["name"]): each for each in map(schemas.as_object, declared) if "name" in each}
    known = {key: {"type": "string"} for key in named}
    arguments: dict[str, Json] = dict(from_files)
    for word in parsed:
        if word.key not in known:
            raise _unknown(who, word.key, known, "")
        if word.key in arguments and word.key not in from_files:
            message = f"the argument {word.key!r} is repeated; pass it once"
            raise BindgenError(message)
        arguments[word.key] = schemas.from_json(_contents(word.text)) if word.exact else _contents(word.text)
    for key, value in arguments.items():
        if not isinstance(value, str):
            message = f"{key}: arguments of prompts must be strings; write {key}=…"
            raise BindgenError(message)
    wanted = [each for each, argument in named.items() if argument.get("required")]
    _require(who, arguments, wanted, known, {})
    return arguments


def _split(words: Sequence[str]) -> tuple[dict[str, Json], list[Word]]:
    """Return the arguments from ``@FILE`` words and JSON objects, and the other words."""
    from_files: dict[str, Json] = {}
    parsed: list[Word] = []
    for word in words:
        if word.startswith(("@", "{")):
            value = schemas.from_json(_contents(word))
            if value.__class__ is not dict:
                message = f"{word}: the file must contain one JSON object with all arguments"
                raise BindgenError(message)
            from_files.update(value)
            continue
        found = re.match(r"([^=]+?)(:?=)", word)
        if found is None:
            message = (
                f"{word!r} is not an argument; write key=value, key:=JSON, or all of them as a JSON object or @FILE"
            )
            raise BindgenError(message)
        parsed.append(Word(found[1], word[found.end() :], found[2] == ":="))
    return from_files, parsed


def _value(key: str, group: Sequence[Word], schema: Json, root: Json) -> Json:
    many = len(group) > 1
    item = schemas.items_of(schema, root) if many else schema
    if item is None:
        message = f"{key}: expected one value ({schemas.in_words(schema, root)}), got {len(group)}"
        raise InvalidValueError(message)
    texts = [_contents(word.text) for word in group]
    try:
        values = [
            schemas.from_json(text) if word.exact else schemas.read(text, item, root)
            for word, text in zip(group, texts, strict=True)
        ]
    except InvalidValueError as problem:
        message = f"{key}: {problem}"
        raise InvalidValueError(message) from problem
    return values if many else values[0]


def _contents(text: str) -> str:
    """Return a text, or that of the file that it names with ``@``."""
    if not text.startswith("@"):
        return text
    name = text[1:]
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode()
    except OSError as problem:
        message = f"cannot read {name!r}: {problem.strerror}; to pass a text that begins with @, write key:='\"@…\"'"
        raise BindgenError(message) from problem
    except UnicodeDecodeError as problem:
        message = f"{name!r} is not UTF-8 text (byte {problem.start})"
        raise BindgenError(message) from problem


def _unknown(who: str, key: str, known: Iterable[str], more: str) -> BindgenError:
    names = list(known)
    near = catalog.nearest(key, names, 1)
    if near:
        hint = f"did you mean {near[0]}?"
    else:
        hint = f"use {', '.join(names)}" if names else "it has no arguments"
    return BindgenError(f"{who} has no argument {key!r}; {hint}{more}")


def _require(
    who: str, arguments: Mapping[str, Any], required: Iterable[str], known: Mapping[str, Json], root: Json
) -> None:
    missing = [key for key in required if key not in arguments]
    if missing:
        shown = ", ".join(f"{key} ({schemas.in_words(known.get(key, {}), root)})" for key in missing)
        message = f"{who} needs {shown}; write {missing[0]}=…"
        raise BindgenError(message)
