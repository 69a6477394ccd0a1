"""A conversation checked against one revision: senders, pairs of request and response, and violations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from attrs import evolve
from mcp_bindings_runtime.binding import OTHER_SIDE
from mcp_bindings_runtime.codec.error_wording import NOTHING, describe, json_path

from mcp_bindgen import catalog
from mcp_bindgen.validate import bindings, constraints, fragments, packages
from mcp_bindgen.validate.bindings import Method
from mcp_bindgen.validate.entries import Entry, Json, Path, Side
from mcp_bindgen.validate.findings import Finding, Level
from mcp_bindgen.validate.message import Kind, Message
from mcp_bindgen.validate.options import Options
from mcp_bindgen.validate.requests import OpenRequest, OpenRequests
from mcp_bindgen.validate.rules import Conversation
from mcp_bindgen.validate.wording import finding, path_in_words

Counted: TypeAlias = Literal["request", "notification", "result", "error", "batch", "value", "unknown"]
"""Kind of an entry: a message of one of four kinds, a batch, a value of a type, or unknown."""

COUNTED: tuple[Counted, ...] = get_args(Counted)

_LONGEST_METHOD = 100
"""Maximum length of a method name that is remembered."""
_PROBES = frozenset({"initialize", "server/discover"})
"""Methods with which a client finds out the server's revisions, so that a server may receive that of another revision."""


class Session:
    """State of a conversation, and the checks that need it."""

    def __init__(self, revision: str, options: Options) -> None:
        self.bindings = bindings.load(revision)
        self.revision = packages.label(revision)
        self._package = revision
        self.counts: dict[Counted, int] = dict.fromkeys(COUNTED, 0)
        self._open = OpenRequests(options.limits)
        self._limits = options.limits
        self._conversation = self._rules(complete=options.complete) if options.rules else None
        self._words: dict[str, Side] = {}
        self._reported = 0

    def _rules(self, *, complete: bool = False) -> Conversation:
        return Conversation(self.bindings.rules, complete=complete, label=self.revision)

    def check(self, entry: Entry) -> Iterator[Finding]:
        """Yield the findings about the next entry."""
        try:
            yield from self._entry(entry)
        except RecursionError:
            yield self._finding(entry, (), "a value nested too deeply", "fewer levels", "depth")

    def end(self) -> Iterator[Finding]:
        """Yield the findings that are known only at the end."""
        if self._conversation is not None:
            yield from self._conversation.end()

    def answered_method(self, value: Json, sender: Side | None = None) -> str | None:
        """Return the method of the open request that a response would answer."""
        if value.__class__ is not dict:
            return None
        found = self._open.answered_by(value.get("id"), sender)
        return found[0].method if found else None

    def _entry(self, entry: Entry) -> Iterator[Finding]:
        value = entry.value
        if entry.type is not None:
            self.counts["value"] += 1
            yield from self._typed(entry, entry.type)
        elif entry.heading in self.bindings.types:
            assert entry.heading is not None
            yield from self._below_heading(entry, entry.heading)
        elif entry.alone and not entry.whole and not fragments.is_message(value):
            yield from self._fragment(entry)
        elif value.__class__ is list and self.bindings.batches:
            self.counts["batch"] += 1
            if not value:
                yield self._finding(entry, (), "an empty array", "at least one message")
            for index, item in enumerate(value):
                yield from self._message(entry, item, (index,))
        elif value.__class__ is list and fragments.is_message(value):
            self.counts["batch"] += 1
            having = [each for each in catalog.revisions() if bindings.load(each).batches]
            message = f"found a batch, but only {' and '.join(having)} has batches"
            yield self._report(entry, (), "batch", message)
        else:
            yield from self._message(entry, value, ())

    def _typed(self, entry: Entry, name: str) -> Iterator[Finding]:
        if name not in self.bindings.types:
            yield self._report(entry, (), "no-type", f"{self.revision} has no type {name}")
            return
        shape = self.bindings.shape(name)
        faults = self.bindings.violations(entry.value, shape)
        yield from (self._finding(entry, *fault) for fault in faults)
        yield from self._constraints(entry, entry.value, shape)

    def _below_heading(self, entry: Entry, name: str) -> Iterator[Finding]:
        """Check an example below a heading that names a type against that type, unless it clearly is of another type."""
        value = entry.value
        shape = self.bindings.shape(name)
        members = self.bindings.members(shape)
        is_other = value.__class__ is dict and members is not None and members.isdisjoint(value)
        if fragments.is_message(value):
            found = list(self._entry(evolve(entry, heading=None)))
            if members is not None and "jsonrpc" in members:
                # The type may require more than the method, and determine the type of a result.
                known = {(each.path, each.message) for each in found}
                faults = [self._finding(entry, *fault) for fault in self.bindings.violations(value, shape)]
                found = [each for each in found if each.code != "unchecked"]
                found += [each for each in faults if (each.path, each.message) not in known]
            yield from found
        elif is_other and fragments.match(value, self._package).parts:
            yield from self._fragment(entry)
        else:
            # An array shows several values of a type that is not an array.
            several = value.__class__ is list and not self.bindings.accepts_arrays(shape)
            items: list[tuple[Path, Json]] = [((place,), item) for place, item in enumerate(value)] if several else []
            for path, item in items or [((), value)]:
                self.counts["value"] += 1
                yield from (self._finding(entry, *fault) for fault in self.bindings.violations(item, shape, path))
                yield from self._constraints(entry, item, shape, path)

    def _fragment(self, entry: Entry) -> Iterator[Finding]:
        """Check a value of a document that is not a whole message."""
        match = fragments.match(entry.value, self._package)
        self.counts["value" if match.parts else "unknown"] += 1
        if not match.parts:
            yield self._report(entry, (), "unchecked", "not checked: matches no type of the protocol", "note")
            return
        for part in match.parts:
            faults = self.bindings.violations(part.value, part.shape, part.path)
            yield from (self._finding(entry, *fault) for fault in faults)
            yield from self._constraints(entry, part.value, part.shape, part.path)
        for path in match.undeclared:
            yield self._report(entry, path, "undeclared", "the schema does not declare it here", "note")

    def _message(self, entry: Entry, value: Json, path: Path) -> Iterator[Finding]:
        kind = bindings.explain_kind(value)
        if not isinstance(kind, str):
            self.counts["unknown"] += 1
            yield self._finding(entry, (*path, *kind.path), kind.found, kind.expected)
            return
        self.counts[kind] += 1
        if kind in {"request", "notification"}:
            yield from self._call(entry, value, path, kind)
        else:
            yield from self._response(entry, value, path, kind)

    def _call(self, entry: Entry, value: dict[str, Json], path: Path, kind: Kind) -> Iterator[Finding]:
        name: str = value["method"]
        method = self.bindings.method(kind, name)
        if method is None:
            yield from self._unknown(entry, path, kind, name)
        sender = self._sender(entry, method)
        if method is not None and sender is not None and sender not in method.sent_by:
            senders, found = " and ".join(method.sent_by), f"the {sender}"
            message = f"{name} must be sent by the {senders}, not by {found}"
            yield self._report(entry, (*path, "method"), "direction", message)
        shape = self.bindings.message_shape(kind, method)
        other = self.bindings.method("notification" if kind == "request" else "request", name)
        if method is not None or other is None:
            faults = self.bindings.violations(value, shape, path)
            yield from (self._finding(entry, *fault) for fault in faults)
            yield from self._constraints(entry, value, shape, path)
        yield from self._rule(entry, value, path, kind, name, sender)
        number = value.get("id")
        if kind == "request" and number.__class__ in {str, int} and not entry.alone:
            assert isinstance(number, str | int)
            self._open.add(number, OpenRequest(name[:_LONGEST_METHOD], sender, value if self._conversation else None))
            yield from self._forgotten(entry)

    def _unknown(self, entry: Entry, path: Path, kind: Kind, name: str) -> Iterator[Finding]:
        """Yield the finding for a method unknown to the revision, which may belong to an extension."""
        revision = self.revision
        if kind == "request" and name in self.bindings.notifications:
            yield self._report(entry, (*path, "id"), "id", f"found an id, expected none, as {name} is a notification")
        elif kind == "notification" and name in self.bindings.requests:
            yield self._report(entry, (*path, "id"), "missing", f"missing, expected an id, as {name} is a request")
        elif name in self.bindings.embedded:
            message = f"{name} is not a message in {revision}: it is part of a result that requests input"
            yield self._report(entry, (*path, "method"), "method", message)
        elif having := bindings.revisions_with(kind, name):
            span = having[0] if len(having) == 1 else f"{having[0]} to {having[-1]}"
            level: Level = "note" if name in _PROBES or not self.bindings.is_whole else "error"
            yield self._report(entry, (*path, "method"), "method", f"{name} exists only in {span}", level)
        else:
            near = bindings.nearest_method(self._package, kind, name) if len(name) <= _LONGEST_METHOD else None
            hint = f"; did you mean {near}?" if near else ""
            message = f"{describe(name)} is not a {kind} of the protocol{hint}"
            yield self._report(entry, (*path, "method"), "unknown-method", message, "note")

    def _response(self, entry: Entry, value: dict[str, Json], path: Path, kind: Kind) -> Iterator[Finding]:
        sender = self._sender(entry, None)
        request = self._answered(value, sender, kind)
        if request is not None and sender is None and request.sender is not None:
            sender = OTHER_SIDE[request.sender]
        shape = self.bindings.message_shape(kind, None)
        faults = self.bindings.violations(value, shape, path)
        yield from (self._finding(entry, *fault) for fault in faults)
        name = entry.request if request is None else request.method
        if request is None and name is not None and not fragments.may_answer(value.get("result"), name, self._package):
            # Ids repeat within a document.
            name = None
        if kind == "result" and not any(fault.path == (*path, "result") for fault in faults):
            yield from self._result(entry, value["result"], (*path, "result"), name)
        original = None if request is None else request.value
        yield from self._rule(entry, value, path, kind, name, sender, original)
        if request is not None:
            self._open.close(value["id"], request)

    def _result(self, entry: Entry, value: Json, path: Path, method: str | None) -> Iterator[Finding]:
        if method is None and entry.alone:
            match = fragments.match_result(value, self._package)
            for part in match.parts:
                place = (*path, *part.path)
                faults = self.bindings.violations(part.value, part.shape, place)
                yield from (self._finding(entry, *fault) for fault in faults)
                yield from self._constraints(entry, part.value, part.shape, place)
            if match.parts:
                return
        if method is None:
            message = "not checked: the request of this result is unknown"
            yield self._report(entry, path, "unchecked", message, "note")
        elif method in self.bindings.requests:
            faults = self.bindings.result_violations(value, method, path)
            yield from (self._finding(entry, *fault) for fault in faults)
            yield from self._constraints(entry, value, self.bindings.tables.results[method], path)
        else:
            message = f"not checked: no type describes the result of {describe(method)}"
            yield self._report(entry, path, "unchecked", message, "note")

    def _answered(self, value: dict[str, Json], sender: Side | None, kind: Kind) -> OpenRequest | None:
        """Return the request that a response answers; if both sides used its id, the one whose result fits better."""
        found = self._open.answered_by(value.get("id"), sender)
        if len(found) < 2 or kind == "error":
            return found[0] if found else None

        def faults(request: OpenRequest) -> int:
            if request.method not in self.bindings.requests:
                return 0
            return len(self.bindings.result_violations(value["result"], request.method))

        return min(found, key=faults)

    def _sender(self, entry: Entry, method: Method | None) -> Side | None:
        """Return the sender: named by the log or its word for the direction, or the only side that may send the method.

        A log has two such words; the first message that only one side may send shows which word means which side.
        """
        if entry.sender is not None:
            return entry.sender
        only: Side | None = method.sent_by[0] if method is not None and len(method.sent_by) == 1 else None
        if entry.word is None:
            return only
        if not self._words and only is not None:
            self._words[entry.word] = only
        elif len(self._words) == 1 and entry.word not in self._words:
            (known,) = self._words.values()
            self._words[entry.word] = OTHER_SIDE[known]
        known_by_word = self._words.get(entry.word)
        return only if known_by_word is None else known_by_word

    def _rule(
        self,
        entry: Entry,
        value: dict[str, Json],
        path: Path,
        kind: Kind,
        method: str | None,
        sender: Side | None,
        request: dict[str, Json] | None = None,
    ) -> Iterator[Finding]:
        """Yield the findings of the rules of the specification's prose about a message."""
        if self._conversation is None:
            return
        conversation = self._rules() if entry.alone else self._conversation
        at = json_path((*entry.inside, *path))
        # Only messages in a batch have a path.
        batch = bool(path)
        yield from conversation.check(
            Message(entry.place, self.revision, kind, value, at, sender, method, request, batch)
        )

    def _constraints(self, entry: Entry, value: Json, shape: object, path: Path = ()) -> Iterator[Finding]:
        for fault in constraints.check(value, shape, self.bindings.tables, path, examples=entry.alone):
            place = (*entry.inside, *fault.path)
            level: Level = "note" if fault.code == "placeholder" else "error"
            yield finding(entry.place, place, fault.found, fault.expected, self.revision, code=fault.code, level=level)

    def _forgotten(self, entry: Entry) -> Iterator[Finding]:
        if self._open.forgotten and not self._reported:
            self._reported = 1
            message = (
                f"more than {self._limits.open_requests} requests are unanswered; the oldest are no longer tracked"
            )
            yield self._report(entry, (), "open-requests", message, "note")

    def _finding(self, entry: Entry, path: Path, found: str, expected: str, code: str | None = None) -> Finding:
        at = (*entry.inside, *path)
        if found == NOTHING and not entry.omits.isdisjoint(path):
            # The document says that its examples omit it.
            return finding(entry.place, at, found, expected, self.revision, code="elided", level="note")
        return finding(entry.place, at, found, expected, self.revision, code=code)

    def _report(self, entry: Entry, path: Path, code: str, message: str, level: Level = "error") -> Finding:
        return Finding(entry.place, level, code, path_in_words((*entry.inside, *path)), message, self.revision)
