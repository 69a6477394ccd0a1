"""Functions whose arguments come as text: variables of a URI template, arguments of a prompt.

A text is what it is where the annotation takes text (``str``, a literal, an enumeration of texts, a date), and is read
as JSON where it does not (numbers, ``bool``, lists). So ``"5"`` is text for ``str | int``, and five for ``int``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..connection.context import Context
from ..errors import UsageError
from .mismatch import MismatchError
from .signature import Signature
from .type_nodes import TypeNode


class WrongArgument(Exception):
    """A text cannot be read as what its parameter is annotated with; ``name`` is the parameter's."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


class Argument(NamedTuple):
    """A parameter that takes a text."""

    name: str
    required: bool
    description: str
    type: TypeNode

    def read(self, value: str | list[str]) -> Any:
        """The value of a text, or of several; raises WrongArgument."""
        try:
            return self.type.read(value)
        except MismatchError as fault:
            try:
                return self.type.read(_parsed(value))
            except (MismatchError, ValueError):
                raise WrongArgument(self.name, str(fault).removeprefix("$: ")) from None


class TextFunction:
    """A function, with the parameters that take text; one of them may take the context instead.

    ``what`` is said of it in messages, ``context`` the class of the contexts that it may be given. Parameters without
    annotation take texts. Raises UsageError for coroutine functions and generators, for ``*`` and ``**``, and for
    annotations that have no JSON.
    """

    def __init__(self, function: Callable[..., Any], what: str, context: type[Context]) -> None:
        self._signature = signature = Signature(function, what, context, loose=True)
        if signature.more is not None:
            text = f"{what}: ** takes arguments that nobody can know of; name each of them"
            raise UsageError(text)
        if signature.generator:
            text = f"{what} is a generator; return all at once, as a list"
            raise UsageError(text)
        self.arguments = {
            each.name: Argument(each.name, each.required, each.description, each.type) for each in signature.parameters
        }
        name = getattr(function, "__name__", "")
        self.name: str = name if name.isidentifier() else ""
        """What the function is called; empty for what has no name."""
        self.about: str | None = signature.summary or None
        """What its docstring says of it first."""

    def call(self, texts: Mapping[str, str | list[str]], context: Any) -> Any:
        """Calls the function with what the texts stand for. Raises WrongArgument, and what the function raises."""
        values = {name: self.arguments[name].read(text) for name, text in texts.items()}
        return self._signature.call(values, context)


def _parsed(value: str | list[str]) -> Any:
    if isinstance(value, list):
        return [_parsed(each) for each in value]
    try:
        return json.loads(value, parse_constant=_no_number)
    except RecursionError as fault:
        raise ValueError from fault


def _no_number(text: str) -> Any:
    raise ValueError(text)
