"""Decoding and encoding for one revision: its emitted functions put together with the walks that explain a fault.

Whole messages are told apart as JSON-RPC 2.0 does: ``method`` with ``id`` is a request, ``method`` alone a notification,
``result`` or ``error`` a response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, overload

from ..errors import DecodeError, EncodeError, UsageError
from .checks import ATOMS, FAULTS, ByClass, Invalid, keys, opaque
from .json_text import STANDARD, Backend, NotJson
from .readers_by_method import ReadersByMethod

if TYPE_CHECKING:
    from cattrs import Converter

    from ..methods import NotificationMethod, RequestMethod, Side
    from .type_tables import Shape, Shapes, Violation

M = TypeVar("M")
R = TypeVar("R")
T = TypeVar("T")
Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
Decoders: TypeAlias = Mapping[Any, Callable[[Json], Any]]
Results: TypeAlias = "Mapping[str | int, RequestMethod[Any, Any]]"
Finder: TypeAlias = "Callable[[Shapes, list[Violation]], Any]"


class Lenient(NamedTuple):
    """What lenient decoding gives: the value, of which faulty parts are still JSON, and all that is wrong with it.

    Nothing is lost: in ``extra`` lies what no attribute can hold, a wrong constant or a null where None means absent.
    """

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
    values: ByClass[Json]
    """From objects to JSON values."""
    texts: Callable[[], ByClass[str]]
    """From objects to JSON text; loaded when first asked for."""


def best_backend() -> Backend:
    """The fastest of those that are installed."""
    try:
        from .orjson_text import ORJSON
    except ImportError:
        return STANDARD
    return ORJSON


class _Late(dict[type, Callable[[Any], Any]]):
    """Functions that are loaded when the first of them is asked for."""

    def __init__(self, load: Callable[[], Mapping[type, Callable[[Any], Any]]]) -> None:
        super().__init__()
        self._load = load

    def __missing__(self, cls: type) -> Callable[[Any], Any]:
        return self._load()[cls]


class Codec(Generic[M]):
    """Decode and encode the messages and values of one revision; ``M`` is the union of its messages.

    A package's ``converter`` exports the public methods of its codec as functions.
    """

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
        self.revision = revision
        self.batches = batches
        self._tables = tables
        self.envelopes = envelopes
        self._shapes = shapes
        self.result_shapes = result_shapes
        self._alias_names = alias_names
        self._results = tables.results
        self._response: Callable[..., Any] = tables.types.get(envelopes.response, _none_such)
        # Plain tuples: to take a named one apart costs as much as all the rest of finding the function.
        self.methods = {sender: self._known(sender, requests, notifications) for sender in _SENDERS}
        self.use(best_backend())

    def _known(
        self,
        sender: Side | None,
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
    ) -> tuple[ReadersByMethod, ReadersByMethod]:
        """The requests and the notifications that one side may send."""
        types, envelopes = self._tables.types, self.envelopes
        asked, told = ReadersByMethod(types, envelopes.request), ReadersByMethod(types, envelopes.notification)
        asked.others, told.others = told, asked
        for request in requests.values():
            if not request.embedded and (sender is None or sender in request.sent_by):
                asked.add(request.name, request.message)
        for notification in notifications.values():
            if sender is None or sender in notification.sent_by:
                told.add(notification.name, notification.message)
        return asked, told

    def joined(
        self,
        other: Codec[Any],
        *,
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
        types: Decoders,
        results: Decoders,
        result_shapes: Callable[[Mapping[str, Shape]], Mapping[str, Shape]],
    ) -> Codec[Any]:
        """A codec for the messages of both. What both know is this one's, but for what ``types`` and ``results`` read."""
        ours, theirs = self._tables, other._tables
        return Codec(
            revision=self.revision,
            batches=self.batches,
            tables=Tables(
                types={**theirs.types, **ours.types, **types},
                results={**theirs.results, **ours.results, **results},
                values=ByClass({**theirs.values, **ours.values}),
                texts=lambda: ByClass({**theirs.texts(), **ours.texts()}),
            ),
            envelopes=self.envelopes,
            requests=requests,
            notifications=notifications,
            shapes=lambda: self._shapes().joined(other._shapes()),
            result_shapes=lambda: result_shapes({**other.result_shapes(), **self.result_shapes()}),
            alias_names=self._alias_names,
        )

    def reader(self, kind: Any) -> Callable[[Json], Any]:
        """The function that reads a type; it raises one of FAULTS."""
        return self._tables.types[kind]

    def reader_of_result(self, method: str) -> Callable[[Json], Any]:
        """The function that reads the results of a request; it raises one of FAULTS."""
        return self._tables.results[method]

    def use(self, backend: Backend) -> None:
        """Read and write JSON text with this; the best that is installed unless told otherwise."""
        self.parse = backend.parse
        if backend.write is None:
            self.made: Mapping[type, Callable[[Any], Any]] = _Late(self._load_texts)
            self.print: Callable[[Any], bytes] = str.encode
        else:
            self.made, self.print = self._tables.values, backend.write

    def _load_texts(self) -> ByClass[str]:
        texts = self.made = self._tables.texts()
        return texts

    def knows(self, kind: Any) -> bool:
        """Whether ``kind`` is a class or an alias of the revision."""
        try:
            return kind in self._tables.types
        except TypeError:
            return False

    @overload
    def structure(self, data: Json, kind: type[T]) -> T: ...
    @overload
    def structure(self, data: Json, kind: Any) -> Any: ...
    def structure(self, data: Json, kind: Any) -> Any:
        """Return the typed value of a JSON value: ``structure({"name": "add", …}, types.Tool)``.

        ``kind`` is a class or an alias of the revision, or a type made of them that cattrs knows how to read, such as
        ``list[types.Tool]``. Raise DecodeError with the place of what is wrong, and UsageError for a union whose
        members its values do not tell apart.
        """
        if not self.knows(kind):
            return self.get_converter().structure(data, kind)
        try:
            return self._tables.types[kind](data)
        except FAULTS as cause:
            shape = self._shape_of(kind)
            raise self._fault(cause, lambda shapes, faults: shapes.read(data, shape, (), faults)) from None

    def get_converter(self) -> Converter:
        """Return a new cattrs converter that reads and writes the types of the revision."""
        from .cattrs_hooks import make_converter

        return make_converter(self._tables.types, self)

    def unstructure(self, value: Any) -> Json:
        """Return the JSON value of an object of the revision, or of lists and dicts of them.

        Raise EncodeError with the place of what is wrong.
        """
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

    def decode_leniently(self, data: bytes | str, sender: Side | None, results: Results | None, mode: str) -> Lenient:
        """What can be made of a JSON text, and all that is wrong with it; raises UsageError for an unknown mode."""
        from .error_locator import explain_any

        self._check_sender(sender)
        if mode != "lenient":
            message = f"mode is {mode!r}; accepted are 'strict' and 'lenient'"
            raise UsageError(message)
        try:
            value = self.parse(data)
        except NotJson as fault:
            return Lenient(data, [DecodeError((), str(fault), "a JSON text", self.revision)])
        faults: list[Violation] = []
        try:
            made = explain_any(self, self._shapes(), value, sender, results, faults)
        except RecursionError:
            return Lenient(value, [DecodeError((), *_TOO_DEEP, self.revision)])
        return Lenient(made, [DecodeError(*fault, self.revision) for fault in faults])

    def refused(self, cause: Exception, value: Json, sender: Side | None, results: Results | None) -> Exception:
        """What to raise for a message that was not read; ``value`` is its JSON, unless it is none."""
        from .error_locator import explain_any

        self._check_sender(sender)
        if isinstance(cause, NotJson):
            return DecodeError((), str(cause), "a JSON text", self.revision)
        return self._fault(cause, lambda shapes, faults: explain_any(self, shapes, value, sender, results, faults))

    @overload
    def decode(
        self,
        data: bytes | str,
        *,
        sender: Side | None = None,
        results: Results | None = None,
        mode: Literal["strict"] = "strict",
    ) -> M: ...
    @overload
    def decode(
        self,
        data: bytes | str,
        *,
        sender: Side | None = None,
        results: Results | None = None,
        mode: Literal["lenient"],
    ) -> Lenient: ...
    def decode(
        self,
        data: bytes | str,
        *,
        sender: Side | None = None,
        results: Results | None = None,
        mode: Literal["strict", "lenient"] = "strict",
    ) -> Any:
        """Return the message in a JSON text (UTF-8 where it is bytes).

        ``sender`` limits methods to those that the side may send; others give the generic class. ``results`` maps ids
        of requests to their method keys, so that the result of a response gets its type; without it ``result`` stays
        JSON, and ``decode_result`` finishes it. Raise DecodeError for the first fault. With mode ``"lenient"`` raise
        none, but return the value, whose faulty parts stay JSON, together with all faults.
        """
        if mode != "strict":
            return self.decode_leniently(data, sender, results, mode)
        return self.read(data, sender, results)

    def encode(self, message: M) -> bytes:
        """Return a message as one line of JSON in UTF-8; raise EncodeError with the place of what is wrong."""
        try:
            cls: type = message.__class__
            if cls is list:
                return self.print_batch(message)
            return self.print(self.made[cls](message))
        except UNWRITABLE as cause:
            raise self.unsent(cause, message) from None

    def read(self, data: bytes | str, sender: Side | None, results: Results | None) -> Any:
        """Return the message in a JSON text, or the list of them, as ``decode`` does; raise DecodeError."""
        value = None
        try:
            value = self.parse(data)
            if value.__class__ is dict:
                return self.message(value, sender, results)
            return self.batch(value, sender, results)
        except UNREADABLE as cause:
            raise self.refused(cause, value, sender, results) from None

    def batch(self, value: Json, sender: Side | None, results: Results | None) -> list[Any]:
        """The messages of an array of them; raises one of FAULTS."""
        if value.__class__ is not list or not value or not self.batches:
            raise Invalid
        return [self.message(item, sender, results) for item in value]

    def _check_sender(self, sender: object) -> None:
        if sender not in _SENDERS:
            message = f"sender is {sender!r}; accepted are 'client', 'server' and None"
            raise UsageError(message)

    def message(self, value: JsonObject, sender: Side | None, results: Results | None) -> Any:
        """The message that an object is; raises one of FAULTS."""
        if "method" in value:
            requests, notifications = self.methods[sender]
            return (requests if "id" in value else notifications)[value["method"]](value)
        if "result" in value:
            if "error" in value:
                raise Invalid
            if results is not None:
                key = results.get(value["id"])
                if key is not None:
                    return self._response(value, self._results[key.name])
            return self._response(value)
        if "error" in value:
            return self._tables.types[self.envelopes.error](value)
        raise Invalid

    def print_batch(self, messages: Any) -> bytes:
        """A list of messages as an array; raises one of FAULTS or ValueError."""
        made = [self.made[message.__class__](message) for message in messages]
        return f"[{','.join(made)}]".encode() if self.print is str.encode else self.print(made)

    def unsent(self, cause: Exception, message: Any) -> Exception:
        """What to raise for a message, or a list of them, that was not written."""
        return self._unwritable(cause, message, lambda: self._unsendable(message))

    def _unsendable(self, message: Any) -> Violation | None:
        """The first thing that keeps a message, or a list of them, from being sent."""
        shapes = self._shapes()
        if message.__class__ is not list:
            return shapes.write_message(message, ())
        found = (shapes.write_message(message[place], (place,)) for place in range(len(message)))
        return next((fault for fault in found if fault), None)

    def decode_result(self, key: RequestMethod[Any, R], value: Json) -> R:
        """Return the typed result of the request that ``key`` stands for, from its JSON value; raise DecodeError."""
        if key.name not in self._tables.results:
            message = f"{key.name!r} is no request of {self.revision}"
            raise UsageError(message)
        try:
            result: R = self._tables.results[key.name](value)
        except FAULTS as cause:
            shape = self.result_shapes()[key.name]
            raise self._fault(cause, lambda shapes, faults: shapes.read(value, shape, (), faults)) from None
        return result

    def explain_result(self, key: RequestMethod[Any, Any], value: Json) -> tuple[Any, list[Violation]]:
        """Return what can be made of the result of a request, faulty parts as JSON, and all that is wrong with it."""
        faults: list[Violation] = []
        return self._shapes().read(value, self.result_shapes()[key.name], (), faults), faults

    def _shape_of(self, kind: Any) -> Shape:
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
            return DecodeError(*faults[0], self.revision)
        if isinstance(cause, RecursionError):
            return DecodeError((), *_TOO_DEEP, self.revision)
        message = "the emitted decoder refuses what the tables accept; please report this"
        return AssertionError(message)

    def _unwritable(self, cause: Exception, value: Any, find: Callable[[], Violation | None]) -> Exception:
        try:
            fault = find()
        except RecursionError as deeper:
            cause, fault = deeper, None
        if fault is None and isinstance(cause, RecursionError):
            return EncodeError((), *_TOO_DEEP, self.revision)
        if fault is None:
            message = (
                f"the emitted encoder refuses what the tables accept, {value.__class__.__name__}; please report this"
            )
            return AssertionError(message)
        return EncodeError(*fault, self.revision)


UNREADABLE = (NotJson, *FAULTS)
"""What reading a message raises where it is wrong; ``Codec.refused`` says why."""
UNWRITABLE = (*FAULTS, ValueError)
"""What writing a message raises where it has no JSON form; ``Codec.unsent`` says why."""
_SENDERS: tuple[Side | None, ...] = (None, "client", "server")
_TOO_DEEP = ("a value nested too deeply", "fewer levels")


def _none_such(value: Json, finish: object = None) -> Any:
    """Stands for the envelope that a schema does not declare."""
    raise Invalid
