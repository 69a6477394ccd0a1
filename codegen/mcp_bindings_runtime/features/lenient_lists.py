"""Lists of a server as JSON, also those that do not match the schema of the revision.

Servers list tools whose input schema has no ``type``, and clients that do not check it can still call them. The generator
reads contracts of servers by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from ..errors import DecodeError, ProtocolError
from .method_support import all_items

if TYPE_CHECKING:
    from .feature_client import FeatureClient

Json: TypeAlias = dict[str, Any]


class ListMethod(NamedTuple):
    """The method of a list."""

    name: str
    member: str
    """Member of the result that has the items."""
    client_method: str
    """Name of the method of clients that returns the items of all pages."""


LIST_TOOLS = ListMethod("tools/list", "tools", "list_tools")


class _Page(NamedTuple):
    """One page of a list as JSON."""

    items: list[Any]
    next_cursor: str | None


def list_as_json(client: FeatureClient, method: ListMethod, most: int | None, warn: Callable[[str], None]) -> list[Any]:
    """Return the items of all pages of a list as JSON, at most ``most``; None for no limit.

    A list that does not match the schema is returned as the server sends it, and ``warn`` is called with the mismatch.
    Raise ``ProtocolError`` for a page without a list, besides the errors of ``Client.request``.
    """
    unstructure = client.binding.codec.unstructure
    try:
        return [unstructure(each) for each in islice(getattr(client, method.client_method)(), most)]
    except DecodeError as mismatch:
        found = [*islice(_unchecked_items(client, method), most)]
        warn(f"{method.name} does not match its schema, and is used as it is: {mismatch}")
        return found


def items_by_name(items: Sequence[Any], kind: str, one: str, key: str = "name") -> dict[str, Json]:
    """Return the items of a list by their names.

    ``kind`` and ``one`` are the words for the list and an item in messages, and ``key`` is the member that has the name.
    Raise ``ProtocolError`` for an item that is not an object or has no name, and for two items of one name.
    """
    found: dict[str, Json] = {}
    for place, item in enumerate(items):
        where = f"{kind}[{place}]"
        if not isinstance(item, dict):
            text = f"{where} must be an object, got {type(item).__name__}"
            raise ProtocolError(text)
        each = cast("Json", item)
        name = each.get(key)
        if not isinstance(name, str):
            text = f"{where} has no {key}; a {one} needs one, which must be a string"
            raise ProtocolError(text)
        if name in found:
            text = f"{where}: two {one}s have the {key} {name!r}, so that callers cannot choose; rename one of them"
            raise ProtocolError(text)
        found[name] = each
    return found


def _unchecked_items(client: FeatureClient, method: ListMethod) -> Iterator[Any]:
    from ..extensions.wire_methods import UncheckedRequest, WireParams

    any_client: Any = client
    request = UncheckedRequest(method.name, client.binding)

    def request_page(cursor: str | None) -> _Page:
        page: Json = any_client.request(request, WireParams({} if cursor is None else {"cursor": cursor}))
        items: list[Any] | None = page.get(method.member)
        following: Any = page.get("nextCursor")
        if not isinstance(items, list):
            text = f"the result of {method.name} has no list `{method.member}`"
            raise ProtocolError(text)
        if not isinstance(following, str | None):
            text = f"`nextCursor` in the result of {method.name} must be a string, got {type(following).__name__}"
            raise ProtocolError(text)
        return _Page(items, following)

    def items_of(page: _Page) -> list[Any]:
        return page.items

    return all_items(request_page, items_of, None)
