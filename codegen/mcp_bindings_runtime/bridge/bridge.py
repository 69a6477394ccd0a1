"""Conversion between any two revisions: steps between neighbours, composed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias

from ..binding import OTHER_SIDE
from ..errors import UsageError
from ..methods import Side
from .ledger import LedgerEntry
from .replacements import REPLACEMENTS
from .step import Envelope, Inexpressible, Step
from .step_tables import Node, StepTables

Answers: TypeAlias = str | Mapping[str | int, str] | None
"""The method of the request that a response answers, or the methods of requests by id."""

_META_REVISION = "io.modelcontextprotocol/protocolVersion"
_JSON: Final = (dict, list, str, int, float, bool, type(None))
"""Classes of parsed JSON. An invalid message, such as a number, is converted to itself."""


class Converted(NamedTuple):
    """A converted message, and the ledger of the differences."""

    messages: tuple[Any, ...]
    """The converted messages: one; none if the message was refused or dropped; several if a batch was split."""
    ledger: tuple[LedgerEntry, ...]
    """The differences, in the order in which the steps found them."""

    @property
    def message(self) -> Any:
        """The converted message, or None if there is none. Raise ``UsageError`` if a batch was split."""
        if len(self.messages) > 1:
            text = f"the batch was split into {len(self.messages)} messages; use `messages`"
            raise UsageError(text)
        return self.messages[0] if self.messages else None


class ConvertedValue(NamedTuple):
    """A converted result or converted capabilities, and the ledger of the differences."""

    value: Any
    """None if the target cannot express it."""
    ledger: tuple[LedgerEntry, ...]


class Bridge:
    """All steps of a package: ``revisions`` are their revisions, oldest first; ``package`` holds their modules."""

    def __init__(self, package: str, revisions: Sequence[str]) -> None:
        self._package = package
        self.revisions = tuple(revisions)

    def convert(
        self,
        message: Any,
        to: str,
        from_: str | None,
        *,
        answers: Answers,
        sender: Side | None,
        client_info: Mapping[str, Any] | None,
        client_capabilities: Mapping[str, Any] | None,
        strict: bool,
    ) -> Converted:
        """Convert a message or a batch; see the emitted ``convert``."""
        if isinstance(message, str) and message.lstrip().startswith(("{", "[")):
            text = "a message must be parsed JSON, such as a dict, got a JSON text; pass json.loads(message)"
            raise UsageError(text)
        for each in message if message.__class__ is list else [message]:
            if not isinstance(each, _JSON):
                text = f"a message must be parsed JSON, such as a dict, got {each.__class__.__name__}"
                raise UsageError(text)
        source = from_ if from_ is not None else self.revision_of(message)
        ledger: list[LedgerEntry] = []
        waiting = [message]
        for tables in self.steps(source, to):
            placeholders = _placeholders(tables, client_info, client_capabilities)
            converted: list[Any] = []
            for each in waiting:
                converted += _message(each, tables, answers, sender, placeholders, ledger, strict=strict)
            waiting = converted
        if not waiting and message.__class__ is dict:
            # Other differences of a message that is not sent do not matter.
            del ledger[:-1]
        return Converted(tuple(waiting), tuple(ledger))

    def convert_value(
        self,
        value: Any,
        to: str,
        from_: str,
        node_of: Callable[[StepTables], Node],
        *,
        method: str | None,
        sender: Side | None,
        strict: bool,
    ) -> ConvertedValue:
        """Convert a value that is not a message; ``node_of`` selects its treatment."""
        ledger: list[LedgerEntry] = []
        for tables in self.steps(from_, to):
            envelope = Envelope(_direction(sender or _responder(tables, method)), method, None)
            step = Step(tables, REPLACEMENTS, _placeholders(tables, None, None), envelope, ledger, strict=strict)
            try:
                value = step.convert(value, node_of(tables), ())
            except Inexpressible as problem:
                step.note(problem.path, problem.action, problem.reason)
                return ConvertedValue(None, tuple(ledger[-1:]))
        return ConvertedValue(value, tuple(ledger))

    def revision_of(self, message: Any) -> str:
        """Return the revision that a message names; raise ``UsageError`` if it names none of the known ones."""
        params = _member(message, "params")
        named = _member(_member(params, "_meta"), _META_REVISION)
        if _member(message, "method") == "initialize":
            named = _member(params, "protocolVersion")
        if named not in self.revisions:
            text = f"the message names no known revision; pass `from_`, one of {', '.join(self.revisions)}"
            raise UsageError(text)
        return str(named)

    def steps(self, source: str, target: str) -> list[StepTables]:
        """Return the tables from one revision to another; raise ``UsageError`` if a revision has no step."""
        for revision in (source, target):
            if revision not in self.revisions:
                text = f"there is no step to or from {revision!r}; use one of {', '.join(self.revisions)}"
                raise UsageError(text)
        start, end = self.revisions.index(source), self.revisions.index(target)
        if start <= end:
            pairs = zip(self.revisions[start:end], self.revisions[start + 1 : end + 1], strict=True)
            return [self._module(older, newer).NEWER for older, newer in pairs]
        pairs = zip(self.revisions[end:start], self.revisions[end + 1 : start + 1], strict=True)
        return [self._module(older, newer).OLDER for older, newer in pairs][::-1]

    def _module(self, older: str, newer: str) -> Any:
        name = f"v{older}_to_v{newer}".replace("-", "_")
        return import_module(f"{self._package}.{name}")


def _message(
    message: Any,
    tables: StepTables,
    answers: Answers,
    sender: Side | None,
    placeholders: Mapping[str, Any],
    ledger: list[LedgerEntry],
    *,
    strict: bool,
) -> list[Any]:
    """Return the messages that a message or a batch becomes in one step."""
    if message.__class__ is list:
        parts = [
            part
            for each in message
            for part in _message(each, tables, answers, sender, placeholders, ledger, strict=strict)
        ]
        if tables.batches is None:
            return [parts] if parts else []
        step = Step(tables, REPLACEMENTS, placeholders, Envelope(_direction(sender), None, None), ledger, strict=strict)
        step.note((), "renamed", tables.batches)
        return parts
    if message.__class__ is not dict:
        return [message]
    nodes, method, sender = _treatment(message, tables, answers, sender)
    envelope = Envelope(_direction(sender), method, message.get("id"))
    step = Step(tables, REPLACEMENTS, placeholders, envelope, ledger, strict=strict)
    mark = len(ledger)
    try:
        for path, node in nodes:
            if path:
                message = {**message, path: step.convert(message[path], node, (path,))}
            else:
                message = step.convert(message, node, ())
    except Inexpressible as problem:
        del ledger[mark:]
        step.note(problem.path, problem.action, problem.reason)
        return []
    return [message]


def _treatment(
    message: dict[str, Any], tables: StepTables, answers: Answers, sender: Side | None
) -> tuple[list[tuple[str, Node]], str | None, Side | None]:
    """Return the nodes for a message, each with the member that it is for or an empty name; its method and sender."""
    method = message.get("method")
    if isinstance(method, str):
        kind = "request" if "id" in message else "notification"
        keys = (f"{method} from {sender}", method)
        node = next((tables.methods[key] for key in keys if key in tables.methods), tables.envelopes.get(kind))
        return [("", node)], method, sender or tables.senders.get(method)
    if answers is not None and not isinstance(answers, str):
        number: Any = message.get("id")
        # True is no id, though it equals 1.
        answers = answers.get(number) if number.__class__ in {str, int} else None
    sender = sender or _responder(tables, answers)
    result = tables.results.get(answers or "")
    if result is not None and result[0] == "refuse":
        # The target lacks the method.
        return [("", result)], answers, sender
    if "error" in message:
        return [("", tables.envelopes.get("error"))], answers, sender
    nodes = [("", tables.envelopes.get("response"))]
    if answers is not None and "result" in message:
        nodes.insert(0, ("result", result))
    return nodes, answers, sender


def _member(value: Any, name: str) -> Any:
    """Return a member of a JSON object; None if it is absent or the value is not an object."""
    return value.get(name) if value.__class__ is dict else None


def _placeholders(
    tables: StepTables, client_info: Mapping[str, Any] | None, client_capabilities: Mapping[str, Any] | None
) -> dict[str, Any]:
    info = None if client_info is None else dict(client_info)
    return {"$revision": tables.target, "$client_info": info, "$client_capabilities": dict(client_capabilities or {})}


def _responder(tables: StepTables, method: str | None) -> Side | None:
    """Return the side that answers requests of a method; None if both do or it is unknown."""
    requester = tables.senders.get(method or "")
    return None if requester is None else OTHER_SIDE[requester]


def _direction(sender: Side | None) -> str | None:
    return None if sender is None else f"{sender}->{OTHER_SIDE[sender]}"
