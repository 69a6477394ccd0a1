"""Documentation and constraints of a type, from the schemas that apply together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from mcp_bindgen.ir.protocol import About, Constraints
from mcp_bindgen.syntax.jsonschema.schema import Bound, Schema

_LONGEST = 80
"""Maximum length of a pattern or default in the documentation."""


def about_of(schemas: Iterable[Schema], reasons: Sequence[str] = ()) -> About:
    """Return the description, else the title, with constraints that ``Constraints`` lacks, and reasons for untyped parts."""
    schemas = list(schemas)
    texts = [schema.description for schema in schemas if schema.description]
    texts = texts or [schema.title for schema in schemas if schema.title]
    parts = [texts[0].strip()] if texts and texts[0].strip() else []
    limits = " ".join(_limits(schemas))
    parts += [limits] if limits else []
    parts += [f"Not typed: {'; '.join(reasons[:3])}."] if reasons else []
    deprecated = "" if any(schema.deprecated for schema in schemas) else None
    return About(doc="\n\n".join(parts) or None, deprecated=deprecated)


def constraints_of(schemas: Iterable[Schema]) -> Constraints:
    """Return the constraints that fields have."""
    schemas = list(schemas)
    return Constraints(
        minimum=_narrowest(max, [schema.minimum for schema in schemas]),
        maximum=_narrowest(min, [schema.maximum for schema in schemas]),
        max_items=next((schema.max_items for schema in schemas if schema.max_items is not None), None),
        format=next((_short(schema.format) for schema in schemas if schema.format), None),
    )


def default_of(schemas: Iterable[Schema]) -> tuple[object, bool]:
    """Return the default value and whether there is one."""
    found = [schema.default for schema in schemas if "default" in schema.keywords]
    return (found[0], True) if found else (None, False)


def _limits(schemas: Sequence[Schema]) -> Iterable[str]:
    for schema in schemas:
        for bound, words in ((schema.exclusive_minimum, "More than"), (schema.exclusive_maximum, "Less than")):
            if bound is not None:
                yield f"{words} {bound}."
        if schema.multiple_of is not None:
            yield f"A multiple of {schema.multiple_of}."
        if schema.min_length is not None or schema.max_length is not None:
            yield f"Length: {_range(schema.min_length, schema.max_length)}."
        if schema.min_items:
            yield f"At least {schema.min_items} item{'' if schema.min_items == 1 else 's'}."
        if schema.pattern is not None:
            yield f"Pattern: `{_short(schema.pattern)}`."
        if "default" in schema.keywords:
            yield f"Default: `{_short(json.dumps(schema.default, ensure_ascii=False))}`."


def _range(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if high is None else f"at most {high}"


def _narrowest(choose: Callable[[list[Bound]], Bound], bounds: Iterable[Bound | None]) -> Bound | None:
    found = [bound for bound in bounds if bound is not None]
    return choose(found) if found else None


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
