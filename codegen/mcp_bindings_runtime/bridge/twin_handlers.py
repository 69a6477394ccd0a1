"""The handlers of a twin of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..connection.handlers import Handlers
from ..errors import NotExpressible, ResponseError
from ..jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.channel import Channel
    from ..methods import RequestMethod
    from ..server.server import Server
    from ..session.events import Incoming


class ConvertingServer(Protocol):
    """A server that handles requests of one revision with the handlers of an ``original`` of another."""

    original: Server

    @property
    def binding(self) -> Binding:
        """The revision of the requests."""
        ...

    def run_as_task(self, context: Any) -> Any:
        """Return the result of the original's handler for a call that is a task; ``context`` is the task's."""
        ...

    def answer_itself(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of a request that the original need not handle; None for others."""
        ...

    def run_original(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of the original's handler, in this revision."""
        ...


class TwinHandlers(Handlers):
    """The handlers of a twin: those of the original, called in its revision."""

    def __init__(self, twin: ConvertingServer) -> None:
        super().__init__(twin.binding, "server")
        self._twin = twin

    def handle(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the result of a request, as ``Handlers.handle``."""
        twin, incoming = self._twin, context.incoming
        about_tasks = self._requests
        if about_tasks and key.name in about_tasks:
            return super().handle(key, params, context)
        try:
            if about_tasks and getattr(context, "task", None) is not None:
                return twin.run_as_task(context)
            found = twin.answer_itself(context.connection, incoming)
            return twin.run_original(context.connection, incoming) if found is None else found
        except NotExpressible as error:
            own = twin.original.binding.revision
            code, message = INTERNAL_ERROR, "Not expressible"
            if error.revision != twin.binding.revision and key.name == error.method:
                code = INVALID_PARAMS if key.name in twin.original.binding.requests else METHOD_NOT_FOUND
                message = "Invalid params" if code == INVALID_PARAMS else "Method not found"
            data = {"reason": error.reason, "section": error.section, "revision": own}
            raise ResponseError(code, message, data) from error
