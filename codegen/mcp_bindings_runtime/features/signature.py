"""What a function takes, by its annotations: a JSON Schema of its arguments, and how they reach it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..connection.context import Context
from ..errors import UsageError
from .docstrings import parameters_of, summary_of
from .json_validator import Fault, Fit, Misfit, fit
from .type_schema import ACCEPTED, NoSchema, Schema, Schemas, default_of, name_of

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
    """A parameter that callers give; ``kind`` is its type."""

    name: str
    kind: Any
    required: bool
    plain: bool
    """Whether JSON values are what it takes."""
    schema: Schema
    about: str


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
        self.more: Any = None
        """The type of further arguments, those that ``**`` takes; None where there are none."""
        shown = _shown(function)
        if inspect.iscoroutinefunction(shown) or inspect.isasyncgenfunction(shown):
            text = f"{what} is a coroutine function; handlers are plain functions, and run in threads"
            raise UsageError(text)
        self.generator = inspect.isgeneratorfunction(shown)
        """Whether it yields before it returns."""
        self.summary = summary_of(shown.__doc__)
        self._said = parameters_of(shown.__doc__)
        self._schemas = Schemas("input")
        self._positional: list[tuple[str, Any]] = []
        hints = _hints(shown, what)
        self.returns: Any = hints.get("return", _MISSING)
        """The annotation of what it returns; ``inspect.Parameter.empty`` where there is none."""
        for parameter in inspect.signature(function).parameters.values():
            self._take(parameter, hints.get(parameter.name, parameter.annotation))
        self.schema = self._schemas.whole(self._object())
        """The JSON Schema of the arguments."""
        self._fit: Fit = fit(self.schema)
        self._converted = [each for each in self.parameters if not each.plain]

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
            self.more = kind
            return
        if parameter.kind is _POSITIONAL:
            self._positional.append((name, parameter.default))
        schema, plain = self._described(name, kind)
        about = self._said.get(name, "")
        if about and "description" not in schema:
            schema["description"] = about
        if parameter.default is not _MISSING:
            schema |= self._default(name, kind, parameter.default)
        required = parameter.default is _MISSING
        self.parameters.append(Parameter(name, kind, required, plain, schema, schema.get("description", "")))

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

    def _described(self, name: str, kind: Any) -> tuple[Schema, bool]:
        before = self._schemas.plain
        self._schemas.plain = True
        try:
            schema = self._schemas.of(kind)
        except NoSchema as fault:
            text = f"{self.what}: parameter {name}: {fault}"
            raise UsageError(text) from fault
        plain, self._schemas.plain = self._schemas.plain, before
        return schema, plain

    def _default(self, name: str, kind: Any, value: Any) -> Schema:
        """The default in the schema, where JSON has it; raises UsageError for one that is not of the type."""
        made = default_of(value)
        if not made:
            return {}
        schemas = Schemas("input")
        try:
            fit(schemas.whole(schemas.of(kind)))(made["default"])
        except Misfit as misfit:
            hint = "; a parameter that may be None says so by `| None`" if value is None else ""
            text = f"{self.what}: the default of {name} is not of its type: {misfit}{hint}"
            raise UsageError(text) from None
        return made

    def _object(self) -> Schema:
        schema: Schema = {"type": "object"}
        if self.parameters:
            schema["properties"] = {each.name: each.schema for each in self.parameters}
        required = [each.name for each in self.parameters if each.required]
        if required:
            schema["required"] = required
        if self.more is None:
            schema["additionalProperties"] = False
        elif self.more is not Any:
            schema["additionalProperties"], plain = self._described("**", self.more)
            if not plain:
                text = f"{self.what}: what ** takes is {name_of(self.more)}; accepted are types that JSON has"
                raise UsageError(text)
        return schema

    # Calling.

    def read(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The values of the parameters; raises Misfit with all that is wrong."""
        values: dict[str, Any] = self._fit(arguments)
        if self._converted:
            self._convert(values)
        if self.more is not None and self.context in values:
            raise Misfit([Fault((self.context,), "is unknown")])
        return values

    def _convert(self, values: dict[str, Any]) -> None:
        from .argument_converter import read

        faults: list[Fault] = []
        for each in self._converted:
            if each.name in values:
                try:
                    values[each.name] = read(values[each.name], each.kind)
                except Misfit as misfit:
                    faults += misfit.below(each.name)
        if faults:
            raise Misfit(faults)

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


def _hints(function: Any, what: str) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as fault:
        text = f"{what}: {fault}; annotations have to name things that the module of the function defines or imports"
        raise UsageError(text) from fault
    except TypeError as fault:
        text = f"{what}: its annotations cannot be read: {fault}"
        raise UsageError(text) from fault


def name_of_function(function: Any) -> str:
    """What a function is called; raises UsageError for one that has no name."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        text = f"{function!r} has no name of its own; pass name="
        raise UsageError(text)
    return name
