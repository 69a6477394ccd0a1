"""Translation of typed messages between the revision of a program and that on the wire, for one connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from ..binding import OTHER_SIDE, Binding
from ..codec.unknown_content import read_result, unstructure_result
from ..errors import DecodeError, NotExpressible, UsageError
from ..installed_revisions import binding_of, bridge_package, facts_of
from ..jsonrpc import ErrorObject
from ..methods import NotificationMethod, RequestMethod, Side
from .bridge import Bridge
from .connection_ledger import ConnectionLedger
from .ledger import LedgerEntry
from .message_conversions import MessageConversions
from .object_converter import UNCONVERTED
from .replacements import REPLACEMENTS
from .step import Envelope, Inexpressible, Step
from .step_tables import Node, StepTables

QUESTIONS: Final = frozenset({"elicitation/create", "roots/list", "sampling/createMessage"})
"""Requests of servers: messages of their own in the handshake era, embedded in results in the stateless era."""
_CONNECTION_MEMBERS: Final = tuple(
    f"/{name}"
    for name in (
        "resultType",
        *(f"_meta/io.modelcontextprotocol~1{each}" for each in ("protocolVersion", "clientInfo", "clientCapabilities")),
        "_meta/io.modelcontextprotocol~1logLevel",
    )
)
"""Members of the stateless era whose content the other era keeps for the connection: nothing is lost without them."""
_NEW_META: Final = ("/params/_meta", "synthesised")
"""The place for those members, and what is done to it."""
_UNRECORDED: Final = (*_CONNECTION_MEMBERS, "/ttlMs", "/cacheScope")
"""Members of results without which nothing is lost if the results may not be cached."""
_UNRECORDED_MEMBERS: Final = frozenset(name.rpartition("/")[2].replace("~1", "/") for name in _CONNECTION_MEMBERS)
_TASK = ("the other era has no tasks of clients", "basic/utilities/tasks")
_INVALID = ("its conversion does not match the schema: {}", "schema")


class Hop(NamedTuple):
    """A step between two neighbouring revisions."""

    tables: StepTables
    changes_era: bool
    """Whether one of the revisions has a handshake and the other does not."""


@cache
def hops(source: str, target: str) -> tuple[Hop, ...]:
    """Return the steps from one revision to another; raise ``UsageError`` if there are none."""
    package = bridge_package()
    steps = Bridge(package.__name__, package.REVISIONS).steps(source, target)
    return tuple(Hop(each, _has_handshake(each.source) != _has_handshake(each.target)) for each in steps)


@cache
def _conversions(source: str, target: str, sender: Side) -> MessageConversions:
    """Return the conversions without steps for all connections between two revisions."""
    found = hops(source, target)
    before, after = binding_of(source), binding_of(target)
    if before is None or after is None:
        text = f"there are no bindings of {source} or {target}"
        raise UsageError(text)
    return MessageConversions(
        before,
        after,
        [each.tables for each in found],
        sender,
        excluded=QUESTIONS if any(each.changes_era for each in found) else (),
        unrecorded=_UNRECORDED_MEMBERS,
    )


def _has_handshake(revision: str) -> bool:
    facts = facts_of(revision)
    return facts is None or facts.handshake


class Translator:
    """Converts typed objects of ``source`` into those of ``target``, in one direction of one connection.

    ``sender`` is the side that sends the requests and notifications of this direction; the results are those of the
    requests of the other side. Every method raises `NotExpressible` for what the target has no form for, adds the
    differences to ``ledger``, and leaves the original as it is. ``client_info`` and ``client_capabilities`` are JSON
    values for requests of the stateless era, which repeat them.
    """

    def __init__(
        self,
        source: Binding,
        target: Binding,
        sender: Side,
        ledger: ConnectionLedger,
        *,
        client_info: Mapping[str, Any] | None = None,
        client_capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.source = source
        self.target = target
        self.ledger = ledger
        self._sender: Side = sender
        self._direction = f"{sender}->{OTHER_SIDE[sender]}"
        self._hops = hops(source.revision, target.revision)
        self._conversions = _conversions(source.revision, target.revision, sender)
        self.adds_meta = source.era == "handshake" and target.era == "stateless"
        """Whether requests of the target repeat what requests of the source leave to the session."""
        self.drops_meta = source.era == "stateless" and target.era == "handshake"
        """Whether it is the other way round; then params need not have ``_meta``."""
        self._meta: Any = None
        """The ``_meta`` that requests of the stateless era repeat; None until there was one."""
        info = None if client_info is None else dict(client_info)
        self._placeholders = {"$client_info": info, "$client_capabilities": dict(client_capabilities or {})}

    def for_client(
        self, client_info: Mapping[str, Any] | None, client_capabilities: Mapping[str, Any] | None
    ) -> Translator:
        """Return a translator for the same connection that knows the client, as JSON of the target."""
        source, target, sender, ledger = self.source, self.target, self._sender, self.ledger
        return Translator(
            source, target, sender, ledger, client_info=client_info, client_capabilities=client_capabilities
        )

    def with_ledger(self, ledger: ConnectionLedger) -> Translator:
        """Return the same translator with another ledger."""
        made = Translator.__new__(Translator)
        made.__dict__.update(self.__dict__)
        made.ledger = ledger
        return made

    def request(
        self, key: RequestMethod[Any, Any], params: Any, request_id: Any = 0
    ) -> tuple[RequestMethod[Any, Any], Any]:
        """Return the key and the params of a request in the target. ``request_id`` is for the ledger."""
        by_class = self._conversions.requests[key.name]
        if by_class is None:
            return self.request_by_steps(key, params, request_id)
        try:
            made = by_class[params.__class__](params)
        except UNCONVERTED:
            # The steps record what differs.
            return self.request_by_steps(key, params, request_id)
        if self.adds_meta and made.meta is None:
            if self._meta is None:
                found = self.request_by_steps(key, params, request_id)
                self._meta = found[1].meta.__replace__()
                return found
            made.meta = self._meta.__replace__()
        return self.target.requests[key.name], made

    def request_by_steps(
        self, key: RequestMethod[Any, Any], params: Any, request_id: Any = 0
    ) -> tuple[RequestMethod[Any, Any], Any]:
        """Return the same as ``request``, for all values."""
        source, target = self.source, self.target
        target_key = target.requests.get(key.name)
        if self.drops_meta and not key.embedded and params is not None and params.meta is None:
            params = params.__replace__(meta=self._least_meta())
        message = key.message(params=params) if key.embedded else key.message(id=0, params=params)
        value = source.codec.unstructure(message)
        # Requests that only one era embeds have an id in the other.
        value |= {"jsonrpc": "2.0", "id": 0}
        if self.drops_meta and not key.embedded:
            value["params"] = _without_session_meta(value["params"])

        def node_of(tables: StepTables) -> Node:
            return tables.methods.get(f"{key.name} from {self._sender}") or tables.methods.get(key.name)

        value = self._convert(value, node_of, key.name, request_id)
        if target_key is None:
            raise self._refusal(key.name, f"{target.revision} has no such request", "schema", request_id)
        if target_key.embedded:
            value = {name: part for name, part in value.items() if name not in {"jsonrpc", "id"}}
        return target_key, self._typed(value, target_key.message, key.name).params

    def result(self, key: RequestMethod[Any, Any], result: Any, request_id: Any = 0) -> Any:
        """Return the result of a request of the other side in the target; ``key`` is of either revision."""
        by_class = self._conversions.results[key.name]
        if by_class is not None:
            try:
                return by_class[result.__class__](result)
            except UNCONVERTED:
                pass
        return self.result_by_steps(key, result, request_id)

    def result_by_steps(self, key: RequestMethod[Any, Any], result: Any, request_id: Any = 0) -> Any:
        """Return the same as ``result``, for all values."""
        value = self._convert(
            unstructure_result(self.source, result), lambda tables: tables.results.get(key.name), key.name, request_id
        )
        target_key = self.target.requests.get(key.name)
        if target_key is None:
            raise self._refusal(key.name, f"{self.target.revision} has no such request", "schema", request_id)
        try:
            return read_result(self.target.codec, target_key, value)
        except DecodeError as error:
            raise self._invalid(key.name, error) from error

    def notification(
        self, key: NotificationMethod[Any], params: Any = None
    ) -> tuple[NotificationMethod[Any], Any] | None:
        """Return the key and the params of a notification in the target; None if the target does without it."""
        by_class = self._conversions.notifications[key.name]
        if by_class is not None:
            try:
                return self.target.notifications[key.name], by_class[params.__class__](params)
            except UNCONVERTED:
                pass
        return self.notification_by_steps(key, params)

    def notification_by_steps(
        self, key: NotificationMethod[Any], params: Any = None
    ) -> tuple[NotificationMethod[Any], Any] | None:
        """Return the same as ``notification``, for all values."""
        value = self.source.codec.unstructure(key.message(params=params))

        def node_of(tables: StepTables) -> Node:
            return tables.methods.get(f"{key.name} from {self._sender}") or tables.methods.get(key.name)

        target_key = self.target.notifications.get(key.name)
        try:
            value = self._convert(value, node_of, key.name, None)
        except NotExpressible:
            return None
        if target_key is None:
            return None
        return target_key, self._typed(value, target_key.message, key.name).params

    def capabilities(self, of: Side, value: Any) -> Any:
        """Return the capabilities of a side in the target."""
        types = self.target.types
        cls = types.ServerCapabilities if of == "server" else types.ClientCapabilities
        return self._value(value, cls, lambda tables: tables.capabilities.get(of))

    def implementation(self, value: Any) -> Any:
        """Return the ``Implementation`` of a side in the target; None stays None."""
        if value is None:
            return None

        def node_of(tables: StepTables) -> Node:
            return ("object", "Implementation") if "Implementation" in tables.objects else None

        return self._value(value, self.target.types.Implementation, node_of)

    def error(self, method: str, error: ErrorObject, request_id: Any = 0) -> ErrorObject:
        """Return the error that answers a request of the other side in the target."""
        found = {"code": error.code, "message": error.message}
        if error.data is not None:
            found["data"] = error.data
        response = {"jsonrpc": "2.0", "id": 0, "error": found}
        value = self._convert(response, lambda tables: tables.envelopes.get("error"), method, request_id)["error"]
        return ErrorObject(value["code"], value["message"], value.get("data"))

    def _least_meta(self) -> Any:
        """Return ``_meta`` of a request of the source without anything that the target would know."""
        types: Any = self.source.types
        capabilities = types.ClientCapabilities()
        return types.RequestMetaObject(protocol_version=self.source.revision, client_capabilities=capabilities)

    def _value(self, value: Any, cls: Any, node_of: Callable[[StepTables], Node]) -> Any:
        """Return a part of a message in the target."""
        return self._typed(self._convert(self.source.codec.unstructure(value), node_of, None, None), cls, cls.__name__)

    def _convert(self, value: Any, node_of: Callable[[StepTables], Node], method: str | None, request_id: Any) -> Any:
        """Return a JSON value after all steps, and add their differences to the ledger."""
        differences: list[LedgerEntry] = []
        unrecorded = _UNRECORDED if value.get("ttlMs") == 0 else _CONNECTION_MEMBERS
        envelope = Envelope(self._direction, method, request_id)
        for tables, changes_era in self._hops:
            crosses = changes_era and method in QUESTIONS
            node = None if crosses else node_of(tables)
            if crosses:
                value = self._cross(value, tables, str(method), request_id)
            if node is None:
                continue
            placeholders = {"$revision": tables.target, **self._placeholders}
            step = Step(tables, REPLACEMENTS, placeholders, envelope, differences, strict=False)
            try:
                value = step.convert(value, node, ())
            except Inexpressible as problem:
                step.note(problem.path, problem.action, problem.reason)
                self.ledger.add(differences[-1:])
                why, section = tables.reasons[problem.reason]
                raise NotExpressible(method or "the value", tables.target, why, section) from None
        if differences:
            self.ledger.add(
                [each for each in differences if not each.pointer.endswith(unrecorded) and each[3:5] != _NEW_META]
            )
        return value

    def _cross(self, value: dict[str, Any], tables: StepTables, method: str, request_id: Any) -> dict[str, Any]:
        """Return a question, or its answer, in the other era: its content is the same, its envelope is not."""
        params: Any = value.get("params")
        if params.__class__ is not dict:
            return value
        if "task" in params:
            raise self._refusal(method, *_TASK, request_id)
        is_page = method == "elicitation/create" and params.get("mode") == "url"
        if is_page and _has_handshake(tables.target) and "elicitationId" not in params:
            from secrets import token_urlsafe

            params = {**params, "elicitationId": token_urlsafe(16)}
            self._note(method, request_id, "/params/elicitationId", "synthesised", tables)
        return {**value, "params": params}

    def _note(self, method: str, request_id: Any, pointer: str, action: Any, tables: StepTables) -> None:
        why, section = "every elicitation by URL of the target has an id", "client/elicitation, URL Mode"
        step = f"{tables.source} -> {tables.target}"
        self.ledger.add([LedgerEntry(self._direction, method, request_id, pointer, action, why, section, step)])

    def _refusal(self, method: str, why: str, section: str, request_id: Any) -> NotExpressible:
        """Return the error for a message without a form in the target, after it was added to the ledger."""
        source, target = self.source.revision, self.target.revision
        step = f"{source} -> {target}"
        self.ledger.add([LedgerEntry(self._direction, method, request_id, "", "refused", why, section, step)])
        return NotExpressible(method, target, why, section)

    def _invalid(self, method: str, error: DecodeError) -> NotExpressible:
        why, section = _INVALID
        return self._refusal(method, why.format(error), section, None)

    def _typed(self, value: Any, cls: Any, method: str) -> Any:
        try:
            return self.target.codec.structure(value, cls)
        except DecodeError as error:
            raise self._invalid(method, error) from error


def _without_session_meta(params: dict[str, Any]) -> dict[str, Any]:
    """Return params without the members of ``_meta`` that the target leaves to the session; ``_meta`` is not left empty."""
    meta = {name: part for name, part in params["_meta"].items() if name not in _UNRECORDED_MEMBERS}
    rest = {name: part for name, part in params.items() if name != "_meta"}
    return {**rest, "_meta": meta} if meta else rest


class Translators(NamedTuple):
    """Both directions of one connection, with one ledger."""

    outward: Translator
    """From the revision of the program to that on the wire."""
    inward: Translator
    """From the revision on the wire to that of the program."""
    ledger: ConnectionLedger

    def for_request(self) -> Translators:
        """Return the translators of one request, whose ledger adds to this one."""
        whole = self.ledger
        ledger = ConnectionLedger(whole.revision, whole.peer_revision, quiet=True, whole=whole)
        return Translators(self.outward.with_ledger(ledger), self.inward.with_ledger(ledger), ledger)


def translators(own: Binding, wire: Binding, side: Side, *, quiet: bool = False) -> Translators:
    """Return the translators of one connection of a program that is the ``side`` of it.

    With ``quiet`` the revisions are not logged.
    """
    ledger = ConnectionLedger(own.revision, wire.revision, side=side, quiet=quiet)
    outward = Translator(own, wire, side, ledger)
    return Translators(outward, Translator(wire, own, OTHER_SIDE[side], ledger), ledger)
