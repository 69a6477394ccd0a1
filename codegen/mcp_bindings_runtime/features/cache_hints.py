"""How long clients may keep what they were given, and for whom (2026-07-28, Caching)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from ..binding import Binding
from ..errors import UsageError
from ..methods import RequestMethod

Scope: TypeAlias = Literal["public", "private"]
SCOPES: tuple[Scope, ...] = ("public", "private")


class Freshness(NamedTuple):
    """How many milliseconds a result may be kept, and whether only for who asked (``private``) or for all."""

    ttl_ms: int
    cache_scope: Scope


STALE = Freshness(0, "private")
"""Not to be kept."""


class Caching:
    """What a server says of its results: of all, of those of a method, and of a resource or a template's resources."""

    def __init__(self, binding: Binding, ttl_ms: int, scope: Scope) -> None:
        self._binding = binding
        self._said: Mapping[str, Freshness] = {}
        self._all = _checked(ttl_ms, scope)

    def say(self, what: RequestMethod[Any, Any] | str, ttl_ms: int, scope: Scope) -> None:
        """Says it of a method by its key, of a resource by its URI, or of a template by its text.

        Raises UsageError for a method whose results say nothing of it, and for a time or scope that there is not.
        """
        if isinstance(what, RequestMethod):
            if what.name not in self._binding.facts.cached:
                text = f"results of {what.name} are not to be kept; those of these are: {', '.join(self._methods())}"
                raise UsageError(text)
            what = what.name
        self._said = {**self._said, what: _checked(ttl_ms, scope)}

    def of(self, method: str, name: str | None, params: Any) -> Freshness:
        """What the result of a request says."""
        resumable = params is not None and method in self._binding.facts.resumable
        if resumable and (params.request_state is not None or params.input_responses is not None):
            # It depends on what the request does not show (Caching: Cache Key).
            return STALE
        said = self._said
        return (said.get(name) if name is not None else None) or said.get(method, self._all)

    def _methods(self) -> list[str]:
        return [name for name in self._binding.requests if name in self._binding.facts.cached]


def _checked(ttl_ms: int, scope: Scope) -> Freshness:
    if ttl_ms.__class__ is not int or ttl_ms < 0:
        text = f"ttl_ms is {ttl_ms!r}; accepted are whole numbers of milliseconds, 0 and more"
        raise UsageError(text)
    if scope not in SCOPES:
        text = f"the scope is {scope!r}; accepted are {', '.join(SCOPES)}"
        raise UsageError(text)
    return Freshness(ttl_ms, scope)
