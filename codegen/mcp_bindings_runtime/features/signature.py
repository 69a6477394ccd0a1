"""Signatures of handler functions: the JSON Schema of their arguments, and their conversion."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..connection.context import Context
from ..errors import UsageError
from ..logs import place_of
from .class_fields import hints_of
from .converters import members_converter
from .docstrings import parameters_of, summary_of
from .json_values import default_of
from .mismatch import Converter, Mismatch, MismatchError
from .schema_writer import Schema, SchemaWriter
from .type_nodes import TypeNode
from .type_parser import ACCEPTED, TypeParser, name_of, refuse_foreign_field

CONTEXT = "context"
"""A parameter of this name receives the context without an annotation, and with `Any`, which says no more."""

_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY
_MISSING = inspect.Parameter.empty
_HINTS = {
    "ctx": " (annotate the parameter for the context of the call with Context, or name it context)",
    "self": " (add the bound method of an object: server.tools.add(it.method))",
}
"""Likely remedies for a missing annotation, by the name of the parameter."""


def parameters_in(function: Callable[..., Any], what: str) -> list[inspect.Parameter]:
    """Return the parameters of a function; raise `UsageError` if Python does not know them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:
        # Some functions that are written in C.
        text = f"{what}: {function!r} has no signature that Python can read; wrap it in a function with annotations"
        raise UsageError(text) from None


class Parameter(NamedTuple):
    """A parameter that callers pass an argument for."""

    name: str
    type: TypeNode
    required: bool
    schema: Schema
    description: str


class Signature:
    """A function that is called with JSON arguments.

    ``what`` names the function in messages; ``context`` is the class of the contexts that the server passes. ``loose``
    allows parameters without annotation, for schemas written by hand. Raises UsageError, which names function, parameter
    and type, for a parameter that has no schema.
    """

    def __init__(self, function: Callable[..., Any], what: str, context: type[Context], *, loose: bool = False) -> None:
        if isinstance(function, type) or not callable(function):
            text = f"{what} must be a function, got {function!r}"
            raise UsageError(text)
        self.function = function
        self.what = what
        self._class = context
        self._loose = loose
        self.context: str | None = None
        """Name of the parameter that receives the context."""
        self.parameters: list[Parameter] = []
        self.more: TypeNode | None = None
        """Type of further arguments, which ``**`` accepts; None if there may be none."""
        inner = _unwrapped(function)
        if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
            text = f"{what} is a coroutine function; use a plain function, which runs in a thread"
            raise UsageError(text)
        self.generator = inspect.isgeneratorfunction(inner)
        """Whether it is a generator function."""
        place = place_of(inner)
        self.source = what if place is None else f"{place}: {what}"
        """The name of the function with its file and line, for the log."""
        self.summary = summary_of(inner.__doc__)
        self._descriptions = parameters_of(inner.__doc__)
        self._types = TypeParser()
        self._schemas = SchemaWriter()
        self._positional: list[tuple[str, Any]] = []
        hints = hints_of(inner, what)
        self.returns: Any = hints.get("return", _MISSING)
        """Annotation of the return value; ``inspect.Parameter.empty`` if there is none."""
        for parameter in parameters_in(function, what):
            self._add(parameter, hints.get(parameter.name, parameter.annotation))
        self.schema = self._schemas.complete(self._object())
        """JSON Schema of the arguments."""
        self._convert = self._converter()

    # Reading the signature.

    def _add(self, parameter: inspect.Parameter, annotation: Any) -> None:
        name = parameter.name
        if self._is_context(name, annotation):
            self.context = name
            if parameter.kind is _POSITIONAL:
                self._positional.append((name, _MISSING))
            return
        if parameter.kind is parameter.VAR_POSITIONAL:
            text = f"{self.what}: arguments for *{name} cannot be passed by name; use a parameter with a list"
            raise UsageError(text)
        if annotation is _MISSING:
            if not self._loose:
                hint = _HINTS.get(name, "")
                text = f"{self.what}: parameter {name} has no annotation{hint}; use one of {ACCEPTED}"
                raise UsageError(text)
            annotation = Any
        if parameter.kind is parameter.VAR_KEYWORD:
            self.more = self._parse("parameter **", annotation)
            if not self.more.plain:
                text = f"{self.what}: ** must have a JSON type such as int or list[str], got {name_of(annotation)}"
                raise UsageError(text)
            return
        if parameter.kind is _POSITIONAL:
            self._positional.append((name, parameter.default))
        node = self._parse(f"parameter {name}", annotation)
        schema = node.schema(self._schemas)
        if self._descriptions.get(name):
            schema.setdefault("description", self._descriptions[name])
        required = parameter.default is _MISSING
        if not required:
            schema |= self._default(name, node, parameter.default)
        self.parameters.append(Parameter(name, node, required, schema, schema.get("description", "")))

    def _is_context(self, name: str, annotation: Any) -> bool:
        is_open = _is_open(annotation)
        if is_open and name != CONTEXT:
            return False
        members = [each for each in (*typing.get_args(annotation), annotation) if isinstance(each, type)]
        contexts = [each for each in members if issubclass(each, Context)]
        if contexts and not any(issubclass(self._class, each) for each in contexts):
            found = " | ".join(f"{each.__module__}.{each.__qualname__}" for each in contexts)
            wanted = f"{self._class.__module__}.{self._class.__qualname__}"
            text = f"{self.what}: parameter {name} is annotated with {found}, but this server passes {wanted}"
            raise UsageError(text)
        if (is_open or contexts) and self.context is not None:
            text = f"{self.what}: {self.context} and {name} both stand for the context; use one"
            raise UsageError(text)
        return is_open or bool(contexts)

    def _parse(self, place: str, annotation: Any) -> TypeNode:
        try:
            return self._types.parse(annotation)
        except UsageError as error:
            text = f"{self.what}: {place}: {error}"
            raise UsageError(text) from error

    def _default(self, name: str, node: TypeNode, value: Any) -> Schema:
        """Return the default for the schema, if JSON has it; raise UsageError for one of another type."""
        try:
            refuse_foreign_field(value)
        except UsageError as error:
            text = f"{self.what}: parameter {name}: {error}"
            raise UsageError(text) from None
        schema = default_of(value)
        try:
            if schema:
                node.read(schema["default"])
        except MismatchError as error:
            hint = "; add `| None` to the annotation" if value is None else ""
            text = f"{self.what}: the default of {name} does not match its annotation: {error}{hint}"
            raise UsageError(text) from None
        return schema

    def _object(self) -> Schema:
        # Some hosts refuse an object without `properties`, even if it has none.
        schema: Schema = {"type": "object", "properties": {each.name: each.schema for each in self.parameters}}
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
        """Call the function with the values of its parameters and, if it has a parameter for it, the context."""
        if self.context is not None:
            values[self.context] = context
        if not self._positional:
            return self.function(**values)
        positional = [values.pop(name, default) for name, default in self._positional]
        return self.function(*positional, **values)


def _is_open(annotation: Any) -> bool:
    """Return whether an annotation does not say what it stands for."""
    return annotation is _MISSING or annotation is Any


def _unwrapped(function: Any) -> Any:
    """Return the function that has the annotations and the docstring."""
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    if inspect.isroutine(function):
        return function
    return getattr(function, "__init__" if isinstance(function, type) else "__call__")


def name_of_function(function: Any) -> str:
    """Return the name of a function; raise UsageError if it has none."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        text = f"{function!r} has no name; pass name="
        raise UsageError(text)
    return name
