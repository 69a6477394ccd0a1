"""Detection of a conversation's revision: the one that its messages name, else the best match."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field, frozen
from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen import catalog
from mcp_bindgen.validate.entries import Entry, Json
from mcp_bindgen.validate.findings import Finding, Level, Place
from mcp_bindgen.validate.options import Options
from mcp_bindgen.validate.session import Session

META_KEY = "io.modelcontextprotocol/protocolVersion"
"""Key with which every request of 2026-07-28 and later names its revision."""


@frozen
class NamedRevision:
    """The revision that a message names."""

    revision: Json
    agreed: bool
    """Whether the revision is agreed on and not only offered."""


def named_revision(value: Json, method: str | None) -> NamedRevision | None:
    """Return the revision that a message names; ``method`` is that of the request which a response answers."""
    if value.__class__ is not dict:
        return None
    request_method = value.get("method")
    params, result = value.get("params"), value.get("result")
    if request_method.__class__ is str and params.__class__ is dict:
        if request_method == "initialize":
            return NamedRevision(params.get("protocolVersion"), agreed=False)
        meta = params.get("_meta")
        if meta.__class__ is dict and META_KEY in meta:
            # With server/discover a client only probes whether the server supports it.
            return NamedRevision(meta[META_KEY], agreed=request_method != "server/discover")
    if "method" in value or result.__class__ is not dict or "protocolVersion" not in result:
        return None
    if method == "initialize" or (method is None and "serverInfo" in result):
        return NamedRevision(result["protocolVersion"], agreed=True)
    return None


@define(eq=False)
class _Candidate:
    """A candidate revision with its findings."""

    session: Session
    findings: list[Finding] = field(factory=list[Finding])
    levels: dict[Level, int] = field(factory=lambda: {"error": 0, "rule": 0, "note": 0})

    def add(self, found: Iterator[Finding], most: int) -> None:
        for finding in found:
            self.levels[finding.level] += 1
            if len(self.findings) < most and finding.level != "note":
                self.findings.append(finding)

    @property
    def left_out(self) -> int:
        return self.levels["error"] + self.levels["rule"] - len(self.findings)


class Detection:
    """One conversation, checked against all revisions until a message names one."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._session: Session | None = None
        self._candidates: dict[str, _Candidate] = {}
        self._offered: Json = None
        self._first: Place | None = None
        self.sessions: list[Session] = []
        """Sessions whose findings count."""
        self.accepted: tuple[str, ...] | None = None
        """At the end, the revisions that accept everything, if no message named one."""
        self._start()

    def _start(self) -> None:
        self._session = None
        self._offered = None
        self._candidates = {name: _Candidate(Session(name, self._options)) for name in catalog.revisions()}

    def check(self, entry: Entry) -> Iterator[Finding]:
        """Yield the findings about the next entry; none while the revision is unknown."""
        self._first = self._first or entry.place
        if self._session is not None and (self._options.complete or not _starts(entry.value)):
            yield from self._session.check(entry)
            return
        if self._session is not None:
            yield from self._session.end()
            self._start()
        yield from self._read_revision(entry)
        if self._session is not None:
            yield from self._session.check(entry)
            return
        for candidate in self._candidates.values():
            candidate.add(candidate.session.check(entry), self._options.limits.undecided)

    def _read_revision(self, entry: Entry) -> Iterator[Finding]:
        """Set the revision if the entry names it."""
        if entry.type is not None:
            return
        some = next(iter(self._candidates.values())).session
        for value in entry.value if entry.value.__class__ is list else [entry.value]:
            named = named_revision(value, some.answered_method(value, entry.sender))
            if named is None:
                continue
            if not named.agreed:
                self._offered = named.revision
                if value.get("method") == "server/discover":
                    self._offered = None
            elif named.revision.__class__ is str and named.revision in self._candidates:
                yield from self._settle(named.revision)
                return
            else:
                message = f"the conversation agreed on {describe(named.revision)}, which is not a known revision"
                yield Finding(entry.place, "note", "revision", "$", message, None)

    def _settle(self, revision: str) -> Iterator[Finding]:
        chosen = self._candidates[revision]
        self._session = chosen.session
        self.sessions.append(chosen.session)
        self._candidates = {}
        yield from chosen.findings
        if chosen.left_out:
            assert self._first is not None
            message = f"{chosen.left_out} more findings before the revision was known; pass --version to see them"
            yield Finding(self._first, "error", "more", "$", message, revision)

    def end(self) -> Iterator[Finding]:
        """Yield the remaining findings at the end of the conversation."""
        if self._session is None and self._first is not None:
            for candidate in self._candidates.values():
                candidate.add(candidate.session.end(), self._options.limits.undecided)
            if self._offered.__class__ is str and self._offered in self._candidates:
                yield from self._settle(self._offered)
            else:
                yield from self._choose(self._first)
        elif self._session is not None:
            yield from self._session.end()

    def _choose(self, first: Place) -> Iterator[Finding]:
        """Yield which revisions accept everything, or the findings of the best match."""
        faults = {name: each.levels["error"] for name, each in self._candidates.items()}
        self.accepted = tuple(name for name, count in faults.items() if not count)
        if self.accepted:
            message = f"names no revision; accepted by {', '.join(self.accepted)}"
        else:
            counts = ", ".join(f"{count} by {name}" for name, count in faults.items())
            message = f"names no revision, and no revision accepts it; errors: {counts}"
        whole = Place(first.source)
        newest_first = sorted(self._candidates, reverse=True)
        yield Finding(whole, "note", "revision", "$", message, None)
        yield from self._settle(
            min(newest_first, key=lambda name: (faults[name], self._candidates[name].levels["rule"]))
        )


def _starts(value: Json) -> bool:
    """Return whether a message starts a session: clients reconnect and may then agree on another revision."""
    return bool(value.__class__ is dict and value.get("method") == "initialize" and "id" in value)
