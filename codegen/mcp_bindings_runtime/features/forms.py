"""Forms: classes whose fields the user fills in (Elicitation: Requested Schema).

A form is flat: its fields are texts, numbers, booleans and choices. A choice is a ``Literal`` or an ``Enum`` of strings,
whose names become titles; from 2025-11-25 on also a ``list`` of them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, TypeVar

from ..binding import Binding
from ..errors import ProtocolError, ResponseError, UsageError
from ..jsonrpc import INVALID_PARAMS
from .client_methods import ELICIT
from .converters import members_converter, unchanged
from .elicitation_outcomes import Accepted, Cancelled, Declined
from .mismatch import MismatchError
from .type_nodes import Array, Scalar, Structure, TypeNode, Values
from .type_parser import NoSchema, parse_type

T = TypeVar("T")

_TEXT = frozenset({"type", "title", "description", "minLength", "maxLength", "default", "enum"})
_NUMBER = frozenset({"type", "title", "description", "minimum", "maximum", "default"})
_FORMATS = frozenset({"email", "uri", "date", "date-time"})
_ACCEPTED = "str, int, float, bool, datetime, date, Literal and Enum of str, and None as a default"


def request_form(context: Any, message: str, form: type[T]) -> Accepted[T] | Declined | Cancelled:
    """Request a form from the user; see ``Context.elicit_form``."""
    binding = context.connection.session.binding
    wanted: Any = form
    if not isinstance(wanted, Hashable):
        # An object such as the dict {"name": str}; the fields of a form come from a class.
        raise UsageError(_no_form(wanted))
    params, node = _prepared(binding, wanted)
    answer = context.request(binding.requests[ELICIT], params.__replace__(message=message))
    if answer.action != "accept":
        return Declined() if answer.action == "decline" else Cancelled()
    try:
        return Accepted(node.read(answer.content or {}))
    except MismatchError as error:
        text = f"the client's answer does not match the form: {error}"
        if binding.era == "stateless":
            raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": text}) from None
        raise ProtocolError(text) from None


@lru_cache(maxsize=256)
def _prepared(binding: Binding, form: Any) -> tuple[Any, TypeNode]:
    """Return the params that request a form, with an empty message; raise UsageError if a class cannot be a form."""
    try:
        node = parse_type(form)
    except NoSchema as fault:
        raise UsageError(str(fault)) from None
    if not isinstance(node, Structure):
        raise UsageError(_no_form(form))
    schema = node.complete_schema()
    fields = {name: _field(binding, name, each, node.fields[name][1]) for name, each in schema["properties"].items()}
    types = binding.types
    # Contexts of revisions without forms have no elicit_form.
    assert binding.facts.form_types is not None
    params, wanted = (getattr(types, name) for name in binding.facts.form_types)
    raw = {"type": "object", "properties": fields, "required": schema.get("required", [])}
    return params(message="", requested_schema=binding.codec.structure(raw, wanted)), node


def _no_form(form: object) -> str:
    text = f"a form must be an attrs class, a dataclass or a TypedDict, got {form!r}"
    named: Any = form
    if isinstance(form, Mapping) and form:
        fields = "; ".join(f"{name}: {getattr(each, '__name__', each)}" for name, each in named.items())
        text += f"; write a class: @dataclass class Form: {fields}"
    return text


def _field(binding: Binding, name: str, schema: Mapping[str, Any], node: TypeNode) -> dict[str, Any]:
    plain: dict[str, Any] = dict(schema)
    if "anyOf" in plain:
        # An answer leaves out a field instead of sending null.
        others: list[dict[str, Any]] = [each for each in plain.pop("anyOf") if each.get("type") != "null"]
        if len(others) == 1:
            plain = {**others[0], **plain}
    if plain.get("default", 0) is None:
        del plain["default"]
    field: dict[str, Any]
    if plain.get("type") in ("integer", "number") and "enum" not in plain:
        field = {key: value for key, value in plain.items() if key in _NUMBER}
    elif plain.get("type") == "boolean":
        field = {key: value for key, value in plain.items() if key in ("type", "title", "description", "default")}
    elif plain.get("type") == "string":
        field = _text(binding, plain, node)
    elif plain.get("type") == "array" and binding.facts.form_choices:
        field = _several(plain, node, name)
    else:
        raise _no_field(name, binding)
    if plain.get("type") != "boolean" and not _has_defaults(binding):
        field.pop("default", None)
    return field


def _text(binding: Binding, plain: Mapping[str, Any], node: TypeNode) -> dict[str, Any]:
    field = {key: value for key, value in plain.items() if key in _TEXT}
    if plain.get("format") in _FORMATS:
        field["format"] = plain["format"]
    titles = _titles(node)
    if "enum" in field and titles:
        if binding.facts.form_choices:
            field["oneOf"] = [{"const": value, "title": titles[value]} for value in field.pop("enum")]
        else:
            field["enumNames"] = [titles[value] for value in field["enum"]]
    return field


def _several(plain: Mapping[str, Any], node: TypeNode, name: str) -> dict[str, Any]:
    items = plain.get("items", {})
    if items.get("type") != "string" or "enum" not in items:
        text = f"the field {name!r} must be a list of a Literal or Enum of str"
        raise UsageError(text)
    keys = ("type", "title", "description", "minItems", "maxItems", "default")
    field = {key: value for key, value in plain.items() if key in keys}
    titles = _titles(node)
    if titles:
        field["items"] = {"anyOf": [{"const": value, "title": titles[value]} for value in items["enum"]]}
    else:
        field["items"] = {"type": "string", "enum": items["enum"]}
    return field


def _titles(node: TypeNode) -> dict[str, str]:
    """Return the titles of the first enumeration in a type, by value."""
    none: dict[str, str] = {}
    return next((each.titles for each in node.walk() if isinstance(each, Values) and each.titles), none)


def _has_defaults(binding: Binding) -> bool:
    return binding.facts.form_defaults


def _no_field(name: str, binding: Binding) -> UsageError:
    more = ", and lists of these" if binding.facts.form_choices else ""
    return UsageError(f"the field {name!r} cannot be part of a form; use {_ACCEPTED}{more}")


# Checking answers.


def mismatch_of(schema: Mapping[str, Any], content: Mapping[str, Any], *, patterns: bool) -> str | None:
    """Return how the content of an answer differs from the schema of its form; None if it matches.

    Without ``patterns`` the keyword ``pattern`` is ignored.
    """
    types = {name: _field_type(field, patterns=patterns) for name, field in schema["properties"].items()}
    required: list[str] = schema.get("required") or []
    absent = next((name for name in required if name not in types and name not in content), None)
    if absent is not None:
        return f"$.{absent}: is missing"
    known = {name: types[name].complete_schema for name in required if name in types}
    try:
        members_converter({name: each.check for name, each in types.items()}, known, unchanged)(content)
    except MismatchError as error:
        return str(error)
    for name, value in content.items():
        mismatch = wrong_format(schema["properties"].get(name, {}), value)
        if mismatch is not None:
            return f"$.{name}: {mismatch}"
    return None


def _field_type(field: Mapping[str, Any], *, patterns: bool) -> TypeNode:
    if field["type"] == "array":
        return Array(list, _choices(field["items"], "anyOf"), keywords=field)
    if "enum" in field or "oneOf" in field:
        return _choices(field, "oneOf")
    return Scalar({key: value for key, value in field.items() if patterns or key != "pattern"})


def _choices(schema: Mapping[str, Any], titled: str) -> TypeNode:
    return Values(schema.get("enum") or [each["const"] for each in schema.get(titled, ())])


# Formats (JSON Schema 2020-12, Validation, section 7.3).

_FORMAT_PATTERNS = {
    "email": re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}"),
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]*"),
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "date-time": re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})"),
}


def wrong_format(schema: Mapping[str, Any], value: Any) -> str | None:
    """Return how a text differs from the ``format`` of its schema; None if it matches."""
    name = schema.get("format")
    if name not in _FORMATS or not isinstance(value, str):
        return None
    matches = _FORMAT_PATTERNS[name].fullmatch(value) is not None
    try:
        if matches and name == "date":
            date.fromisoformat(value)
        elif matches and name == "date-time":
            datetime.fromisoformat(value.upper())
    except ValueError:
        matches = False
    return None if matches else f"found {value[:80]!r}, expected a string of the format {name}"
