"""Decorators of a server: what turns functions into tools, resources, resource templates, prompts and completions.

The keyword parameters are the optional members that the revision declares for what is offered, apart from those that
follow from the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from mcp_bindgen.emit.docstrings import docstring
from mcp_bindgen.emit.layout import Alternatives, Bracketed, Tree, lines
from mcp_bindgen.emit.naming import RESERVED_PARAMETERS, Names
from mcp_bindgen.emit.parameters import Parameter, Parameters
from mcp_bindgen.emit.prerequisites import lacks
from mcp_bindgen.emit.view_model import MethodView
from mcp_bindgen.ir.protocol import ObjectType, Protocol

_FUNCTION = "function"
_GIVES = "Callable[[F], F]"


@frozen
class _Offer:
    """A kind of thing that functions are offered as."""

    name: str
    """Of the decorator."""
    declared: str
    """The type that lists give for it."""
    methods: tuple[str, ...]
    """The requests that it is offered by."""
    members: tuple[str, ...]
    """Members of the type that the runtime gives, by wire name."""
    derived: frozenset[str]
    """Members that follow from the function, or are given otherwise."""
    registry: str
    place: str
    """The parameter that says where it is; empty for what its name alone finds."""
    doc: str


_OFFERS = (
    _Offer(
        name="tool",
        declared="Tool",
        methods=("tools/list", "tools/call"),
        members=("name", "inputSchema", "description"),
        derived=frozenset({"name", "inputSchema", "outputSchema"}),
        registry="tools.add",
        place="",
        doc="""
Offers a function as a tool.

Its parameters are the tool's arguments; one that is annotated with `Context` is given
the context of the call. The input schema follows from the annotations, descriptions
from the docstring and from `Annotated`. What the function returns becomes the content
of the result; an exception becomes a result with `is_error` and its message. Raises
UsageError for an annotation that has no JSON Schema, and for a name that is taken.
""",
    ),
    _Offer(
        name="resource",
        declared="Resource",
        methods=("resources/list", "resources/read"),
        members=("name", "uri"),
        derived=frozenset({"name", "uri"}),
        registry="resources.add",
        place="uri",
        doc="""
Offers what a function returns as the resource at a URI.

It is called each time that the resource is read. Raises UsageError for a URI that is
taken, or is none.
""",
    ),
    _Offer(
        name="resource_template",
        declared="ResourceTemplate",
        methods=("resources/templates/list", "resources/read"),
        members=("name", "uriTemplate"),
        derived=frozenset({"name", "uriTemplate"}),
        registry="resources.add_template",
        place="uri_template",
        doc="""
Offers what a function returns as the resources of a URI template (RFC 6570).

The variables of the template are the function's parameters. Raises UsageError for a
template that is taken or is none, and where variables and parameters differ.
""",
    ),
    _Offer(
        name="prompt",
        declared="Prompt",
        methods=("prompts/list", "prompts/get"),
        members=("name", "arguments"),
        derived=frozenset({"name", "arguments"}),
        registry="prompts.add",
        place="",
        doc="""
Offers what a function returns as a prompt.

Its parameters are the prompt's arguments. Raises UsageError for an annotation that an
argument, which is text, cannot be read as, and for a name that is taken.
""",
    ),
)

_TOOL_OPTIONS = (
    ("input_schema", "Mapping[str, Any]", "A JSON Schema of the arguments, instead of that of the signature."),
    (
        "output_schema",
        "Mapping[str, Any]",
        "A JSON Schema of the structured result, instead of that of the annotation.",
    ),
    ("timeout", "float", "How many seconds a call may take; no limit by default."),
)
_CHECK = ("check", "Whether values are held against schemas that are given here.")

_COMPLETION = """
Offers a function as what completes an argument of a prompt, or a variable of a template.

It is called with what was typed so far, and returns the values that it may become.

- `prompt`: Name of the prompt that has the argument.
- `resource_template`: The URI template that has the variable, if it is one of a template.
- `argument`: Name of the argument or the variable.
"""


def plan_decorators(protocol: Protocol, names: Names) -> tuple[MethodView, ...]:
    """The decorators of a server, those for which the revision has what it takes."""
    planner = _Planner(protocol, names)
    offered = [planner.decorator(offer) for offer in _OFFERS if _is_offered(protocol, offer)]
    if "completion/complete" in protocol.methods:
        offered.append(_completion())
    return tuple(offered)


def _is_offered(protocol: Protocol, offer: _Offer) -> bool:
    if offer.declared not in protocol.objects or any(method not in protocol.methods for method in offer.methods):
        return False
    return not any(lacks(protocol, offer.declared, offer.members))


class _Planner:
    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._parameters = Parameters(protocol, names)

    def decorator(self, offer: _Offer) -> MethodView:
        """The decorator: bare where it can be, and with options."""
        declared = self._protocol.objects[offer.declared]
        taken = {*RESERVED_PARAMETERS, _FUNCTION, "add", "members", "name", offer.place, "meta", "check"}
        taken |= {name for name, _, _ in _TOOL_OPTIONS}
        given = self._parameters.of(declared, taken, offer.derived)
        meta = self._parameters.meta_form(declared) == "map"
        named: list[Tree] = [_optional("name", "str"), *(each.written() for each in given)]
        if meta:
            named.append(_optional("meta", "Mapping[str, Any]"))
        options = list(self._options(offer, declared))
        named += [_optional(name, kind) for name, kind, _ in options]
        if options:
            named.append(f"{_CHECK[0]}: bool = True")
        place: list[Tree] = [f"{offer.place}: str"] if offer.place else []
        overloads: list[list[str]] = []
        if not offer.place:
            overloads = [
                lines(f"def {offer.name}", ("(", ["self", f"{_FUNCTION}: F", "/"], ")"), " -> F: ...", 4),
                lines(f"def {offer.name}", ("(", ["self", "/", "*", *named], ")"), f" -> {_GIVES}: ...", 4),
            ]
            place = [f"{_FUNCTION}: Any = None", "/"]
        gives = _GIVES if offer.place else "Any"
        return MethodView(
            overloads=tuple(("    @overload", *overload) for overload in overloads),
            signature=tuple(lines(f"def {offer.name}", ("(", ["self", *place, "*", *named], ")"), f" -> {gives}:", 4)),
            doc=tuple(docstring(self._doc(offer, given, options, meta=meta), 8)),
            body=tuple(self._body(offer, given, options, meta=meta)),
        )

    def _options(self, offer: _Offer, declared: ObjectType) -> Iterator[tuple[str, str, str]]:
        if offer.name != "tool":
            return
        for option in _TOOL_OPTIONS:
            if option[0] != "output_schema" or any(member.name == "outputSchema" for member in declared.fields):
                yield option

    @staticmethod
    def _doc(offer: _Offer, given: Sequence[Parameter], options: Sequence[tuple[str, str, str]], *, meta: bool) -> str:
        said = ["- `name`: What it is called; by default as the function is."]
        said += [f"- `{each.name}`: {' '.join(each.doc.split())}" for each in given if each.doc]
        if meta:
            said.append("- `meta`: Entries of `_meta`, by wire name.")
        said += [f"- `{name}`: {about}" for name, _, about in options]
        if options:
            said.append(f"- `{_CHECK[0]}`: {_CHECK[1]}")
        return f"{offer.doc.strip()}\n\n" + "\n".join(said)

    @staticmethod
    def _body(
        offer: _Offer, given: Sequence[Parameter], options: Sequence[tuple[str, str, str]], *, meta: bool
    ) -> Iterator[str]:
        passed = [each.passed() for each in given]
        if offer.place:
            passed.insert(0, "name=name")
        if meta:
            passed.append("meta=method_support.entries(meta)")
        if offer.place:
            yield f'        decorator_support.placed("{offer.name}", {offer.place})'
        yield from lines("members = ", ("decorator_support.members(", passed, ")"), indent=8)
        arguments: list[Tree] = [
            "each",
            offer.place or "name",
            "members",
            *(f"{name}={name}" for name, _, _ in options),
        ]
        if options:
            arguments.append(f"{_CHECK[0]}={_CHECK[0]}")
        yield from _added((f"self.{offer.registry}(", arguments, ")"), "" if offer.place else _FUNCTION)


def _added(call: Bracketed, function: str) -> Iterator[str]:
    yield ""
    yield "        def add(each: Callable[..., Any]) -> None:"
    yield from lines("", call, indent=12)
    yield ""
    if function:
        yield f"        return decorator_support.decorated(add, {function})"
    else:
        yield f"        decorate: {_GIVES} = decorator_support.decorated(add)"
        yield "        return decorate"


def _optional(name: str, kind: str) -> Alternatives:
    return Alternatives(f"{name}: ", (kind, "None"), " = None")


def _completion() -> MethodView:
    def signature(parameters: Sequence[Tree], end: str) -> list[str]:
        return lines("def completion", ("(", ["self", "*", *parameters], ")"), f" -> {_GIVES}:{end}", 4)

    either = [_optional("prompt", "str"), _optional("resource_template", "str")]
    call = ["each", "argument", "prompt=prompt", "resource_template=resource_template"]
    return MethodView(
        overloads=(
            ("    @overload", *signature(["prompt: str", "argument: str"], " ...")),
            ("    @overload", *signature(["resource_template: str", "argument: str"], " ...")),
        ),
        signature=tuple(signature(["argument: str", *either], "")),
        doc=tuple(docstring(_COMPLETION.strip(), 8)),
        body=tuple(_added(("self.completions.add(", call, ")"), "")),
    )
