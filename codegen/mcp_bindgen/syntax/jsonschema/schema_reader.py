"""Reader of schemas: from JSON values to ``Schema`` nodes, by the table of keywords.

There is one method for each form of a value. Faults are collected, so that one run reports all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard, TypeVar
from urllib.parse import urljoin

from attrs import frozen

from mcp_bindgen.errors import JsonFault, JsonSchemaError
from mcp_bindgen.syntax.jsonschema.dialects import Dialect, dialect_of, required_members, rewritten
from mcp_bindgen.syntax.jsonschema.keywords import KEYWORDS, Form
from mcp_bindgen.syntax.jsonschema.pointers import below, is_array, is_object
from mcp_bindgen.syntax.jsonschema.schema import JSON_TYPES, JsonType, Schema, same_json

T = TypeVar("T")

MAX_SCHEMAS = 200_000
"""Maximum number of schemas in one document, with those below keywords."""

_MAX_FAULTS = 100
"""Maximum number of faults that one run reports."""


@frozen
class Resource:
    """The schema to which references are relative: the document, or one with an ``$id``."""

    pointer: str = ""
    uri: str = ""
    dialect: Dialect = "later"


class SchemaReader:
    """Reader of the schemas of one document; ``source`` names it in errors."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._faults: list[JsonFault] = []
        self.schemas: dict[str, Schema] = {}
        """Schemas by their pointers."""
        self.written: dict[str, Any] = {}
        """Schemas as JSON, by their pointers."""
        self.resources: dict[str, Resource] = {}
        """Resources by pointer."""
        self.by_uri: dict[str, str] = {}
        """Pointers of resources by URI."""
        self.anchors: dict[tuple[str, str], list[str]] = {}
        """Pointers of schemas by their resource and anchor."""
        self.has_references = False
        """Whether one of the schemas has a reference."""
        self._forms: Mapping[Form, Callable[[Any, str, Resource], Any]] = {
            Form.SCHEMA: self.read,
            Form.SCHEMA_LIST: self._schema_list,
            Form.SCHEMA_MAP: self._schema_map,
            Form.TYPES: self._types,
            Form.VALUES: self._values,
            Form.ANY: lambda value, _pointer, _resource: value,
            Form.TEXT: self._text,
            Form.NAMES: self._names,
            Form.NAME_LISTS: self._name_lists,
            Form.COUNT: self._count,
            Form.NUMBER: self._number,
            Form.POSITIVE: self._positive,
            Form.FLAG: self._flag,
        }

    def check(self) -> None:
        """Raise ``JsonSchemaError`` with the faults since the last check, if there are any."""
        faults, self._faults = self._faults, []
        if faults:
            raise JsonSchemaError(faults)

    def read(self, value: Any, pointer: str, outer: Resource) -> Schema:
        """Return the schema at a pointer; record faults."""
        if len(self.schemas) >= MAX_SCHEMAS:
            fault = JsonFault(self._source, pointer, f"the document has more than {MAX_SCHEMAS} schemas")
            raise JsonSchemaError([fault])
        if isinstance(value, bool):
            schema = Schema(pointer=pointer, resource=outer.pointer, nothing=not value)
        elif is_object(value):
            resource = self._resource(value, pointer, outer)
            self._register_anchors(value, pointer, resource)
            schema = self._schema(value, pointer, resource)
        else:
            self._wrong(value, pointer, Form.SCHEMA, None)
            schema = Schema(pointer=pointer, resource=outer.pointer)
        self.schemas[pointer] = schema
        self.written[pointer] = value
        return schema

    def _schema(self, value: Mapping[str, Any], pointer: str, resource: Resource) -> Schema:
        found: dict[str, Any] = {}
        unknown: list[str] = []
        keywords = rewritten(value, resource.dialect)
        for name, entries in keywords.items():
            keyword = KEYWORDS.get(name)
            if keyword is None:
                unknown.append(name)
                continue
            read = self._forms[keyword.form]
            values = [read(entry.value, below(pointer, *entry.tokens), resource) for entry in entries]
            if keyword.attribute is not None:
                self._set(found, name, keyword.attribute, values)
        members = keywords.get("properties", [])
        if any(is_object(each.value) for each in members):
            missing = required_members(members[0].value)
            found["required"] = tuple(dict.fromkeys([*found.get("required", ()), *missing]))
        self.has_references |= "ref" in found
        applied = [name for name in (*keywords, *(["required"] if found.get("required") else [])) if name in KEYWORDS]
        return Schema(
            pointer=pointer,
            resource=resource.pointer,
            keywords=frozenset(applied),
            unknown=tuple(unknown),
            **found,
        )

    def _set(self, found: dict[str, Any], name: str, attribute: str, values: list[Any]) -> None:
        value: Any = values[0]
        if attribute == "all_of":
            value = tuple(each for part in values for each in part)
        if is_object(value):
            value = {key: each for part in values for key, each in part.items()}
        if name == "const":
            value = (value,)
        if attribute == "values" and "values" in found:
            value = tuple(each for each in found["values"] if any(same_json(each, one) for one in value))
        if attribute == "ref" and "ref" in found:
            # `$ref` and `$dynamicRef` apply both; one node has one reference.
            return
        if value is not None:
            found[attribute] = value

    def _resource(self, value: Mapping[str, Any], pointer: str, outer: Resource) -> Resource:
        written = value.get("$id", value.get("id"))
        declared = value.get("$schema")
        dialect = outer.dialect if declared is None else dialect_of(declared)
        is_new = isinstance(written, str) and not written.startswith("#")
        if isinstance(written, str) and is_new:
            resource = Resource(pointer, _joined(outer.uri, written), dialect)
            self.by_uri.setdefault(resource.uri.partition("#")[0], pointer)
        elif not pointer or dialect != outer.dialect:
            resource = Resource(outer.pointer if pointer else "", outer.uri, dialect)
        else:
            return outer
        self.resources[pointer] = resource
        return resource

    def _register_anchors(self, value: Mapping[str, Any], pointer: str, resource: Resource) -> None:
        written = value.get("$id", value.get("id"))
        names = [value.get("$anchor"), value.get("$dynamicAnchor")]
        # Until draft-07 an anchor is an `$id` that is a fragment.
        names += [written[1:]] if isinstance(written, str) and written.startswith("#") else []
        for name in names:
            if isinstance(name, str) and name:
                self.anchors.setdefault((resource.pointer, name), []).append(pointer)

    def _schema_list(self, value: Any, pointer: str, resource: Resource) -> tuple[Schema, ...]:
        if not is_array(value):
            return self._wrong(value, pointer, Form.SCHEMA_LIST, ())
        return tuple(self.read(each, below(pointer, place), resource) for place, each in enumerate(value))

    def _schema_map(self, value: Any, pointer: str, resource: Resource) -> dict[str, Schema]:
        if not is_object(value):
            return self._wrong(value, pointer, Form.SCHEMA_MAP, {})
        return {name: self.read(each, below(pointer, name), resource) for name, each in value.items()}

    def _types(self, value: Any, pointer: str, _resource: Resource) -> frozenset[JsonType] | None:
        if value.__class__ is str and value in _SINGLE_TYPES:
            return _SINGLE_TYPES[value]
        names: list[Any] = value if is_array(value) else [value]
        wrong = [name for name in names if not isinstance(name, str) or name not in JSON_TYPES]
        if wrong:
            self._fault(pointer, f"{_shown(wrong[0])} is not a type; use {', '.join(JSON_TYPES)}, or a list of them")
            return None
        return frozenset(name for name in JSON_TYPES if name in names and (name != "integer" or "number" not in names))

    def _values(self, value: Any, pointer: str, _resource: Resource) -> tuple[Any, ...] | None:
        return tuple(value) if is_array(value) else self._wrong(value, pointer, Form.VALUES, None)

    def _text(self, value: Any, pointer: str, _resource: Resource) -> str | None:
        return value if isinstance(value, str) else self._wrong(value, pointer, Form.TEXT, None)

    def _names(self, value: Any, pointer: str, _resource: Resource) -> tuple[str, ...]:
        if not is_array(value) or not all(isinstance(name, str) for name in value):
            return self._wrong(value, pointer, Form.NAMES, ())
        return tuple(dict.fromkeys(value))

    def _name_lists(self, value: Any, pointer: str, resource: Resource) -> dict[str, tuple[str, ...]]:
        if not is_object(value):
            return self._wrong(value, pointer, Form.NAME_LISTS, {})
        return {name: self._names(each, below(pointer, name), resource) for name, each in value.items()}

    def _count(self, value: Any, pointer: str, _resource: Resource) -> int | None:
        if not _is_number(value) or value < 0 or value != int(value):
            return self._wrong(value, pointer, Form.COUNT, None)
        return int(value)

    def _number(self, value: Any, pointer: str, _resource: Resource) -> int | float | None:
        return value if _is_number(value) else self._wrong(value, pointer, Form.NUMBER, None)

    def _positive(self, value: Any, pointer: str, _resource: Resource) -> int | float | None:
        return value if _is_number(value) and value > 0 else self._wrong(value, pointer, Form.POSITIVE, None)

    def _flag(self, value: Any, pointer: str, _resource: Resource) -> bool | None:
        return value if isinstance(value, bool) else self._wrong(value, pointer, Form.FLAG, None)

    def _wrong(self, value: Any, pointer: str, form: Form, instead: T) -> T:
        """Record the fault and return the value to continue with."""
        self._fault(pointer, f"must be {form.value}, got {_shown(value)}")
        return instead

    def _fault(self, pointer: str, message: str) -> None:
        if len(self._faults) < _MAX_FAULTS:
            self._faults.append(JsonFault(self._source, pointer, message))


_SINGLE_TYPES: Mapping[str, frozenset[JsonType]] = {name: frozenset({name}) for name in JSON_TYPES}


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _shown(value: Any) -> str:
    """Return a value as an error message shows it: containers by their kind."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return repr(value if len(value) <= 40 else f"{value[:40]}…")
        case _:
            return str(value)[:40]
