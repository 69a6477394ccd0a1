"""Facts about a schema that only the specification's prose states: entries of ``overrides.toml``, each with its reason.

An entry that matches nothing in a bundled revision for which it holds is an error, so no entry outlives its purpose.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar, cast, get_args

from attrs import NOTHING, fields, frozen

from mcp_bindgen.errors import OverrideError
from mcp_bindgen.ir.protocol import Side
from mcp_bindgen.revision_range import RevisionRange

Party = Literal["receiver", "sender"]
Receivers = Literal["both", "client", "server", "nobody"]


@frozen(kw_only=True)
class Entry:
    """The common part of all entries: the reason, the place in the specification, and the revisions."""

    reason: str
    source: str
    since: str | None = None
    """The first revision for which the entry holds; None for the first that there is."""
    until: str | None = None
    """The last one; None if the entry still holds."""

    def __attrs_post_init__(self) -> None:
        """Raise ``ValueError`` if ``since`` and ``until`` are no range."""
        RevisionRange(self.since, self.until)

    @property
    def revisions(self) -> RevisionRange:
        """The revisions for which the entry holds."""
        return RevisionRange(self.since, self.until)

    @property
    def subject(self) -> str:
        """The name that the entry is about."""
        own = [each.name for each in fields(type(self)) if each.name not in _COMMON]
        return str(getattr(self, own[0]))


_COMMON = frozenset(each.name for each in fields(Entry))


@frozen(kw_only=True)
class Float(Entry):
    """Numbers in the text of this property (``Type.property``) or alias are floats."""

    site: str


@frozen(kw_only=True)
class Nullable(Entry):
    """Decoding accepts null for this property, too."""

    field: str


@frozen(kw_only=True)
class Absence(Entry):
    """Meaning of the absence of a required property for receivers, and the default of the constructor.

    It applies to types that inherit the property, unless a nearer type has an entry of its own.
    """

    field: str
    tolerated: bool
    default: str | int | None = None
    required_of: Receivers = "both"
    """The receivers that the specification requires to tolerate it; decoding does so for both."""

    @property
    def tolerant(self) -> tuple[Side, ...]:
        """``required_of`` as a tuple of sides; empty if absence is not tolerated."""
        if not self.tolerated:
            return ()
        return tuple(side for side in ("client", "server") if self.required_of in {side, "both"})


@frozen(kw_only=True)
class Raw(Entry):
    """The property is validated and kept as JSON, since the message does not determine its type."""

    field: str


@frozen(kw_only=True)
class Undecided(Entry):
    """The members of this union cannot be distinguished; ``look_at`` names what decides instead."""

    union: str
    look_at: str


@frozen(kw_only=True)
class Discriminator(Entry):
    """In a union with ``member``, ``key`` decides: ``value`` means the member; ``otherwise`` or absence the others."""

    member: str
    key: str
    value: str
    otherwise: str


@frozen(kw_only=True)
class Capability(Entry):
    """The capability that ``method`` requires, and the side that declares it."""

    method: str
    capability: str
    of: Party


@frozen(kw_only=True)
class Requested(Entry):
    """``notification`` is sent only if the receiver requests it by a method or a property (``Type.property``)."""

    notification: str
    by: str
    when: str
    """The condition in words."""


@frozen(kw_only=True)
class AdditionalResult(Entry):
    """A request whose params extend ``params`` may be answered with ``result`` too."""

    params: str
    result: str


@frozen(kw_only=True)
class Result(Entry):
    """The results of a request whose interface does not name them."""

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
    "requested": Requested,
    "additional_result": AdditionalResult,
    "result": Result,
}
"""The tables of the file: ``[[float]]`` …"""

Kind = TypeVar("Kind", bound=Entry)


@frozen
class Overrides:
    """The entries of one file."""

    entries: tuple[Entry, ...] = ()
    source: str = "overrides.toml"

    @classmethod
    def parse(cls, text: str, source: str = "overrides.toml") -> Overrides:
        """Read the text of a file; raise ``OverrideError`` with the faulty entry."""
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message = f"{source}: {error}"
            raise OverrideError(message) from None
        return cls(tuple(_entries(tables, source)), source)

    @classmethod
    def bundled(cls) -> Overrides:
        """Return the overrides of the bundled revisions."""
        return _bundled()


@cache
def _bundled() -> Overrides:
    return Overrides.parse((files("mcp_bindgen.resolve") / "overrides.toml").read_text("utf-8"))


def _entries(tables: Mapping[str, object], source: str) -> Iterator[Entry]:
    for kind, rows in tables.items():
        if kind not in _KINDS or not isinstance(rows, list):
            message = f"{source}: unknown override [[{kind}]]; use one of {', '.join(_KINDS)}"
            raise OverrideError(message)
        for place, row in enumerate(cast("list[object]", rows), 1):
            try:
                yield _entry(_KINDS[kind], row)
            except ValueError as error:
                message = f"{source}: [[{kind}]], entry {place}: {error}"
                raise OverrideError(message) from None


def _entry(kind: type[Entry], row: object) -> Entry:
    """Return the entry of one table; raise ``ValueError`` for an invalid one."""
    values = cast("dict[str, object]", row) if isinstance(row, dict) else {}
    known = {each.name: each for each in fields(kind)}
    problem = next((f"unknown key {key!r}; use one of {', '.join(known)}" for key in values if key not in known), None)
    problem = problem or next(
        (f"{key} is missing" for key, each in known.items() if key not in values and each.default is NOTHING), None
    )
    if problem:
        raise ValueError(problem)
    read = {key: _READERS[str(known[key].type)](value) for key, value in values.items()}
    for key, value in read.items():
        if value is None:
            message = f"{key} must be {known[key].type}, got {values[key]!r}"
            raise ValueError(message)
    return kind(**read)  # type: ignore[arg-type]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _value(value: object) -> str | int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _texts(value: object) -> tuple[str, ...] | None:
    texts = [_text(each) for each in cast("list[object]", value)] if isinstance(value, list) else []
    return tuple(each for each in texts if each is not None) if texts and None not in texts else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _party(value: object) -> str | None:
    return value if isinstance(value, str) and value in {"receiver", "sender"} else None


def _receivers(value: object) -> str | None:
    return value if isinstance(value, str) and value in get_args(Receivers) else None


_READERS: Mapping[str, Callable[[object], object]] = {
    "str": _text,
    "str | None": _text,
    "str | int | None": _value,
    "tuple[str, ...]": _texts,
    "bool": _flag,
    "Party": _party,
    "Receivers": _receivers,
}
"""Readers by the annotation of an attribute."""


class Applied:
    """The overrides of one schema while it is resolved: which entries there are, and which were used.

    ``base`` is the bundled revision whose prose holds for the schema: its entries apply. Without one all entries apply
    wherever their names match.
    """

    def __init__(self, overrides: Overrides, revision: str, base: str | None = None) -> None:
        self._source = overrides.source
        self._revision = revision
        self._base = base
        self._entries = [entry for entry in overrides.entries if base is None or base in entry.revisions]
        self._by_subject: dict[tuple[type[Entry], str], Entry] = {}
        for entry in self._entries:
            self._by_subject.setdefault((type(entry), entry.subject), entry)
        self._used: set[int] = set()

    def all(self, kind: type[Kind]) -> list[Kind]:
        """Return the entries of a kind, in the order of the file."""
        return [entry for entry in self._entries if isinstance(entry, kind)]

    def about(self, kind: type[Kind], subject: str) -> Kind | None:
        """Return the entry of a kind about a subject, or None, and mark it as used."""
        found = self._by_subject.get((kind, subject))
        if found is not None:
            self.use(found)
        return cast("Kind | None", found)

    def use(self, entry: Entry) -> None:
        """Mark an entry as used."""
        self._used.add(id(entry))

    def check(self) -> None:
        """Raise ``OverrideError`` for entries that hold for this revision and matched nothing in it."""
        if self._base != self._revision:
            return
        idle = [entry for entry in self._entries if id(entry) not in self._used]
        if idle:
            listed = "".join(f"\n    [[{_kind(entry)}]] {entry.subject}" for entry in idle)
            message = (
                f"{self._source}: these entries match nothing in {self._revision}; "
                f"set `until` to the last revision for which each holds:{listed}"
            )
            raise OverrideError(message)


def _kind(entry: Entry) -> str:
    return next(name for name, kind in _KINDS.items() if isinstance(entry, kind))
