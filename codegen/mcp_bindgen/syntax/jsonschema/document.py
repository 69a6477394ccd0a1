"""A JSON Schema document: its schemas by JSON Pointer, and the targets of references within it.

No reference leaves the document: what is elsewhere, or nowhere, is ``Unresolved`` with its reason.
"""

from __future__ import annotations

from urllib.parse import unquote, urljoin

from attrs import frozen

from mcp_bindgen.errors import JsonSchemaError
from mcp_bindgen.syntax.jsonschema.json_text import Json, check_json
from mcp_bindgen.syntax.jsonschema.pointers import from_fragment, tokens_of, value_at
from mcp_bindgen.syntax.jsonschema.schema import Schema
from mcp_bindgen.syntax.jsonschema.schema_reader import Resource, SchemaReader


@frozen
class Unresolved:
    """A reference without a target in the document."""

    reference: str
    reason: str


class SchemaDocument:
    """A schema and all schemas in it, in the vocabulary of 2020-12.

    ``value`` is the JSON of one schema, for example a tool's ``inputSchema``; ``source`` names it in errors. Raise
    ``JsonSchemaError`` with all faults: keywords whose values have another form than their table demands, too many
    levels, too many schemas. With ``is_checked``, the value is part of one that ``check_json`` accepted.
    """

    def __init__(self, value: Json, source: str, *, is_checked: bool = False) -> None:
        if not is_checked:
            check_json(value, source)
        self.source = source
        self._value = value
        self._reader = SchemaReader(source)
        self.root: Schema = self._reader.read(value, "", Resource())
        self._reader.check()

    @property
    def has_references(self) -> bool:
        """Whether a schema of the document refers to another one."""
        return self._reader.has_references

    def written(self, schema: Schema) -> Json:
        """Return a schema of the document as JSON."""
        return self._reader.written[schema.pointer]

    def known(self, pointer: str) -> Schema | None:
        """Return the schema at a pointer; None if there is none that was read."""
        return self._reader.schemas.get(pointer)

    def at(self, pointer: str) -> Schema:
        """Return the schema at a pointer, below any member; raise ``KeyError`` if there is no value."""
        schemas = self._reader.schemas
        if pointer not in schemas:
            value = value_at(self._value, tokens_of(pointer))
            self._reader.read(value, pointer, self._reader.resources.get("", Resource()))
            self._reader.check()
        return schemas[pointer]

    def target(self, schema: Schema) -> Schema | Unresolved | None:
        """Return the schema that a schema's reference leads to, one step; None if it has no reference.

        The target may be the schema itself, or refer to others.
        """
        if schema.ref is None:
            return None
        uri, _, fragment = schema.ref.partition("#")
        place = schema.resource
        if uri:
            found = self._resource_at(uri, place)
            if found is None:
                return Unresolved(schema.ref, "it is outside of the document, and nothing is fetched")
            place = found
        return self._in_resource(schema.ref, place, fragment)

    def _resource_at(self, uri: str, place: str) -> str | None:
        base = self._reader.resources.get(place, Resource()).uri
        try:
            absolute = urljoin(base, uri)
        except ValueError:
            absolute = uri
        return self._reader.by_uri.get(absolute)

    def _in_resource(self, reference: str, place: str, fragment: str) -> Schema | Unresolved:
        if fragment and not unquote(fragment).startswith("/"):
            named = self._reader.anchors.get((place, unquote(fragment)), [])
            if len(named) == 1:
                return self._reader.schemas[named[0]]
            count = "no schema has" if not named else "several schemas have"
            return Unresolved(reference, f"{count} that anchor")
        pointer = place + from_fragment(fragment)
        try:
            value = value_at(self._value, tokens_of(pointer))
        except KeyError:
            return Unresolved(reference, "the document has nothing at that place")
        if not isinstance(value, dict | bool):
            return Unresolved(reference, "there is no schema at that place")
        try:
            return self.at(pointer)
        except JsonSchemaError as error:
            return Unresolved(reference, str(error.faults[0]))
