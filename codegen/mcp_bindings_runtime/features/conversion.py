"""From JSON values to Python values and back, by annotation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .json_validator import fit
from .type_schema import Mode, Schemas


class Conversion:
    """Reads and writes the values of one type; raises NoSchema for a type that has no JSON.

    ``schema`` is what they are in JSON; ``mode`` says whether values are taken or given (see ``type_schema``). ``plain``:
    JSON values of the type are Python's already, so that nothing is to be done with them but to look at them.
    ``vague``: of some values it says nothing. ``fit`` holds a JSON value against the schema; it raises Misfit.
    """

    __slots__ = ("fit", "kind", "plain", "read", "schema", "vague")

    def __init__(self, kind: Any, mode: Mode = "input") -> None:
        schemas = Schemas(mode)
        self.kind = kind
        self.schema = schemas.whole(schemas.of(kind))
        self.plain = schemas.plain
        self.vague = schemas.vague
        self.fit = fit(self.schema)
        self.read: Callable[[Any], Any] = self.fit if self.plain else self._read
        """The Python value of a JSON value; raises Misfit with the places of all that is wrong."""

    def _read(self, value: Any) -> Any:
        from .argument_converter import read

        return read(self.fit(value), self.kind)

    def write(self, value: Any) -> Any:
        """The JSON value of a Python value; raises Misfit where it is none of the type."""
        if self.plain:
            made = self.fit(value)
        else:
            from .argument_converter import write

            made = self.fit(write(value, self.kind))
        if self.vague:
            from .content_blocks import as_json

            return as_json(made)
        return made
