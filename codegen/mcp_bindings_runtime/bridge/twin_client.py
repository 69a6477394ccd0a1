"""The client on the wire: a client of the server's revision that acts for the user's client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..connection.context import ClientContext
from ..errors import ResponseError
from ..jsonrpc import ErrorObject
from ..methods import NotificationMethod, RequestMethod
from ..session.events import Notified
from ..session.stateless import CHANGES
from ..task_interfaces import tasks_module
from .incoming_view import IncomingView

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..session.events import Incoming
    from .program import Program
    from .translation import Translator, Translators


class TwinContext(ClientContext):
    """The context of a handler of a twin."""

    __slots__ = ()

    @property
    def incoming(self) -> Incoming | None:
        """The request on the wire; None if it came inside a result."""
        return self._incoming


class Twin:
    """Methods that turn a client of the server's revision into the representative of a client of another revision."""

    binding: Any
    handles: Callable[..., None]
    program: Program
    translators: Translators

    def represent(self, program: Program, translators: Translators) -> None:
        """Act for the client of a program: introduce it, and answer the server's requests by its handlers."""
        client = program.client
        outward = translators.outward
        self.program = program
        self.translators = translators
        self.info = outward.implementation(client.info)
        self._declared = self._with_extensions(outward.capabilities("client", client.capabilities))
        # Its own checks would come twice.
        self.followed: frozenset[str] = frozenset()
        self.task_support = None
        for name in program.handlers.methods:
            key = self.binding.requests.get(name)
            if key is not None and "server" in key.sent_by:
                self.handles(key, self._answering(key))
        self.mirror_notifications()

    def _with_extensions(self, capabilities: Any) -> Any:
        """Return capabilities with the extensions of the user's client, where this revision declares them."""
        if self.binding.extension is not None:
            # Calls that the client does not want as tasks go without.
            capabilities = tasks_module("extension_binding").declare_tasks(capabilities)
        if self.binding.wire_methods is None:
            return capabilities
        from ..extensions.extended_binding import declare_extensions

        codec = self.binding.codec
        declared = codec.unstructure(capabilities)
        declare_extensions(self.binding, "client", declared)
        return codec.structure(declared, type(capabilities))

    @property
    def capabilities(self) -> Any:
        """The capabilities of the user's client."""
        return self._declared

    def mirror_notifications(self) -> None:
        """Register for the notifications that the user's client handles, so that the server sends them."""
        era = self.program.binding.era
        # A client without handshake subscribes to changes itself.
        subscribed = CHANGES if era == self.binding.era == "stateless" else ()
        for name in self.program.handlers.methods:
            key = self.binding.notifications.get(name)
            if key is not None and "server" in key.sent_by and name not in subscribed:
                self.ensure_notified(key)

    def ensure_notified(self, key: NotificationMethod[Any]) -> None:
        """Register for a notification. It reaches the user's client by ``_handle_notification``."""
        client: Any = self
        if client.handler_of(key) is None:
            self.handles(key, _forwarded)

    def _answering(self, key: RequestMethod[Any, Any]) -> Callable[[Any, Any], Any]:
        """Return the handler of a request of the server."""
        # The twin must not keep itself alive.
        program, (outward, inward, _) = self.program, self.translators

        def answer(params: Any, context: Any) -> Any:
            client = program.client
            own_key, own_params = inward.request(key, params, context.request_id)
            original = context.incoming
            declared = client.binding.meta_class(own_key.name) is not None
            incoming = None if original is None else IncomingView(own_key, own_params, original, declares_meta=declared)
            handler_context = client.context(client, program.connection, incoming)
            try:
                result = program.handlers.handle(own_key, own_params, handler_context)
            except ResponseError as error:
                raise translated_error(outward, key.name, error) from error
            return outward.result(own_key, result, context.request_id)

        return answer

    def _handle_notification(self, connection: Any, notified: Notified) -> None:
        self.program.connection.receive(notified)

    def __del__(self) -> None:
        """Leave the warning to the user's client."""


def _forwarded(params: Any, context: Any) -> None:
    """Do nothing: ``Twin`` forwards every notification before handlers are called."""


def translated_error(translator: Translator, method: str, error: ResponseError) -> ResponseError:
    """Return an error response in the revision of the other side."""
    found = translator.error(method, ErrorObject(error.code, error.message, error.data))
    if found.code == error.code and found.message == error.message:
        return error
    return ResponseError(found.code, found.message, found.data)


def twin_class(cls: type[Any]) -> Any:
    """Return the class of the twins that are clients of ``cls``."""
    return type(f"Twin{cls.__name__}", (Twin, cls), {"context": TwinContext})
