"""What the specification says and the text of schema.ts does not: entries of ``overrides.toml``, each with its reason.

An entry that matches nothing in a revision it lists is an error, so none can outlive what it was written for. For a
schema that is not one of the bundled revisions, entries apply where their names match.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar, cast

from attrs import NOTHING, fields, frozen

from mcp_bindgen.errors import BindgenError

BUNDLED = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


class OverrideError(BindgenError):
    """An override that cannot be read, or that matches nothing."""


@frozen(kw_only=True)
class Entry:
    """What every entry says: why, where the specification says so, and for which revisions."""

    reason: str
    source: str
    revisions: tuple[str, ...]

    @property
    def subject(self) -> str:
        """What it is about, for messages."""
        own = [each.name for each in fields(type(self)) if each.name not in {"reason", "source", "revisions"}]
        return str(getattr(self, own[0]))


@frozen(kw_only=True)
class Float(Entry):
    """Numbers in the text of this property (``Type.property``) or alias are floats."""

    site: str


@frozen(kw_only=True)
class Nullable(Entry):
    """Receivers accept null for this property too."""

    field: str


@frozen(kw_only=True)
class Absence(Entry):
    """What absence of a required property means for receivers, and what an object made by hand carries.

    It holds for the types that inherit the property, except where a nearer type has an entry of its own.
    """

    field: str
    tolerated: bool
    default: str | None = None


@frozen(kw_only=True)
class Raw(Entry):
    """The property is checked, but which type it has, the message does not say."""

    field: str


@frozen(kw_only=True)
class Undecided(Entry):
    """The members of this union cannot be told apart; ``look_at`` says what decides instead."""

    union: str
    look_at: str


@frozen(kw_only=True)
class Discriminator(Entry):
    """In a union with ``member``, ``key`` tells: ``value`` is the member; ``otherwise`` or absence, the others."""

    member: str
    key: str
    value: str
    otherwise: str


@frozen(kw_only=True)
class Capability(Entry):
    """The capability that ``method`` depends on, and who declares it."""

    method: str
    capability: str
    of: Literal["receiver", "sender"]


@frozen(kw_only=True)
class Augmented(Entry):
    """A request whose params extend ``params`` may be answered with ``result`` too."""

    params: str
    result: str


@frozen(kw_only=True)
class Result(Entry):
    """The results of a request whose interface does not say."""

    request: str
    results: tuple[str, ...]


_KINDS: Mapping[str, type[Entry]] = {
    "float": Float,
    "nullable": Nullable,
    "absence": Absence,
    "raw": Raw,
    "undecided": Undecided,
    "discriminator": Discriminator,
    "capability": Capability,
    "augmented": Augmented,
    "result": Result,
}
"""The tables of the file: ``[[float]]`` ..."""

Kind = TypeVar("Kind", bound=Entry)


@frozen
class Overrides:
    """The entries of one file."""

    entries: tuple[Entry, ...] = ()
    source: str = "overrides.toml"

    @classmethod
    def parse(cls, text: str, source: str = "overrides.toml") -> Overrides:
        """Read the text of a file; raises OverrideError naming the entry at fault."""
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message = f"{source}: {error}"
            raise OverrideError(message) from None
        return cls(tuple(_entries(tables, source)), source)

    @classmethod
    def bundled(cls) -> Overrides:
        """Those that belong to the official revisions."""
        return _bundled()


@cache
def _bundled() -> Overrides:
    return Overrides.parse((files(__package__) / "overrides.toml").read_text("utf-8"))


def _entries(tables: Mapping[str, object], source: str) -> Iterator[Entry]:
    for kind, rows in tables.items():
        if kind not in _KINDS or not isinstance(rows, list):
            message = f"{source}: [[{kind}]] is not an override; accepted are {', '.join(_KINDS)}"
            raise OverrideError(message)
        for place, row in enumerate(cast("list[object]", rows), 1):
            problem = _problem(_KINDS[kind], row)
            if problem:
                message = f"{source}: [[{kind}]], entry {place}: {problem}"
                raise OverrideError(message)
            values = cast("dict[str, object]", row)
            listed = {
                key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
            }  # pyright: ignore[reportUnknownArgumentType]
            yield _KINDS[kind](**listed)  # type: ignore[arg-type]


def _problem(kind: type[Entry], row: object) -> str | None:
    if not isinstance(row, dict):
        return "not a table"
    values = cast("dict[str, object]", row)
    known = {each.name: each for each in fields(kind)}
    for key, value in values.items():
        if key not in known:
            return f"unknown key {key!r}; accepted are {', '.join(known)}"
        if not _fits(str(known[key].type), value):
            return f"{key} = {value!r} is not {known[key].type}"
    for key, each in known.items():
        if key not in values and each.default is NOTHING:
            return f"{key} is missing"
    unknown = [each for each in cast("list[str]", values["revisions"]) if each not in BUNDLED]
    return f"{unknown[0]!r} is not a bundled revision" if unknown else None


def _fits(wanted: str, value: object) -> bool:
    if wanted == "bool":
        return isinstance(value, bool)
    if wanted.startswith("Literal"):
        return value in {"receiver", "sender"}
    if wanted.startswith("tuple"):
        return (
            isinstance(value, list) and bool(value) and all(_fits("str", each) for each in cast("list[object]", value))
        )
    return isinstance(value, str) and value.strip() != ""


class Applied:
    """The overrides of one revision while it is resolved: which entries there are, and which were of use."""

    def __init__(self, overrides: Overrides, revision: str) -> None:
        self._source = overrides.source
        self._revision = revision
        self._entries = [entry for entry in overrides.entries if revision in entry.revisions or revision not in BUNDLED]
        self._by_subject: dict[tuple[type[Entry], str], Entry] = {}
        for entry in self._entries:
            self._by_subject.setdefault((type(entry), entry.subject), entry)
        self._used: set[int] = set()

    def all(self, kind: type[Kind]) -> list[Kind]:
        """The entries of a kind, in the order of the file."""
        return [entry for entry in self._entries if isinstance(entry, kind)]

    def about(self, kind: type[Kind], subject: str) -> Kind | None:
        """The entry of a kind on a subject, which thereby was of use."""
        found = self._by_subject.get((kind, subject))
        if found is not None:
            self.use(found)
        return cast("Kind | None", found)

    def use(self, entry: Entry) -> None:
        """Note that an entry was of use."""
        self._used.add(id(entry))

    def check(self) -> None:
        """Raise OverrideError for entries that were of no use though they list this revision."""
        idle = [entry for entry in self._entries if self._revision in entry.revisions and id(entry) not in self._used]
        if idle:
            listed = "".join(f"\n    [[{_kind(entry)}]] {entry.subject}" for entry in idle)
            message = f"{self._source}: these match nothing in {self._revision}:{listed}"
            raise OverrideError(message)


def _kind(entry: Entry) -> str:
    return next(name for name, kind in _KINDS.items() if isinstance(entry, kind))
