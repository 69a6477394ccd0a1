"""Forms of Python classes: what a server asks a user for, as a class, and the answer as one of its objects.

A form is flat: its fields are text, numbers, yes or no, and choices (Elicitation: Requested Schema). Choices are a
``Literal`` or an ``Enum`` of strings, whose names become titles; from 2025-11-25 on also a ``list`` of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, get_args, get_origin

from ..binding import Binding
from ..errors import ProtocolError, ResponseError, UsageError
from ..jsonrpc import INVALID_PARAMS
from .client_methods import ELICIT
from .conversion import Conversion
from .elicitation import Accepted, Cancelled, Declined
from .json_validator import Misfit
from .structures import class_of, fields_of
from .type_schema import NoSchema

T = TypeVar("T")

_TEXT = frozenset({"type", "title", "description", "minLength", "maxLength", "default", "enum"})
_NUMBER = frozenset({"type", "title", "description", "minimum", "maximum", "default"})
_FORMATS = frozenset({"email", "uri", "date", "date-time"})
_ACCEPTED = "str, int, float, bool, datetime, date, Literal and Enum of str, and None as a default"


def ask(context: Any, message: str, form: type[T]) -> Accepted[T] | Declined | Cancelled:
    """Has the user fill in a form; see ``Context.elicit_form``."""
    binding = context.connection.session.binding
    wanted: Any = form
    params, conversion = _prepared(binding, wanted)
    answer = context.request(binding.requests[ELICIT], params.__replace__(message=message))
    if answer.action != "accept":
        return Declined() if answer.action == "decline" else Cancelled()
    try:
        return Accepted(conversion.read(answer.content or {}))
    except Misfit as fault:
        text = f"the client's answer does not fit the form: {fault}"
        if binding.era == "stateless":
            raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": text}) from None
        raise ProtocolError(text) from None


@lru_cache(maxsize=256)
def _prepared(binding: Binding, form: Any) -> tuple[Any, Conversion]:
    """Params that ask for a form, with an empty message; raises UsageError for what is no form."""
    try:
        conversion = Conversion(form)
    except NoSchema as fault:
        raise UsageError(str(fault)) from None
    cls = class_of(form)
    if conversion.schema.get("type") != "object" or "properties" not in conversion.schema or cls is None:
        text = f"a form is an attrs class, a dataclass or a TypedDict, and not {form!r}"
        raise UsageError(text)
    kinds = {member.name: member.kind for member in fields_of(cls)}
    fields = {
        name: _field(binding, name, schema, kinds.get(name)) for name, schema in conversion.schema["properties"].items()
    }
    types = binding.types
    # Revisions without forms have no function that leads here.
    assert binding.facts.form_types is not None
    params, wanted = (getattr(types, name) for name in binding.facts.form_types)
    raw = {"type": "object", "properties": fields, "required": conversion.schema.get("required", [])}
    return params(message="", requested_schema=binding.codec.structure(raw, wanted)), conversion


def _field(binding: Binding, name: str, schema: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    plain: dict[str, Any] = dict(schema)
    if "anyOf" in plain:
        # None says that nothing was filled in; forms leave such fields out.
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
        field = _text(binding, plain, kind)
    elif plain.get("type") == "array" and binding.facts.form_choices:
        field = _several(plain, kind, name)
    else:
        raise _no_field(name, binding)
    if plain.get("type") != "boolean" and not _has_defaults(binding):
        field.pop("default", None)
    return field


def _text(binding: Binding, plain: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    field = {key: value for key, value in plain.items() if key in _TEXT}
    if plain.get("format") in _FORMATS:
        field["format"] = plain["format"]
    titles = _titles(kind)
    if "enum" in field and titles:
        if binding.facts.form_choices:
            field["oneOf"] = [{"const": value, "title": titles[value]} for value in field.pop("enum")]
        else:
            field["enumNames"] = [titles[value] for value in field["enum"]]
    return field


def _several(plain: Mapping[str, Any], kind: Any, name: str) -> dict[str, Any]:
    items = plain.get("items", {})
    if items.get("type") != "string" or "enum" not in items:
        text = f"the field {name!r} is a list of anything; in a form there are lists of a Literal or Enum of str"
        raise UsageError(text)
    keys = ("type", "title", "description", "minItems", "maxItems", "default")
    field = {key: value for key, value in plain.items() if key in keys}
    titles = _titles(kind)
    if titles:
        field["items"] = {"anyOf": [{"const": value, "title": titles[value]} for value in items["enum"]]}
    else:
        field["items"] = {"type": "string", "enum": items["enum"]}
    return field


def _titles(kind: Any) -> dict[str, str]:
    """What the values of an enumeration are called, wherever in a type it is: ``DARK_RED`` as ``Dark red``."""
    if isinstance(kind, type) and get_origin(kind) is None:
        if issubclass(kind, Enum):
            return {member.value: member.name.replace("_", " ").capitalize() for member in kind}
        return {}
    inner: tuple[Any, ...] = get_args(kind)[:1] if hasattr(kind, "__metadata__") else get_args(kind)
    for each in inner:
        titles = _titles(each)
        if titles:
            return titles
    return {}


def _has_defaults(binding: Binding) -> bool:
    return binding.facts.form_defaults


def _no_field(name: str, binding: Binding) -> UsageError:
    more = ", and lists of these" if binding.facts.form_choices else ""
    return UsageError(f"the field {name!r} cannot be asked for in a form; accepted are {_ACCEPTED}{more}")


# Formats (JSON Schema 2020-12, Validation, section 7.3).

_FORMS = {
    "email": re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}"),
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]*"),
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "date-time": re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})"),
}


def wrong_format(schema: Mapping[str, Any], value: Any) -> str | None:
    """What is wrong with a text by the ``format`` of its schema; None where nothing is."""
    name = schema.get("format")
    if name not in _FORMATS or not isinstance(value, str):
        return None
    good = _FORMS[name].fullmatch(value) is not None
    try:
        if good and name == "date":
            date.fromisoformat(value)
        elif good and name == "date-time":
            datetime.fromisoformat(value.upper())
    except ValueError:
        good = False
    return None if good else f"found {value[:80]!r}, expected a string of the format {name}"
