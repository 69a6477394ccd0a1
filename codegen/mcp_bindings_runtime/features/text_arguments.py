"""Functions with text arguments: the variables of a URI template, the arguments of a prompt.

A text is passed as it is if the annotation accepts text (``str``, a literal, an enumeration of texts, a date). Otherwise
it is parsed as JSON (numbers, ``bool``, lists). So ``"5"`` is a text for ``str | int``, and five for ``int``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..codec.json_text import NotJson, refuse_constant
from ..connection.context import Context
from ..errors import UsageError
from .mismatch import MismatchError
from .signature import Signature
from .type_nodes import TypeNode


class TextArgumentError(Exception):
    """A text does not match the annotation of the parameter ``name``."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


class TextArgument(NamedTuple):
    """A parameter that is passed as text."""

    name: str
    required: bool
    description: str
    type: TypeNode

    def read(self, value: str | list[str]) -> Any:
        """Convert a text, or a list of texts; raise TextArgumentError."""
        try:
            return self.type.read(value)
        except MismatchError as error:
            try:
                return self.type.read(_parsed(value))
            except (MismatchError, ValueError):
                raise TextArgumentError(self.name, str(error).removeprefix("$: ")) from None


class TextFunction:
    """A function whose arguments are texts; one parameter may be for the context.

    ``what`` names the function in messages; ``context`` is the class of the contexts that the server passes. Parameters
    without annotation accept any text. Raises UsageError for coroutine functions and generators, for ``*`` and ``**``,
    and for annotations that have no JSON Schema.
    """

    def __init__(self, function: Callable[..., Any], what: str, context: type[Context]) -> None:
        self._signature = signature = Signature(function, what, context, loose=True)
        if signature.more is not None:
            text = f"{what}: arguments for ** cannot be listed; name each parameter"
            raise UsageError(text)
        if signature.generator:
            text = f"{what} is a generator; return a list instead"
            raise UsageError(text)
        self.arguments = {
            each.name: TextArgument(each.name, each.required, each.description, each.type)
            for each in signature.parameters
        }
        name = getattr(function, "__name__", "")
        self.name: str = name if name.isidentifier() else ""
        """Name of the function; empty if it has none."""
        self.description: str | None = signature.summary or None
        """First paragraph of its docstring."""
        self.source = signature.source
        """Its name, file and line, for the log."""

    def call(self, texts: Mapping[str, str | list[str]], context: Any) -> Any:
        """Convert the texts and call the function; raise TextArgumentError if a text is invalid."""
        values = {name: self.arguments[name].read(text) for name, text in texts.items()}
        return self._signature.call(values, context)


def _parsed(value: str | list[str]) -> Any:
    if isinstance(value, list):
        return [_parsed(each) for each in value]
    try:
        return json.loads(value, parse_constant=refuse_constant)
    except (NotJson, RecursionError) as fault:
        raise ValueError from fault
