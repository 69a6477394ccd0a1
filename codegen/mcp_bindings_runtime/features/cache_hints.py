"""Cache hints of results: how long clients may keep them and who may share them (2026-07-28, Caching)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from ..binding import Binding
from ..errors import UsageError
from ..methods import RequestMethod

Scope: TypeAlias = Literal["public", "private"]
SCOPES: tuple[Scope, ...] = ("public", "private")


class CacheHints(NamedTuple):
    """The milliseconds that a result may be kept, and whether by the requesting user alone (``private``) or by all."""

    ttl_ms: int
    cache_scope: Scope


NO_CACHING = CacheHints(0, "private")
"""The result must not be kept."""


class CachePolicy:
    """The cache hints of a server's results: of all, of a method, of a resource, and of the resources of a template."""

    def __init__(self, binding: Binding, ttl_ms: int, scope: Scope) -> None:
        self._binding = binding
        self._hints: Mapping[str, CacheHints] = {}
        self._all = _checked(ttl_ms, scope)

    def set(self, what: RequestMethod[Any, Any] | str, ttl_ms: int, scope: Scope) -> None:
        """Set the hints of a method by its key, of a resource by its URI, or of a template by its text.

        Raise `UsageError` for a method whose results have no cache hints and for an invalid time or scope.
        """
        if isinstance(what, RequestMethod):
            if what.name not in self._binding.facts.cached:
                text = f"results of {what.name} have no cache hints; those of {', '.join(self._methods())} have"
                raise UsageError(text)
            what = what.name
        self._hints = {**self._hints, what: _checked(ttl_ms, scope)}

    def hints(self, method: str, name: str | None, params: Any) -> CacheHints:
        """Return the hints of the result of a request."""
        if (
            params is not None
            and method in self._binding.facts.resumable
            and (params.request_state is not None or params.input_responses is not None)
        ):
            # The result depends on more than the request shows (Caching: Cache Key).
            return NO_CACHING
        hints = self._hints
        return (hints.get(name) if name is not None else None) or hints.get(method, self._all)

    def _methods(self) -> list[str]:
        return [name for name in self._binding.requests if name in self._binding.facts.cached]


def _checked(ttl_ms: int, scope: Scope) -> CacheHints:
    if ttl_ms.__class__ is not int or ttl_ms < 0:
        text = f"ttl_ms must be a whole number of milliseconds >= 0, got {ttl_ms!r}"
        raise UsageError(text)
    if scope not in SCOPES:
        text = f"the scope must be one of {', '.join(SCOPES)}, got {scope!r}"
        raise UsageError(text)
    return CacheHints(ttl_ms, scope)
