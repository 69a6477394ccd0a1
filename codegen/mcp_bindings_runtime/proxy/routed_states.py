"""The ``requestState`` of a server without sessions that each process of a proxy starts for itself.

Only the process of the server that has written a state may be able to read it. So the proxy adds its own process to the
state, and routes each retry to the process that the state names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..server.call_router import mark_state, split_state

if TYPE_CHECKING:
    from ..methods import RequestMethod
    from ..server.call_router import CallRouter


def forward_to_holder(key: RequestMethod[Any, Any], params: Any, context: Any, forward: Callable[[Any], Any]) -> Any:
    """Return the answer to a request: ``forward`` of the params, unless another process has to continue the call.

    Raise ``ResponseError`` (-32602) if that process has ended.
    """
    router: CallRouter | None = getattr(context.peer, "call_router", None)
    if router is None or key.name not in context.peer.binding.facts.resumable:
        return forward(params)
    if params.request_state is not None:
        process, state = split_state(params.request_state)
        if process is not None and process != router.process:
            return router.forward(process, context.peer, context.connection, context.incoming)
        params = params.__replace__(request_state=state)
    result = forward(params)
    if getattr(result, "request_state", None) is None:
        return result
    return result.__replace__(request_state=mark_state(result.request_state, router.process))
