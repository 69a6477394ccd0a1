"""From JSON values to Python values and back, by annotation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .fitting import fit
from .typeschema import Mode, Schemas


class Conversion:
    """Reads and writes the values of one type; raises NoSchema for a type that has no JSON.

    ``schema`` is what they are in JSON; ``mode`` says whether values are taken or given (see ``typeschema``). ``plain``:
    JSON values of the type are Python's already, so that nothing is to be done with them but to look at them.
    """

    __slots__ = ("_fit", "kind", "plain", "read", "schema")

    def __init__(self, kind: Any, mode: Mode = "input") -> None:
        schemas = Schemas(mode)
        self.kind = kind
        self.schema = schemas.whole(schemas.of(kind))
        self.plain = schemas.plain
        self._fit = fit(self.schema)
        self.read: Callable[[Any], Any] = self._fit if self.plain else self._read
        """The Python value of a JSON value; raises Misfit with the places of all that is wrong."""

    def _read(self, value: Any) -> Any:
        from .compound import read

        return read(self._fit(value), self.kind)

    def write(self, value: Any) -> Any:
        """The JSON value of a Python value; raises Misfit where it is none of the type."""
        if self.plain:
            return self._fit(value)
        from .compound import write

        return self._fit(write(value, self.kind))
