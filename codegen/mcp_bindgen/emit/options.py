"""Options of clients and servers: ``ClientOptions`` and ``ServerOptions``, with the types of the revision."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from inspect import getsource
from itertools import pairwise

from attrs import frozen
from mcp_bindings_runtime.features.callbacks import BY_CAPABILITY, ON_NOTIFICATION
from mcp_bindings_runtime.features.client_methods import ELICIT, ROOTS, SAMPLE
from mcp_bindings_runtime.server.options import ServerOptions, StatelessServerOptions

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.emit.call_variants import call_variants
from mcp_bindgen.emit.capability_paths import capability_paths
from mcp_bindgen.emit.docstrings import docstring, literal
from mcp_bindgen.emit.layout import Bracketed, lines
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.prerequisites import has_tasks, is_stateless, object_of
from mcp_bindgen.ir.protocol import Method, ObjectOf, Protocol, Side

_CLIENT: Mapping[str, tuple[str, str]] = {
    "name": ("str", "Of the client, as the server is told."),
    "version": ("str", "Of the client, as the server is told."),
    "capabilities": (
        "types.ClientCapabilities | None",
        "Laid over the capabilities that follow from the functions here and from handlers.",
    ),
    "timeout": ("float", "Seconds that an answer may take, 60 unless given; progress starts them anew."),
    "limit": ("float", "Seconds that an answer may take altogether, 600 unless given."),
    "workers": ("int", "How many requests of the server run at the same time at most, 4 unless given."),
    "ping": ("float | None", "Seconds without a message after which the server is pinged; None for never."),
    "ping_failures": ("int", "Pings without an answer after which the connection ends, 3 unless given."),
    "record": ("str | PathLike[str] | None", "A file that all messages are written to."),
}

_STATELESS_CLIENT: Mapping[str, tuple[str, str]] = {
    "rounds": ("int", "How often the server may ask for input during one request, 16 unless given."),
    "discover": ("bool", "Whether the server is asked who it is when the client connects; it is unless given."),
    "restart": ("bool", "Whether a connection that has ended by itself is opened anew; it is not unless given."),
    "tasks": ("bool", "Whether the server may answer tool calls with tasks; it may not unless given."),
    "cache": (
        "ResultCache | bool",
        "Keeps results as long as the server says: True for this client, a `ResultCache` for several. None unless given.",
    ),
}

_ON_NOTIFICATION: Mapping[str, str] = {
    "on_log": "Is called with each log message.",
    "on_resource_updated": "Is called when a resource has changed that the client has subscribed to.",
    "on_tools_changed": "Is called when the list of tools has changed.",
    "on_prompts_changed": "Is called when the list of prompts has changed.",
    "on_resources_changed": "Is called when the list of resources has changed.",
}

_ELICITATION = {
    "form": "Asks the user to fill in a form. The content that it accepts with is checked against the schema.",
    "url": "Asks the user whether to open a URL. Show all of it, and open nothing without consent.",
}

_REFUSE = "Raise `features.sampling.Refused` to refuse."

_INTRODUCTION: Mapping[str, tuple[str, str]] = {
    "title": ("title", "Name of the {} for people; `name` is for programs."),
    "description": ("description", "What the {} is for, in a sentence or two."),
    "icons": ("icons", "Images to choose an icon of the {} from."),
    "websiteUrl": ("website_url", "URL of a web page about the {}."),
}
"""Wire names of the members to the option and what it is for."""


@frozen
class OptionView:
    """A key of ``ClientOptions`` or ``ServerOptions``, and what it is for."""

    declaration: tuple[str, ...]
    doc: tuple[str, ...]


@frozen
class _Option:
    name: str
    annotation: str
    doc: str


def plan_client_options(protocol: Protocol, names: Names) -> tuple[OptionView, ...]:
    """The options, in the order in which they are shown."""
    planner = _Planner(protocol, names)
    return tuple(_option_view(each.name, each.annotation, each.doc) for each in planner.options())


def _option_view(name: str, annotation: str, doc: str) -> OptionView:
    """Return the view of one option."""
    return OptionView(tuple(_annotated(name, annotation)), tuple(docstring(doc, 8)))


def plan_server_options(protocol: Protocol, names: Names) -> tuple[OptionView, ...]:
    """Return the options of the revision's servers, in the order in which the runtime declares them."""
    introduction = _introduction_options(protocol, Annotations(protocol, names, "types."), "server")
    annotations = {name: annotation for name, (annotation, _) in introduction.items()}
    annotations["capabilities"] = "types.ServerCapabilities | None"
    absent = {name for name, _ in _INTRODUCTION.values()} - introduction.keys()
    ping = protocol.methods.get("ping")
    if ping is None or "server" not in ping.sent_by:
        absent |= {"ping", "ping_failures"}
    if not has_tasks(protocol):
        absent.add("tasks")
    return tuple(
        _option_view(each.name, annotations.get(each.name, each.annotation), each.doc)
        for each in _declared_options(StatelessServerOptions if is_stateless(protocol) else ServerOptions)
        if each.name not in absent
    )


def _declared_options(cls: type) -> Iterator[_Option]:
    """Yield the options that a class of the runtime declares; the docstring of each with its default."""
    for each in reversed(cls.__mro__[:-1]):
        source = getsource(each)
        (declaration,) = ast.parse(source).body
        for field, after in pairwise(declaration.body if isinstance(declaration, ast.ClassDef) else ()):
            match field, after:
                case ast.AnnAssign(ast.Name(name), annotation), ast.Expr(ast.Constant(str(text))):
                    default = getattr(cls, name)
                    stated = "" if default in (None, ()) else f" Default: {default!r}."
                    yield _Option(
                        name, ast.get_source_segment(source, annotation) or "", f"{' '.join(text.split())}{stated}"
                    )


def plan_requirable(protocol: Protocol) -> list[str]:
    """``ServerCapability: TypeAlias = …``: what ``require`` may name and a type checker knows."""
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
        doc = "How often the server may ask for messages and input; False for no limit."
        yield _Option("limits", "Limits | bool", doc)
        if "tasks" in self._paths:
            doc = "Keeps the tasks that requests of the server become; without it they become none."
            yield _Option("tasks", "MemoryTasks | None", doc)
        named = "ServerCapability | str" if capability_paths(self._protocol, "server") else "str"
        yield _Option(
            "require",
            f"Iterable[{named}]",
            "Capabilities without which in the server connecting fails (MissingCapability).",
        )
        level = self._level()
        if level is not None:
            doc = "The least severity of the log messages that are wanted."
            yield _Option("log_level", f"{level} | None", doc)
        tool = self._protocol.objects.get("Tool")
        if tool is not None and any(member.name == "outputSchema" for member in tool.fields):
            doc = (
                "Whether `structuredContent` is held against the tool's `outputSchema`, once that was listed; where the "
                "extra `schema` is installed unless given."
            )
            yield _Option("check_output", "bool | None", doc)
        yield from self._sampling()
        yield from self._elicitation()
        if ROOTS in self._protocol.methods and "Root" in self._protocol.objects:
            yield _Option(
                "roots",
                "Iterable[types.Root | str | PathLike[str]]",
                "Folders and files to work in, which `set_roots` changes later: paths, `file://` URIs, or roots.",
            )
        yield from self._notification_handlers()

    def _settings(self) -> Mapping[str, tuple[str, str]]:
        options = {**_CLIENT, **_STATELESS_CLIENT} if is_stateless(self._protocol) else _CLIENT
        return {**options, **_introduction_options(self._protocol, self._annotations, "client")}

    def _level(self) -> str | None:
        """The type of severities, which is that of the log messages."""
        message = self._protocol.methods.get(ON_NOTIFICATION["on_log"])
        declared = None if message is None else object_of(self._protocol, message.params)
        members = () if declared is None else declared.fields
        return next((self._annotations.of(member.type) for member in members if member.name == "level"), None)

    def _sampling(self) -> Iterator[_Option]:
        method = self._protocol.methods.get(SAMPLE)
        if method is None or method.params is None:
            return
        params, result = self._annotations.of(method.params), self._result(method)
        doc = f"Has a language model write a message. {_REFUSE}"
        yield _Option("sampling", f"Callable[[{params}, ClientContext], {result}]", doc)
        doc = f"Sees what is asked of `sampling` before it does, and gives it, changed or not. {_REFUSE}"
        yield _Option("approve_request", f"Callable[[{params}], {params}]", doc)
        doc = f"Sees what `sampling` gives before the server does, and gives it, changed or not. {_REFUSE}"
        yield _Option("approve_result", f"Callable[[{params}, {result}], {result}]", doc)
        for name, what in (("sampling_tools", "takes tools"), ("sampling_context", "adds the context of servers")):
            if BY_CAPABILITY[name] in self._paths:
                yield _Option(name, "bool", f"Whether `sampling` {what}; not unless given.")

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
        """What a function of the client answers with: the plain result, not a task."""
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
    """Return the options of a side by name, each with its annotation and what it is for."""
    declared = {member.name: member.type for member in protocol.objects["Implementation"].fields}
    return {
        option: (f"{annotations.of(declared[member])} | None", doc.format(side))
        for member, (option, doc) in _INTRODUCTION.items()
        if member in declared
    }
