"""The offers of a server, from the JSON that it sends to the model: types of all tools, with unions decided."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.uri_templates import UriTemplate

from mcp_bindgen.escaping import visible
from mcp_bindgen.ir.offers import PromptOffer, ResourceOffer, ServerOffers, TemplateOffer, TextArgument, ToolOffer
from mcp_bindgen.ir.protocol import Method, ObjectOf, ObjectType, Protocol, Type
from mcp_bindgen.resolve.value_types import decide_values
from mcp_bindgen.syntax.jsonschema.document import SchemaDocument
from mcp_bindgen.syntax.jsonschema.json_text import Json
from mcp_bindgen.syntax.jsonschema.offers import WrittenOffer, WrittenOffers, WrittenTool, read_offers
from mcp_bindgen.syntax.jsonschema.type_reader import ANY_OBJECT, JSON, TypeReader


def understand_offers(value: Json, source: str, *, reserved: Iterable[str] = ()) -> ServerOffers:
    """Return the offers in a JSON value; ``reserved`` are names that no type may have.

    Raise the errors of ``read_offers``.
    """
    digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "replace")).hexdigest()
    return _Model(read_offers(value, source), source, digest, reserved).offers()


class _Model:
    def __init__(self, written: WrittenOffers, source: str, digest: str, reserved: Iterable[str]) -> None:
        self._written = written
        self._source = source
        self._digest = digest
        self._reader = TypeReader(reserved)
        self._types: dict[str, Type] = {}
        """Types of arguments and results, by the place that messages name."""

    def offers(self) -> ServerOffers:
        for tool in self._written.tools:
            self._read(tool, "inputSchema", tool.input)
            self._read(tool, "outputSchema", tool.output)
        values = decide_values(self._reader.objects, self._reader.aliases, self._types)
        types = dict(zip(self._types, values.types, strict=True))
        objects = {**values.objects, **dict(_described(values.objects, types))}
        tools = tuple(self._tool(tool, types) for tool in self._written.tools)
        protocol = Protocol(
            revision=self._source,
            source=self._source,
            sha256=self._digest,
            constants={},
            objects=objects,
            aliases=values.aliases,
            methods={tool.name: _result_of(tool) for tool in tools if tool.result is not None},
            order=(*objects, *values.aliases),
        )
        untyped = [str(note) for note in (*self._written.notes, *self._reader.notes)]
        notes = tuple(dict.fromkeys([*untyped, *map(visible, values.notes)]))
        prompts = tuple(
            PromptOffer(each.name, each.doc, tuple(TextArgument(*one) for one in each.arguments))
            for each in self._written.prompts
        )
        templates: list[TemplateOffer] = []
        for each in self._written.templates:
            try:
                templates.append(_template(each))
            except UsageError as error:
                notes = (*notes, f"{visible(each.name)}: {error}")
        resources = tuple(ResourceOffer(each.name, each.doc, each.address) for each in self._written.resources)
        return ServerOffers(protocol, tools, prompts, tuple(templates), resources, notes)

    def _read(self, tool: WrittenTool, member: str, document: SchemaDocument | None) -> None:
        if document is not None:
            word, defaults = ("Arguments", True) if member == "inputSchema" else ("Result", False)
            kind = self._reader.read(document, tool.name, word, defaults=defaults)
            # Arguments are an object, whatever the schema says.
            self._types[f"{tool.name}.{member}"] = ANY_OBJECT if member == "inputSchema" and kind == JSON else kind

    def _tool(self, tool: WrittenTool, types: dict[str, Type]) -> ToolOffer:
        arguments = types.get(f"{tool.name}.inputSchema")
        if tool.input is not None and not tool.input.root.properties and _allows_nothing(tool.input):
            arguments = None
        return ToolOffer(tool.name, tool.doc, arguments, types.get(f"{tool.name}.outputSchema"))


def _described(objects: Mapping[str, ObjectType], types: Mapping[str, Type]) -> Iterator[tuple[str, ObjectType]]:
    """Yield the classes of arguments and results whose schemas have no description, with one."""
    for place, kind in types.items():
        tool, _, member = place.rpartition(".")
        if isinstance(kind, ObjectOf) and objects[kind.path].about.doc is None:
            part = "Arguments" if member == "inputSchema" else "Result"
            about = evolve(objects[kind.path].about, doc=f"{part} of the tool `{tool}`.")
            yield kind.path, evolve(objects[kind.path], about=about)


def _allows_nothing(document: SchemaDocument) -> bool:
    """Return whether a schema describes a tool without arguments: an object without members.

    A schema that does not even say that it is an object says nothing about the arguments.
    """
    root = document.root
    return (
        bool(root.keywords & {"type", "properties", "additionalProperties"})
        and root.keywords
        <= {
            "type",
            "properties",
            "additionalProperties",
            "$schema",
            "title",
            "description",
            "required",
        }
        and (root.additional_properties is None or root.additional_properties.nothing)
    )


def _result_of(tool: ToolOffer) -> Method:
    """Return a request whose result is the tool's: the codec finds the type of a result by the name of its request."""
    return Method(
        name=tool.name,
        kind="request",
        sent_by=("client",),
        interface=tool.name,
        params=None,
        params_required=False,
        results=(tool.result,) if isinstance(tool.result, ObjectOf) else (),
        result=tool.result,
    )


def _template(written: WrittenOffer) -> TemplateOffer:
    names = dict.fromkeys(
        variable.name
        for part in UriTemplate(written.address).parts
        if not isinstance(part, str)
        for variable in part.variables
    )
    arguments = tuple(TextArgument(name, "", required=True) for name in names)
    return TemplateOffer(written.name, written.doc, written.address, arguments)
