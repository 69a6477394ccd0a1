"""Type matching of JSON values that documents cut out of messages: a tool, a capabilities object, a content block.

A value is compared with every object type of a revision. The best match accepts it and declares all of its members; the
more members it declares, at any depth, the better. A value that no type accepts is an erroneous example only if it
identifies its type: by a literal such as ``"type": "image"``, or by members that only one type has together. Other
values are ignored, because a missed error is better than a false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from attrs import frozen
from mcp_bindings_runtime.codec.type_tables import Part, Path, Shape

from mcp_bindgen.validate import tables
from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.tables import Tables, walk

_ENVELOPE = frozenset({"jsonrpc", "id"})
"""Members that examples of messages leave out."""
_SCHEMAS = frozenset({"inputSchema", "outputSchema"})
"""Members that hold any JSON Schema, whatever few keywords the type declares."""
_SCHEMA_WORDS = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
"""Values of ``type`` that do not identify a protocol type, as any JSON Schema has them."""


@frozen
class Match:
    """The types that a fragment matches."""

    names: tuple[str, ...] = ()
    """Names of the equally good types, the best first: ``Tool``, or ``InitializeResult.capabilities`` for a single
    member of it. Empty if no type matches; then the fragment counts as unchecked."""
    parts: tuple[Part, ...] = ()
    """Parts to check with ``codec.type_tables`` and ``constraints``: usually the fragment as a whole."""
    undeclared: tuple[Path, ...] = ()
    """Members that the best type does not declare, apart from those of JSON Schemas. They are not errors."""


def is_message(value: Json) -> bool:
    """Return whether a value of a document is a whole message or a batch."""
    if value.__class__ is list:
        return any(is_message(each) for each in value if each.__class__ is dict)
    return value.__class__ is dict and "jsonrpc" in value


def match(value: Json, revision: str) -> Match:
    """Return the types of ``revision`` that ``value`` is an example of; an empty match if none is plausible.

    Raise `BindgenError` for an unknown revision.
    """
    known = tables.own(revision)
    return _match(value, known, _shapes(revision))


def match_result(value: Json, revision: str) -> Match:
    """Return the types of a ``result`` whose request is unknown, among the results of all methods.

    It is never a single member of a type, so that missing members are errors.
    """
    known = tables.own(revision)
    return _match(value, known, _result_shapes(revision), whole=True)


def may_answer(value: Json, method: str, revision: str) -> bool:
    """Return whether a result may be one of ``method`` and is not clearly one of another method.

    For documents, where a response with the id of an earlier request is not always its answer.
    """
    known = tables.own(revision)
    if method not in known.results or value.__class__ is not dict:
        return True
    if not any(part.kind in {"missing", "wrong"} for part in walk(value, known.results[method], known)):
        return True
    return not any(
        fit.is_right and fit.named and not fit.unknown
        for fit in (_fit(value, shape, 1, known, whole=True) for shape in _result_shapes(revision))
    )


@cache
def _shapes(revision: str) -> tuple[Shape, ...]:
    known = tables.own(revision)
    maps = [("alias", name) for name, shape in known.aliases.items() if shape[0] == "map"]
    return (*(("class", name) for name in known.objects), *maps)


@cache
def _result_shapes(revision: str) -> tuple[Shape, ...]:
    known = tables.own(revision)
    found: dict[Shape, None] = {}
    for shape in known.results.values():
        found.update(dict.fromkeys(shape[2] if shape[0] == "union" else (shape,)))
    # Types without members of their own accept every object.
    return tuple(each for each in found if each[0] == "class" and len(known.objects[each[1]][0]) > 1)


class _Fit(NamedTuple):
    """Comparison of a value with one shape."""

    shape: Shape
    named: int
    """Number of declared and valid members, at any depth."""
    unnamed: int
    """Number of undeclared members, at any depth, except those of JSON Schemas."""
    absent: int
    """Number of members of the type that the value lacks at its top."""
    faults: tuple[Path, ...]
    """Invalid values, and missing members below the top."""
    missing: tuple[Path, ...]
    """Missing members at the top, which an excerpt may leave out."""
    bare: bool
    """Whether missing members belong to the envelope of a message."""
    top: int
    """Number of declared members at the top."""
    unknown: int
    """Number of undeclared members at the top."""
    undeclared: tuple[Path, ...]

    @property
    def is_right(self) -> bool:
        """Whether the type accepts the value."""
        return not self.faults and not self.missing

    @property
    def is_near(self) -> bool:
        """Whether the value is clearly of the type, though it contains errors.

        Objects with an ``error`` that have nothing to do with JSON-RPC are common.
        """
        return bool(self.faults) and not self.unnamed and not self.bare and self.named >= max(2, 2 * len(self.faults))

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key: better matches are greater."""
        return self.named, -self.unnamed, -self.absent


def _match(value: Json, known: Tables, shapes: Sequence[Shape], *, whole: bool = False) -> Match:
    several = value.__class__ is list
    examples: list[Json] = value if several else [value]
    if not examples or not all(each.__class__ is dict for each in examples):
        return Match()
    keys: set[str] = {key for each in examples for key in each}
    fits = [
        _fit(value, ("list", shape) if several else shape, 2 if several else 1, known, whole=whole)
        for shape in shapes
        if shape[0] == "alias" or not keys.isdisjoint(_names(shape, known))
    ]
    labelled = [fit for fit in fits if all(_has_own_literal(each, fit.shape, known) for each in examples)]
    if labelled:
        right = [fit for fit in labelled if fit.is_right]
        # Other formats have blocks with a type, too: a value with mostly unknown members is one of those.
        wrong = [fit for fit in labelled if fit.unknown < fit.top or "method" in keys]
        return _found(value, right or sorted(wrong, key=_rank)[-1:], known)
    right = [fit for fit in fits if fit.is_right and fit.named and not fit.unknown]
    if right:
        return _found(value, right, known)
    partly = [fit for fit in fits if fit.top and not fit.unknown and not several]
    shown = [fit for fit in partly if not fit.faults]
    near = [fit for fit in partly if fit.is_near]
    best = max(shown, key=_rank, default=None)
    inner = Match() if whole else _only_member(value, best, known, shapes)
    if inner.parts:
        return inner
    # A type that accepts the value by ignoring its members loses to one that declares more of them.
    if best is not None and not any(fit.named > best.named and fit.unnamed < best.unnamed for fit in near):
        return _found(value, shown, known)
    if near:
        return _agreed(value, near, known)
    return _found(value, [fit for fit in fits if fit.is_right and fit.named and fit.top >= 4 * fit.unknown], known)


def _only_member(value: Json, best: _Fit | None, known: Tables, shapes: Sequence[Shape]) -> Match:
    """Match the value of a single member by itself, if that explains more than ``best`` does.

    A heading may replace the real name of the member, and ``_meta`` may be left out around one of its keys.
    """
    if value.__class__ is not dict or len(value) != 1:
        return Match()
    ((key, item),) = value.items()
    if item.__class__ is not dict or (best.unnamed == 0 if best else "/" not in key):
        return Match()
    fits = [_fit(item, shape, 1, known, whole=True) for shape in shapes]
    fits = [fit for fit in fits if fit.is_right and not fit.unnamed and fit.named > (best.named - 1 if best else 0)]
    found = _found(item, fits, known)
    return Match(found.names, tuple(part._replace(path=(key, *part.path)) for part in found.parts))


def _rank(fit: _Fit) -> tuple[int, int, int]:
    return fit.rank


def _agreed(value: Json, near: list[_Fit], known: Tables) -> Match:
    """Return the best near match; an empty match if the equally likely ones find different errors."""
    most = max(fit.named for fit in near)
    likely = [fit for fit in near if fit.named == most]
    if len({fit.faults for fit in likely}) > 1:
        return Match()
    return _found(value, likely, known)


def _found(value: Json, fits: list[_Fit], known: Tables) -> Match:
    if not fits:
        return Match()
    fits = sorted(fits, key=_rank, reverse=True)
    best = fits[0]
    as_good = [fit for fit in fits if (fit.named, fit.unnamed) == (best.named, best.unnamed)]
    if best.shape[0] == "class" and (best.bare or (best.missing and not _has_own_literal(value, best.shape, known))):
        members = {member[0]: member[3] for member in known.objects[best.shape[1]][0]}
        shown = [key for key in value if key in members]
        parts = tuple(Part((key,), "member", value[key], members[key]) for key in shown)
        names = [f"{_name(fit.shape)}.{shown[0]}" if len(shown) == 1 else _name(fit.shape) for fit in as_good]
    else:
        parts = (Part((), "element", value, best.shape),)
        names = [_name(fit.shape) for fit in as_good]
    return Match(tuple(dict.fromkeys(names)), parts, best.undeclared)


def _fit(value: Json, shape: Shape, top: int, known: Tables, *, whole: bool) -> _Fit:
    """Compare a value with a shape. With ``whole``, missing members at the top are errors, too."""
    parts = list(walk(value, shape, known))
    members = [part for part in parts if part.kind == "member"]
    others = [part for part in parts if part.kind in {"further", "undeclared"} and _SCHEMAS.isdisjoint(part.path[:-1])]
    absent = [part.path for part in parts if part.kind == "missing" and len(part.path) == top and not whole]
    at_top = sum(len(part.path) == top for part in members)
    return _Fit(
        shape=shape,
        named=len(members),
        unnamed=len(others),
        absent=len(_names(shape, known)) - at_top,
        faults=tuple(
            part.path
            for part in parts
            if part.kind == "wrong" or (part.kind == "missing" and (whole or len(part.path) != top))
        ),
        missing=tuple(absent),
        bare=any(path[-1] in _ENVELOPE for path in absent),
        top=at_top,
        unknown=sum(len(part.path) == top for part in others),
        undeclared=tuple(part.path for part in others if part.kind == "undeclared"),
    )


def _names(shape: Shape, known: Tables) -> frozenset[str]:
    """Return the names of the members that a type declares."""
    if shape[0] == "list":
        return _names(shape[1], known)
    if shape[0] != "class":
        return frozenset()
    return frozenset(member[0] for member in known.objects[shape[1]][0])


def _has_own_literal(value: Json, shape: Shape, known: Tables) -> bool:
    """Return whether a value has a literal specific to this type: ``"type": "image"``, ``"method": "ping"``."""
    shape = shape[1] if shape[0] == "list" else shape
    if shape[0] != "class":
        return False
    for wire, attribute, _, kind, *_ in known.objects[shape[1]][0]:
        is_literal = attribute is None and kind[0] == "enum" and wire != "jsonrpc"
        if is_literal and value.get(wire) == kind[1] and not (wire == "type" and kind[1] in _SCHEMA_WORDS):
            return True
    return False


def _name(shape: Shape) -> str:
    return f"{_name(shape[1])}[]" if shape[0] == "list" else str(shape[1])
