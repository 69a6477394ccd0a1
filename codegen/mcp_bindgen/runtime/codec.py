"""Decoding and encoding for one revision: its emitted functions put together with the walks that explain a fault.

Whole messages are told apart as JSON-RPC 2.0 does: ``method`` with ``id`` is a request, ``method`` alone a notification,
``result`` or ``error`` a response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .checks import ATOMS, FAULTS, ByClass, Invalid, keys, opaque
from .errors import DecodeError, EncodeError, UsageError
from .jsontext import NotJson, parse, write

if TYPE_CHECKING:
    from .methods import NotificationMethod, RequestMethod, Side
    from .shapes import Shape, Shapes, Violation

Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
Decoders: TypeAlias = Mapping[Any, Callable[[Json], Any]]
Results: TypeAlias = "Mapping[str | int, RequestMethod[Any, Any]]"
Finder: TypeAlias = "Callable[[Shapes, list[Violation]], Any]"


class Lenient(NamedTuple):
    """What lenient decoding gives: the value, of which faulty parts are still JSON, and all that is wrong with it."""

    value: Any
    violations: Sequence[DecodeError]


class Envelopes(NamedTuple):
    """The classes of messages that no method of the revision claims; None where the schema has no such class."""

    request: type | None
    notification: type | None
    response: type | None
    error: type | None


class Tables(NamedTuple):
    """The emitted functions of one revision."""

    types: Decoders
    """By class, and by alias where that is a type of its own."""
    results: Decoders
    """By the name of the request."""
    values: ByClass


class Codec:
    """One revision's ``structure``, ``unstructure``, ``decode``, ``encode`` and ``decode_result``."""

    def __init__(
        self,
        *,
        revision: str,
        batches: bool,
        tables: Tables,
        envelopes: Envelopes,
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
        shapes: Callable[[], Shapes],
        result_shapes: Callable[[], Mapping[str, Shape]],
        alias_names: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._revision = revision
        self._batches = batches
        self._tables = tables
        self._envelopes = envelopes
        self._requests = requests
        self._notifications = notifications
        self._shapes = shapes
        self._result_shapes = result_shapes
        self._alias_names = alias_names
        self._by_method: dict[tuple[str | None, str, str], type | None] = {}
        for request in requests.values():
            if not request.embedded:
                self._enter("request", request.name, request.message, request.sent_by)
        for notification in notifications.values():
            self._enter("notification", notification.name, notification.message, notification.sent_by)

    def _enter(self, kind: str, name: str, message: type, sent_by: tuple[Side, ...]) -> None:
        for sender in (None, *sent_by):
            self._by_method[sender, kind, name] = message

    def knows(self, kind: Any) -> bool:
        """Whether ``kind`` is a class or an alias of the revision."""
        try:
            return kind in self._tables.types
        except TypeError:
            return False

    def structure(self, data: Json, kind: Any) -> Any:
        """The typed value of ``kind``; raises DecodeError."""
        try:
            return self._tables.types[kind](data)
        except FAULTS as cause:
            shape = self._shape_of(kind)
            raise self._fault(cause, lambda shapes, faults: shapes.read(data, shape, (), faults)) from None

    def unstructure(self, value: Any) -> Json:
        """The JSON of an object of the revision, or of lists and dicts of them; raises EncodeError."""
        try:
            return self._write(value)
        except FAULTS as cause:
            raise self._unwritable(cause, value, lambda: self._shapes().write_any(value, ())) from None

    def _write(self, value: Any) -> Json:
        cls = value.__class__
        if cls is list:
            return [self._write(item) for item in value]
        if cls is dict:
            keys(value)
            return {key: self._write(item) for key, item in value.items()}
        if cls in ATOMS or cls is float:
            opaque(value)
            return value
        return self._tables.values[cls](value)

    def decode(self, data: bytes | str, *, sender: str | None, results: Results | None, mode: str) -> Any:
        """The message that a JSON text holds; raises DecodeError in strict mode."""
        if sender not in _SENDERS:
            message = f"sender is {sender!r}; accepted are 'client', 'server' and None"
            raise UsageError(message)
        try:
            value = parse(data)
        except NotJson as fault:
            error = DecodeError((), str(fault), "a JSON text", self._revision)
            if mode == "lenient":
                return Lenient(data, [error])
            raise error from None
        if mode == "lenient":
            faults: list[Violation] = []
            try:
                made = self._explain_any(self._shapes(), value, sender, results, faults)
            except RecursionError:
                return Lenient(value, [DecodeError((), *_TOO_DEEP, self._revision)])
            return Lenient(made, [DecodeError(*fault, self._revision) for fault in faults])
        if mode != "strict":
            message = f"mode is {mode!r}; accepted are 'strict' and 'lenient'"
            raise UsageError(message)
        try:
            if value.__class__ is list and self._batches and value:
                return [self._message(item, sender, results) for item in value]
            return self._message(value, sender, results)
        except FAULTS as cause:

            def find(shapes: Shapes, faults: list[Violation]) -> Any:
                return self._explain_any(shapes, value, sender, results, faults)

            raise self._fault(cause, find) from None

    def _message(self, value: Json, sender: str | None, results: Results | None) -> Any:
        if value.__class__ is not dict:
            raise Invalid
        if "method" in value:
            return self._tables.types[self._class_of(value, sender)](value)
        if ("result" in value) is ("error" in value):
            raise Invalid
        if "error" in value:
            return self._tables.types[self._envelopes.error](value)
        response = self._tables.types[self._envelopes.response](value)
        if results is not None:
            key = results.get(response.id)
            if key is not None:
                response.result = self._tables.results[key.name](response.result)
        return response

    def _class_of(self, value: JsonObject, sender: str | None) -> type:
        """The class of a request or notification: that of its method, or the envelope for an unknown method."""
        kind, other = ("request", "notification") if "id" in value else ("notification", "request")
        method = value["method"]
        cls = self._by_method.get((sender, kind, method))
        if cls is None:
            if (sender, other, method) in self._by_method:
                raise Invalid
            cls = self._envelopes.request if kind == "request" else self._envelopes.notification
            if cls is None:
                raise Invalid
        return cls

    def encode(self, message: Any) -> bytes:
        """One line of JSON in UTF-8; raises EncodeError."""
        table = self._tables.values
        try:
            if message.__class__ is list:
                return write([table[item.__class__](item) for item in message])
            return write(table[message.__class__](message))
        except (*FAULTS, ValueError) as cause:
            raise self._unwritable(cause, message, lambda: self._unsendable(message)) from None

    def _unsendable(self, message: Any) -> Violation | None:
        """The first thing that keeps a message, or a list of them, from being sent."""
        shapes = self._shapes()
        if message.__class__ is not list:
            return shapes.write_message(message, ())
        found = (shapes.write_message(message[place], (place,)) for place in range(len(message)))
        return next((fault for fault in found if fault), None)

    def decode_result(self, key: RequestMethod[Any, Any], value: Json) -> Any:
        """The typed result of a request; raises DecodeError."""
        if key.name not in self._tables.results:
            message = f"{key.name!r} is no request of {self._revision}"
            raise UsageError(message)
        try:
            return self._tables.results[key.name](value)
        except FAULTS as cause:
            shape = self._result_shapes()[key.name]
            raise self._fault(cause, lambda shapes, faults: shapes.read(value, shape, (), faults)) from None

    def _shape_of(self, kind: Any) -> Shape:
        if not self.knows(kind):
            message = f"{kind!r} is no type of {self._revision}"
            raise UsageError(message)
        for name, alias in self._alias_names().items():
            if alias == kind:
                return ("alias", name)
        return ("class", kind.__name__)

    def _fault(self, cause: Exception, find: Finder) -> Exception:
        """The first thing that ``find`` finds."""
        faults: list[Violation] = []
        try:
            find(self._shapes(), faults)
        except RecursionError as deeper:
            cause = deeper
        if faults:
            return DecodeError(*faults[0], self._revision)
        if isinstance(cause, RecursionError):
            return DecodeError((), *_TOO_DEEP, self._revision)
        message = "the emitted decoder refuses what the tables accept; please report this"
        return AssertionError(message)

    def _unwritable(self, cause: Exception, value: Any, find: Callable[[], Violation | None]) -> Exception:
        try:
            fault = find()
        except RecursionError as deeper:
            cause, fault = deeper, None
        if fault is None and isinstance(cause, RecursionError):
            return EncodeError((), *_TOO_DEEP, self._revision)
        if fault is None:
            message = (
                f"the emitted encoder refuses what the tables accept, {value.__class__.__name__}; please report this"
            )
            return AssertionError(message)
        return EncodeError(*fault, self._revision)

    def _explain_any(
        self, shapes: Shapes, value: Json, sender: str | None, results: Results | None, faults: list[Violation]
    ) -> Any:
        if value.__class__ is list and self._batches:
            if not value:
                _note(faults, (), "an empty array", "at least one message")
            return [self._explain(shapes, item, (place,), sender, results, faults) for place, item in enumerate(value)]
        return self._explain(shapes, value, (), sender, results, faults)

    def _explain(
        self,
        shapes: Shapes,
        value: Json,
        path: tuple[str | int, ...],
        sender: str | None,
        results: Results | None,
        faults: list[Violation],
    ) -> Any:
        """The slow twin of ``_message``: the same decisions, and what is wrong instead of that something is."""
        from .shapes import describe

        if value.__class__ is not dict:
            _note(faults, path, describe(value), "an object")
            return value
        if "method" in value:
            return self._explain_call(shapes, value, path, sender, faults)
        if "result" in value and "error" in value:
            _note(faults, path, "both result and error", "one of them")
            return value
        if "result" not in value and "error" not in value:
            _note(faults, path, "neither method nor result nor error", "one of them")
            return value
        cls = self._envelopes.error if "error" in value else self._envelopes.response
        if cls is None:
            _note(faults, path, "a response", "a request or a notification")
            return value
        made = shapes.read(value, ("class", cls.__name__), path, faults)
        key = None
        if results is not None and "result" in value and made.id.__class__ in (str, int):
            key = results.get(made.id)
        if key is not None:
            made.result = shapes.read(value["result"], self._result_shapes()[key.name], (*path, "result"), faults)
        return made

    def _explain_call(
        self,
        shapes: Shapes,
        value: JsonObject,
        path: tuple[str | int, ...],
        sender: str | None,
        faults: list[Violation],
    ) -> Any:
        from .shapes import describe

        method = value["method"]
        if method.__class__ is not str:
            _note(faults, (*path, "method"), describe(method), "a string")
            return value
        try:
            cls = self._class_of(value, sender)
        except Invalid:
            if "id" in value:
                _note(faults, (*path, "id"), describe(value["id"]), f"no id, as {method} is a notification")
            else:
                _note(faults, (*path, "id"), "nothing", f"an id, as {method} is a request")
            return value
        return shapes.read(value, ("class", cls.__name__), path, faults)


_SENDERS = (None, "client", "server")
_TOO_DEEP = ("a value nested too deeply", "fewer levels")


def _note(faults: list[Violation], path: tuple[str | int, ...], found: str, expected: str) -> None:
    from .shapes import Violation

    faults.append(Violation(path, found, expected))
