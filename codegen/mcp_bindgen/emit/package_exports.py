"""What a package says of its client and server, which are loaded when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from mcp_bindings_runtime import errors

from mcp_bindgen.emit.imports import in_runtime
from mcp_bindgen.emit.layout import LINE, Bracketed, exploded, lines
from mcp_bindgen.emit.view_model import ExportsView

Need: TypeAlias = Literal["caching", "forms", "pages", "sampling", "tasks"]
"""What not every revision has."""

_DOC = """
    mcp.Client.stdio(["a-server"])    a client, with a method for each request
    mcp.Server("a-server", "1.0")     a server, of decorated functions and of handlers
    mcp.Context                       what functions are given besides their arguments
    mcp.ClientContext                 the same for functions of clients
    mcp.Image, mcp.Audio              bytes that a tool returns as what they are
    mcp.Keywords(minimum=1)           more than a type says of an argument
    mcp.ToolError("no such city")     what a tool raises for its caller to read
    mcp.ToolFailed                    what raise_for_error() of a result raises
    mcp.LogHandler(server)            sends what is logged to the client
    mcp.Limits(tool_calls=10)         how often something may happen
"""

_DOC_OF: dict[Need, str] = {
    "caching": """
    mcp.ResultCache(entries=100)      keeps results, for one client or for several
""",
    "forms": """
    mcp.Accepted, mcp.Declined        what the user has answered, or mcp.Cancelled
""",
    "pages": """
    mcp.URLElicitationRequired        raised where the user has to visit a page first
""",
    "sampling": """
    mcp.Refused, mcp.match_model(…)   for clients that have a language model
""",
    "tasks": """
    mcp.MemoryTasks(ttl=60)           keeps the tasks that tool calls become
""",
}


class _Offer(NamedTuple):
    module: str
    names: Sequence[str]
    need: Need | None = None


_OFFERS = (
    _Offer("runtime.errors", tuple(errors.__all__)),
    _Offer("runtime.features.elicitation", ("Accepted", "Cancelled", "Declined"), "forms"),
    _Offer("runtime.features.elicitation", ("URLElicitationRequired",), "pages"),
    _Offer("runtime.features.keywords", ("Keywords",)),
    _Offer("runtime.features.limits", ("Limits",)),
    _Offer("runtime.features.log_handler", ("LogHandler",)),
    _Offer("runtime.features.media", ("Audio", "Image")),
    _Offer("runtime.client.result_cache", ("ResultCache",), "caching"),
    _Offer("runtime.features.sampling", ("Refused", "match_model"), "sampling"),
    _Offer("runtime.tasks.store", ("MemoryTasks",), "tasks"),
    _Offer(".client", ("Client", "ClientContext")),
    _Offer(".server", ("Context", "Server")),
)


_ROOT_OFFERS = (
    _Offer("runtime.errors", tuple(errors.__all__)),
    _Offer("runtime.client.any_client", ("AnyClient",)),
    _Offer("runtime.methods", ("NotificationMethod", "RequestMethod")),
    _Offer("runtime.client.running_call", ("RunningCall",)),
    _Offer("runtime.transports", ("Transport",)),
    _Offer("runtime.features.folders", ("inside",)),
    _Offer("runtime.tasks.task_handle", ("start_task",)),
    _Offer("runtime.features.uri_templates", ("expand",)),
    _Offer("runtime.http.server.authorization", ("Authorization", "MissingScope")),
    _Offer("runtime.http.redis.store", ("RedisStore",)),
)

OFFERED = frozenset(name for each in _OFFERS for name in each.names)
"""Names that a package may export besides the types of its schema."""


def plan_exports(*, converses: bool, has: Mapping[Need, bool], runtime: str) -> ExportsView:
    """Return what is added to the package's docstring, imports and names.

    Every package exports the exceptions. ``converses`` says that it has a client and a server, ``has`` what the
    revision has besides.
    """
    doc = _DOC[1:] + "".join(_DOC_OF[need][1:] for need, held in has.items() if held) if converses else ""
    offers = [
        each._replace(module=in_runtime(each.module, runtime))
        for each in (_OFFERS if converses else _OFFERS[:1])
        if each.need is None or has[each.need]
    ]
    return ExportsView(tuple(doc.splitlines()), ("from typing import TYPE_CHECKING", ""), tuple(_names(offers)))


def plan_examples(types: Sequence[str], methods: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a package's docstring that name one of its types and one of its method keys, if it has any."""
    found: list[str] = []
    if types:
        found.append(_line(f"mcp.{'Tool' if 'Tool' in types else types[0]}", "the types, all of them in ``types``"))
    if methods:
        example = "CALL_TOOL" if "CALL_TOOL" in methods else methods[0]
        found.append(_line(f"mcp.methods.{example}", "typed keys of requests and notifications"))
    return tuple(found)


def _line(name: str, what: str) -> str:
    return f"    {name:<33} {what}"


def plan_root_exports(runtime: str) -> tuple[str, ...]:
    """Return the lines that export from the top what belongs to no revision; ``runtime`` is its path from there."""
    return tuple(_names([each._replace(module=in_runtime(each.module, runtime)) for each in _ROOT_OFFERS]))


def _names(offers: Sequence[_Offer]) -> Iterator[str]:
    yield from ("", "if TYPE_CHECKING:")
    for module, names, _ in offers:
        for name in names:
            yield from _import(module, name)
    yield from ("else:", "", "    def __getattr__(name):")
    for number, (module, names, _) in enumerate(offers):
        parent, _, last = module.rpartition(".")
        test = "elif" if number else "if"
        if len(names) == 1:
            yield f'        {test} name == "{names[0]}":'
        else:
            quoted = [f'"{each}"' for each in names]
            yield from lines(f"{test} name in ", ("(", quoted, ")"), ":", indent=8)
        yield f"            from {parent or '.'} import {last} as module"
    yield "        else:"
    yield '            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")'
    yield from ("        return getattr(module, name)", "", "    def __dir__():", "        names = [")
    yield from (f'            "{name}",' for name in sorted(name for each in offers for name in each.names))
    yield from ("        ]", "        return [*globals(), *names]")


def _import(module: str, name: str) -> list[str]:
    line = f"    from {module} import {name} as {name}"
    parted: Bracketed = ("(", [f"{name} as {name}"], ")")
    return [line] if len(line) <= LINE else exploded(f"from {module} import ", parted, "", 4)
