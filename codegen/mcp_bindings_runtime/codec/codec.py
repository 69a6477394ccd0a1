"""Decode and encode the messages of one revision by its emitted functions.

JSON-RPC 2.0 tells messages apart: ``method`` with ``id`` is a request, ``method`` alone a notification, ``result`` or
``error`` a response. The emitted functions only raise that a value is wrong; ``error_locator`` then finds out what is
wrong, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, overload

from ..errors import DecodeError, EncodeError, UsageError
from ..methods import NotificationMethod, RequestMethod, Side
from .checks import ATOMS, FAULTS, ByClass, Invalid, Json, keys, opaque
from .json_text import STANDARD, Backend, NotJson
from .method_readers import SENDERS, Decoders, Envelopes, readers_by_sender

if TYPE_CHECKING:
    from cattrs import Converter

    from .error_locator import ErrorLocator, MessageErrorLocator
    from .type_tables import Shape, TypeTables, Violation

M = TypeVar("M")
R = TypeVar("R")
T = TypeVar("T")
Results: TypeAlias = Mapping[str | int, RequestMethod[Any, Any]]


class Lenient(NamedTuple):
    """A message that was decoded with ``mode="lenient"``, and its violations of the schema.

    Invalid parts of ``value`` are parsed JSON. The ``extra`` of an object also has the members that no attribute can
    hold: a constant with a wrong value, and a null for a field in which None means that the field is absent. If the
    text was not JSON, ``value`` is the text.
    """

    value: Any
    violations: Sequence[DecodeError]


class EmittedFunctions(NamedTuple):
    """The emitted functions of one revision."""

    decoders: Decoders
    """From JSON values to objects, by class, and by alias where that is a type of its own."""
    result_decoders: Decoders
    """From JSON values to results, by the name of the request."""
    encoders: ByClass[Json]
    """From objects to JSON values."""
    load_writers: Callable[[], ByClass[str]]
    """Return the functions from objects to JSON text; they are loaded on first use."""


def best_backend() -> Backend:
    """Return the backend of orjson if that is installed, else that of the standard library."""
    try:
        from .orjson_text import ORJSON
    except ImportError:
        return STANDARD
    return ORJSON


class _LazyWriters(dict[type, Callable[[Any], Any]]):
    """Functions that are loaded when the first of them is used."""

    def __init__(self, load: Callable[[], Mapping[type, Callable[[Any], Any]]]) -> None:
        super().__init__()
        self._load = load

    def __missing__(self, cls: type) -> Callable[[Any], Any]:
        return self._load()[cls]


class ResultDecoders(dict[Any, Callable[[Any], Any]]):
    """Functions that read results, by method; results of undeclared methods are JSON objects."""

    def __missing__(self, method: str) -> Callable[[Any], Any]:
        return _json_object


class Codec(Generic[M]):
    """Decode and encode the messages and values of one revision; ``M`` is the union of its messages.

    A package's ``converter`` exports the public methods of its codec as functions.
    """

    def __init__(
        self,
        *,
        revision: str,
        batches: bool,
        functions: EmittedFunctions,
        envelopes: Envelopes,
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
        error_locator: Callable[[], ErrorLocator],
        result_shapes: Callable[[], Mapping[str, Shape]],
        aliases: Callable[[], Mapping[str, Any]],
    ) -> None:
        self.revision = revision
        self.envelopes = envelopes
        self._batches = batches
        self._functions = functions
        self._error_locator = error_locator
        self._result_shapes = result_shapes
        self._aliases = aliases
        self._result_decoders: Mapping[Any, Callable[[Any], Any]] = ResultDecoders(functions.result_decoders)
        self._response: Callable[..., Any] = functions.decoders.get(envelopes.response, _undeclared_envelope)
        self._readers = readers_by_sender(functions.decoders, envelopes, requests, notifications)
        self.use(best_backend())

    def extended(
        self,
        other: Codec[Any],
        *,
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
        decoders: Decoders,
        result_decoders: Decoders,
        result_shapes: Callable[[Mapping[str, Shape]], Mapping[str, Shape]],
    ) -> Codec[Any]:
        """Return a codec for the messages of both; its functions are the given ones, then this codec's, then the other's."""
        ours, theirs = self._functions, other._functions
        return Codec(
            revision=self.revision,
            batches=self._batches,
            functions=EmittedFunctions(
                decoders={**theirs.decoders, **ours.decoders, **decoders},
                result_decoders={**theirs.result_decoders, **ours.result_decoders, **result_decoders},
                encoders=ByClass({**theirs.encoders, **ours.encoders}),
                load_writers=lambda: ByClass({**theirs.load_writers(), **ours.load_writers()}),
            ),
            envelopes=self.envelopes,
            requests=requests,
            notifications=notifications,
            error_locator=lambda: self._error_locator().extended(other._error_locator()),
            result_shapes=lambda: result_shapes({**other._result_shapes(), **self._result_shapes()}),
            aliases=self._aliases,
        )

    def with_results(self, decoders: Mapping[str, Callable[[Any], Any]]) -> Codec[M]:
        """Return a codec that also reads the results of further methods; the functions may raise DecodeError."""
        codec = copy(self)
        codec._result_decoders = ResultDecoders({**decoders, **self._result_decoders})  # noqa: SLF001  # a codec, too
        return codec

    def decoder(self, kind: Any) -> Callable[[Json], Any]:
        """Return the function that reads a type; it raises one of ``FAULTS``."""
        return self._functions.decoders[kind]

    def result_decoder(self, method: str) -> Callable[[Json], Any]:
        """Return the function that reads the results of a request; it raises one of ``FAULTS``."""
        return self._result_decoders[method]

    def use(self, backend: Backend) -> None:
        """Read and write JSON text with ``backend``; the default is ``best_backend()``."""
        self._parse = backend.parse
        if backend.write is None:
            self._writers: Mapping[type, Callable[[Any], Any]] = _LazyWriters(self._load_writers)
            self._to_bytes: Callable[[Any], bytes] = str.encode
        else:
            self._writers, self._to_bytes = self._functions.encoders, backend.write

    def _load_writers(self) -> ByClass[str]:
        writers = self._writers = self._functions.load_writers()
        return writers

    def knows(self, kind: Any) -> bool:
        """Return whether ``kind`` is a class or an alias of the revision."""
        try:
            return kind in self._functions.decoders
        except TypeError:
            return False

    # JSON values.

    @overload
    def structure(self, data: Json, kind: type[T]) -> T: ...
    @overload
    def structure(self, data: Json, kind: Any) -> Any: ...
    def structure(self, data: Json, kind: Any) -> Any:
        """Return an object of the type ``kind`` from parsed JSON, as in ``structure({"name": "add", …}, types.Tool)``.

        ``kind`` is a class or an alias of the revision, or a type that contains them and that cattrs can read, such as
        ``list[types.Tool]``. Raise DecodeError with the place of the first fault. Raise UsageError for a union whose
        members cannot be distinguished by their JSON.
        """
        if not self.knows(kind):
            return self.get_converter().structure(data, kind)
        try:
            return self._functions.decoders[kind](data)
        except FAULTS as cause:
            shape = self._shape_of(kind)
            raise self._decode_error(cause, lambda found: self._error_locator().read(data, shape, (), found)) from None

    def get_converter(self) -> Converter:
        """Return a new cattrs converter that can convert the types of the revision."""
        from .cattrs_hooks import make_converter

        return make_converter(self._functions.decoders, self.structure, self.unstructure)

    def unstructure(self, value: Any) -> Json:
        """Return the JSON value of an object of the revision, or of lists and dicts of such objects.

        Raise EncodeError with the place of the first fault.
        """
        try:
            return self._encode_value(value)
        except FAULTS as cause:
            raise self._encode_error(cause, value, lambda: self._error_locator().write_any(value, ())) from None

    def _encode_value(self, value: Any) -> Json:
        cls = value.__class__
        if cls is list:
            return [self._encode_value(item) for item in value]
        if cls is dict:
            keys(value)
            return {key: self._encode_value(item) for key, item in value.items()}
        if cls in ATOMS or cls is float:
            opaque(value)
            return value
        return self._functions.encoders[cls](value)

    def decode_result(self, key: RequestMethod[Any, R], value: Json) -> R:
        """Return the typed result of a request of the method ``key`` from parsed JSON; raise DecodeError."""
        if key.name not in self._result_decoders:
            message = f"{key.name!r} is not a request of {self.revision}; pass a key of that revision's `methods`"
            raise UsageError(message)
        try:
            result: R = self._result_decoders[key.name](value)
        except FAULTS as cause:
            shape = self._shape_of_result(key)
            raise self._decode_error(cause, lambda found: self._error_locator().read(value, shape, (), found)) from None
        return result

    def decode_result_leniently(self, key: RequestMethod[Any, Any], value: Json) -> tuple[Any, list[Violation]]:
        """Return the result of a request, of which faulty parts are still JSON, and all that is wrong with it."""
        violations: list[Violation] = []
        return self._error_locator().read(value, self._shape_of_result(key), (), violations), violations

    def type_tables(self) -> TypeTables:
        """Return the type tables of the revision, which are loaded on first use."""
        return self._error_locator().tables

    def result_shapes(self) -> Mapping[str, Shape]:
        """Return the shapes of the results by method."""
        return self._result_shapes()

    def _shape_of_result(self, key: RequestMethod[Any, Any]) -> Shape:
        return self._result_shapes().get(key.name, "object")

    # Messages.

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
        """Return the message in a JSON text, which is a str or UTF-8 bytes.

        A message with an unknown method gets the generic class, such as ``JSONRPCRequest``. If you pass ``sender``, a
        method that this side may not send counts as unknown. ``results`` maps the ids of requests to the keys of their
        methods. A response to one of them gets a typed ``result``; any other ``result`` is parsed JSON, which
        ``decode_result`` converts.

        Raise DecodeError for the first fault. With the mode ``"lenient"``, return a ``Lenient`` instead, which has the
        message and all faults. Raise UsageError if ``data`` is no text.
        """
        if mode != "strict":
            return self._decode_leniently(data, sender, results, mode)
        return self.read(data, sender, results)

    def read(self, data: bytes | str, sender: Side | None, results: Results | None) -> Any:
        """Return the message in a JSON text, or the list of them, as ``decode`` does; raise DecodeError."""
        value = None
        try:
            value = self._parse(data)
            if value.__class__ is dict:
                return self._read_message(value, sender, results)
            return self._read_batch(value, sender, results)
        except _UNREADABLE as cause:
            raise self._read_error(cause, value, sender, results) from None

    def read_value(self, value: dict[str, Any], sender: Side | None, results: Results | None) -> Any:
        """Return the message in a JSON object that ``parse`` has returned; raise DecodeError."""
        try:
            return self._read_message(value, sender, results)
        except _UNREADABLE as cause:
            raise self._read_error(cause, value, sender, results) from None

    def _read_message(self, value: dict[str, Any], sender: Side | None, results: Results | None) -> Any:
        if "method" in value:
            requests, notifications = self._readers[sender]
            return (requests if "id" in value else notifications)[value["method"]](value)
        if "result" in value:
            if "error" in value:
                raise Invalid
            if results is not None:
                key = results.get(value["id"])
                if key is not None:
                    return self._response(value, self._result_decoders[key.name])
            return self._response(value)
        if "error" in value:
            return self._functions.decoders[self.envelopes.error](value)
        raise Invalid

    def _read_batch(self, value: Json, sender: Side | None, results: Results | None) -> list[Any]:
        if value.__class__ is not list or not value or not self._batches:
            raise Invalid
        return [self._read_message(item, sender, results) for item in value]

    def _read_error(self, cause: Exception, value: Json, sender: Side | None, results: Results | None) -> Exception:
        _check_sender(sender)
        if isinstance(cause, NotJson):
            return DecodeError((), str(cause), "a JSON text", self.revision)
        return self._decode_error(cause, lambda found: self._locator(sender, results, found).read(value))

    def _decode_leniently(self, data: bytes | str, sender: Side | None, results: Results | None, mode: str) -> Lenient:
        _check_sender(sender)
        if mode != "lenient":
            message = f"`mode` must be 'strict' or 'lenient', got {mode!r}"
            raise UsageError(message)
        try:
            value = self._parse(data)
        except NotJson as error:
            return Lenient(data, [DecodeError((), str(error), "a JSON text", self.revision)])
        violations: list[Violation] = []
        try:
            message = self._locator(sender, results, violations).read(value)
        except RecursionError:
            return Lenient(value, [DecodeError((), *_TOO_DEEP, self.revision)])
        return Lenient(message, [DecodeError(*each, self.revision) for each in violations])

    def _locator(
        self, sender: Side | None, results: Results | None, violations: list[Violation]
    ) -> MessageErrorLocator:
        from .error_locator import MessageErrorLocator

        return MessageErrorLocator(
            self._error_locator(),
            self._result_shapes,
            self.envelopes,
            self._readers[sender],
            violations,
            results=results,
            batches=self._batches,
        )

    def encode(self, message: M) -> bytes:
        """Return a message as one line of JSON in UTF-8. Raise EncodeError with the place of the first fault."""
        try:
            cls: type = message.__class__
            if cls is list and message and self._batches:
                return self._encode_batch(message)
            return self._to_bytes(self._writers[cls](message))
        except _UNWRITABLE as cause:
            raise self._encode_error(cause, message, lambda: self._find_unwritable(message)) from None

    def _encode_batch(self, messages: Any) -> bytes:
        items = [self._writers[message.__class__](message) for message in messages]
        return f"[{','.join(items)}]".encode() if self._to_bytes is str.encode else self._to_bytes(items)

    def _find_unwritable(self, message: Any) -> Violation | None:
        locator = self._error_locator()
        is_batch = message.__class__ is list and self._batches
        return locator.write_batch(message) if is_batch else locator.write_message(message, ())

    # Errors.

    def _shape_of(self, kind: Any) -> Shape:
        for name, alias in self._aliases().items():
            if alias == kind:
                return ("alias", name)
        return ("class", kind.__name__)

    def _decode_error(self, cause: Exception, find: Callable[[list[Violation]], object]) -> Exception:
        """Return the error for the first violation that ``find`` adds to its argument."""
        violations: list[Violation] = []
        try:
            find(violations)
        except RecursionError as deeper:
            cause = deeper
        if violations:
            return DecodeError(*violations[0], self.revision)
        if isinstance(cause, RecursionError):
            return DecodeError((), *_TOO_DEEP, self.revision)
        message = "the emitted decoder refuses a value that the type tables accept; please report this"
        return AssertionError(message)

    def _encode_error(self, cause: Exception, value: Any, find: Callable[[], Violation | None]) -> Exception:
        """Return the error for the violation that ``find`` returns."""
        try:
            violation = find()
        except RecursionError as deeper:
            cause, violation = deeper, None
        if violation is not None:
            return EncodeError(*violation, self.revision)
        if isinstance(cause, RecursionError):
            return EncodeError((), *_TOO_DEEP, self.revision)
        message = (
            f"the emitted encoder refuses a {value.__class__.__name__} that the type tables accept; please report this"
        )
        return AssertionError(message)


_UNREADABLE = (NotJson, *FAULTS)
_UNWRITABLE = (*FAULTS, ValueError)
_TOO_DEEP = ("a value nested too deeply", "fewer levels")


def _check_sender(sender: object) -> None:
    if sender not in SENDERS:
        message = f"`sender` must be 'client', 'server' or None, got {sender!r}"
        raise UsageError(message)


def _json_object(value: Json) -> Json:
    if value.__class__ is not dict:
        raise Invalid
    return value


def _undeclared_envelope(value: Json, finish: object = None) -> Any:
    """Stand for the decoder of responses in a schema without them."""
    raise Invalid
