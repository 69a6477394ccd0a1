"""Pages of lists that do not match the schema: a proxy passes on what is usable, instead of nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..errors import DecodeError
from ..extensions.wire_methods import UncheckedRequest, WireParams
from ..logs import write_log

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import RequestMethod

_LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "tools/list": ("tools", "Tool"),
    "prompts/list": ("prompts", "Prompt"),
    "resources/list": ("resources", "Resource"),
    "resources/templates/list": ("resourceTemplates", "ResourceTemplate"),
}
"""Requests for lists to the member of the result with the items, and the type of an item."""
_SCHEMAS: Final = ("inputSchema", "outputSchema")
_LOGGED: Final = 10
"""Number of items of a page that are logged one by one; the others are counted."""


def read_page(
    client: Any, key: RequestMethod[Any, Any], params: Any, mismatch: DecodeError, title: str, timeout: float
) -> Any:
    """Return a page of a list without the items that do not match the schema; they are logged with the reason.

    A tool that matches only with ``type`` "object" in its schemas gets it there. ``mismatch`` is the error of
    the page, which is raised again if something else is wrong; ``title`` names the server. Raise as ``Client.request``.
    """
    found = _LISTS.get(key.name)
    if found is None:
        raise mismatch
    member, kind = found
    binding: Binding = client.binding
    cursor = None if params is None else params.cursor
    wanted = WireParams({} if cursor is None else {"cursor": cursor})
    page: dict[str, Any] = client.request(UncheckedRequest(key.name, binding), wanted, timeout=timeout)
    items: list[Any] | None = page.get(member)
    if items is None or items.__class__ is not list:
        raise mismatch
    usable = [*_usable(binding, kind, items, f"{title}: {key.name}: {member}")]
    return binding.codec.structure({**page, member: usable}, key.result)


def _usable(binding: Binding, kind: str, items: list[Any], where: str) -> Iterator[Any]:
    """Yield the items that match the schema, as they are or with a type in their schemas."""
    cls = getattr(binding.types, kind)
    left_out = 0
    for number, item in enumerate(items):
        reason = _mismatch(binding, item, cls)
        value = item
        if reason is not None:
            value = next((each for each in _with_types(item) if _mismatch(binding, each, cls) is None), None)
        if value is not None:
            yield value
            continue
        left_out += 1
        if left_out <= _LOGGED:
            write_log("warning", "%s[%d] is left out: %s", where, number, reason)
    if left_out > _LOGGED:
        write_log("warning", "%s: %d more are left out", where, left_out - _LOGGED)


def _mismatch(binding: Binding, item: Any, cls: Any) -> DecodeError | None:
    """Return the error of an item that does not match the schema."""
    try:
        binding.codec.structure(item, cls)
    except DecodeError as error:
        return error
    return None


def _with_types(item: Any) -> Iterator[Any]:
    """Yield a tool whose schemas say that they are for objects, if they do not say for what they are: as few as needed."""
    if item.__class__ is not dict:
        return
    tool: dict[str, Any] = item
    schemas: dict[str, Any] = {name: tool.get(name) for name in _SCHEMAS}
    untyped = {name: each for name, each in schemas.items() if each.__class__ is dict and "type" not in each}
    for names in (*((each,) for each in untyped), tuple(untyped)):
        yield {**tool, **{name: {"type": "object", **untyped[name]} for name in names}}
