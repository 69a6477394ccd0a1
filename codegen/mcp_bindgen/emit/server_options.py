"""The options of a revision's servers: ``ServerOptions``, with the types of that revision."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.emit.client_options import OptionView, option_view
from mcp_bindgen.emit.introduction import introduction_options
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.prerequisites import has_tasks, is_stateless
from mcp_bindgen.ir.protocol import Protocol

_COMMON: Mapping[str, tuple[str, str]] = {
    "instructions": ("str | None", "How to use the server, for a language model."),
    "capabilities": (
        "types.ServerCapabilities | None",
        "Laid over the capabilities that follow from what the server offers.",
    ),
    "logging": ("bool", "Whether handlers may send log messages; they may unless given."),
    "workers": ("int", "Limit on the requests of one connection that run at the same time, 16 unless given."),
    "timeout": ("float", "Seconds that an answer of the client may take, 60 unless given; progress starts them anew."),
    "limit": ("float", "Seconds that an answer of the client may take altogether, 600 unless given."),
    "grace": ("float", "Seconds that running handlers have to answer after the client has left, 2 unless given."),
    "page_size": ("int", "Items of a page of a list, 100 unless given."),
    "cursor_key": (
        "bytes | None",
        "At least 32 secret bytes that sign cursors, the same in all processes of an endpoint.",
    ),
    "limits": ("Limits | bool", "Rate limits for calls, progress and log messages; False for none."),
    "redact": ("Callable[[Any], Any] | None", "Is called with the data of each log message, and returns what is sent."),
}
_PING: Mapping[str, tuple[str, str]] = {
    "ping": ("float | None", "Seconds without a message after which the client is pinged; None for never."),
    "ping_failures": ("int", "Pings without an answer after which the connection ends, 3 unless given."),
}
_TASKS: Mapping[str, tuple[str, str]] = {
    "tasks": ("MemoryTasks | None", "Keeps the tasks that requests become; without it they become none."),
}
_STATELESS: Mapping[str, tuple[str, str]] = {
    "state_key": ("bytes | None", "At least 32 secret bytes that sign what is carried from round to round."),
    "state_lifetime": ("float", "Seconds that a client may take to answer a question, 600 unless given."),
    "versions": ("Sequence[str]", "All revisions that are spoken where the server is."),
    "ttl_ms": ("int", "Milliseconds that clients may keep results, 0 unless given."),
    "cache_scope": ('Literal["public", "private"]', "Who may share results that are kept; `private` unless given."),
}


def plan_server_options(protocol: Protocol, names: Names) -> tuple[OptionView, ...]:
    """Return the options in the order in which they are shown."""
    options = {**introduction_options(protocol, Annotations(protocol, names, "types."), "server"), **_COMMON}
    ping = protocol.methods.get("ping")
    if ping is not None and "server" in ping.sent_by:
        options |= _PING
    if has_tasks(protocol):
        options |= _TASKS
    if is_stateless(protocol):
        options |= _STATELESS
    return tuple(option_view(name, annotation, doc) for name, (annotation, doc) in options.items())
