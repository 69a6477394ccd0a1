"""The view of the client of one server: a class with a method for each tool, prompt, resource template and resource."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from attrs import frozen

from mcp_bindgen.emit.annotations import Annotations, default_of, with_absence
from mcp_bindgen.emit.docstrings import docstring, literal
from mcp_bindgen.emit.layout import Alternatives, Tree, lines
from mcp_bindgen.emit.naming import Names, is_constant, numbered_names, snake
from mcp_bindgen.emit.view_model import ClientMethodView, ServerClientView
from mcp_bindgen.ir.offers import PromptOffer, ResourceOffer, ServerOffers, TemplateOffer, TextArgument, ToolOffer
from mcp_bindgen.ir.protocol import ObjectOf, ObjectType, Type

_RESERVED = (
    frozenset(keyword.kwlist)
    | {"bool", "dict", "float", "int", "list", "object", "str", "types"}
    | {"client", "close", "codec", "http", "in_memory", "replay", "stdio"}
)
"""Names that no method of the class may have."""

_PARAMETERS = frozenset({"self", "timeout", "on_progress", "types", "result", "client"})
"""Names with a meaning in the methods."""

_OPTIONS = (
    Alternatives("timeout: ", ("float", "None"), " = None"),
    Alternatives("on_progress: ", ("Callable[[Any], object]", "None"), " = None"),
)


_Offer: TypeAlias = ToolOffer | PromptOffer | TemplateOffer | ResourceOffer


@frozen
class _Parameter:
    name: str
    wire: str
    attribute: str
    annotation: tuple[str, ...]
    default: str
    doc: str


@frozen
class _Call:
    """A method: the function of the base class that it calls, and the arguments."""

    name: str
    parameters: tuple[_Parameter, ...]
    result: str
    function: str
    wire: str
    arguments: Tree | None
    """The expression that makes the arguments; None for a call that has none."""
    doc: str
    is_typed: bool = False


class ServerClientPlanner:
    """Planner of the class for one server."""

    def __init__(self, offers: ServerOffers, names: Names, class_name: str) -> None:
        self._offers = offers
        self._names = names
        self._class = class_name
        self._annotations = Annotations(offers.protocol, names, "types.")
        self.renamed: list[str] = []
        """Remarks on offers whose methods have a number, since their names collide with others."""

    def view(self) -> ServerClientView:
        """Return the view of the class."""
        return ServerClientView(self._class, tuple(self._method(call) for call in self._calls()))

    def functions(self) -> dict[str, ClientMethodView]:
        """Return a function for each method, by its name; its first parameter is the client."""
        return {call.name: self._method(call, function=True) for call in self._calls()}

    def _calls(self) -> list[_Call]:
        offers: list[tuple[str, _Offer]] = [
            *((each.name, each) for each in self._offers.tools),
            *((f"prompt_{each.name}", each) for each in self._offers.prompts),
            *((f"read_{each.name}", each) for each in self._offers.templates),
            *((f"read_{name}", each) for name, each in _named_resources(self._offers.resources)),
        ]
        names = method_names([wanted for wanted, _ in offers])
        self.renamed = [
            f"{each.name!r} is the method {name}, as another name is spelled alike"
            for name, (wanted, each) in zip(names, offers, strict=True)
            if name.rstrip("_") != _wanted(wanted)
        ]
        return [self._call(each, name) for name, (_, each) in zip(names, offers, strict=True)]

    def _call(self, offer: _Offer, name: str) -> _Call:
        match offer:
            case ToolOffer():
                return self._tool(offer, name)
            case PromptOffer():
                return self._text_call(name, offer.name, offer.doc, offer.arguments, "prompt")
            case TemplateOffer():
                return self._text_call(name, offer.template, offer.doc, offer.arguments, "resource")
            case ResourceOffer():
                doc = f"{offer.doc or f'Read the resource {offer.name!r}.'}\n\nURI: `{offer.uri}`."
                return _Call(name, (), "AnyReadResourceResult", "_read_uri", offer.uri, None, doc)

    def _tool(self, tool: ToolOffer, name: str) -> _Call:
        parameters, arguments = self._arguments(tool.arguments)
        typed = tool.result is not None
        result = "AnyCallToolResult" if tool.result is None else self._annotations.of(tool.result)
        doc = f"{tool.doc or f'Call the tool `{tool.name}`.'}"
        doc += "" if not tool.doc or name == tool.name else f"\n\nTool: `{tool.name}`."
        function = "_call_tool_for_data" if typed else "_call_tool"
        return _Call(name, parameters, result, function, tool.name, arguments, doc, is_typed=typed)

    def _arguments(self, kind: Type | None) -> tuple[tuple[_Parameter, ...], Tree]:
        """Return the parameters for the arguments of a tool, and the expression that makes the arguments."""
        if kind is None:
            return (), "None"
        declared = self._offers.protocol.objects.get(kind.path) if isinstance(kind, ObjectOf) else None
        if declared is None or declared.is_map:
            annotation = tuple(self._annotations.alternatives(kind))
            whole = _Parameter("arguments", "", "", annotation, "", "All arguments of the tool.")
            return (whole,), "arguments"
        parameters = self._members(declared)
        made: Tree = (
            f"types.{self._names.types[declared.path]}(",
            [f"{each.attribute}={each.name}" for each in parameters],
            ")",
        )
        return parameters, made

    def _members(self, declared: ObjectType) -> tuple[_Parameter, ...]:
        attributes = self._names.fields[declared.path]
        found: list[_Parameter] = []
        for member in declared.fields:
            if is_constant(member):
                continue
            attribute = attributes[member.name]
            parts = self._annotations.alternatives(member.type)
            annotation = with_absence(self._offers.protocol, member, parts)
            default = default_of(self._offers.protocol, member)
            found.append(
                _Parameter(
                    f"{attribute}_" if attribute in _PARAMETERS else attribute,
                    member.name,
                    attribute,
                    annotation,
                    default,
                    member.about.doc or "",
                )
            )
        if declared.index is not None:
            values = (self._annotations.map_of(declared.index), "None")
            found.append(_Parameter("extra", "", "extra", values, " = None", "Further arguments, by name."))
        return tuple(sorted(found, key=lambda each: bool(each.default)))

    def _text_call(self, name: str, wire: str, doc: str, arguments: Sequence[TextArgument], kind: str) -> _Call:
        attributes = numbered_names((each.name for each in arguments), _PARAMETERS | frozenset(keyword.kwlist))
        parameters = [
            _Parameter(
                attributes[each.name],
                each.name,
                attributes[each.name],
                ("str",) if each.required else ("str", "None"),
                "" if each.required else " = None",
                each.doc,
            )
            for each in arguments
        ]
        values: Tree = ("{", [f"{literal(each.wire)}: {each.name}" for each in parameters], "}")
        result, function = (
            ("AnyGetPromptResult", "_get_prompt") if kind == "prompt" else ("AnyReadResourceResult", "_read_resource")
        )
        doc = doc or f"Get the {kind} `{wire}`."
        ordered = tuple(sorted(parameters, key=lambda each: bool(each.default)))
        return _Call(name, ordered, result, function, wire, values, doc)

    def _method(self, call: _Call, *, function: bool = False) -> ClientMethodView:
        indent = 0 if function else 4
        required = [_written(each) for each in call.parameters if not each.default]
        optional = [_written(each) for each in call.parameters if each.default]
        first = f"client: {self._class}" if function else "self"
        parameters: list[Tree] = [first, *required, "*", *optional, *_OPTIONS]
        return ClientMethodView(
            signature=tuple(lines(f"def {call.name}", ("(", parameters, ")"), f" -> {call.result}:", indent=indent)),
            doc=tuple(docstring(_documented(call), indent + 4)),
            body=tuple(self._delegated(call) if function else self._body(call)),
            module=call.name,
        )

    def _body(self, call: _Call) -> list[str]:
        arguments = [] if call.arguments is None else [call.arguments]
        parts: list[Tree] = [literal(call.wire), *arguments, "timeout", "on_progress"]
        if not call.is_typed:
            return lines("return ", (f"self.{call.function}(", parts, ")"), indent=8)
        return [
            *lines(f"result: {call.result} = ", (f"self.{call.function}(", parts, ")"), indent=8),
            "        return result",
        ]

    def _delegated(self, call: _Call) -> list[str]:
        passed: list[Tree] = [each.name if not each.default else f"{each.name}={each.name}" for each in call.parameters]
        parts = [*passed, "timeout=timeout", "on_progress=on_progress"]
        return lines("return ", (f"client.{call.name}(", parts, ")"), indent=4)


def _named_resources(resources: Sequence[ResourceOffer]) -> Iterator[tuple[str, ResourceOffer]]:
    """Yield a name for each resource: its own, with the end of its URI if other resources have the same name."""
    counts = Counter(snake(each.name) for each in resources)
    for each in resources:
        is_unique = counts[snake(each.name)] == 1
        yield each.name if is_unique else f"{each.name} {each.uri.rstrip('/').rpartition('/')[2]}", each


def method_names(wanted: Iterable[str]) -> list[str]:
    """Return a name for each method, with a number where two would be equal."""
    used: set[str] = set()
    names: list[str] = []
    for each in wanted:
        base = _wanted(each)
        name = f"{base}_" if base in _RESERVED else base
        number = 1
        while name in used:
            number += 1
            name = f"{base}_{number}"
        used.add(name)
        names.append(name)
    return names


def _wanted(name: str) -> str:
    words = snake(name)[:80].strip("_")
    return words if words.isidentifier() else f"tool_{words}" if f"tool_{words}".isidentifier() else "tool"


def _written(parameter: _Parameter) -> Alternatives:
    return Alternatives(f"{parameter.name}: ", parameter.annotation, parameter.default)


def _documented(call: _Call) -> str:
    described = [f"- `{each.name}`: {' '.join(each.doc.split())}" for each in call.parameters if each.doc and each.name]
    return "\n\n".join([call.doc, *(["\n".join(described)] if described else [])])
