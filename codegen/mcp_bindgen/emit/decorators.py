"""Decorators of a server, which register functions as tools, resources, resource templates and prompts.

Their keyword parameters are the optional members of the registered type, apart from those that follow from the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from mcp_bindgen.emit.docstrings import docstring_lines
from mcp_bindgen.emit.layout import Alternatives, Tree, lines
from mcp_bindgen.emit.naming import RESERVED_PARAMETERS, Names
from mcp_bindgen.emit.parameters import Parameter, Parameters
from mcp_bindgen.emit.prerequisites import lacks
from mcp_bindgen.emit.view_model import DecoratorView
from mcp_bindgen.ir.protocol import ObjectType, Protocol

_DECORATOR = "Decorator"


@frozen
class _Feature:
    """A kind of thing that a decorator registers functions as."""

    type: str
    """The type that lists of the server have for it."""
    methods: tuple[str, ...]
    """The requests that the revision needs to have."""
    needed: tuple[str, ...]
    """Members of the type that the runtime sets, by wire name."""
    derived: frozenset[str]
    """Members that follow from the function or have a parameter of their own."""
    register: str
    """Method of the server that registers a function."""
    address: str
    """First parameter of the decorator; empty for one that may be used without parentheses."""
    identity: str
    """The word for the text that identifies an entry, in docstrings."""


_FEATURES: Mapping[str, _Feature] = {
    "tool": _Feature(
        type="Tool",
        methods=("tools/list", "tools/call"),
        needed=("name", "inputSchema", "description"),
        derived=frozenset({"name", "inputSchema", "outputSchema"}),
        register="tools.add",
        address="",
        identity="name",
    ),
    "resource": _Feature(
        type="Resource",
        methods=("resources/list", "resources/read"),
        needed=("name", "uri"),
        derived=frozenset({"name", "uri"}),
        register="resources.add",
        address="uri",
        identity="URI",
    ),
    "resource_template": _Feature(
        type="ResourceTemplate",
        methods=("resources/templates/list", "resources/read"),
        needed=("name", "uriTemplate"),
        derived=frozenset({"name", "uriTemplate"}),
        register="resources.add_template",
        address="uri_template",
        identity="template",
    ),
    "prompt": _Feature(
        type="Prompt",
        methods=("prompts/list", "prompts/get"),
        needed=("name", "arguments"),
        derived=frozenset({"name", "arguments"}),
        register="prompts.add",
        address="",
        identity="name",
    ),
}
"""Decorators by name."""

_TOOL_OPTIONS = (
    ("input_schema", "Mapping[str, Any]", "JSON Schema of the arguments; by default derived from the signature."),
    (
        "output_schema",
        "Mapping[str, Any]",
        "JSON Schema of the structured result; by default derived from the annotation.",
    ),
    ("timeout", "float", "Seconds that a call may take; no limit by default."),
)
_SCHEMAS = (
    "schemas",
    'Literal["full", "portable"]',
    "With `portable`, schemas that are derived from annotations contain only what all known hosts accept.",
)
_CHECK = ("check", "Whether values are validated against the schemas passed here.")
_SCOPES = ("scopes", "Scopes that an access token must have; for HTTP only.")
_REPLACE = "replace"


def plan_decorators(protocol: Protocol, names: Names) -> dict[str, DecoratorView | None]:
    """Return the decorators by name; None for one whose methods or members the revision lacks."""
    planner = _Planner(protocol, names)
    return {
        name: planner.decorator(name, feature) if _is_supported(protocol, feature) else None
        for name, feature in _FEATURES.items()
    }


def _is_supported(protocol: Protocol, feature: _Feature) -> bool:
    if feature.type not in protocol.objects or any(method not in protocol.methods for method in feature.methods):
        return False
    return not any(lacks(protocol, feature.type, feature.needed))


class _Planner:
    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._parameters = Parameters(protocol, names)

    def decorator(self, name: str, feature: _Feature) -> DecoratorView:
        """Return the view of one decorator."""
        declared = self._protocol.objects[feature.type]
        reserved = {
            *RESERVED_PARAMETERS,
            "function",
            "add",
            "members",
            "name",
            feature.address,
            "meta",
            "check",
            "schemas",
            "scopes",
            _REPLACE,
        }
        reserved |= {option for option, _, _ in _TOOL_OPTIONS}
        parameters = self._parameters.of(declared, reserved, feature.derived)
        has_meta = self._parameters.meta_form(declared) == "map"
        options = list(_tool_options(declared)) if name == "tool" else []
        named: list[Tree] = [_optional("name", "str"), *(each.written() for each in parameters)]
        if has_meta:
            named.append(_optional("meta", "Mapping[str, Any]"))
        named += [_optional(option, annotation) for option, annotation, _ in options]
        if options:
            named.append(f"{_CHECK[0]}: bool = True")
            named.append(f'{_SCHEMAS[0]}: {_SCHEMAS[1]} = "full"')
        named.append(f"{_SCOPES[0]}: Iterable[str] = ()")
        named.append(f"{_REPLACE}: bool = False")
        first = [f"{feature.address}: str"] if feature.address else ["function: Any = None", "/"]
        returns = _DECORATOR if feature.address else "Any"
        return DecoratorView(
            overload=tuple(
                lines(f"def {name}", ("(", ["self", "/", "*", *named], ")"), f" -> {_DECORATOR}: ...", 4)
                if not feature.address
                else ()
            ),
            signature=tuple(lines(f"def {name}", ("(", ["self", *first, "*", *named], ")"), f" -> {returns}:", 4)),
            parameters=tuple(docstring_lines(_described(feature, parameters, options, has_meta=has_meta), 8)),
            members=tuple(_members(feature, parameters, has_meta=has_meta)),
            add=tuple(_register(feature, options)),
        )


def _tool_options(declared: ObjectType) -> Iterator[tuple[str, str, str]]:
    for option in _TOOL_OPTIONS:
        if option[0] != "output_schema" or any(member.name == "outputSchema" for member in declared.fields):
            yield option


def _described(
    feature: _Feature, parameters: Sequence[Parameter], options: Sequence[tuple[str, str, str]], *, has_meta: bool
) -> str:
    items = ["- `name`: Name for programs; by default that of the function."]
    items += [f"- `{each.name}`: {' '.join(each.doc.split())}" for each in parameters if each.doc]
    if has_meta:
        items.append("- `meta`: Entries of `_meta`, by their names in JSON.")
    items += [f"- `{name}`: {about}" for name, _, about in options]
    if options:
        items.append(f"- `{_CHECK[0]}`: {_CHECK[1]}")
        items.append(f"- `{_SCHEMAS[0]}`: {_SCHEMAS[2]}")
    items.append(f"- `{_SCOPES[0]}`: {_SCOPES[1]}")
    same = f"an entry of the same {feature.identity}"
    items.append(f"- `{_REPLACE}`: Whether to replace {same} instead of raising UsageError.")
    return "\n".join(items)


def _members(feature: _Feature, parameters: Sequence[Parameter], *, has_meta: bool) -> list[str]:
    arguments = [each.passed() for each in parameters]
    if feature.address:
        arguments.insert(0, "name=name")
    if has_meta:
        arguments.append("meta=method_support.meta_entries(meta)")
    return lines("members = ", ("decorator_support.members(", arguments, ")"), indent=8)


def _register(feature: _Feature, options: Sequence[tuple[str, str, str]]) -> list[str]:
    arguments = ["each", feature.address or "name", "members", *(f"{name}={name}" for name, _, _ in options)]
    if options:
        arguments += [f"{name}={name}" for name in (_CHECK[0], _SCHEMAS[0])]
    arguments += [f"{name}={name}" for name in (_SCOPES[0], _REPLACE)]
    return lines("", (f"self.{feature.register}(", arguments, ")"), indent=12)


def _optional(name: str, annotation: str) -> Alternatives:
    return Alternatives(f"{name}: ", (annotation, "None"), " = None")
