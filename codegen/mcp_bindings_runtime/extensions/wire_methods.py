"""Keys of methods that a revision does not declare, which belong to an extension or have no schema at all.

A session treats these keys like those of the revision: it checks who may send the message, when, and by which capability.
On the wire their params and results are JSON; a key converts them from and to the types of its extension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from ..binding import Binding
from ..codec.checks import Json
from ..errors import DecodeError, EncodeError, UsageError
from ..jsonrpc import RequestId
from ..methods import NotificationMethod, RequestMethod, Side
from ..validation import require_mappings
from .extension import Extension

_META = "_meta"
Handler: TypeAlias = Callable[[Any, Any], Any]
_BOTH: tuple[Side, ...] = ("client", "server")


class WireParams:
    """Params of a message that the revision does not declare: JSON members, and ``_meta`` as the session adds it."""

    __slots__ = ("members", "meta", "typed")

    def __init__(self, members: Mapping[str, Any] | None = None, *, meta: Any = None, typed: Any = None) -> None:
        self.members: Mapping[str, Any] = {} if members is None else members
        self.meta = meta
        """An object of the revision, a JSON object, or None."""
        self.typed = typed
        """The params of a received message in the class of its extension, or JSON for a method without a schema."""

    def __replace__(self, *, meta: Any) -> WireParams:
        return WireParams(self.members, meta=meta, typed=self.typed)

    def to_json(self, binding: Binding) -> dict[str, Any]:
        """Return the JSON value of the params; a ``_meta`` among the members overrides entries of ``meta``."""
        if self.meta is None:
            return {**self.members}
        meta: Any = binding.codec.unstructure(self.meta)
        return {**self.members, _META: {**meta, **self.members.get(_META, {})}}


class WireMessage(NamedTuple):
    """A received message that the revision does not declare."""

    id: RequestId | None
    params: WireParams


class Schema(NamedTuple):
    """The key of a method in the package of its extension."""

    key: Any
    extension: Extension

    def to_json(self, params: Any) -> dict[str, Any]:
        """Return the JSON value of params; raise ``EncodeError`` if they are not of the class of the method."""
        if self.key.params is None:
            raise EncodeError(("params",), f"a {params.__class__.__name__}", "nothing", self.extension.codec.revision)
        # The message, since that is what knows the class of its params.
        id_of = {"id": 0} if self.key.name in self.extension.requests else {}
        message: Any = self.extension.codec.unstructure(self.key.message(**id_of, params=params))
        return _object(message["params"])

    def require_valid(self, message: Json) -> None:
        """Raise ``EncodeError`` for a message, a JSON value, that its receiver would refuse."""
        try:
            self.extension.codec.structure(message, self.key.message)
        except DecodeError as error:
            raise EncodeError(error.keys, error.found, error.expected, error.revision) from None

    def read_params(self, value: Json) -> Any:
        """Return the params of a message, a JSON value; raise ``DecodeError``.

        Their ``extra`` has no ``_meta``, which handlers find in their context, in whichever revision it came.
        """
        message: Any = self.extension.codec.structure(value, self.key.message)
        params: Any = getattr(message, "params", None)
        if isinstance(params, dict):
            return without_meta(cast("dict[str, Any]", params))
        if params is None or not params.extra or _META not in params.extra:
            return params
        return params.__replace__(extra=without_meta(params.extra) or None)

    def read_result(self, value: Json) -> Any:
        """Return a result; raise ``DecodeError``."""
        try:
            return self.extension.codec.decode_result(self.key, value)
        except DecodeError as error:
            raise DecodeError(("result", *error.keys), error.found, error.expected, error.revision) from None


def without_meta(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members except ``_meta``."""
    return {name: value for name, value in members.items() if name != _META}


def _object(value: Any) -> dict[str, Any]:
    made: dict[str, Any] = value
    return made


def _to_wire(schema: Schema | None, params: Any) -> WireParams:
    """Return params, of the class of the extension or a JSON object, as they are sent."""
    if params is None or isinstance(params, WireParams):
        return params or WireParams()
    if schema is not None:
        return WireParams(schema.to_json(params))
    require_mappings(params=params)
    members: Mapping[str, Any] = params
    require_mappings(_meta=members.get(_META))
    return WireParams(members)


def _read_wire(binding: Binding, schema: Schema | None, message: Any, meta_class: Any) -> WireMessage:
    """Return a received message, of the generic class of the revision. Raise ``DecodeError``."""
    value: Any = binding.codec.unstructure(message)
    members = value.get("params", {})
    meta = members.get(_META)
    if meta_class is not None:
        try:
            meta = binding.codec.structure({} if meta is None else meta, meta_class)
        except DecodeError as error:
            raise DecodeError(("params", _META, *error.keys), error.found, error.expected, error.revision) from None
    typed = without_meta(members) if schema is None else schema.read_params(value)
    return WireMessage(value.get("id"), WireParams(members, meta=meta, typed=typed))


class WireRequest(RequestMethod[Any, Any]):
    """The key of a request that the revision does not declare. Without a schema its params and results are JSON objects."""

    __slots__ = ("_binding", "_schema")

    def __init__(
        self, name: str, binding: Binding, *, capability: str | None = None, schema: Schema | None = None
    ) -> None:
        super().__init__(
            name=name,
            message=self._message,
            params=WireParams,
            result=binding.types.Result,
            sent_by=_BOTH if schema is None else schema.key.sent_by,
            capability=capability,
        )
        self._binding = binding
        self._schema = schema

    def _message(self, *, id: RequestId, params: WireParams | None) -> Any:  # noqa: A002  # the name of the member
        members = {} if params is None else params.to_json(self._binding)
        request = {"jsonrpc": "2.0", "id": id, "method": self._on_wire(), **({"params": members} if members else {})}
        if self._schema is not None and not (params and params.members):
            # Nothing of the extension was converted, so the method may need more.
            self._schema.require_valid(request)
        return self._binding.codec.structure(request, self._binding.unknown_request)

    def _on_wire(self) -> str:
        """Return the name of the method in messages."""
        return self.name

    def to_wire(self, params: Any) -> WireParams:
        """Return params as they are sent. Raise ``UsageError`` for no JSON object, and ``EncodeError``."""
        return _to_wire(self._schema, params)

    def read(self, message: Any) -> WireMessage:
        """Return a received request, of the generic class of the revision. Raise ``DecodeError``."""
        binding = self._binding
        meta_class = binding.types.RequestMetaObject if binding.era == "stateless" else None
        return _read_wire(binding, self._schema, message, meta_class)

    def read_result(self, value: Json) -> Any:
        """Return the result in the class of the extension. Raise ``DecodeError``."""
        return value if self._schema is None else self._schema.read_result(value)

    def handler(self, function: Handler) -> Handler:
        """Return the handler for received requests: it calls ``function`` with the params and the context."""

        def handle(params: WireParams, context: Any) -> Any:
            return self._to_result(function(params.typed, context))

        return handle

    def _to_result(self, result: Any) -> Any:
        """Return what a handler has returned as a ``Result`` of the revision. Raise ``UsageError`` for another type."""
        binding, schema = self._binding, self._schema
        kind = cast("Any", Mapping if schema is None else schema.key.result)
        if result is None and schema is not None and isinstance(kind, type):
            result = kind()
        returned = cast("Any", result)
        if not isinstance(result, kind):
            wanted = "a dict" if schema is None else getattr(kind, "__name__", kind)
            text = f"the handler of {self.name} returned a {result.__class__.__name__}; expected {wanted}"
            raise UsageError(text)
        value = dict(returned) if schema is None else schema.extension.codec.unstructure(returned)
        made = binding.codec.structure(value, binding.types.Result)
        if binding.era == "stateless" and made.result_type is None:
            made.result_type = "complete"
        return made


class UncheckedRequest(WireRequest):
    """The key of a request of the revision whose result is not checked: its params and result are JSON objects.

    A session finds the type of a result by the name of the key, so the key has a name of its own.
    """

    __slots__ = ("method",)

    def __init__(self, method: str, binding: Binding) -> None:
        super().__init__(f"{method} (not checked)", binding)
        self.method = method
        """The name of the method in messages."""

    def _on_wire(self) -> str:
        return self.method


class WireNotification(NotificationMethod[Any]):
    """The key of a notification of an extension."""

    __slots__ = ("_binding", "_schema")

    def __init__(self, name: str, binding: Binding, *, capability: str, schema: Schema) -> None:
        super().__init__(
            name=name,
            message=self._message,
            params=WireParams,
            sent_by=schema.key.sent_by,
            capability=capability,
            capability_of="receiver",
        )
        self._binding = binding
        self._schema = schema

    def _message(self, *, params: WireParams | None) -> Any:
        members = {} if params is None else params.to_json(self._binding)
        notification = {"jsonrpc": "2.0", "method": self.name, **({"params": members} if members else {})}
        return self._binding.codec.structure(notification, self._binding.unknown_notification)

    def to_wire(self, params: Any) -> WireParams:
        """Return params as they are sent. Raise ``EncodeError``."""
        if params is None:
            self._schema.require_valid({"jsonrpc": "2.0", "method": self.name})
        return _to_wire(self._schema, params)

    def read(self, message: Any) -> WireMessage:
        """Return a received notification, of the generic class of the revision. Raise ``DecodeError``."""
        return _read_wire(self._binding, self._schema, message, None)

    def handler(self, function: Handler) -> Handler:
        """Return the handler for received notifications: it calls ``function`` with the params and the context."""
        return lambda params, context: function(params.typed, context)


WireKey: TypeAlias = WireRequest | WireNotification
