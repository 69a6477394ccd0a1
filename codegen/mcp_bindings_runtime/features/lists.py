"""Answering the four list methods from registries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..errors import EncodeError, UsageError
from .registry import Changes, Registry

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer


class Listed(Protocol):
    """An offer that can be listed."""

    @property
    def listed(self) -> Any:
        """What the list says of it: an object of the revision, such as a Tool."""


def writable(server: FeatureServer, listed: Any, what: str) -> Any:
    """What a list is to say of an offer; raises UsageError where the revision could not write it."""
    codec = server.binding.codec
    try:
        codec.unstructure(listed)
    except EncodeError as fault:
        text = f"{what} is not what {server.binding.revision} takes: {fault}"
        raise UsageError(text) from fault
    return listed


def announced(server: FeatureServer, method: str) -> Changes:
    """Changes that are told of by this notification, to all who were promised to hear of them."""
    return Changes(lambda: server.announce(method))


def answer_list(server: FeatureServer, method: str, member: str, offers: Registry[Any]) -> None:
    """Has a list method answered with what a registry holds of Listed, in pages, unless a handler does that already.

    ``member`` is the attribute of the result that holds the items.
    """
    key = server.binding.requests[method]

    def answer(params: Any, context: Context) -> Any:
        freshness = server.freshness(method)
        # All pages have one scope (Caching: Interaction with Pagination): a cursor of another one leads nowhere.
        scope = freshness.get("cache_scope", "")
        page, cursor = server.pages.cut(method, offers, None if params is None else params.cursor, scope)
        return key.result(**{member: [each.listed for each in page]}, next_cursor=cursor, **freshness)

    server.provide(method, answer)
