"""Reading of a server's list of tools, prompts, resource templates and resources.

Three forms are accepted: the result of ``tools/list``, with or without the JSON-RPC response around it; and a document with
members ``tools``, ``prompts``, ``templates`` (or ``resourceTemplates``) and ``resources``, such as a lock file. Each may be
absent. All are sorted by name, since the order of a server's lists has no meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from mcp_bindgen.errors import JsonFault, JsonSchemaError
from mcp_bindgen.syntax.jsonschema.document import SchemaDocument
from mcp_bindgen.syntax.jsonschema.json_text import Json, check_json
from mcp_bindgen.syntax.jsonschema.pointers import below, is_array, is_object

MAX_OFFERS = 20_000
"""Maximum number of tools, prompts, templates or resources of one server."""

_ADDRESSES = {"templates": "uriTemplate", "resourceTemplates": "uriTemplate", "resources": "uri"}
"""Lists whose items may have equal names, each with the member by which they differ."""


@frozen
class WrittenTool:
    """A tool as the server lists it."""

    name: str
    doc: str
    input: SchemaDocument | None
    output: SchemaDocument | None


@frozen
class WrittenOffer:
    """A prompt, a resource template or a resource as the server lists it."""

    name: str
    doc: str
    address: str
    """The URI template or the URI; empty for a prompt."""
    arguments: tuple[tuple[str, str, bool], ...]
    """Name and description of each argument of a prompt, and whether it is required."""


@frozen
class WrittenOffers:
    """All that a server lists."""

    tools: tuple[WrittenTool, ...]
    prompts: tuple[WrittenOffer, ...]
    templates: tuple[WrittenOffer, ...]
    resources: tuple[WrittenOffer, ...]
    notes: tuple[JsonFault, ...]
    """Schemas that are malformed and therefore not read."""


def read_offers(value: Json, source: str) -> WrittenOffers:
    """Return the tools, prompts, templates and resources in a JSON value; ``source`` names it in errors.

    Raise ``JsonSchemaError`` with all faults: a tool without a name, two tools with one name, a list of another form.
    """
    check_json(value, source)
    return _Reader(source).read(value)


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._faults: list[JsonFault] = []
        self._notes: list[JsonFault] = []

    def read(self, value: Json) -> WrittenOffers:
        pointer = ""
        if is_object(value) and "tools" not in value and is_object(value.get("result")):
            value, pointer = value["result"], "/result"
        if not is_object(value) or not {"tools", "prompts", *_ADDRESSES} & value.keys():
            message = "must be the result of tools/list, an object with a list `tools`"
            raise JsonSchemaError([JsonFault(self._source, pointer, message)])
        templates = "resourceTemplates" if "resourceTemplates" in value else "templates"
        offers = WrittenOffers(
            tools=tuple(self._tool(each, place) for each, place in self._items(value, "tools", pointer)),
            prompts=tuple(self._prompt(each, place) for each, place in self._items(value, "prompts", pointer)),
            templates=tuple(
                self._addressed(each, "uriTemplate", place) for each, place in self._items(value, templates, pointer)
            ),
            resources=tuple(
                self._addressed(each, "uri", place) for each, place in self._items(value, "resources", pointer)
            ),
            notes=tuple(self._notes),
        )
        if self._faults:
            raise JsonSchemaError(self._faults[:100])
        return offers

    def _items(self, value: Mapping[str, Any], member: str, pointer: str) -> Sequence[tuple[dict[str, Any], str]]:
        """Return the items of a list that are objects with different names, each with its place."""
        items: Any = value.get(member, [])
        place = below(pointer, member)
        if not is_array(items) or len(items) > MAX_OFFERS:
            self._fault(place, f"must be a list of at most {MAX_OFFERS} objects")
            return ()
        found: dict[tuple[str, str], str] = {}
        address = _ADDRESSES.get(member, "name")
        kept: list[tuple[dict[str, Any], str]] = []
        for number, item in enumerate(items):
            where = below(place, number)
            name = item.get("name") if is_object(item) else None
            if not is_object(item) or not isinstance(name, str) or not name:
                self._fault(where, "has no name; it must be an object whose `name` is a string that is not empty")
            elif (key := (name, str(item.get(address)))) in found:
                self._fault(where, f"has the name {name[:60]!r}, as {found[key]} has; names must differ")
            else:
                found[key] = where
                kept.append((item, where))
        return sorted(kept, key=lambda each: (each[0]["name"], str(each[0].get(address, ""))))

    def _tool(self, item: dict[str, Any], pointer: str) -> WrittenTool:
        return WrittenTool(
            item["name"],
            _doc(item),
            self._schema(item, "inputSchema", pointer),
            self._schema(item, "outputSchema", pointer),
        )

    def _schema(self, item: dict[str, Any], member: str, pointer: str) -> SchemaDocument | None:
        if item.get(member) is None:
            return None
        try:
            return SchemaDocument(item[member], f"{item['name']}.{member}", is_checked=True)
        except JsonSchemaError as error:
            # One malformed schema does not make the other tools useless.
            self._notes += error.faults
            return SchemaDocument({}, f"{self._source}#{below(pointer, member)}")

    def _prompt(self, item: dict[str, Any], pointer: str) -> WrittenOffer:
        arguments: Any = item.get("arguments") or []
        if not is_array(arguments):
            self._fault(below(pointer, "arguments"), "must be a list of objects")
            arguments = []
        written: dict[str, tuple[str, str, bool]] = {}
        for number, each in enumerate(arguments):
            name = each.get("name") if is_object(each) else None
            if not is_object(each) or not isinstance(name, str) or name in written:
                self._fault(below(pointer, "arguments", number), "must be an object with a `name` of its own")
            else:
                written[name] = (name, _doc(each), each.get("required") is True)
        return WrittenOffer(item["name"], _doc(item), "", tuple(written.values()))

    def _addressed(self, item: dict[str, Any], member: str, pointer: str) -> WrittenOffer:
        address: Any = item.get(member)
        if not isinstance(address, str):
            self._fault(below(pointer, member), "must be a string")
            address = ""
        return WrittenOffer(item["name"], _doc(item), address, ())

    def _fault(self, pointer: str, message: str) -> None:
        self._faults.append(JsonFault(self._source, pointer, message))


def _doc(item: Mapping[str, Any]) -> str:
    texts = [text for text in (item.get("description"), item.get("title")) if isinstance(text, str) and text.strip()]
    return texts[0].strip() if texts else ""
