"""A contract: what a server offers, by the names that callers use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import field, frozen
from mcp_bindings_runtime.errors import ProtocolError
from mcp_bindings_runtime.features.lenient_lists import items_by_name

from mcp_bindgen.calling.offers import MAX_ITEMS
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.syntax.jsonschema.json_text import check_json

Json: TypeAlias = dict[str, Any]

KINDS: Mapping[str, str] = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
"""Lists of a contract, each with the member by which callers refer to its items."""

_ONE = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template", "prompts": "prompt"}


@frozen
class Listing:
    """The lists of a server, as they were read: nothing in them has been checked."""

    source: str
    """Name of the file or server in messages."""
    revision: str | None = None
    """Protocol revision, if known."""
    server: Mapping[str, Any] | None = None
    """Name and version of the server, if known."""
    lists: Mapping[str, list[Any]] = field(factory=dict[str, "list[Any]"])
    """Items by kind, see ``KINDS``; a kind is missing if the source has no list of it."""
    is_checked: bool = False
    """Whether the lists are part of a value that ``check_json`` accepted."""


@frozen
class Contract:
    """Items by kind and name, in the order of their names; ``check_json`` accepts all of them."""

    source: str
    revision: str | None
    server: Mapping[str, Any] | None
    tools: Mapping[str, Json]
    resources: Mapping[str, Json]
    resource_templates: Mapping[str, Json]
    prompts: Mapping[str, Json]
    listed: frozenset[str]
    """Kinds of which the source has a list; of the others nothing is known."""

    @property
    def title(self) -> str:
        """The server with its version, otherwise the source."""
        if self.server is None:
            return self.source
        return " ".join(str(self.server[key]) for key in ("name", "version") if key in self.server)


def contract_of(listing: Listing, *, meta: bool = False) -> Contract:
    """Return the contract of a listing, without ``_meta`` unless ``meta`` is true.

    Raise `BindgenError` for items without a name, two items of one name, tools without an input schema, and what
    ``check_json`` refuses.
    """
    if not listing.is_checked:
        check_json(dict(listing.lists), listing.source)
    found = {kind: _by_name(listing, kind, key, meta=meta) for kind, key in KINDS.items()}
    for name, tool in found["tools"].items():
        _check_tool(f"{listing.source}: tool {name!r}", tool)
    return Contract(
        source=listing.source,
        revision=listing.revision,
        server=listing.server,
        tools=found["tools"],
        resources=found["resources"],
        resource_templates=found["resourceTemplates"],
        prompts=found["prompts"],
        listed=frozenset(listing.lists),
    )


def _by_name(listing: Listing, kind: str, key: str, *, meta: bool) -> dict[str, Json]:
    items = listing.lists.get(kind, [])
    if len(items) > MAX_ITEMS:
        message = f"{listing.source}: {kind} has {len(items)} items; the limit is {MAX_ITEMS}"
        raise BindgenError(message)
    try:
        found = items_by_name(items, kind, _ONE[kind], key)
    except ProtocolError as fault:
        message = f"{listing.source}: {fault}"
        raise BindgenError(message) from fault
    if not meta:
        found = {name: {key: value for key, value in item.items() if key != "_meta"} for name, item in found.items()}
    return {name: found[name] for name in sorted(found)}


def _check_tool(where: str, tool: Json) -> None:
    for key, needed in (("inputSchema", True), ("outputSchema", False)):
        schema = tool.get(key)
        if schema is None and (not needed or key not in tool):
            continue
        if not isinstance(schema, dict):
            message = f"{where}: {key} must be an object, got {type(schema).__name__}"
            raise BindgenError(message)
