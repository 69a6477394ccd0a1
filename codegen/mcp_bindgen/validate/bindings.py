"""A revision with its extensions: its methods, and violations of its types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from mcp_bindings_runtime.codec.error_locator import ErrorLocator
from mcp_bindings_runtime.codec.error_wording import describe
from mcp_bindings_runtime.codec.type_tables import Shape, Violation
from mcp_bindings_runtime.errors import DecodeError
from mcp_bindings_runtime.methods import NotificationMethod, RequestMethod

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.validate import packages, tables
from mcp_bindgen.validate.entries import Json, Path
from mcp_bindgen.validate.message import Kind

Method = RequestMethod[Any, Any] | NotificationMethod[Any]

_TOO_DEEP = Violation((), "a value nested too deeply", "fewer levels")


class Bindings:
    """The generated package of one revision with those of its extensions, or a user's package."""

    def __init__(self, revision: str) -> None:
        package: Any = packages.find(revision)
        types = package.types
        self.revision = revision
        self.tables = tables.load(revision)
        self.batches = "JSONRPCBatchRequest" in self.tables.aliases
        self.requests: dict[str, RequestMethod[Any, Any]] = {}
        self.notifications: dict[str, NotificationMethod[Any]] = {}
        self._converters: dict[str, Any] = {}
        """Converter by the name of a type or method."""
        embedded: set[str] = set()
        classes: dict[str, Any] = {}
        # The revision last: its names override those of extensions.
        for each in (*packages.extensions_of(revision), package):
            methods = each.methods
            embedded |= {name for name, key in methods.REQUESTS.items() if key.embedded}
            self.requests |= {name: key for name, key in methods.REQUESTS.items() if not key.embedded}
            self.notifications |= methods.NOTIFICATIONS
            declared: dict[str, Any] = each.types.__dict__
            classes |= declared
            self._converters |= dict.fromkeys([*declared, *methods.REQUESTS], each.converter)
        self.embedded = frozenset(embedded - self.requests.keys())
        self._types = SimpleNamespace(**classes)
        self._locator = ErrorLocator(self.tables, self._types)
        self._undecidable: Mapping[str, str] = {
            name: shape[1][1]
            for name, shape in self.tables.aliases.items()
            if shape[0] == "union" and shape[1][0] == "undecidable"
        }
        """Unions whose members no value distinguishes, with the reason."""
        # A package with its own copy of the runtime raises the error of that copy.
        self._refusal: type[Exception] = getattr(package, "DecodeError", DecodeError)
        self._envelopes: Mapping[Kind, str] = {
            "request": "JSONRPCRequest",
            "notification": "JSONRPCNotification",
            "result": "JSONRPCResultResponse" if hasattr(types, "JSONRPCResultResponse") else "JSONRPCResponse",
            "error": "JSONRPCErrorResponse" if hasattr(types, "JSONRPCErrorResponse") else "JSONRPCError",
        }

    @property
    def types(self) -> frozenset[str]:
        """Names of all types that a value can be checked against."""
        return frozenset(self.tables.objects) | (frozenset(self.tables.aliases) - self._undecidable.keys())

    def shape(self, name: str) -> Shape:
        """Return the shape of a type; raise `BindgenError` if it is unknown or cannot be checked."""
        if name in self.tables.objects:
            return ("class", name)
        if name in self._undecidable:
            message = f"values of type {name} cannot be checked: {self._undecidable[name]}"
            raise BindgenError(message)
        if name in self.tables.aliases:
            return ("alias", name)
        near = catalog.nearest(name, self.types)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        message = f"unknown type {name!r} in {packages.label(self.revision)}{hint}"
        raise BindgenError(message)

    def members(self, shape: Shape) -> frozenset[str] | None:
        """Return the member names that a type declares; None if it accepts any."""
        if shape[0] == "alias":
            return self.members(self.tables.aliases[shape[1]])
        if shape[0] == "class":
            return frozenset(member[0] for member in self.tables.objects[shape[1]][0]) or None
        if shape[0] != "union":
            return None
        found = [self.members(each) for each in shape[2]]
        return frozenset[str]().union(*(each or () for each in found)) if None not in found else None

    def accepts_arrays(self, shape: Shape) -> bool:
        """Return whether a type accepts arrays."""
        if shape == "json" or shape[0] == "list":
            return True
        if shape[0] == "alias":
            return self.accepts_arrays(self.tables.aliases[shape[1]])
        return shape[0] == "union" and any(map(self.accepts_arrays, shape[2]))

    def method(self, kind: Kind, name: str) -> Method | None:
        """Return the key of a method; None if the revision has no such request or notification."""
        return self.requests.get(name) if kind == "request" else self.notifications.get(name)

    def message_shape(self, kind: Kind, method: Method | None) -> Shape:
        """Return the shape of a whole message; ``"object"`` if a user's schema has no type for it."""
        name = self._envelopes[kind] if method is None else method.message.__name__
        return ("class", name) if name in self.tables.objects else "object"

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole protocol and not an extension: it has the methods that start a session."""
        return not self.requests.keys().isdisjoint({"initialize", "server/discover"})

    @property
    def rules(self) -> str:
        """The bundled revision whose rules apply; for a user's schema, the one with the most methods in common."""
        if not packages.is_own(self.revision):
            return self.revision
        own = {*self.requests, *self.notifications}

        def likeness(revision: str) -> float:
            others = load(revision)
            names = {*others.requests, *others.notifications}
            return len(own & names) / len(own | names)

        return max(reversed(catalog.revisions()), key=likeness)

    def violations(self, value: Json, shape: Shape, path: Path = ()) -> list[Violation]:
        """Return all violations in ``value`` as a ``shape``."""
        if self._fits(value, shape):
            return []
        faults: list[Violation] = []
        try:
            self._locator.read(value, shape, path, faults)
        except RecursionError:
            return [_TOO_DEEP._replace(path=path)]
        return faults

    def result_violations(self, value: Json, method: str, path: Path = ()) -> list[Violation]:
        """Return all violations in ``value`` as the result of a request."""
        try:
            self._converters[method].decode_result(self.requests[method], value)
        except self._refusal:
            return self.violations(value, self.tables.results[method], path)
        return []

    def _fits(self, value: Json, shape: Shape) -> bool:
        """Return whether the emitted code, which is fast, accepts the value; the tables then locate the violations."""
        kind = getattr(self._types, shape[1], None) if shape[0] in {"class", "alias"} else None
        if kind is None:
            return False
        try:
            self._converters[shape[1]].structure(value, kind)
        except self._refusal:
            return False
        return True


@cache
def load(revision: str) -> Bindings:
    """Return the bindings of a bundled revision or a user's package; raise `BindgenError` for an unknown name."""
    return Bindings(revision)


@lru_cache(1000)
def revisions_with(kind: Kind, method: str) -> tuple[str, ...]:
    """Return the bundled revisions that have a method of that kind."""
    return tuple(name for name in catalog.revisions() if load(name).method(kind, method))


@lru_cache(1000)
def nearest_method(revision: str, kind: Kind, name: str) -> str | None:
    """Return the method of a revision with the most similar name; None if none is similar."""
    known = load(revision)
    near = catalog.nearest(name, known.requests if kind == "request" else known.notifications, 1)
    return near[0] if near else None


def is_type(name: str, revisions: Iterable[str] | None = None) -> bool:
    """Return whether one of the revisions has a type of that name; None means all bundled revisions."""
    # Most folder names cannot be types; no package need be loaded for them.
    known = catalog.revisions() if revisions is None else revisions
    return name[:1].isupper() and any(name in load(revision).types for revision in known)


def explain_kind(value: Json) -> Kind | Violation:
    """Return the kind of a message according to JSON-RPC 2.0, or why it is not a message."""
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
