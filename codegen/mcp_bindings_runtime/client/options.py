"""Options of clients, and of the negotiation of a revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..binding import Binding
from ..errors import UsageError
from ..features.client_methods import BY_CAPABILITY, ELICIT, ON_NOTIFICATION, ROOTS, SAMPLE
from ..foreign_names import OPTIONS_OF_CLIENTS
from ..installed_revisions import client_class, installed_revisions
from ..options import INTRODUCTION, Options, Prerequisite, Seconds, nearest, option
from ..session.capabilities import check_paths
from ..session.log_levels import Level, check_level
from ..validation import require_instance, require_list, require_mappings, require_positive_integers, require_seconds

if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType

    from ..extensions.extension import Extension
    from ..features.limits import Limits
    from ..task_interfaces import TaskStore
    from .result_cache import ResultCache

ONLY_OF_ONE_REVISION = frozenset({"discover", "restart"})
"""Options that ``connect`` does not have: it always discovers, and cannot negotiate again."""
_CALLBACKS: Mapping[str, Prerequisite] = {
    "check_output": Prerequisite("fact", "output_schemas"),
    "tools_lock": Prerequisite("method", "tools/list"),
    "drift": Prerequisite("method", "tools/list"),
    "sampling": Prerequisite("method", SAMPLE),
    "approve_request": Prerequisite("method", SAMPLE),
    "approve_result": Prerequisite("method", SAMPLE),
    "elicitation": Prerequisite("method", ELICIT),
    "roots": Prerequisite("method", ROOTS),
    **{name: Prerequisite("client capability", path) for name, path in BY_CAPABILITY.items()},
    **{name: Prerequisite("method", method) for name, method in ON_NOTIFICATION.items()},
}
"""Callbacks and the options that go with them."""


class NegotiationOptions(Options):
    """Options of a negotiation. Raises ``UsageError`` for an unknown option and for a value that is not valid."""

    revisions: Sequence[str] | None = option(default=None)
    """Revisions to try, the preferred one first. By default, all installed revisions, the newest first."""
    handlers: Mapping[str, Callable[[Any, Any], Any]] | None = option(default=None)
    """Handlers of the server's requests and notifications by method. A handler receives the params, in the classes of the
    negotiated revision, and a context.
    """
    probe: Seconds = option(default=5.0)
    """Seconds that `connect` waits for the response to its first request, `server/discover`, which needs no handshake.
    After this time, it tries a handshake.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        require_mappings(handlers=self.handlers)
        require_seconds(probe=self.probe)


class ClientOptions(Options):
    """Options of a client of any revision.

    Raises ``UsageError`` for an unknown option, one that the revision does not have, and a value that is not valid.
    ``open_transport`` is the function that opens the client's transport.
    """

    prerequisites: ClassVar[Mapping[str, Prerequisite]] = {
        **INTRODUCTION,
        "log_level": Prerequisite("method", ON_NOTIFICATION["on_log"]),
        **_CALLBACKS,
    }

    name: str = option(default="mcp-bindings")
    """Name of the client, sent to the server."""
    version: str = option(default="0")
    """Version of the client, sent to the server."""
    title: str | None = option(default=None)
    """Display name of the client; `name` identifies it to programs."""
    description: str | None = option(default=None)
    """Purpose of the client, in a sentence or two."""
    icons: Sequence[Any] | None = option(default=None)
    """Icon of the client in one or more sizes and formats."""
    website_url: str | None = option(default=None)
    """URL of a web page about the client."""
    capabilities: Any = option(default=None)
    """Capabilities to declare in addition to those that callbacks and handlers imply: a dict, or a class of any revision."""
    timeout: Seconds = option(default=60.0)
    """Seconds to wait for the connection and for each response. In calls with `on_progress`, each progress notification
    restarts the timer.
    """
    limit: Seconds = option(default=600.0)
    """Seconds that a call may take in total, even if progress notifications restart the timer of `timeout`."""
    workers: int = option(default=4)
    """Limit on the requests of the server that the client handles at the same time."""
    ping: Seconds | None = option(default=None)
    """Seconds without a message after which the client sends a ping; None for no pings."""
    ping_failures: int = option(default=3)
    """Number of pings in a row without a response after which the client closes the connection."""
    record: str | PathLike[str] | None = option(default=None)
    """File to which the client appends all messages, one per line; `mcp-codegen validate` and `replay` read it."""
    redact: Sequence[str] = option(default=())
    """Rules for values to replace in the file of `record`: JSON Pointers such as `/params/arguments/password`, in which `*`
    stands for every member, and regular expressions for text.
    """
    require: Iterable[str] = option(default=())
    """Capabilities that the server must have, as paths such as `resources.subscribe`. Without them, connecting raises
    `MissingCapability`.
    """
    log_level: Level | None = option(default=None)
    """Lowest severity of the log messages to receive. Unless set, a server with sessions chooses it, and a stateless server
    sends no log messages.
    """
    revisions: Sequence[str] | None = option(default=None)
    """Revisions that the server may use; the client's own must be one of them. By default, all installed revisions. If the
    server uses another revision than the client, messages are converted.
    """
    limits: Limits | bool = option(default=True)
    """Rate limits for the server's sampling and elicitation requests; True for the default limits, False for none."""
    check_output: bool | None = option(default=None)
    """If true, the client validates the `structuredContent` of a result against the tool's `outputSchema`, provided that it
    has listed the tool. By default, true if the extra `schema` is installed.
    """
    tools_lock: str | PathLike[str] | None = option(default=None)
    """File that `mcp-codegen tools snapshot` has written. The client compares the tools of the server with it when it
    connects, and when the server reports a change of the list.
    """
    drift: Literal["ignore", "warn", "error"] = option(default="warn")
    """Reaction to tools that differ from `tools_lock`. With `"warn"`, the difference is logged. With `"error"`, connecting
    raises `ToolsChanged`; a later change, or a failure to read the changed list, closes the connection.
    """
    sampling: Callable[[Any, Any], Any] | None = option(default=None)
    """Callback that requests a message from a language model for the server, and returns it as a `CreateMessageResult`. To
    refuse, it raises `mcp.Refused`.
    """
    approve_request: Callable[[Any], Any] | None = option(default=None)
    """Callback that reviews the params of a sampling request before `sampling` is called, and returns them, possibly
    changed. To refuse, it raises `mcp.Refused`.
    """
    approve_result: Callable[[Any, Any], Any] | None = option(default=None)
    """Callback that reviews the result of `sampling` before the server gets it, and returns it, possibly changed. To refuse,
    it raises `mcp.Refused`.
    """
    sampling_tools: bool = option(default=False)
    """If true, the client declares that `sampling` supports tools."""
    sampling_context: bool = option(default=False)
    """If true, the client declares that `sampling` can add context from servers (`includeContext`)."""
    elicitation: Callable[[Any, Any], Any] | None = option(default=None)
    """Callback that shows a form of the server to the user and returns an `ElicitResult`. The client validates the content
    of an accepted form.
    """
    elicitation_url: Callable[[Any, Any], Any] | None = option(default=None)
    """Callback that opens a URL of the server for the user and returns an `ElicitResult`. It must first show the whole URL,
    and open it only if the user consents.
    """
    roots: Iterable[Any] | None = option(default=None)
    """Folders and files in which the server should work: paths, `file://` URIs, or `Root` objects. `set_roots` changes
    them.
    """
    on_log: Callable[[Any], object] | None = option(default=None)
    """Callback for each log message. A stateless server sends none without `log_level`."""
    on_resource_updated: Callable[[Any], object] | None = option(default=None)
    """Callback for each change of a subscribed resource."""
    on_tools_changed: Callable[[], object] | None = option(default=None)
    """Callback for each change of the list of tools."""
    on_prompts_changed: Callable[[], object] | None = option(default=None)
    """Callback for each change of the list of prompts."""
    on_resources_changed: Callable[[], object] | None = option(default=None)
    """Callback for each change of the list of resources."""

    extensions: Sequence[ModuleType | Extension] = option(default=())
    """Protocol extensions to use: packages generated from your schemas, or `Extension(package, settings={…})`."""

    def __init__(self, binding: Binding, open_transport: object, **options: Any) -> None:
        lacking = self.lacking_in(binding)
        known = self.names() - (lacking & _CALLBACKS.keys())
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            parameters: frozenset[str] = getattr(open_transport, "parameters", frozenset())
            known |= parameters
            hint = self.hint_for(unknown)
            more = f"; {hint}" if hint else _transport_of(unknown) or _other_clients_of(unknown)
            more = more or _near_option(unknown, known) or f"; use {', '.join(sorted(known - lacking))}"
            text = f"clients of {binding.revision} have no option {unknown!r}{more}"
            raise UsageError(text)
        super().__init__(**options)
        require_seconds(timeout=self.timeout, limit=self.limit, ping=self.ping or 0)
        require_positive_integers(workers=self.workers, ping_failures=self.ping_failures)
        if self.revisions is not None:
            require_list("revisions", self.revisions, binding.facts.label, str)
            if binding.facts.label not in self.revisions:
                text = (
                    f"`revisions` must include the client's own, {binding.facts.label!r}, got {list(self.revisions)!r}"
                )
                raise UsageError(text)
        require_list("require", self.require, "tools", str)
        self.require = tuple(sorted({*self.require}))
        check_paths(binding, "server", self.require)
        if self.log_level is not None:
            check_level(self.log_level)
        if self.redact:
            from ..transports.redaction import Redaction

            require_list("redact", self.redact, "/params/arguments/password", str)
            self.redact = tuple(self.redact)
            Redaction(self.redact)

    @classmethod
    def hint_for(cls, name: str) -> str | None:
        """Return what to write instead of an option that clients of other libraries have; None for other names."""
        return OPTIONS_OF_CLIENTS.get(name)

    @classmethod
    def lacking_in(cls, binding: Binding) -> frozenset[str]:
        """Return the names of the options that clients of a revision do not have."""
        methods = {*binding.requests, *binding.notifications}
        return cls.lacking(binding.facts, methods, binding.capabilities["client"])

    @property
    def has_callbacks(self) -> bool:
        """Whether a callback, or an option that goes with callbacks, was passed."""
        return not _CALLBACKS.keys().isdisjoint(vars(self))


def _transport_options() -> dict[str, frozenset[str]]:
    """Return the names of the options of transports, by the method that opens one."""
    from ..http.client.options import HttpClientOptions
    from ..transports.options import StdioOptions

    return {
        "http": HttpClientOptions.names(),
        "in_memory": frozenset({"caller"}),
        "stdio": StdioOptions.names(),
    }


def _transport_of(name: str) -> str:
    """Return ``; it is an option of Client.http`` if clients over another transport have the option; else nothing."""
    return "".join(f"; it is {owner}" for owner in _owners_of(name))


def _owners_of(name: str) -> list[str]:
    """Return ``an option of Client.http and connect.http`` for each transport whose clients have the option."""
    return [
        f"an option of Client.{method} and connect.{method}"
        for method, names in _transport_options().items()
        if name in names
    ]


def _near_option(name: str, known: frozenset[str]) -> str:
    """Return `` (did you mean 'timeout'?)`` for the most similar option; if it is not known, also who has it."""
    near = nearest(name, known.union(*_transport_options().values()))
    if near is None:
        return ""
    owners = [] if near in known else _owners_of(near)
    return f" (did you mean {', '.join([repr(near), *owners])}?)"


def _other_clients_of(name: str) -> str:
    """Return ``; only clients of … have it`` for an option of other revisions or of ``connect``; else nothing."""
    if name in NegotiationOptions.names():
        return "; it is an option of connect"
    having = [
        label
        for label, cls in ((each, client_class(each)) for each in installed_revisions())
        if name in cls.options_class.names() - cls.options_class.lacking_in(cls.binding)
    ]
    return f"; only clients of {', '.join(sorted(having))} have it" if having else ""


class HandshakeClientOptions(ClientOptions):
    """Options of a client of a revision whose sessions begin with a handshake."""

    prerequisites: ClassVar[Mapping[str, Prerequisite]] = {
        **ClientOptions.prerequisites,
        "tasks": Prerequisite("client capability", "tasks"),
    }

    tasks: TaskStore | None = option(default=None)
    """Store for requests of the server that run as tasks; None to run no request as a task."""


class StatelessClientOptions(ClientOptions):
    """Options of a client of a revision without handshake."""

    rounds: int = option(default=16)
    """Limit on the number of times that the server may request input during one call."""
    discover: bool = option(default=True)
    """If true, the client requests the server's revisions and capabilities when it connects (`server/discover`)."""
    probe: Seconds = option(default=5.0)
    """Seconds that a client of 2026-07-28 waits for the response to `server/discover` before it tries the handshake of
    an earlier revision.
    """
    restart: bool = option(default=False)
    """If true and the connection has ended by itself, the next request opens it again; over stdio, this starts the server
    again. Requests in flight fail, and subscriptions of `listen` end.
    """
    tasks: bool = option(default=False)
    """If true, the server may run tool calls as tasks. `call_tool` then waits for the result of the task."""
    cache: ResultCache | bool = option(default=False)
    """Cache of results: True for a cache of this client alone, or a `ResultCache` that several clients share."""

    def __init__(self, binding: Binding, open_transport: object, **options: Any) -> None:
        super().__init__(binding, open_transport, **options)
        require_instance("rounds", self.rounds, int, "an integer")
        require_seconds(probe=self.probe)
        if self.require and not self.discover:
            text = "`require` needs the capabilities from `server/discover`; leave out discover=False"
            raise UsageError(text)
