"""What a function takes, by its annotations: a JSON Schema of its arguments, and how they reach it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..connection.context import Context
from ..errors import UsageError
from .class_fields import hints_of
from .converters import members_converter
from .docstrings import parameters_of, summary_of
from .json_values import default_of
from .mismatch import Converter, Mismatch, MismatchError
from .schema_writer import Schema, SchemaWriter
from .type_nodes import TypeNode
from .type_parser import ACCEPTED, NoSchema, TypeParser, name_of

CONTEXT = "context"
"""A parameter of this name needs no annotation to be given the context."""

_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY
_KEYWORDS = inspect.Parameter.VAR_KEYWORD
_REST = inspect.Parameter.VAR_POSITIONAL
_MISSING = inspect.Parameter.empty
_HINTS = {
    "ctx": " (the context of the call is a parameter that is annotated with Context, or is named context)",
    "self": " (of a class's method, add what an object of the class has: server.tools.add(it.method))",
}
"""What somebody had in mind who left out the annotation of a parameter of this name."""


class Parameter(NamedTuple):
    """A parameter that callers pass an argument for."""

    name: str
    type: TypeNode
    required: bool
    schema: Schema
    description: str


class Signature:
    """A function as something to be called with JSON.

    ``what`` is said of it in messages, ``context`` the class of the contexts that it may be given. ``loose`` allows
    parameters without annotation, and any others in ``**``, for a schema written by hand. Raises UsageError, which names
    function, parameter and type, where the arguments cannot be described.
    """

    def __init__(self, function: Callable[..., Any], what: str, context: type[Context], *, loose: bool = False) -> None:
        if isinstance(function, type) or not callable(function):
            text = f"{what} is {function!r}; accepted are functions"
            raise UsageError(text)
        self.function = function
        self.what = what
        self._class = context
        self._loose = loose
        self.context: str | None = None
        """The parameter that is given the context."""
        self.parameters: list[Parameter] = []
        self.more: TypeNode | None = None
        """The type of further arguments, which ``**`` accepts; None if there may be none."""
        shown = _shown(function)
        if inspect.iscoroutinefunction(shown) or inspect.isasyncgenfunction(shown):
            text = f"{what} is a coroutine function; handlers are plain functions, and run in threads"
            raise UsageError(text)
        self.generator = inspect.isgeneratorfunction(shown)
        """Whether it yields before it returns."""
        self.summary = summary_of(shown.__doc__)
        self._descriptions = parameters_of(shown.__doc__)
        self._types = TypeParser()
        self._schemas = SchemaWriter()
        self._positional: list[tuple[str, Any]] = []
        hints = hints_of(shown, what)
        self.returns: Any = hints.get("return", _MISSING)
        """The annotation of what it returns; ``inspect.Parameter.empty`` where there is none."""
        for parameter in inspect.signature(function).parameters.values():
            self._take(parameter, hints.get(parameter.name, parameter.annotation))
        self.schema = self._schemas.complete(self._object())
        """The JSON Schema of the arguments."""
        self._convert = self._converter()

    # Reading the signature.

    def _take(self, parameter: inspect.Parameter, kind: Any) -> None:
        name = parameter.name
        if self._is_context(name, kind):
            self.context = name
            if parameter.kind is _POSITIONAL:
                self._positional.append((name, _MISSING))
            return
        if parameter.kind is _REST:
            text = f"{self.what}: *{name} has no name that callers could give; take a list instead"
            raise UsageError(text)
        if kind is _MISSING:
            if not self._loose:
                hint = _HINTS.get(name, "")
                text = f"{self.what}: parameter {name} has no annotation{hint}; accepted are {ACCEPTED}"
                raise UsageError(text)
            kind = Any
        if parameter.kind is _KEYWORDS:
            self.more = self._parse("parameter **", kind)
            if not self.more.plain:
                text = f"{self.what}: what ** takes is {name_of(kind)}; accepted are types that JSON has"
                raise UsageError(text)
            return
        if parameter.kind is _POSITIONAL:
            self._positional.append((name, parameter.default))
        node = self._parse(f"parameter {name}", kind)
        schema = node.schema(self._schemas)
        if self._descriptions.get(name):
            schema.setdefault("description", self._descriptions[name])
        required = parameter.default is _MISSING
        if not required:
            schema |= self._default(name, node, parameter.default)
        self.parameters.append(Parameter(name, node, required, schema, schema.get("description", "")))

    def _is_context(self, name: str, kind: Any) -> bool:
        if kind is _MISSING:
            return name == CONTEXT
        members = [each for each in (*typing.get_args(kind), kind) if isinstance(each, type)]
        contexts = [each for each in members if issubclass(each, Context)]
        if contexts and not any(issubclass(self._class, each) for each in contexts):
            found = " | ".join(f"{each.__module__}.{each.__qualname__}" for each in contexts)
            wanted = f"{self._class.__module__}.{self._class.__qualname__}"
            text = f"{self.what}: parameter {name} is a {found}, and this server gives a {wanted}"
            raise UsageError(text)
        if contexts and self.context is not None:
            text = f"{self.what}: {self.context} and {name} are both the context; one is enough"
            raise UsageError(text)
        return bool(contexts)

    def _parse(self, place: str, annotation: Any) -> TypeNode:
        try:
            return self._types.parse(annotation)
        except NoSchema as error:
            text = f"{self.what}: {place}: {error}"
            raise UsageError(text) from error

    def _default(self, name: str, node: TypeNode, value: Any) -> Schema:
        """Return the default for the schema, if JSON has it; raise UsageError for one of another type."""
        schema = default_of(value)
        try:
            if schema:
                node.read(schema["default"])
        except MismatchError as error:
            hint = "; a parameter that may be None says so by `| None`" if value is None else ""
            text = f"{self.what}: the default of {name} is not of its type: {error}{hint}"
            raise UsageError(text) from None
        return schema

    def _object(self) -> Schema:
        schema: Schema = {"type": "object"}
        if self.parameters:
            schema["properties"] = {each.name: each.schema for each in self.parameters}
        required = [each.name for each in self.parameters if each.required]
        if required:
            schema["required"] = required
        if self.more is None:
            schema["additionalProperties"] = False
        elif others := self.more.schema(self._schemas):
            schema["additionalProperties"] = others
        return schema

    def _converter(self) -> Converter:
        required = {each.name: each.type.complete_schema for each in self.parameters if each.required}
        others = None if self.more is None else self.more.read
        return members_converter({each.name: each.type.read for each in self.parameters}, required, others)

    # Calling.

    def read(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the parameters; raise MismatchError with all that is wrong."""
        values: dict[str, Any] = self._convert(arguments)
        if self.more is not None and self.context in values:
            raise MismatchError([Mismatch((self.context,), "is unknown")])
        return values

    def call(self, values: dict[str, Any], context: Any) -> Any:
        """Calls the function with the values of its parameters and the context, if it wants that."""
        if self.context is not None:
            values[self.context] = context
        if not self._positional:
            return self.function(**values)
        first: list[Any] = []
        for name, default in self._positional:
            first.append(values.pop(name) if name in values else default)
        return self.function(*first, **values)


def _shown(function: Any) -> Any:
    """The function that has the annotations and the docstring."""
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    if inspect.isroutine(function):
        return function
    return getattr(function, "__init__" if isinstance(function, type) else "__call__")


def name_of_function(function: Any) -> str:
    """What a function is called; raises UsageError for one that has no name."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        text = f"{function!r} has no name of its own; pass name="
        raise UsageError(text)
    return name
