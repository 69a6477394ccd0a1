"""Conversion of a recording: responses are paired with their requests, and the client of ``initialize`` is remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mcp_bindings import bridge
from mcp_bindings_runtime.binding import OTHER_SIDE

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.validate.detection import named_revision
from mcp_bindgen.validate.entries import Entry, Json, Side
from mcp_bindgen.validate.findings import Place
from mcp_bindgen.validate.limits import Limits
from mcp_bindgen.validate.requests import OpenRequest, OpenRequests


class ConvertedEntry(NamedTuple):
    """The result for one entry of a recording."""

    lines: list[Json]
    """The messages, each in an object with its direction if the recording names the sender."""
    ledger: list[dict[str, Json]]
    """The entries of the ledger, with the line of the recording."""


class RecordingConverter:
    """Conversion from one revision to another; raise ``BindgenError`` for an unknown one."""

    def __init__(self, source: str, target: str, *, strict: bool = False) -> None:
        for revision, option in ((source, "--from"), (target, "--to")):
            if revision not in bridge.REVISIONS:
                raise catalog.unknown_revision(revision, option)
        self._source, self._target, self._strict = source, target, strict
        self._conversations: dict[str | None, _Conversation] = {}
        self.read = 0
        """Number of messages and batches read."""
        self.written = 0
        """Number of messages and batches converted."""
        self.actions: Counter[str] = Counter()
        """Number of entries of the ledger by action."""

    @property
    def has_losses(self) -> bool:
        """Whether content was lost."""
        return bool(self.actions["dropped"] or self.actions["refused"])

    def warnings(self) -> Iterator[str]:
        """Yield a warning for each conversation that names another revision than the given one."""
        for each in self._conversations.values():
            if each.named is not None and each.named[1] != self._source:
                place, revision = each.named
                yield f"{place}: the conversation names {revision}, but --from is {self._source}"

    def convert(self, entry: Entry) -> ConvertedEntry:
        """Convert the next entry."""
        conversation = self._conversations.setdefault(entry.conversation, _Conversation())
        methods = conversation.methods(entry)
        try:
            found = bridge.convert(
                entry.value,
                to=self._target,
                from_=self._source,
                answers=methods,
                sender=entry.sender,
                client_info=conversation.client_info,
                client_capabilities=conversation.client_capabilities,
                strict=self._strict,
            )
        except RecursionError:
            message = f"{entry.place}: the message is nested too deeply"
            raise BindgenError(message) from None
        conversation.add(entry)
        conversation.read_revision(entry, methods)
        self.read += 1
        self.written += len(found.messages)
        self.actions.update(each.action for each in found.ledger)
        lines = [_line(entry, message) for message in found.messages]
        return ConvertedEntry(lines, [{"line": entry.place.line, **each._asdict()} for each in found.ledger])


class _Conversation:
    """State of one conversation: open requests, and the client."""

    def __init__(self) -> None:
        self._open = OpenRequests(Limits())
        self.client_info: dict[str, Any] | None = None
        self.client_capabilities: dict[str, Any] | None = None
        self.named: tuple[Place, Json] | None = None
        """The place of the message that names the revision, and the revision: the one agreed on, or else the one offered."""

    def methods(self, entry: Entry) -> dict[str | int, str]:
        """Return the methods of the requests that the responses of an entry answer, by id; close these requests."""
        methods: dict[str | int, str] = {}
        for message in _messages(entry.value):
            number = message.get("id")
            found = self._open.answered_by(number, entry.sender) if "method" not in message else []
            if found and isinstance(number, str | int):
                methods[number] = found[0].method
                self._open.close(number, found[0])
        return methods

    def read_revision(self, entry: Entry, methods: Mapping[str | int, str]) -> None:
        """Remember the revision that an entry names; ``methods`` are those that its responses answer, by id."""
        for message in _messages(entry.value):
            number = message.get("id")
            named = named_revision(message, methods.get(number) if isinstance(number, str | int) else None)
            if named is not None and (named.agreed or self.named is None):
                self.named = entry.place, named.revision

    def add(self, entry: Entry) -> None:
        """Remember the requests of an entry."""
        for message in _messages(entry.value):
            method = message.get("method")
            number: Any = message.get("id")
            params: Any = message.get("params")
            if not isinstance(method, str) or number.__class__ not in {str, int}:
                continue
            self._open.add(number, OpenRequest(method, entry.sender, None))
            if method == "initialize" and params.__class__ is dict:
                self.client_info = _object(params.get("clientInfo"))
                self.client_capabilities = _object(params.get("capabilities"))


def _messages(value: Json) -> Iterator[dict[str, Any]]:
    yield from (each for each in (value if value.__class__ is list else [value]) if each.__class__ is dict)


def _object(value: Json) -> dict[str, Any] | None:
    return value if value.__class__ is dict else None


def _line(entry: Entry, message: Json) -> Json:
    around: dict[str, Json] = {}
    if entry.conversation is not None:
        around["session"] = entry.conversation
    sender: Side | None = entry.sender
    if sender is not None:
        around["direction"] = f"{sender}->{OTHER_SIDE[sender]}"
    return {**around, "message": message} if around else message
