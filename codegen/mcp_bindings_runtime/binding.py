"""One revision as the runtime sees it: its codec, its methods, and the classes that every session needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from .facts import Era, Facts
from .meta import member
from .methods import NotificationMethod, RequestMethod, Side

if TYPE_CHECKING:
    from .codec.codec import Codec

OTHER: Mapping[Side, Side] = {"client": "server", "server": "client"}


class Binding:
    """What the generated modules of one revision hand to the runtime."""

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
        """The protocol version that is named to peers."""
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
        """Dotted paths of all that a side may declare. Below one that has no others there may be anything."""
        envelopes = codec.envelopes
        self.response: Any = envelopes.response
        self.error: Any = envelopes.error
        self.unknown_request: Any = envelopes.request
        self.unknown_notification: Any = envelopes.notification
        self.null_id = facts.null_id
        """Whether an error on an id that could not be read carries null; otherwise it carries no ``id``."""
        self.extension: Any = None
        """The package of the extension that has been added to the revision, if one has."""
        self.task_result_class: Any = None
        """The class of the result by which a request becomes a task, where it comes from that extension."""
        self._receivable: dict[Side, dict[type, RequestMethod[Any, Any] | NotificationMethod[Any]]] = {}

    def extended(
        self,
        codec: Codec[Any],
        encode: Callable[[Any], bytes],
        requests: Mapping[str, RequestMethod[Any, Any]],
        notifications: Mapping[str, NotificationMethod[Any]],
    ) -> Binding:
        """The same revision with further messages."""
        binding = copy(self)
        binding.codec, binding.encode = codec, encode
        binding.requests, binding.notifications = requests, notifications
        binding._receivable = {}  # noqa: SLF001  # a binding, too
        return binding

    def receivable_by(self, side: Side) -> Mapping[type, RequestMethod[Any, Any] | NotificationMethod[Any]]:
        """The requests and notifications that may reach a side, by the class of their message."""
        if side not in self._receivable:
            keys: list[RequestMethod[Any, Any] | NotificationMethod[Any]] = [
                *(key for key in self.requests.values() if not key.embedded),
                *self.notifications.values(),
            ]
            self._receivable[side] = {key.message: key for key in keys if OTHER[side] in key.sent_by}
        return self._receivable[side]

    def declares(self, capabilities: Any, path: str) -> bool:
        """Whether capabilities (an object of the revision, or None) have what a dotted path names."""
        value = None if capabilities is None else member(self.codec.unstructure(capabilities), *path.split("."))
        return value is not None and value is not False
