"""The binding of a revision joined with methods that the revision does not declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from ..binding import OTHER_SIDE, Binding
from ..errors import UsageError
from ..methods import NotificationMethod, RequestMethod, Side
from .extension import Extension, read_extensions
from .wire_methods import Schema, WireKey, WireNotification, WireRequest


class WireMethods(NamedTuple):
    """The methods of a binding that its revision does not declare."""

    keys: Mapping[RequestMethod[Any, Any] | NotificationMethod[Any], WireKey] = {}
    """The key in the package of an extension to the key of the session."""
    requests: Mapping[str, WireRequest] = {}
    notifications: Mapping[str, WireNotification] = {}
    extensions: Sequence[Extension] = ()


def with_extensions(binding: Binding, values: Sequence[ModuleType | Extension]) -> Binding:
    """Return the binding of a revision joined with the extensions of the option ``extensions``.

    Raise ``UsageError`` for one that is not valid, and if the revision or another of them declares one of its methods.
    """
    extensions = read_extensions(values)
    keys: dict[Any, WireKey] = {}
    requests: dict[str, WireRequest] = {}
    notifications: dict[str, WireNotification] = {}
    for extension in extensions:
        for name, request in extension.requests.items():
            if not request.embedded:
                _require_new(binding, name, {*requests, *notifications}, extension)
                keys[request] = requests[name] = WireRequest(
                    name,
                    binding,
                    capability=_capability(binding, request, extension),
                    schema=Schema(request, extension),
                )
        for name, notification in extension.notifications.items():
            _require_new(binding, name, {*requests, *notifications}, extension)
            keys[notification] = notifications[name] = WireNotification(
                name,
                binding,
                capability=_capability(binding, notification, extension),
                schema=Schema(notification, extension),
            )
    return _joined(binding, WireMethods(keys, requests, notifications, extensions))


def with_raw_request(binding: Binding, method: str) -> tuple[Binding, WireRequest]:
    """Return the binding joined with a request without a schema, and its key, for a handler."""
    key = raw_request(binding, method, user="handler")
    known = binding.wire_methods or WireMethods()
    return _joined(binding, known._replace(requests={**known.requests, method: key})), key


def raw_request(binding: Binding, method: object, *, user: str = "request") -> WireRequest:
    """Return the key of a request without a schema; raise ``UsageError`` for a method that has one.

    The error names ``user``, the method to which the key of a method with a schema is passed.
    """
    if not isinstance(method, str) or not method:
        text = f"`method` must be the name of a request, such as 'acme/price', got {method!r}"
        raise UsageError(text)
    known = binding.wire_methods or WireMethods()
    if method in {*binding.requests, *binding.notifications, *known.requests, *known.notifications}:
        owner = f"{binding.revision} or of one of its extensions"
        text = f"{method} is a method of {owner}; pass its key, from `methods`, to {user}()"
        raise UsageError(text)
    return WireRequest(method, binding)


def declare_extensions(binding: Binding, side: Side, declared: dict[str, Any]) -> None:
    """Add the extensions of a binding to the capabilities of a side, a JSON object."""
    for extension in () if binding.wire_methods is None else binding.wire_methods.extensions:
        member = _member(binding, side, extension)
        declared[member] = {extension.identifier: extension.settings, **declared.get(member, {})}


def _joined(binding: Binding, methods: WireMethods) -> Binding:
    joined = binding.extended(
        binding.codec.with_results({name: key.read_result for name, key in methods.requests.items()}),
        binding.encode,
        binding.requests,
        binding.notifications,
    )
    joined.wire_methods = methods
    return joined


def _require_new(binding: Binding, name: str, known: set[str], extension: Extension) -> None:
    if name in binding.requests or name in binding.notifications or name in known:
        text = f"{extension.name} declares {name}, which {binding.revision} or another extension declares, too"
        raise UsageError(text)


def _capability(binding: Binding, key: RequestMethod[Any, Any] | NotificationMethod[Any], extension: Extension) -> str:
    """Return the dotted path of the capability that the receivers of a message declare."""
    return f"{_member(binding, OTHER_SIDE[key.sent_by[0]], extension)}.{extension.identifier}"


def _member(binding: Binding, side: Side, extension: Extension) -> str:
    """Return the capability of a side below which it declares extensions."""
    for member in ("extensions", "experimental"):
        if member in binding.capabilities[side]:
            return member
    text = f"{binding.revision} has no capability under which a {side} can declare the extension {extension.identifier}"
    raise UsageError(text)
