"""One revision for the runtime: its facts, codec, methods and types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from .facts import Era, Facts
from .meta import member
from .methods import NotificationMethod, RequestMethod, Side

if TYPE_CHECKING:
    from .codec.codec import Codec

OTHER_SIDE: Mapping[Side, Side] = {"client": "server", "server": "client"}
"""The other side."""


_NAMED_FREELY = frozenset({"experimental", "extensions"})
"""Capabilities whose members have names with dots, such as identifiers of extensions."""


def capability_keys(path: str) -> list[str]:
    """Return the keys of a dotted path: ``extensions.com.example/prices`` has two."""
    return path.split(".", 1) if path.partition(".")[0] in _NAMED_FREELY else path.split(".")


class Binding:
    """The generated modules of one revision, as clients and servers use them."""

    def __init__(
        self,
        *,
        facts: Facts,
        codec: Codec[Any],
        encode: Callable[[Any], bytes],
        types: Any,
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
        boolean_capabilities: frozenset[str],
        capabilities: Mapping[Side, frozenset[str]],
    ) -> None:
        self.facts = facts
        self.revision = facts.version
        """The protocol version on the wire."""
        self.era: Era = "handshake" if facts.handshake else "stateless"
        self.batches = facts.batches
        self.codec = codec
        self.encode = encode
        self.types = types
        self.requests = requests
        self.notifications = notifications
        self.boolean_capabilities = boolean_capabilities
        """Dotted paths of the capabilities that are true or false; the others are objects."""
        self.capabilities = capabilities
        """Dotted paths of the capabilities that a side may declare. Paths without declared members are open below."""
        envelopes = codec.envelopes
        self.response: Any = envelopes.response
        self.error: Any = envelopes.error
        self.unknown_request: Any = envelopes.request
        self.unknown_notification: Any = envelopes.notification
        self.null_id = facts.null_id
        self.undeclared_meta = frozenset(requests) - facts.meta_classes.keys()
        """Requests whose params do not declare ``_meta``."""
        self.result_meta_class = self._class(facts.result_meta)
        """The class of ``_meta`` in results."""
        self.extension: Any = None
        """The package of the extension that was added to the revision; None without one."""
        self.wire_methods: Any = None
        """The ``WireMethods``: methods of extensions and those without a schema; None without them."""
        self.task_result_class: Any = types.CreateTaskResult if facts.task_methods else None
        """The class of the result by which a request becomes a task; None without tasks."""
        self._receivable: dict[Side, dict[type, RequestMethod[Any, Any] | NotificationMethod[Any]]] = {}

    def extended(
        self,
        codec: Codec[Any],
        encode: Callable[[Any], bytes],
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
    ) -> Binding:
        """Return the same revision with more messages."""
        binding = copy(self)
        binding.codec, binding.encode = codec, encode
        binding.requests, binding.notifications = requests, notifications
        binding._receivable = {}  # noqa: SLF001  # a binding, too
        return binding

    def receivable_by(self, side: Side) -> Mapping[type, RequestMethod[Any, Any] | NotificationMethod[Any]]:
        """Return the requests and notifications that a side may receive, by the class of their message."""
        if side not in self._receivable:
            keys: list[RequestMethod[Any, Any] | NotificationMethod[Any]] = [
                *(key for key in self.requests.values() if not key.embedded),
                *self.notifications.values(),
            ]
            self._receivable[side] = {key.message: key for key in keys if OTHER_SIDE[side] in key.sent_by}
        return self._receivable[side]

    def declares(self, capabilities: Any, path: str) -> bool:
        """Return whether capabilities (an object of the revision, or None) include a dotted path."""
        value = None if capabilities is None else member(self.codec.unstructure(capabilities), *capability_keys(path))
        return value is not None and value is not False

    def meta_class(self, method: str) -> Any:
        """Return the class of ``_meta`` in the params of a method, ``dict`` for a JSON object; None if not declared."""
        if method not in self.requests:
            return dict
        name = self.facts.meta_classes.get(method)
        return None if name is None else self._class(name)

    def _class(self, name: str) -> Any:
        return dict if name == "dict" else getattr(self.types, name)
