"""Tools, resources and prompts of a server, as JSON and as text."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mcp_bindings_runtime.features.lenient_lists import ListMethod, list_as_json

from mcp_bindgen import catalog
from mcp_bindgen.calling import schemas
from mcp_bindgen.calling.schemas import Json
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.escaping import visible

if TYPE_CHECKING:
    from mcp_bindings_runtime.client.client import Client

FORMAT = "mcp-offers/1"

KINDS = {
    "tools": ListMethod("tools/list", "tools", "list_tools"),
    "resources": ListMethod("resources/list", "resources", "list_resources"),
    "templates": ListMethod("resources/templates/list", "resourceTemplates", "list_resource_templates"),
    "prompts": ListMethod("prompts/list", "prompts", "list_prompts"),
}
"""Method of the list by the kind of what is listed."""

MAX_ITEMS = 20_000
"""Maximum number of items of one list that are read from a server, whose pages may have no end."""

_METHOD_NOT_FOUND = -32601

Row: TypeAlias = tuple[str, str, str, str]
"""An argument: name, type, ``required`` or the default, and description."""


def fetch(client: Client, kinds: Iterable[str], warn: Callable[[str], None]) -> dict[str, list[Json]]:
    """Return the server's tools, resources and prompts as JSON by kind, without undeclared kinds.

    A list that does not match the schema is returned as the server sends it, and ``warn`` is called with the mismatch.
    """
    return {kind: _items(client, kind, warn) for kind in kinds if declares(client, kind)}


def declares(client: Client, kind: str) -> bool:
    """Return whether the server has declared the capability of this kind."""
    return client.binding.declares(client.server_capabilities, _capability(kind))


def _capability(kind: str) -> str:
    return KINDS[kind].name.partition("/")[0]


def find(client: Client, kind: str, name: str, warn: Callable[[str], None]) -> Json:
    """Return the tool or prompt with this name; raise `BindgenError` if there is none. ``warn`` is that of ``fetch``."""
    word = kind.removesuffix("s")
    if not declares(client, kind):
        message = f"the server offers no {kind}"
        raise BindgenError(message)
    # Other items of the list may be malformed.
    items = {
        str(item["name"]): item for each in _items(client, kind, warn) if "name" in (item := schemas.as_object(each))
    }
    if name in items:
        return items[name]
    names = [*items]
    near = catalog.nearest(name, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"it has {_enumerated(names)}"
    message = f"the server has no {word} {name!r}; {hint}"
    raise BindgenError(message)


def document(client: Client, offers: dict[str, list[Json]]) -> Json:
    """Return all of it as one JSON document."""
    unstructure = client.binding.codec.unstructure
    info, capabilities = client.server_info, client.server_capabilities
    return {
        "format": FORMAT,
        "revision": client.binding.revision,
        "server": None if info is None else unstructure(info),
        "capabilities": None if capabilities is None else unstructure(capabilities),
        "instructions": client.instructions,
        **offers,
    }


def as_text(client: Client, offers: dict[str, list[Json]], width: int) -> Iterator[str]:
    """Yield the lines of text: each item with its description, each argument with its type and description."""
    info = client.server_info
    named = "unnamed server" if info is None else f"{info.name} {info.version}".strip()
    yield visible(f"{named}, revision {client.binding.revision}")
    if client.instructions:
        yield from _wrapped(client.instructions, "", width)
    for kind, items in offers.items():
        if kind == "templates" and not items and len(offers) > 1:
            # Servers with resources usually declare templates, and few have any.
            continue
        yield ""
        yield f"{'resource templates' if kind == 'templates' else kind} ({len(items)})"
        for item in items:
            yield from _LINES[kind](schemas.as_object(item), width)
    if not offers:
        yield ""
        yield "the server offers no tools, resources or prompts"


def _items(client: Client, kind: str, warn: Callable[[str], None]) -> list[Json]:
    from mcp_bindings_runtime.errors import ResponseError

    try:
        found = list_as_json(client, KINDS[kind], MAX_ITEMS + 1, lambda text: warn(visible(text)))
    except ResponseError as error:
        # Servers with resources but without templates often do not implement the method.
        if kind == "templates" and error.code == _METHOD_NOT_FOUND:
            return []
        raise
    if len(found) > MAX_ITEMS:
        message = f"the server lists more than {MAX_ITEMS} {kind}"
        raise BindgenError(message)
    return found


def _tool(tool: Mapping[str, Json], width: int) -> Iterator[str]:
    schema = tool.get("inputSchema")
    top = schemas.resolved(schema, schema)
    required = schemas.as_list(top.get("required"))
    yield f"  {visible(_text_of(tool, 'name'))}"
    yield from _wrapped(_text_of(tool, "description", "title"), "    ", width)
    rows: list[Row] = []
    for name, each in schemas.as_object(top.get("properties")).items():
        about = schemas.resolved(each, schema)
        note = "required" if name in required else _default(about)
        rows.append((name, schemas.in_words(each, schema), note, str(about.get("description") or "")))
    # Required ones first, otherwise in the server's order.
    yield from _table(sorted(rows, key=lambda row: row[2] != "required"), width)


def _prompt(prompt: Mapping[str, Json], width: int) -> Iterator[str]:
    yield f"  {visible(_text_of(prompt, 'name'))}"
    yield from _wrapped(_text_of(prompt, "description", "title"), "    ", width)
    arguments = map(schemas.as_object, schemas.as_list(prompt.get("arguments")))
    rows = [
        (_text_of(each, "name"), "text", "required" if each.get("required") else "", _text_of(each, "description"))
        for each in arguments
    ]
    yield from _table(rows, width)


def _resource(resource: Mapping[str, Json], width: int) -> Iterator[str]:
    yield f"  {visible(_text_of(resource, 'uri', 'uriTemplate'))}"
    size = f"{resource['size']} bytes" if "size" in resource else None
    about = [_text_of(resource, "mimeType"), size, _text_of(resource, "title", "name")]
    yield from _wrapped(", ".join(each for each in about if each), "    ", width)
    yield from _wrapped(_text_of(resource, "description"), "    ", width)


def _text_of(item: Mapping[str, Json], *members: str) -> str:
    """Return the first of some members that is a text and not empty; an empty text if there is none."""
    texts = (item.get(member) for member in members)
    return next((text for text in texts if isinstance(text, str) and text), "")


_LINES = {"tools": _tool, "resources": _resource, "templates": _resource, "prompts": _prompt}


def _default(schema: Mapping[str, Json]) -> str:
    return f"= {_short(schema['default'])}" if "default" in schema else ""


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 30 else f"{text[:29]}…"


def _table(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Yield aligned rows; the last column is wrapped, on lines of its own if the others are wide."""
    shown = [tuple(visible(cell) for cell in row) for row in rows]
    wide = [min(max((len(row[place]) for row in shown), default=0), 28) for place in range(3)]
    for *cells, text in shown:
        begun = "    " + "  ".join(f"{cell:{room}}" for cell, room in zip(cells, wide, strict=True))
        rest = width - len(begun) - 2
        if rest < 24 or len(begun) > 4 + sum(wide) + 4:
            yield begun.rstrip()
            yield from _wrapped(text, "      ", width)
            continue
        first, *more = textwrap.wrap(text, rest) or [""]
        yield f"{begun}  {first}".rstrip()
        yield from (f"{'':{len(begun)}}  {line}" for line in more)


def _wrapped(text: str, indent: str, width: int) -> Iterator[str]:
    for paragraph in text.strip().splitlines():
        yield from textwrap.wrap(visible(paragraph), width, initial_indent=indent, subsequent_indent=indent) or [""]


def _enumerated(names: Sequence[str], most: int = 12) -> str:
    if not names:
        return "none"
    shown = ", ".join(visible(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
