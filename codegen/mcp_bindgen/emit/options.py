"""Options of clients and servers as the runtime declares them, with the types of the revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import frozen
from mcp_bindings_runtime.client.options import (
    ONLY_OF_ONE_REVISION,
    ClientOptions,
    HandshakeClientOptions,
    NegotiationOptions,
    StatelessClientOptions,
)
from mcp_bindings_runtime.facts import Facts
from mcp_bindings_runtime.features.client_methods import ELICIT, ON_NOTIFICATION, SAMPLE
from mcp_bindings_runtime.options import Options
from mcp_bindings_runtime.server.options import ServerOptions, StatelessServerOptions

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.emit.call_variants import call_variants
from mcp_bindgen.emit.capability_paths import capability_paths
from mcp_bindgen.emit.declared_options import DeclaredOption, declared_options
from mcp_bindgen.emit.docstrings import docstring, docstring_lines, literal
from mcp_bindgen.emit.layout import Bracketed, lines
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.prerequisites import is_stateless, object_of
from mcp_bindgen.ir.protocol import Method, ObjectOf, Protocol

_MEBIBYTE = 1024 * 1024

_OF_ANY_REVISION: Mapping[str, str] = {
    # Icons of a revision's class are for its own clients.
    "icons": "Sequence[Mapping[str, Any]] | None",
    "sampling": "SamplingCallback | None",
    "approve_result": "SamplingCallback | None",
    "elicitation": "ElicitationCallback | None",
    "elicitation_url": "ElicitationCallback | None",
}
"""Annotations of options for clients whose revision is not known yet."""
_INTRODUCTION: Mapping[str, str] = {
    "title": "title",
    "description": "description",
    "icons": "icons",
    "websiteUrl": "website_url",
}
"""Members of ``Implementation`` by wire name, each with its option."""


@frozen
class OptionView:
    """A key of a ``TypedDict`` of options with its docstring."""

    declaration: tuple[str, ...]
    doc: tuple[str, ...]


@frozen
class KeywordView:
    """A keyword parameter."""

    name: str
    declaration: str
    """The parameter with its annotation and default."""


@frozen
class KeywordsView:
    """Keyword parameters, and their part of the function's docstring."""

    parameters: tuple[KeywordView, ...]
    doc: tuple[str, ...]


def plan_client_options(protocol: Protocol, names: Names, facts: Facts) -> tuple[OptionView, ...]:
    """Return the options of a client in the order in which the runtime declares them."""
    declaring = StatelessClientOptions if is_stateless(protocol) else HandshakeClientOptions
    return _plan_options(declaring, protocol, facts, client_annotations(protocol, names))


def plan_server_options(protocol: Protocol, names: Names, facts: Facts) -> tuple[OptionView, ...]:
    """Return the options of a server in the order in which the runtime declares them."""
    declaring = StatelessServerOptions if is_stateless(protocol) else ServerOptions
    annotations = introduction_annotations(protocol, Annotations(protocol, names, "types."))
    annotations["capabilities"] = "types.ServerCapabilities | None"
    return _plan_options(declaring, protocol, facts, annotations)


def _plan_options(
    declaring: type[Options], protocol: Protocol, facts: Facts, annotations: Mapping[str, str]
) -> tuple[OptionView, ...]:
    """Return the options of a class that a revision has; ``annotations`` are those with types of the revision."""
    lacking = declaring.lacking(facts, protocol.methods, capability_paths(protocol, "client"))
    return tuple(
        _option_view(each, annotations.get(each.name, each.plain_annotation), 8)
        for each in declared_options(declaring)
        if each.name not in lacking
    )


def plan_connect_options(*, has_tasks: bool) -> tuple[OptionView, ...]:
    """Return the options of ``connect``: those of the negotiation, and those of the clients of any revision.

    Without ``has_tasks`` no revision has the option ``tasks``.
    """
    left_out = ONLY_OF_ONE_REVISION if has_tasks else {*ONLY_OF_ONE_REVISION, "tasks"}
    # Those of the negotiation come last: what they say about `revisions` and `probe` holds here.
    declared = {each.name: each for each in (*declared_options(ClientOptions), *declared_options(NegotiationOptions))}
    found = {each.name: declared[each.name] for each in declared_options(NegotiationOptions)} | declared
    annotations = {name: each.plain_annotation for name, each in found.items()}
    for cls in (HandshakeClientOptions, StatelessClientOptions):
        for each in declared_options(cls):
            if each.name not in left_out:
                known = found.setdefault(each.name, each)
                annotations[each.name] = _either(known.plain_annotation, each.plain_annotation)
    annotations |= _OF_ANY_REVISION
    return tuple(_option_view(each, annotations[name], 8) for name, each in found.items())


def _either(first: str, second: str) -> str:
    """Return the union of two annotations, with None at its end."""
    if first == second:
        return first
    members = [*dict.fromkeys([*first.split(" | "), *second.split(" | ")])]
    return " | ".join(sorted(members, key="None".__eq__))


def plan_own_options(cls: type[Options]) -> tuple[OptionView, ...]:
    """Return the options that a class has and its base has not."""
    base: type[Options] = cls.__mro__[1]
    inherited = base.names()
    return tuple(
        _option_view(each, each.plain_annotation, 8) for each in declared_options(cls) if each.name not in inherited
    )


def plan_keywords(cls: type[Options], indent: int) -> KeywordsView:
    """Return the options of a class as keyword parameters of a function whose docstring is at ``indent`` columns."""
    options = declared_options(cls)
    return KeywordsView(
        parameters=tuple(
            KeywordView(each.name, f"{each.name}: {each.plain_annotation} = {_code(each)}") for each in options
        ),
        doc=tuple(docstring_lines("\n".join(f"- ``{each.name}``: {each.doc}" for each in options), indent)),
    )


def _code(option: DeclaredOption) -> str:
    """Return the default of an option as an expression."""
    value = option.default
    if option.annotation == "Bytes" and value % _MEBIBYTE == 0:
        return f"{value // _MEBIBYTE} * 1024 * 1024"
    return literal(value)


def _option_view(option: DeclaredOption, annotation: str, indent: int) -> OptionView:
    return OptionView(
        tuple(_annotated(option.name, annotation, indent)), tuple(docstring(option.doc_with_default, indent))
    )


def plan_requirable(protocol: Protocol) -> list[str]:
    """Return ``ServerCapability: TypeAlias = …``, the capabilities that the option ``require`` may name."""
    paths = [literal(path) for path in capability_paths(protocol, "server")]
    return lines("ServerCapability: TypeAlias = ", ("Literal[", paths, "]"), "", 4) if paths else []


def _annotated(name: str, annotation: str, indent: int) -> list[str]:
    found = re.fullmatch(r"Callable\[\[(.*)\], (.*)\]", annotation)
    if found is None:
        return lines("", f"{name}: {annotation}", "", indent)
    arguments: Bracketed = ("[", [each for each in found[1].split(", ") if each], "]")
    return lines(f"{name}: ", ("Callable[", [arguments, found[2]], "]"), "", indent)


def introduction_annotations(protocol: Protocol, annotations: Annotations) -> dict[str, str]:
    """Return the annotations of the options by which a side introduces itself."""
    declared = {member.name: member.type for member in protocol.objects["Implementation"].fields}
    return {
        option: f"{annotations.of(declared[member])} | None"
        for member, option in _INTRODUCTION.items()
        if member in declared
    }


def client_annotations(protocol: Protocol, names: Names) -> dict[str, str]:
    """Return the annotations of a client's options that have types of the revision."""
    annotations = Annotations(protocol, names, "types.")
    capability = "ServerCapability | str" if capability_paths(protocol, "server") else "str"
    found = {
        **introduction_annotations(protocol, annotations),
        "capabilities": "types.ClientCapabilities | None",
        "require": f"Iterable[{capability}]",
        **_sampling(protocol, annotations),
        **_elicitation(protocol, names, annotations),
        **dict(_notification_handlers(protocol, annotations)),
    }
    if "Root" in protocol.objects:
        found["roots"] = "Iterable[types.Root | str | PathLike[str]]"
    message = protocol.methods.get(ON_NOTIFICATION["on_log"])
    declared = None if message is None else object_of(protocol, message.params)
    for member in () if declared is None else declared.fields:
        if member.name == "level":
            found["log_level"] = f"{annotations.of(member.type)} | None"
    return found


def _sampling(protocol: Protocol, annotations: Annotations) -> Mapping[str, str]:
    method = protocol.methods.get(SAMPLE)
    if method is None or method.params is None:
        return {}
    params, result = annotations.of(method.params), _result(method, annotations)
    return {
        "sampling": f"Callable[[{params}, ClientContext], {result}]",
        "approve_request": f"Callable[[{params}], {params}]",
        "approve_result": f"Callable[[{params}, {result}], {result}]",
    }


def _elicitation(protocol: Protocol, names: Names, annotations: Annotations) -> Mapping[str, str]:
    method = protocol.methods.get(ELICIT)
    if method is None:
        return {}
    result = _result(method, annotations)
    return {
        f"elicitation{variant.suffix}": f"Callable[[types.{names.types[variant.declared.path]}, ClientContext], {result}]"
        for variant in call_variants(protocol, method)
        if variant.declared is not None
    }


def _result(method: Method, annotations: Annotations) -> str:
    """Return the annotation of a callback's result: the plain result, not a task."""
    return annotations.of(method.results[0] if method.results else method.result or ObjectOf("Result"))


def _notification_handlers(protocol: Protocol, annotations: Annotations) -> Iterator[tuple[str, str]]:
    for name, wire in ON_NOTIFICATION.items():
        method = protocol.methods.get(wire)
        if method is not None:
            params = None if name.endswith("s_changed") else method.params
            yield name, f"Callable[[{'' if params is None else annotations.of(params)}], object]"
