"""JSON Schemas that share definitions: a class gets a name in ``$defs`` only if it contains itself or is used twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypeAlias

Schema: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["input", "output"]
"""Input: members with a default may be absent, undeclared ones are refused. Output: the reverse."""

_QUOTED = frozenset({"enum", "const", "default", "examples"})
"""Keywords whose values are not schemas."""


class SchemaWriter:
    """The definitions of one schema."""

    def __init__(self, mode: Mode = "input") -> None:
        self.mode: Mode = mode
        self._names: dict[Hashable, str] = {}
        self._definitions: dict[str, Schema] = {}
        self._uses: dict[str, int] = {}
        self._open: list[Hashable] = []
        self._recursive: set[str] = set()

    def reference(self, key: Hashable, name: str, define: Callable[[], Schema]) -> Schema:
        """Return a reference to the definition of ``key``, which ``define`` makes at its first use."""
        used = self._names.get(key)
        if used is None:
            used = self._names[key] = self._free(name)
            self._open.append(key)
            self._definitions[used] = define()
            self._open.pop()
        elif key in self._open:
            self._recursive.add(used)
        self._uses[used] = self._uses.get(used, 0) + 1
        return {"$ref": f"#/$defs/{used}"}

    def complete(self, schema: Schema) -> Schema:
        """Return the schema with its definitions; those used once replace their reference."""
        named = {name for name, uses in self._uses.items() if uses > 1 or name in self._recursive}
        definitions = {
            name: self._inlined(self._definitions[name], named) for name in self._names.values() if name in named
        }
        written: Schema = self._inlined(schema, named)
        if "$ref" in written:
            # The revisions require "type" at the top of a tool's schema.
            name = written.pop("$ref").removeprefix("#/$defs/")
            written = {**definitions[name], **written}
        return {**written, "$defs": definitions} if definitions else written

    def _free(self, name: str) -> str:
        free = base = "".join(char if char.isalnum() else "_" for char in name).strip("_")
        number = 1
        while free in self._names.values():
            number += 1
            free = f"{base}_{number}"
        return free

    def _inlined(self, value: Any, named: set[str]) -> Any:
        if value.__class__ is list:
            return [self._inlined(item, named) for item in value]
        if value.__class__ is not dict:
            return value
        name = value["$ref"].removeprefix("#/$defs/") if value.get("$ref").__class__ is str else ""
        if name and name not in named:
            value = {**self._definitions[name], **{key: item for key, item in value.items() if key != "$ref"}}
        return {key: item if key in _QUOTED else self._inlined(item, named) for key, item in value.items()}
