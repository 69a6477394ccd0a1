"""Attributes that contexts of other libraries have: what to write for them."""

from __future__ import annotations

from typing import Final

_LOG: Final = "write context.log('info', 'the text'), with any level of the protocol"
_STATE: Final = "keep it in a variable of the module, opened in a `with` block around server.run_stdio()"
_ITSELF: Final = "the context has its methods itself: sample, elicit_form, roots, log, progress, notify"

_INSTEAD: Final = {
    "report_progress": "write context.progress(1, total=2)",
    "debug": _LOG,
    "info": _LOG,
    "warning": _LOG,
    "error": _LOG,
    "send_log_message": _LOG,
    "session": _ITSELF,
    "fastmcp": "use the server object of your module",
    "mcp_server": "use the server object of your module",
    "request_context": _STATE,
    "lifespan_context": _STATE,
    "get_state": _STATE,
    "set_state": _STATE,
    "headers": "context.caller has the claims of the sender, which `authorization` of wsgi_app and run_http finds",
    "client_id": "write context.caller.client_id",
    "read_resource": "call the function of the resource",
    "notify_tools_changed": "nothing need be written: adding and removing a tool notifies clients",
    "notify_prompts_changed": "nothing need be written: adding and removing a prompt notifies clients",
    "notify_resources_changed": "nothing need be written: adding and removing a resource notifies clients",
    "notify_resource_updated": "write server.resources.updated(uri)",
    "close_sse_stream": "write context.close_stream(retry=5)",
}


def instead_of(name: str) -> str | None:
    """Return the error for an attribute that contexts of other libraries have, with what to write; None for others."""
    hint = _INSTEAD.get(name)
    return None if hint is None else f"a context has no {name!r}; {hint}"
