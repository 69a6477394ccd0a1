"""The scopes that an operation needs: those of the tool, prompt or resources that a request names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..auth.scopes import NO_SCOPES
from ..meta import member
from ..session.stateless import LISTEN
from .server import Server

_NAMED: Final = {
    "tools/call": ("Tools", "name"),
    "prompts/get": ("Prompts", "name"),
    "resources/read": ("Resources", "uri"),
    "resources/subscribe": ("Resources", "uri"),
}
"""Method to the registry that knows the scopes, and the member of its params with the name there."""
_COMPLETE: Final = "completion/complete"


def operation_scopes(server: Server, method: str, params: Any) -> frozenset[str]:
    """Return the scopes that a request needs. ``params`` are those of the revision, or a JSON value."""
    named = _NAMED.get(method)
    if named is not None:
        registry, name = named
        # As in ``_member``: this is on the path of every call.
        return _scopes_of(
            server, registry, params.get(name) if params.__class__ is dict else getattr(params, name, None)
        )
    if method == _COMPLETE:
        # The completions of a prompt's argument tell what the prompt would.
        reference = _member(params, "ref")
        prompt = _scopes_of(server, "Prompts", _member(reference, "name"))
        return prompt | _scopes_of(server, "Resources", _member(reference, "uri"))
    if method == LISTEN:
        uris = member(params, "notifications", "resourceSubscriptions")
        found = [_scopes_of(server, "Resources", uri) for uri in uris] if uris.__class__ is list else []
        return NO_SCOPES.union(*found)
    return NO_SCOPES


def body_scopes(servers: Iterable[Server], value: Any) -> frozenset[str]:
    """Return the scopes that the requests of a body need together; ``value`` is a message or a batch as JSON."""
    return NO_SCOPES.union(
        *(
            operation_scopes(server, method, params)
            for server in servers
            if server.has_scopes
            for method, params in _requests(value)
        )
    )


def _requests(value: Any) -> Iterator[tuple[str, Any]]:
    for message in value if value.__class__ is list else [value]:
        method = member(message, "method")
        if method.__class__ is str:
            yield method, member(message, "params")


def _scopes_of(server: Server, registry: str, name: Any) -> frozenset[str]:
    found = server.existing_registry(registry)
    if found is None or name.__class__ is not str:
        return NO_SCOPES
    scopes: frozenset[str] = found.scopes_of(name)
    return scopes


def _member(params: Any, name: str) -> Any:
    return params.get(name) if params.__class__ is dict else getattr(params, name, None)
