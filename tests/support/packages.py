"""Emitted packages by their public interface, and the names of their types in the model."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from mcp_bindgen import catalog
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindings_runtime.codec.record import Record
from mcp_bindings_runtime.errors import DecodeError
from support.official_schemas import ours

Json = Any
Path = tuple[str | int, ...]


class Package:
    """The package of one revision."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.protocol: Protocol = ours(revision)
        self.module: Any = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}")
        self.types: Any = self.module.types
        # Names are not the business of tests that use this: those of the emitter are taken as they are.
        names = Names(self.protocol)
        self._names = names.types
        self._attributes = names.fields
        self._paths = {name: path for path, name in names.types.items()}

    def type(self, path: str) -> Any:
        """Return the class or alias of a type of the model."""
        return getattr(self.types, self._names[path])

    def structure(self, value: Json, path: str) -> Any:
        """Convert a JSON value to a type of the model."""
        return self.module.converter.structure(value, self.type(path))

    def unstructure(self, made: Any) -> Json:
        """Convert a structured value to JSON."""
        return self.module.converter.unstructure(made)

    def results(self, results: dict[str | int, str]) -> dict[str | int, Any]:
        """Return ids of requests with method keys, from ids with method names."""
        return {each: self.module.methods.REQUESTS[method] for each, method in results.items()}

    def path_of(self, made: Record) -> str:
        """Return the path of an object's type in the model."""
        return self._paths[type(made).__name__]

    def attribute(self, path: str, member: str) -> str | None:
        """Return the attribute of a member; None if the type does not declare the member."""
        return self._attributes[path].get(member)

    def part(self, made: Any, path: Path) -> Any:
        """Return the typed part for a part of a JSON value; raise LookupError or AttributeError if there is none."""
        for key in path:
            made = self._inside(made, key)
        return made

    def put(self, made: Any, path: Path, part: Any) -> Any:
        """Replace a part of a typed value, which may be changed in place.

        Values that no attribute can hold go to ``extra``: another value of a constant, and null where None means
        absent.
        """
        if not path:
            return part
        *above, key = path
        holder = self.part(made, tuple(above))
        attribute = self.attribute(self.path_of(holder), str(key)) if isinstance(holder, Record) else None
        if attribute is not None and attribute in holder.__slots__:
            setattr(holder, attribute, part)
        if attribute is None and not isinstance(holder, Record):
            holder[key] = part
        elif attribute is None or not self.holds(holder, str(key), part):
            extra: Any = holder
            extra.extra = {**(extra.extra or {}), key: part}
        return made

    def holds(self, holder: Record, key: str, part: Any) -> bool:
        """Return whether the attribute of a declared member is set."""
        path = self.path_of(holder)
        if self.attribute(path, key) not in holder.__slots__:
            return False
        (member,) = (each for each in self.protocol.objects[path].fields if each.name == key)
        return part is not None or not (member.optional or member.absence_tolerated)

    def without(self, made: Any, path: Path) -> Any:
        """Remove a required member: its attribute becomes None."""
        holder = self.part(made, path[:-1])
        if isinstance(holder, Record):
            attribute = self.attribute(self.path_of(holder), str(path[-1]))
            if attribute in holder.__slots__:
                setattr(holder, attribute, None)
            return made
        # A part that stays JSON, though its type is known.
        del holder[path[-1]]
        return made

    def _inside(self, made: Any, key: str | int) -> Any:
        if not isinstance(made, Record):
            return made[key]
        attribute = self.attribute(self.path_of(made), str(key))
        holder: Any = made
        return holder.extra[key] if attribute is None else getattr(holder, attribute)


def attempt(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, DecodeError | None]:
    """Return the result of a call, or the error that it raises."""
    try:
        return call(*args, **options), None
    except DecodeError as refusal:
        return None, refusal


@cache
def package(revision: str) -> Package:
    """Return the package of a bundled revision."""
    return Package(revision)
