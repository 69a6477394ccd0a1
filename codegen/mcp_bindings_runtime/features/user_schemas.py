"""JSON Schemas that are written by hand, and values held against them by jsonschema (the extra ``schema``).

Dialects are 2020-12, which is the default, 2019-09, and drafts 3, 4, 6 and 7. Nothing is ever fetched: a ``$ref`` has to
lead to a place in the schema itself (JSON Schema Usage: ``$ref`` Resolution).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from ..errors import UsageError
from .mismatch import MAX_MISMATCHES, Mismatch

_DEEPEST = 64
_LARGEST = 10_000
"""Limits of a schema: levels, and values in it (JSON Schema Usage: Composition-Keyword Resource Use)."""


def checker(
    schema: Mapping[str, Any], what: str, *, restrain: Callable[[Any, Any], Any] | None = None
) -> Callable[[Any], list[Mismatch]]:
    """The function that says what is wrong with a value.

    ``what`` is said of the schema in messages. ``restrain`` gives the class that validates, of the library and the one that
    it has for the dialect. Raises UsageError for a schema that is none, is of a dialect that is not
    known, refers to another document, or is too large; and where the extra is not installed.
    """
    try:
        # Not by `import`: it has no types of its own, and a copy of this has to pass type checkers without more.
        library: Any = import_module("jsonschema")
        registry: Any = import_module("referencing.jsonschema").EMPTY_REGISTRY
    except ImportError as fault:
        text = f"{what} is checked by the extra `schema`: pip install 'mcp-bindings[schema]' (or pass check=False)"
        raise UsageError(text) from fault
    whole = dict(schema)
    _examine(whole, what)
    cls = _dialect(library, whole)
    if cls is None:
        text = (
            f"{what} is of the dialect {whole['$schema']!r}; accepted are 2020-12, 2019-09 and drafts 3, 4, 6 and 7 of "
            "json-schema.org"
        )
        raise UsageError(text)
    try:
        cls.check_schema(whole)
    except library.SchemaError as fault:
        text = f"{what} is no JSON Schema: {fault.json_path}: {fault.message}"
        raise UsageError(text) from fault
    # An empty registry: what is not in the schema is not looked for anywhere.
    validator = (cls if restrain is None else restrain(library, cls))(whole, registry=registry)

    def check(value: Any) -> list[Mismatch]:
        errors = islice(validator.iter_errors(value), MAX_MISMATCHES)
        return [Mismatch(tuple(error.absolute_path), _shortened(error.message)) for error in errors]

    return check


def _dialect(library: Any, schema: dict[str, Any]) -> Any:
    """The class of a schema's dialect; None where it is not known."""
    named = schema.get("$schema")
    if named is None:
        return library.Draft202012Validator
    try:
        return library.validators.validator_for(schema, default=None)
    except (ValueError, AttributeError):  # no address, or no text at all
        return None


_SHOWN = 200


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _examine(schema: dict[str, Any], what: str) -> None:
    """Refuses what is too large, and references that lead out of the schema or nowhere."""
    places = 0
    for value, depth in walk(schema, 0):
        places += 1
        if depth > _DEEPEST or places > _LARGEST:
            text = f"{what} has more than {_DEEPEST} levels or {_LARGEST} values"
            raise UsageError(text)
        if value.__class__ is not dict:
            continue
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = value.get(key)
            if reference.__class__ is not str:
                continue
            if not reference.startswith("#"):
                text = (
                    f"{what} refers to {reference!r}; accepted are places in the schema itself, such as #/$defs/address"
                )
                raise UsageError(text)
            if reference.startswith("#/") and not _leads(schema, reference):
                text = f"{what} refers to {reference!r}, and there is nothing at that place"
                raise UsageError(text)


def walk(value: Any, depth: int) -> Iterator[tuple[Any, int]]:
    """A JSON value and all in it, each with its level, from ``depth`` on; not below the deepest that a schema may have."""
    yield value, depth
    if depth <= _DEEPEST:
        below = value.values() if value.__class__ is dict else value if value.__class__ is list else ()
        for item in below:
            yield from walk(item, depth + 1)


def _leads(schema: Any, reference: str) -> bool:
    from urllib.parse import unquote

    found = schema
    for part in reference.removeprefix("#/").split("/"):
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(key)] if found.__class__ is list else found[key]
        except (KeyError, IndexError, ValueError, TypeError):
            return False
    return True
