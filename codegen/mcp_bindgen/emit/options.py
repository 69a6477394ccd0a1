"""Options of clients and servers: ``ClientOptions`` and ``ServerOptions``, with the types of the revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import frozen
from mcp_bindings_runtime.facts import Facts
from mcp_bindings_runtime.features.callbacks import BY_CAPABILITY, ON_NOTIFICATION
from mcp_bindings_runtime.features.client_methods import ELICIT, ROOTS, SAMPLE
from mcp_bindings_runtime.server.options import ServerOptions, StatelessServerOptions

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.emit.call_variants import call_variants
from mcp_bindgen.emit.capability_paths import capability_paths
from mcp_bindgen.emit.declared_options import declared_options
from mcp_bindgen.emit.docstrings import docstring, literal
from mcp_bindgen.emit.layout import Bracketed, lines
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.prerequisites import is_stateless, object_of
from mcp_bindgen.ir.protocol import Method, ObjectOf, Protocol, Side

_CLIENT: Mapping[str, tuple[str, str]] = {
    "name": ("str", "Name of the client, sent to the server."),
    "version": ("str", "Version of the client, sent to the server."),
    "capabilities": (
        "types.ClientCapabilities | None",
        "Capabilities to declare besides those that follow from callbacks and handlers.",
    ),
    "timeout": (
        "float",
        "Seconds to wait for a response, by default 60; each progress notification restarts the timer.",
    ),
    "limit": ("float", "Seconds to wait for a response in total, by default 600."),
    "workers": ("int", "Limit on concurrently running requests of the server, by default 4."),
    "ping": ("float | None", "Seconds without a message until the server is pinged; None to disable pings."),
    "ping_failures": ("int", "Number of unanswered pings that ends the connection, by default 3."),
    "record": ("str | PathLike[str] | None", "File to which all messages are written."),
}

_STATELESS_CLIENT: Mapping[str, tuple[str, str]] = {
    "rounds": ("int", "Limit on requests for input during one request, by default 16."),
    "discover": ("bool", "If true, connecting requests the server's name and capabilities; by default True."),
    "restart": ("bool", "If true, a connection that ended by itself is reopened; by default False."),
    "tasks": ("bool", "If true, the server may run tool calls as tasks; by default False."),
    "cache": (
        "ResultCache | bool",
        "Cache of results: True for one of this client, or a `ResultCache` for several clients. By default off.",
    ),
}

_ON_NOTIFICATION: Mapping[str, str] = {
    "on_log": "Called with each log message.",
    "on_resource_updated": "Called when a subscribed resource has changed.",
    "on_tools_changed": "Called when the list of tools has changed.",
    "on_prompts_changed": "Called when the list of prompts has changed.",
    "on_resources_changed": "Called when the list of resources has changed.",
}

_ELICITATION = {
    "form": "Callback that shows a form to the user and returns the outcome; the content of an accepted form is validated.",
    "url": "Callback that opens a URL for the user. It must show the whole URL first, and open it only with consent.",
}

_REFUSE = "It raises `features.sampling.Refused` to refuse."

_INTRODUCTION: Mapping[str, tuple[str, str]] = {
    "title": ("title", "Display name of the {}."),
    "description": ("description", "Purpose of the {}, in a sentence or two."),
    "icons": ("icons", "Icon of the {} in one or more sizes and formats."),
    "websiteUrl": ("website_url", "URL of a web page about the {}."),
}
"""Members by wire name, each with its option and the option's documentation."""


@frozen
class OptionView:
    """A key of ``ClientOptions`` or ``ServerOptions`` with its docstring."""

    declaration: tuple[str, ...]
    doc: tuple[str, ...]


@frozen
class _Option:
    name: str
    annotation: str
    doc: str


def plan_client_options(protocol: Protocol, names: Names) -> tuple[OptionView, ...]:
    """Return the options of a client in the order of the documentation."""
    planner = _Planner(protocol, names)
    return tuple(_option_view(each.name, each.annotation, each.doc) for each in planner.options())


def _option_view(name: str, annotation: str, doc: str) -> OptionView:
    """Return the view of one option."""
    return OptionView(tuple(_annotated(name, annotation)), tuple(docstring(doc, 8)))


def plan_server_options(protocol: Protocol, names: Names, facts: Facts) -> tuple[OptionView, ...]:
    """Return the options of a server in the order in which the runtime declares them."""
    introduction = _introduction_options(protocol, Annotations(protocol, names, "types."), "server")
    annotations = {name: annotation for name, (annotation, _) in introduction.items()}
    annotations["capabilities"] = "types.ServerCapabilities | None"
    declaring = StatelessServerOptions if is_stateless(protocol) else ServerOptions
    lacking = declaring.lacking(facts, protocol.methods, capability_paths(protocol, "client"))
    return tuple(
        _option_view(each.name, annotations.get(each.name, each.plain_annotation), each.doc_with_default)
        for each in declared_options(declaring)
        if each.name not in lacking
    )


def plan_requirable(protocol: Protocol) -> list[str]:
    """Return ``ServerCapability: TypeAlias = …``, the capabilities that the option ``require`` may name."""
    paths = [literal(path) for path in capability_paths(protocol, "server")]
    return lines("ServerCapability: TypeAlias = ", ("Literal[", paths, "]"), "", 4) if paths else []


def _annotated(name: str, annotation: str) -> list[str]:
    found = re.fullmatch(r"Callable\[\[(.*)\], (.*)\]", annotation)
    if found is None:
        return lines("", f"{name}: {annotation}", "", 8)
    arguments: Bracketed = ("[", [each for each in found[1].split(", ") if each], "]")
    return lines(f"{name}: ", ("Callable[", [arguments, found[2]], "]"), "", 8)


class _Planner:
    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._annotations = Annotations(protocol, names, "types.")
        self._paths = capability_paths(protocol, "client")

    def options(self) -> Iterator[_Option]:
        for name, (annotation, doc) in self._settings().items():
            yield _Option(name, annotation, doc)
        doc = "Rate limits for the server's requests for messages and input; False to disable them."
        yield _Option("limits", "Limits | bool", doc)
        if "tasks" in self._paths:
            doc = "Store of tasks; without it requests of the server are not run as tasks."
            yield _Option("tasks", "MemoryTasks | None", doc)
        named = "ServerCapability | str" if capability_paths(self._protocol, "server") else "str"
        yield _Option(
            "require",
            f"Iterable[{named}]",
            "Capabilities that the server must have; otherwise connecting raises MissingCapability.",
        )
        level = self._level()
        if level is not None:
            doc = "Lowest severity of the log messages to receive."
            yield _Option("log_level", f"{level} | None", doc)
        tool = self._protocol.objects.get("Tool")
        if tool is not None and any(member.name == "outputSchema" for member in tool.fields):
            doc = (
                "If true, `structuredContent` is validated against the tool's `outputSchema` if the tool was listed; by "
                "default if the extra `schema` is installed."
            )
            yield _Option("check_output", "bool | None", doc)
        yield from self._sampling()
        yield from self._elicitation()
        if ROOTS in self._protocol.methods and "Root" in self._protocol.objects:
            yield _Option(
                "roots",
                "Iterable[types.Root | str | PathLike[str]]",
                "Folders and files to work in: paths, `file://` URIs, or roots. `set_roots` changes them.",
            )
        yield from self._notification_handlers()

    def _settings(self) -> Mapping[str, tuple[str, str]]:
        options = {**_CLIENT, **_STATELESS_CLIENT} if is_stateless(self._protocol) else _CLIENT
        return {**options, **_introduction_options(self._protocol, self._annotations, "client")}

    def _level(self) -> str | None:
        """Return the annotation of a severity of log messages."""
        message = self._protocol.methods.get(ON_NOTIFICATION["on_log"])
        declared = None if message is None else object_of(self._protocol, message.params)
        members = () if declared is None else declared.fields
        return next((self._annotations.of(member.type) for member in members if member.name == "level"), None)

    def _sampling(self) -> Iterator[_Option]:
        method = self._protocol.methods.get(SAMPLE)
        if method is None or method.params is None:
            return
        params, result = self._annotations.of(method.params), self._result(method)
        doc = f"Callback that requests a message from a language model. {_REFUSE}"
        yield _Option("sampling", f"Callable[[{params}, ClientContext], {result}]", doc)
        doc = f"Callback that reviews the params before `sampling` and returns them, possibly changed. {_REFUSE}"
        yield _Option("approve_request", f"Callable[[{params}], {params}]", doc)
        doc = f"Callback that reviews the result of `sampling` and returns it, possibly changed. {_REFUSE}"
        yield _Option("approve_result", f"Callable[[{params}, {result}], {result}]", doc)
        for name, purpose in (
            ("sampling_tools", "supports tools"),
            ("sampling_context", "adds the context of servers"),
        ):
            if BY_CAPABILITY[name] in self._paths:
                yield _Option(name, "bool", f"If true, `sampling` {purpose}; by default False.")

    def _elicitation(self) -> Iterator[_Option]:
        method = self._protocol.methods.get(ELICIT)
        if method is None:
            return
        result = self._result(method)
        for variant in call_variants(self._protocol, method):
            name = f"elicitation{variant.suffix}"
            if variant.declared is None or (variant.suffix and BY_CAPABILITY.get(name) not in self._paths):
                continue
            params = f"types.{self._names.types[variant.declared.path]}"
            doc = _ELICITATION["url" if variant.suffix else "form"]
            yield _Option(name, f"Callable[[{params}, ClientContext], {result}]", doc)

    def _result(self, method: Method) -> str:
        """Return the annotation of a callback's result: the plain result, not a task."""
        return self._annotations.of(method.results[0] if method.results else method.result or ObjectOf("Result"))

    def _notification_handlers(self) -> Iterator[_Option]:
        for name, wire in ON_NOTIFICATION.items():
            method = self._protocol.methods.get(wire)
            if method is None:
                continue
            arguments = (
                "" if name.endswith("s_changed") or method.params is None else self._annotations.of(method.params)
            )
            yield _Option(name, f"Callable[[{arguments}], object]", _ON_NOTIFICATION[name])


def _introduction_options(protocol: Protocol, annotations: Annotations, side: Side) -> Mapping[str, tuple[str, str]]:
    """Return the options of a side by name, each with its annotation and its docstring."""
    declared = {member.name: member.type for member in protocol.objects["Implementation"].fields}
    return {
        option: (f"{annotations.of(declared[member])} | None", doc.format(side))
        for member, (option, doc) in _INTRODUCTION.items()
        if member in declared
    }
