"""Our transcriptions of the protocol's schema: they say the same as the official files, documented in our own words."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import asdict
from checkout import REVISIONS
from mcp_bindgen import catalog, resources
from mcp_bindgen.ir.protocol import About, Enum, Field, ObjectOf, ObjectType, Protocol
from mcp_bindgen.ir.walk import parts
from mcp_bindgen.syntax.parse import parse
from support.official_schemas import official_file, ours, resolved
from tree_sitter import Node

# --- Documentation -----------------------------------------------------------------------------------------------

NAMES_SAY_IT = frozenset({"method", "jsonrpc", "id", "params", "result"})
"""Members of messages, of which there is nothing to say that their names do not."""


def _declared(protocol: Protocol) -> Iterator[tuple[str, About]]:
    for name in protocol.order:
        known = protocol.constants.get(name) or protocol.aliases.get(name) or protocol.objects[name]
        yield name, known.about


def _own_fields(protocol: Protocol) -> Iterator[tuple[ObjectType, Field]]:
    """Each field where it is written; whoever inherits it inherits its documentation."""
    for declared in protocol.objects.values():
        for field in declared.fields:
            if field.declared_in == declared.path:
                yield declared, field


def _is_mark(field: Field) -> bool:
    """``type: "text"``: the literal says it."""
    return field.name == "type" and isinstance(field.type, Enum) and len(field.type.values) == 1


def _undocumented(protocol: Protocol) -> list[str]:
    types = [name for name, about in _declared(protocol) if not about.doc]
    fields = [
        f"{declared.path}.{field.name}"
        for declared, field in _own_fields(protocol)
        if not field.about.doc and field.name not in NAMES_SAY_IT and not _is_mark(field)
    ]
    return types + fields


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_type_and_every_field_is_documented_unless_its_name_says_it(revision: str) -> None:
    assert _undocumented(ours(revision)) == []


def test_what_is_not_documented_is_noticed() -> None:
    text = b"""
        /** A thing. */
        export interface Thing { type: "thing"; id: string; /* no doc */ size: { width: number; /** Up. */ height: 1 } }
        /** @internal */
        export type Other = string;
        export const LIMIT = 5;
    """
    assert _undocumented(resolved(text, "acme", REVISIONS[-1])) == ["Other", "LIMIT", "Thing.size", "Thing.size.width"]


# --- Since when --------------------------------------------------------------------------------------------------


def _first_seen() -> dict[str, str]:
    """The first revision that has a type, a constant, or a field of an object (``Owner.field.inner``, flattened)."""
    first: dict[str, str] = {}
    for revision in REVISIONS:
        protocol = ours(revision)
        for name in protocol.order:
            first.setdefault(name, revision)
            if name in protocol.objects:
                for path in _field_paths(protocol, name, protocol.objects[name]):
                    first.setdefault(path, revision)
    return first


def _field_paths(protocol: Protocol, path: str, declared: ObjectType) -> Iterator[str]:
    """The fields of an object, and those of the inline objects in them, also of inherited ones."""
    for field in declared.fields:
        yield f"{path}.{field.name}"
        for part in parts(field.type):
            if isinstance(part, ObjectOf) and protocol.objects[part.path].kind == "inline":
                yield from _field_paths(protocol, f"{path}.{field.name}", protocol.objects[part.path])


@pytest.mark.parametrize("revision", REVISIONS)
def test_since_tags_name_the_first_revision_that_has_the_type(revision: str) -> None:
    first = _first_seen()
    told = {name: about.since for name, about in _declared(ours(revision))}
    # What has always been there says nothing.
    assert told == {name: first[name] if first[name] != REVISIONS[0] else None for name in told}


@pytest.mark.parametrize("revision", REVISIONS)
def test_since_tags_name_the_first_revision_that_has_the_field(revision: str) -> None:
    first = _first_seen()
    told: dict[str, str | None] = {}
    expected: dict[str, str | None] = {}
    for declared, field in _own_fields(ours(revision)):
        path = f"{declared.path}.{field.name}"
        told[path] = field.about.since
        # What is as old as its owner says nothing.
        expected[path] = first[path] if first[path] != first[declared.path] else None
    assert told == expected


# --- The record of what was checked ------------------------------------------------------------------------------


def _recorded() -> dict[str, dict[str, str]]:
    text = (resources.schemas() / "official.toml").read_text(encoding="utf-8")
    revisions: dict[str, dict[str, str]] = tomllib.loads(text)["revisions"]
    return revisions


def test_an_official_file_of_every_revision_is_recorded() -> None:
    recorded = _recorded()
    assert tuple(recorded) == REVISIONS
    for entry in recorded.values():
        assert re.fullmatch(r"[0-9a-f]{40}", entry["commit"])
    hashes = [entry[key] for entry in recorded.values() for key in ("sha256", "json_sha256")]
    assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in hashes)
    assert len(set(hashes)) == 2 * len(REVISIONS)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("name", "key"), [("schema.ts", "sha256"), ("schema.json", "json_sha256")])
def test_the_official_file_is_the_recorded_one(upstream: Path, revision: str, name: str, key: str) -> None:
    data = official_file(upstream, revision, name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == _recorded()[revision][key]


# --- The same facts ----------------------------------------------------------------------------------------------


def _differences(one: Protocol, other: Protocol) -> list[str]:
    """What two protocols do not agree on, by name; empty where they are equal."""
    kinds: list[tuple[str, Mapping[str, object], Mapping[str, object]]] = [
        ("constant", one.constants, other.constants),
        ("type", one.objects, other.objects),
        ("type", one.aliases, other.aliases),
        ("method", one.methods, other.methods),
    ]
    found: list[str] = []
    for kind, mine, theirs in kinds:
        found += [f"{kind} {name} is in one only" for name in sorted(mine.keys() ^ theirs.keys())]
        for name in mine.keys() & theirs.keys():
            if mine[name] != theirs[name]:
                found.append(f"{kind} {name}: {_what_differs(mine[name], theirs[name])}")
    return sorted(found)


def _what_differs(mine: object, theirs: object) -> str:
    if isinstance(mine, ObjectType) and isinstance(theirs, ObjectType):
        own, other = ({field.name: field for field in each.fields} for each in (mine, theirs))
        names = [name for name in {**own, **other} if own.get(name) != other.get(name)]
        if names:
            return ", ".join(f"{name} ({own.get(name)} / {other.get(name)})" for name in names)
    return f"{mine} / {theirs}"


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_official_file_declares_the_same_protocol(
    upstream: Path, revision: str, record_property: pytest.RecordProperty
) -> None:
    official = resolved(official_file(upstream, revision, "schema.ts").read_bytes(), revision)
    mine = ours(revision)
    assert _differences(mine, official) == []
    # Equality leaves documentation and positions out, and takes in constraints and the kinds of numbers.
    assert mine == official
    counts = {
        "types": len(mine.order) - len(mine.constants),
        "constants": len(mine.constants),
        "inline objects": sum(each.kind == "inline" for each in mine.objects.values()),
        "fields": sum(len(each.fields) for each in mine.objects.values()),
        "constrained fields": sum(any(asdict(f.constraints).values()) for _, f in _own_fields(mine)),
        "methods": len(mine.methods),
    }
    print(f"{revision}: equal in {', '.join(f'{count} {what}' for what, count in counts.items())}")
    record_property(revision, counts)


CHANGES = [
    ("export const PARSE_ERROR = -32700;", "export const PARSE_ERROR = -32701;", "constant PARSE_ERROR: "),
    ("  progress: number;", "  progress?: number;", "type ProgressNotification.params: progress "),
    ("     * @TJS-type number\n     */\n    total", "     */\n    total", "type ProgressNotification.params: total "),
    ("   * @maximum 1\n", "   * @maximum 2\n", "type Annotations: priority "),
    ("   * @format uri\n", "", "type Resource: uri "),
    ('"user" | "assistant"', '"user" | "helper"', "type Role: "),
    ('method: "tools/call";', 'method: "tools/run";', "method tools/run is in one only"),
    ("export interface Root {", "export interface Root {\n  colour?: string;", "type Root: colour "),
    ("ListRootsRequest | ElicitRequest;", "ListRootsRequest;", "method elicitation/create"),
    ("interface PaginatedResult extends Result", "interface PaginatedResult", "type ListToolsResult: _meta "),
]
"""Text of our 2025-06-18, text put in its place, and what is to be noticed."""


@pytest.mark.parametrize(("text", "other", "noticed"), CHANGES)
def test_a_changed_fact_would_be_noticed(text: str, other: str, noticed: str) -> None:
    schema = catalog.schema_file("2025-06-18").read_text(encoding="utf-8")
    assert text in schema
    changed = resolved(schema.replace(text, other).encode(), "2025-06-18")
    assert any(found.startswith(noticed) for found in _differences(changed, ours("2025-06-18")))


# --- Our own words -----------------------------------------------------------------------------------------------

LONGEST_RUN = 6
"""Words in a row that two texts on one subject have in common by chance."""


def _comments(schema: bytes) -> Iterator[str]:
    """The text of every comment of a schema file, in its order."""
    waiting: list[Node] = [parse(schema, "schema.ts").tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "comment":
            assert node.text is not None
            yield node.text.decode()
        waiting.extend(reversed(node.children))


def _words(comment: str) -> list[str]:
    """The words of a comment, whatever is around them: decoration, punctuation, Markdown."""
    text = re.sub(r"^\s*(?://|/?\*+/?)", " ", comment.removesuffix("*/"), flags=re.MULTILINE)
    bare = (re.sub(r"^\W+|\W+$", "", word).casefold() for word in text.replace("/", " ").split())
    return [word for word in bare if word]


def _runs(comments: Iterator[str], length: int) -> dict[tuple[str, ...], str]:
    """Every run of so many words, with the comment it is from."""
    found: dict[tuple[str, ...], str] = {}
    for comment in comments:
        words = _words(comment)
        for start in range(len(words) - length + 1):
            found.setdefault(tuple(words[start : start + length]), comment)
    return found


@pytest.mark.parametrize("revision", REVISIONS)
def test_no_comment_repeats_an_official_one(upstream: Path, revision: str) -> None:
    theirs: dict[tuple[str, ...], str] = {}
    for each in REVISIONS:
        theirs |= _runs(_comments(official_file(upstream, each, "schema.ts").read_bytes()), LONGEST_RUN + 1)
    mine = _runs(_comments(catalog.schema_file(revision).read_bytes()), LONGEST_RUN + 1)
    shared = [f"{' '.join(run)!r} in {mine[run]}" for run in mine if run in theirs]
    assert shared == []


def test_a_repeated_comment_would_be_noticed() -> None:
    official = b"/**\n * If specified, the caller is\n * *requesting* out-of-band progress notifications.\n */\n"
    copied = b"/* First, if specified: the caller is `requesting` out-of-band progress. */\n"
    reworded = b"// If specified the caller wants progress, out-of-band.\n"
    theirs = _runs(_comments(official), LONGEST_RUN + 1)
    assert set(_runs(_comments(copied), LONGEST_RUN + 1)) & set(theirs)
    assert not set(_runs(_comments(reworded), LONGEST_RUN + 1)) & set(theirs)
