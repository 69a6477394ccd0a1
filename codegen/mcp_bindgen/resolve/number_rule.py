"""The rule for `number`: TypeScript has one type where JSON-RPC peers have integers and floats."""

from __future__ import annotations

from attrs import frozen

from mcp_bindgen.ir.types import Numbers


@frozen
class NumberRule:
    """The kind of a `number` without the tag `@TJS-type`, by the declared type in whose text it is."""

    default: Numbers = "integer"
    integers: frozenset[str] = frozenset()
    """Declared types in whose text it is an integer, whatever the default is."""

    def is_float(self, path: str) -> bool:
        """Return whether it is a float in the text of a type or of an inline object, by path."""
        return self.default == "float" and path.replace("#", ".").partition(".")[0] not in self.integers
