"""Methods that send requests: those of a client, and of the context of a server's handlers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from attrs import evolve, frozen

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.emit.call_variants import CallVariant, call_variants
from mcp_bindgen.emit.docstrings import docstring
from mcp_bindgen.emit.layout import Alternatives, Bracketed, Tree, lines
from mcp_bindgen.emit.naming import RESERVED_CALLS, RESERVED_PARAMETERS, RESERVED_STATELESS_CALLS, Names, free_name
from mcp_bindgen.emit.parameters import TASK, MetaForm, Parameter, Parameters
from mcp_bindgen.emit.prerequisites import is_stateless, object_of
from mcp_bindgen.emit.view_model import RequestMethodView
from mcp_bindgen.ir.protocol import AliasOf, ListOf, Method, ObjectOf, ObjectType, Protocol, Scalar, Side, Type

_OWN = {"client": frozenset({"initialize", "subscriptions/listen"}), "server": frozenset[str]()}
"""Requests that the runtime sends by itself, or for which it has methods of its own."""

_ROUND = "InputRequiredResult"
"""An interim result: the runtime provides the input and repeats the request."""
_TASK_RESULT = "CreateTaskResult"
"""The result of a request for a task."""
_TOOL_RESULT = "CallToolResult"
"""The result that can be converted into a type of the caller, with the option ``returns``."""

_CONVERTED = "        return result if returns is None else result.as_(returns)"

_ARGUMENTS = "arguments"
_CURSOR = "cursor"
_NEXT = "nextCursor"


def sent_by(protocol: Protocol, side: Side) -> list[Method]:
    """Return the requests for which a side has methods."""
    requests = (method for method in protocol.methods.values() if method.kind == "request")
    return [method for method in requests if side in method.sent_by and method.name not in _OWN[side]]


def plan_request_methods(protocol: Protocol, names: Names, side: Side) -> tuple[RequestMethodView, ...]:
    """Return a method for each request that a side may send, in the order of the source, or several for its variants."""
    planner = _Planner(protocol, names)
    requests = sent_by(protocol, side)
    used = set(RESERVED_CALLS[side])
    if side == "client" and is_stateless(protocol):
        used |= RESERVED_STATELESS_CALLS
    own = {method.name: free_name(names.methods[method.name].lower(), used) for method in requests}
    return tuple(view for method in requests for view in planner.methods(method, own[method.name], used))


@frozen
class _Call:
    """One way to send one request."""

    method: Method
    name: str
    about: str
    """Documentation of the params, besides that of the request."""
    declared: ObjectType | None
    parameters: tuple[Parameter, ...]
    meta: MetaForm | None
    typed: Literal["no", "yes", "either"] | None = None
    """Whether ``returns`` is passed; None if the method has no such option."""

    @property
    def waits(self) -> bool:
        """Whether the method has a timeout and progress: a request embedded in a result has neither."""
        return not self.method.embedded and self.declared is not None

    @property
    def options(self) -> list[str]:
        """Parameters that are not members of the params."""
        typed = [] if self.typed is None else [f"returns {self.typed}"]
        return [*typed, *(["meta"] if self.meta else []), *(["timeout", "on_progress"] if self.waits else [])]


class _Planner:
    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._annotations = Annotations(protocol, names, "types.")
        self._parameters = Parameters(protocol, names)
        progress = protocol.methods["notifications/progress"].params
        listener = f"Callable[[{self._of(progress)}], object]"
        self._options: Mapping[str, Tree] = {
            "returns no": "returns: None = None",
            "returns yes": "returns: type[T]",
            "returns either": "returns: type[T] | None = None",
            "meta": Alternatives("meta: ", ("Mapping[str, Any]", "None"), " = None"),
            "timeout": Alternatives("timeout: ", ("float", "None"), " = None"),
            "on_progress": Alternatives("on_progress: ", (listener, "None"), " = None"),
        }

    def methods(self, method: Method, name: str, used: set[str]) -> Iterator[RequestMethodView]:
        """Yield the methods for one request; ``used`` are names that other methods have."""
        ways = call_variants(self._protocol, method)
        for variant in ways:
            called = free_name(f"{name}{variant.suffix}", used) if variant.suffix else name
            call = self._call(method, called, variant, alone=len(ways) == 1)
            items = self._listed(call)
            if items is None:
                yield self._plain(call)
            else:
                page = evolve(call, name=free_name(f"{call.name}_page", used))
                yield self._every(call, page.name, items)
                yield self._plain(page, f"Returns one page of the items of `{call.name}`.")

    def _call(self, method: Method, name: str, variant: CallVariant, *, alone: bool) -> _Call:
        declared = variant.declared
        if declared is None:
            return _Call(method, name, "", None, tuple(self._whole(method)), None)
        without = () if variant.tag is None else (variant.tag,)
        meta = self._parameters.meta_form(declared)
        if method.embedded and meta == "undeclared":
            meta = None
        used = RESERVED_PARAMETERS | ({"meta"} if meta else set[str]())
        parameters = tuple(self._parameters.of(declared, used, without))
        about = ""
        if not alone and declared.about.doc:
            about = f"This method sends `{self._names.types[declared.path]}`: {declared.about.doc}"
        return _Call(method, name, about, declared, parameters, meta)

    def _whole(self, method: Method) -> Iterator[Parameter]:
        """Yield the parameter for params that are passed as they are."""
        if method.params is not None:
            annotation = self._annotations.alternatives(method.params)
            optional = not method.params_required
            yield Parameter(
                name="params",
                attribute="",
                wire="",
                annotation=(*annotation, "None") if optional else tuple(annotation),
                default=" = None" if optional else "",
                positional=True,
                doc="Params of the request.",
            )

    # A request and its result.

    def _plain(self, call: _Call, doc: str = "") -> RequestMethodView:
        results = self._results(call.method)
        if TASK in {parameter.wire for parameter in call.parameters} and self._is_task(results):
            return self._with_task(call, results)
        overloads: list[list[str]] = []
        if len(results) == 1 < len(call.method.results):
            returns = self._of(results[0])
            result: Tree = self._only(call, self._request(call), returns)
        else:
            returns = self._of(call.method.result)
            result = self._request(call)
        body = lines("return ", result, indent=8)
        if results == [ObjectOf(_TOOL_RESULT)]:
            overloads = self._typed_overloads(call, returns)
            body = [*_check_returns("returns"), *lines("result = ", result, indent=8), _CONVERTED]
            call, returns = evolve(call, typed="either"), f"{returns} | T"
        return self._view(call, overloads, returns, doc, body)

    def _with_task(self, call: _Call, results: Sequence[Type]) -> RequestMethodView:
        """Return the method whose result depends on whether ``task`` is passed."""
        (task,) = (parameter for parameter in call.parameters if parameter.wire == TASK)
        usual, lasting = map(self._of, results)
        never = _replaced(call, task, evolve(task, annotation=("None",)))
        annotation = tuple(part for part in task.annotation if part != "None")
        always = _replaced(call, task, evolve(task, annotation=annotation, default=""))
        only = self._only(call, "answer", usual)
        doc = (
            f"Returns {_with_article(lasting)} if `{task.name}` is passed, else {_with_article(usual)}. Raises "
            "ProtocolError if the response has the other result."
        )
        returns = f"{usual} | {lasting}"
        check: list[str] = []
        if results[0] == ObjectOf(_TOOL_RESULT):
            overloads = self._typed_overloads(never, usual)
            ordinary = [*lines("result = ", only, indent=12), f"    {_CONVERTED}"]
            check = _check_returns(f"returns, {task.name}")
            call, returns = evolve(call, typed="either"), f"{returns} | T"
        else:
            overloads = [self._signature(never, usual, " ...")]
            ordinary = lines("return ", only, indent=12)
        overloads.append(self._signature(always, lasting, " ..."))
        body = [
            *check,
            *lines("answer = ", self._request(call), indent=8),
            f"        if {task.name} is None:",
            *ordinary,
            *lines("return ", self._only(call, "answer", lasting), indent=8),
        ]
        return self._view(call, overloads, returns, doc, body)

    def _typed_overloads(self, call: _Call, usual: str) -> list[list[str]]:
        """Return the signatures of a tool call without and with the option ``returns``."""
        return [
            self._signature(evolve(call, typed="no"), usual, " ..."),
            self._signature(evolve(call, typed="yes"), "T", " ..."),
        ]

    def _view(
        self, call: _Call, overloads: Sequence[Sequence[str]], returns: str, doc: str, body: Sequence[str]
    ) -> RequestMethodView:
        explained = any(parameter.wire == _ARGUMENTS for parameter in call.parameters)
        decorators = ["    @method_support.explain_arguments"] if explained else []
        return RequestMethodView(
            overloads=tuple(map(tuple, overloads)),
            signature=(*decorators, *self._signature(call, returns)),
            doc=tuple(self._doc(call, doc)),
            params=tuple(self._params(call)),
            is_paged=False,
            request_page=(),
            result=tuple(body),
        )

    def _results(self, method: Method) -> list[Type]:
        """Return the results that a call may return; all, if classes cannot distinguish them."""
        if any(object_of(self._protocol, each) is None for each in method.results):
            return [*method.results]
        return [each for each in method.results if each != ObjectOf(_ROUND)] or [*method.results]

    @staticmethod
    def _is_task(results: Sequence[Type]) -> bool:
        return len(results) == 2 and results[1] == ObjectOf(_TASK_RESULT)

    def _only(self, call: _Call, result: Tree, returns: str) -> Bracketed:
        return (
            "method_support.expect_result(",
            [f"methods.{self._names.methods[call.method.name]}", result, returns],
            ")",
        )

    def _request(self, call: _Call) -> Bracketed:
        arguments = [f"methods.{self._names.methods[call.method.name]}"]
        if call.method.params is not None:
            arguments.append("params")
        if call.waits:
            arguments += ["timeout=timeout", "on_progress=on_progress"]
        return ("self.request(", arguments, ")")

    def _params(self, call: _Call) -> list[str]:
        if call.declared is None:
            return []
        arguments = [parameter.passed() for parameter in call.parameters]
        match call.meta:
            case "carried":
                arguments.append("meta=self.meta(meta)")
            case "object":
                arguments.append(f"meta=method_support.make_meta({self._parameters.meta_class(call.declared)}, meta)")
            case "map":
                arguments.append("meta=method_support.meta_entries(meta)")
            case "undeclared":
                arguments.append("extra=method_support.extra_with_meta(meta)")
            case None:
                pass
        made: Tree = (f"types.{self._names.types[call.declared.path]}(", arguments, ")")
        if self._may_be_left_out(call):
            made = ("method_support.none_if_empty(", [made], ")")
        return lines("params = ", made, indent=8)

    @staticmethod
    def _may_be_left_out(call: _Call) -> bool:
        """Return whether the request omits params if no argument is passed."""
        if call.method.params_required or call.declared is None:
            return False
        return all(member.optional and member.default is None for member in call.declared.fields)

    # A list in pages.

    def _listed(self, call: _Call) -> tuple[str, str] | None:
        """Return the attribute of a page with its items, and the annotation of an item; None if the result is no page."""
        results = call.method.results
        result = object_of(self._protocol, results[0]) if len(results) == 1 else None
        if result is None or call.declared is None:
            return None
        following = [member for member in result.fields if member.name == _NEXT and self._is_cursor(member.type)]
        cursors = [
            each
            for each in call.declared.fields
            if each.name == _CURSOR and each.optional and self._is_cursor(each.type)
        ]
        items = [member for member in result.fields if isinstance(member.type, ListOf)]
        if not following or not following[0].optional or not cursors or len(items) != 1 or items[0].optional:
            return None
        assert isinstance(items[0].type, ListOf)
        return self._names.fields[result.path][items[0].name], self._of(items[0].type.element)

    def _is_cursor(self, kind: Type) -> bool:
        while isinstance(kind, AliasOf):
            kind = self._protocol.aliases[kind.name].type
        return isinstance(kind, Scalar) and kind.kind == "string"

    def _every(self, call: _Call, page: str, items: tuple[str, str]) -> RequestMethodView:
        attribute, item = items
        (cursor,) = (parameter for parameter in call.parameters if parameter.wire == _CURSOR)
        others = [parameter.name for parameter in call.parameters if parameter is not cursor]
        call = _replaced(call, cursor, evolve(cursor, positional=False))
        request: Bracketed = (
            f"self.{page}(",
            [f"{cursor.name}=at", *(f"{name}={name}" for name in [*others, *call.options])],
            ")",
        )
        return RequestMethodView(
            overloads=(),
            signature=tuple(self._signature(call, f"Iterator[{item}]")),
            doc=tuple(
                self._doc(
                    call,
                    "Iterates over the items of all pages. The first page is requested at once, each further one "
                    "when all items before it are used.",
                )
            ),
            params=(),
            is_paged=True,
            request_page=(
                *lines("def ask", ("(", [f"at: {' | '.join(cursor.annotation)}"], ")"), self._returns(call), 8),
                *lines("return ", request, indent=12),
            ),
            result=tuple(
                lines(
                    "return ",
                    ("method_support.all_items(", ["ask", f"lambda page: page.{attribute}", cursor.name], ")"),
                    "",
                    8,
                )
            ),
        )

    def _returns(self, call: _Call) -> str:
        return f" -> {self._of(call.method.result)}:"

    # What is common.

    def _signature(self, call: _Call, returns: str, body: str = "") -> list[str]:
        parts: list[Tree] = ["self", *(each.written() for each in call.parameters if each.positional)]
        named: list[Tree] = [each.written() for each in call.parameters if not each.positional]
        named += [self._options[option] for option in call.options]
        if named:
            parts += ["*", *named]
        return lines(f"def {call.name}", ("(", parts, ")"), f" -> {returns}:{body}", 4)

    def _doc(self, call: _Call, more: str) -> list[str]:
        about = self._protocol.objects[call.method.interface].about
        items = [f"- `{each.name}`: {' '.join(each.doc.split())}" for each in call.parameters if each.doc]
        if call.typed:
            items.append(
                "- `returns`: Type of the value to return instead of the result, as `CallToolResult.as_` converts it, "
                "with its errors."
            )
        if call.meta:
            items.append("- `meta`: Additional entries of `_meta`, by wire name.")
        if call.waits:
            items.append("- `timeout`, `on_progress` and errors: Those of `request`.")
        paragraphs = [about.doc or f"Sends `{call.method.name}`.", call.about, more, "\n".join(items)]
        if about.deprecated is not None:
            paragraphs.append(f"Deprecated{': ' + about.deprecated if about.deprecated else '.'}")
        return docstring("\n\n".join(paragraph for paragraph in paragraphs if paragraph), 8)

    def _of(self, kind: Type | None) -> str:
        return "None" if kind is None else self._annotations.of(kind)


def _check_returns(arguments: str) -> list[str]:
    return ["        if returns is not None:", f"            method_support.check_returns({arguments})"]


def _bare(annotation: str) -> str:
    return annotation.removeprefix("types.")


def _with_article(annotation: str) -> str:
    name = _bare(annotation)
    return f"{'an' if name[0] in 'AEIOU' else 'a'} `{name}`"


def _replaced(call: _Call, old: Parameter, new: Parameter) -> _Call:
    """Return the call with one parameter replaced, and with positional parameters first."""
    parameters = [new if parameter is old else parameter for parameter in call.parameters]
    return evolve(call, parameters=tuple(sorted(parameters, key=lambda each: not each.positional)))
