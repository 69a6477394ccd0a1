"""Answering the four list methods from registries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..codec.record import field_names
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


def listed(server: FeatureServer, cls: Any, members: Mapping[str, Any], what: str) -> Any:
    """Return the object that a list has for an offer, such as a ``Prompt`` of the revision.

    Raise `UsageError` for a member that the revision does not have and for a value that does not fit its member.
    """
    unknown = next((name for name in members if name not in field_names(cls)), None)
    if unknown is not None:
        text = f"a {cls.__name__} of {server.binding.revision} has no {unknown!r}"
        raise UsageError(text)
    made = cls(**members)
    try:
        server.binding.codec.unstructure(made)
    except EncodeError as fault:
        text = f"{what} is not what {server.binding.revision} takes: {fault}"
        raise UsageError(text) from fault
    return made


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
        page, cursor = server.paginator.cut(method, offers, None if params is None else params.cursor, scope)
        return key.result(**{member: [each.listed for each in page]}, next_cursor=cursor, **freshness)

    server.provide(method, answer)
