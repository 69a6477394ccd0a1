"""One revision as checks need it: its methods, and what is wrong with a value that is to be of one of its types."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from mcp_bindings_runtime.errors import DecodeError
from mcp_bindings_runtime.methods import NotificationMethod, RequestMethod
from mcp_bindings_runtime.shapes import Shape, Shapes, Violation
from mcp_bindings_runtime.wording import describe

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.validate import tables
from mcp_bindgen.validate.entries import Json, Path
from mcp_bindgen.validate.exchanges import Kind

Method = RequestMethod[Any, Any] | NotificationMethod[Any]

_TOO_DEEP = Violation((), "a value nested too deeply", "fewer levels")


class Bindings:
    """The generated package of one revision."""

    def __init__(self, revision: str) -> None:
        self._package = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}")
        types, methods = self._package.types, self._package.methods
        self.revision = revision
        self.batches: bool = self._package.revision.BATCHES
        self.tables = tables.load(revision)
        self.requests: Mapping[str, RequestMethod[Any, Any]] = {
            name: key for name, key in methods.REQUESTS.items() if not key.embedded
        }
        self.embedded = frozenset(methods.REQUESTS) - frozenset(self.requests)
        self.notifications: Mapping[str, NotificationMethod[Any]] = methods.NOTIFICATIONS
        self._shapes = Shapes(self.tables.objects, self.tables.aliases, types)
        self._undecidable: Mapping[str, str] = {
            name: shape[1][1]
            for name, shape in self.tables.aliases.items()
            if shape[0] == "union" and shape[1][0] == "undecidable"
        }
        """The unions whose members no value tells apart, and what does."""
        self._structure: Callable[[Json, Any], Any] = self._package.converter.structure
        self._envelopes: Mapping[Kind, str] = {
            "request": "JSONRPCRequest",
            "notification": "JSONRPCNotification",
            "result": "JSONRPCResultResponse" if hasattr(types, "JSONRPCResultResponse") else "JSONRPCResponse",
            "error": "JSONRPCErrorResponse" if hasattr(types, "JSONRPCErrorResponse") else "JSONRPCError",
        }

    @property
    def types(self) -> frozenset[str]:
        """The names of all types that a value can be checked against."""
        return frozenset(self.tables.objects) | (frozenset(self.tables.aliases) - self._undecidable.keys())

    def shape(self, name: str) -> Shape:
        """A type by its name; raises BindgenError where there is none, or nothing tells what a value of it is."""
        if name in self.tables.objects:
            return ("class", name)
        if name in self._undecidable:
            message = f"no value can be checked as {name}: {self._undecidable[name]}"
            raise BindgenError(message)
        if name in self.tables.aliases:
            return ("alias", name)
        near = catalog.nearest(name, self.types)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        message = f"no type {name!r} in {self.revision}{hint}"
        raise BindgenError(message)

    def method(self, kind: Kind, name: str) -> Method | None:
        """The key of a method; None where the revision does not have it as a message of its own."""
        return self.requests.get(name) if kind == "request" else self.notifications.get(name)

    def message_shape(self, kind: Kind, method: Method | None) -> Shape:
        """The type of a whole message."""
        return ("class", self._envelopes[kind] if method is None else method.message.__name__)

    def violations(self, value: Json, shape: Shape, path: Path = ()) -> list[Violation]:
        """Everything that is wrong with ``value`` as a ``shape``."""
        if self._fits(value, shape):
            return []
        faults: list[Violation] = []
        try:
            self._shapes.read(value, shape, path, faults)
        except RecursionError:
            return [_TOO_DEEP._replace(path=path)]
        return faults

    def result_violations(self, value: Json, method: str, path: Path = ()) -> list[Violation]:
        """Everything that is wrong with ``value`` as the result of a request."""
        try:
            self._package.converter.decode_result(self.requests[method], value)
        except DecodeError:
            return self.violations(value, self.tables.results[method], path)
        return []

    def _fits(self, value: Json, shape: Shape) -> bool:
        """Whether the emitted functions, which are fast, take the value; the walk over tables finds out the rest."""
        kind = getattr(self._package.types, shape[1], None) if shape[0] in {"class", "alias"} else None
        if kind is None:
            return False
        try:
            self._structure(value, kind)
        except DecodeError:
            return False
        return True


@cache
def load(revision: str) -> Bindings:
    """The package of a bundled revision; raises BindgenError for a name that is none."""
    if revision not in catalog.revisions():
        raise catalog.unknown_revision(revision)
    return Bindings(revision)


@lru_cache(1000)
def revisions_with(kind: Kind, method: str) -> tuple[str, ...]:
    """The bundled revisions in which a method is a message of that kind."""
    return tuple(name for name in catalog.revisions() if load(name).method(kind, method))


@lru_cache(1000)
def nearest_method(revision: str, kind: Kind, name: str) -> str | None:
    """The method of a revision that is most like a name; None where none is."""
    known = load(revision)
    near = catalog.nearest(name, known.requests if kind == "request" else known.notifications, 1)
    return near[0] if near else None


def is_type(name: str) -> bool:
    """Whether a bundled revision has a type of that name."""
    # Most folders have names that no type can have, and for these no package need be loaded.
    return name[:1].isupper() and any(name in load(revision).types for revision in catalog.revisions())


def explain_kind(value: Json) -> Kind | Violation:
    """What kind of message an object is, as JSON-RPC 2.0 tells them apart, or why it is none."""
    if value.__class__ is not dict:
        return Violation((), describe(value), "an object")
    if "method" in value:
        if value["method"].__class__ is not str:
            return Violation(("method",), describe(value["method"]), "a string")
        return "request" if "id" in value else "notification"
    if "result" in value:
        return "result" if "error" not in value else Violation((), "both result and error", "one of them")
    if "error" in value:
        return "error"
    return Violation((), "neither method nor result nor error", "one of them")
