"""Validators for JSON Schemas written by hand, by the library jsonschema (the extra ``schema``).

Dialects are 2020-12, which is the default, 2019-09, and drafts 3, 4, 6 and 7. Nothing is ever fetched: a ``$ref`` must
point into the schema itself (JSON Schema Usage: ``$ref`` Resolution).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from ..distribution import install_command
from ..errors import UsageError
from .mismatch import MAX_MISMATCHES, Mismatch

_MAX_DEPTH = 64
"""Limit on the nesting levels of a schema that you or a server writes."""
_MAX_VALUES = 10_000
"""Limit on the JSON values in a schema that you or a server writes."""


def validator_of(
    schema: Mapping[str, Any], what: str, *, adapt: Callable[[Any, Any], Any] | None = None
) -> Callable[[Any], list[Mismatch]]:
    """Return a function that lists the mismatches of a value.

    ``what`` names the schema in messages. ``adapt`` is called with the library and its validator class for the dialect,
    and returns the class to use. Raises UsageError if the schema is invalid, of an unknown dialect, too large or refers to
    another document, and if the extra is not installed.
    """
    try:
        # Not by `import`: the library has no types, and vendored copies of this module must pass type checkers.
        library: Any = import_module("jsonschema")
        registry: Any = import_module("referencing.jsonschema").EMPTY_REGISTRY
    except ImportError as fault:
        text = f"{what} needs jsonschema: {install_command('schema')} (or pass check=False)"
        raise UsageError(text) from fault
    whole = dict(schema)
    _require_bounded(whole, what)
    cls = _dialect(library, whole)
    if cls is None:
        text = (
            f"{what} has the unknown dialect {whole['$schema']!r}; use 2020-12, 2019-09 or draft 3, 4, 6 or 7 of "
            "json-schema.org"
        )
        raise UsageError(text)
    try:
        cls.check_schema(whole)
    except library.SchemaError as fault:
        text = f"{what} is not a valid JSON Schema: {fault.json_path}: {fault.message}"
        raise UsageError(text) from fault
    # With an empty registry no reference is looked up outside of the schema.
    validator = (cls if adapt is None else adapt(library, cls))(whole, registry=registry)

    def validate(value: Any) -> list[Mismatch]:
        errors = islice(validator.iter_errors(value), MAX_MISMATCHES)
        return [Mismatch(tuple(error.absolute_path), _shortened(error.message)) for error in errors]

    return validate


def _dialect(library: Any, schema: dict[str, Any]) -> Any:
    """Return the validator class for the dialect of a schema; None if it is unknown."""
    named = schema.get("$schema")
    if named is None:
        return library.Draft202012Validator
    try:
        return library.validators.validator_for(schema, default=None)
    except (ValueError, AttributeError):  # not a URL, or not a string
        return None


_MAX_MESSAGE = 200


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}…"


def _require_bounded(schema: dict[str, Any], what: str) -> None:
    """Raise UsageError if the schema is too large, or refers to another document or to a place that does not exist."""
    count = 0
    for value, depth in walk(schema, 0):
        count += 1
        if depth > _MAX_DEPTH or count > _MAX_VALUES:
            text = f"{what} has more than {_MAX_DEPTH} levels or {_MAX_VALUES} values"
            raise UsageError(text)
        if value.__class__ is not dict:
            continue
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = value.get(key)
            if reference.__class__ is not str:
                continue
            if not reference.startswith("#"):
                text = (
                    f"{what} refers to {reference!r}; use a reference into the schema itself, such as #/$defs/address"
                )
                raise UsageError(text)
            if reference.startswith("#/") and not _resolves(schema, reference):
                text = f"{what} refers to {reference!r}, which does not exist"
                raise UsageError(text)


def walk(value: Any, depth: int) -> Iterator[tuple[Any, int]]:
    """Yield a JSON value and all values in it with their depths, down to the maximum depth of a schema."""
    yield value, depth
    if depth <= _MAX_DEPTH:
        below = value.values() if value.__class__ is dict else value if value.__class__ is list else ()
        for item in below:
            yield from walk(item, depth + 1)


def _resolves(schema: Any, reference: str) -> bool:
    from urllib.parse import unquote

    found = schema
    for part in reference.removeprefix("#/").split("/"):
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(key)] if found.__class__ is list else found[key]
        except (KeyError, IndexError, ValueError, TypeError):
            return False
    return True
