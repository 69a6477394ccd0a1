"""Which type a bare JSON value is of: a tool, a capabilities object, a content block, cut out of a message for a document.

A value is compared with every object type of a revision. The best is one that takes it and names all of its members; the
more of them it names, however deep, the better. A value that no type takes is an example with a mistake only where it
says plainly what it is meant to be: by a literal such as ``"type": "image"``, or by members that together only one type
has. All else is left alone: silence is better than a false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from attrs import frozen
from mcp_bindings_runtime.codec.type_tables import Path, Shape

from mcp_bindgen.validate import tables
from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.tables import Tables
from mcp_bindgen.validate.walk import walk

_ENVELOPE = frozenset({"jsonrpc", "id"})
"""What examples of a message leave out, to show the rest."""
_SCHEMAS = frozenset({"inputSchema", "outputSchema"})
"""Any JSON Schema, by the specification, whatever few members of it the type declares."""
_SCHEMA_WORDS = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
"""A ``type`` of these may be of any JSON Schema, of which the protocol's own types are small parts."""


class Part(NamedTuple):
    """A part of a fragment, and what it is to be read as."""

    path: Path
    value: Json
    shape: Shape


@frozen
class Match:
    """What a fragment was taken for."""

    names: tuple[str, ...] = ()
    """For people: the types that it is as good as, the best first: ``Tool``, or ``InitializeResult.capabilities`` for a
    fragment that is one member of it. None: of no known type, so that it counts as unchecked."""
    parts: tuple[Part, ...] = ()
    """What to check, each by the walks of ``codec.type_tables`` and ``constraints``: mostly the fragment as a whole."""
    undeclared: tuple[Path, ...] = ()
    """Members that the best type does not name, but for those of JSON Schemas. They are no fault by the schema."""


def is_message(value: Json) -> bool:
    """Whether a value of a document is meant as a whole message, or as a batch, rather than as a part of one."""
    if value.__class__ is list:
        return any(is_message(each) for each in value if each.__class__ is dict)
    return value.__class__ is dict and "jsonrpc" in value


def match(value: Json, revision: str) -> Match:
    """The type of ``revision`` that ``value`` is an example of; an empty match where none or no single one is plausible.

    Raises BindgenError for a revision that is not bundled.
    """
    known = tables.own(revision)
    return _match(value, known, _shapes(revision))


def match_result(value: Json, revision: str) -> Match:
    """The same for the ``result`` of a response of which nobody knows the request: among the results of all methods.

    It is never one member of something, so that what is missing from it counts as a fault.
    """
    known = tables.own(revision)
    return _match(value, known, _result_shapes(revision), whole=True)


def answers(value: Json, method: str, revision: str) -> bool:
    """Whether a result may be one of ``method``, rather than plainly one of another method.

    For documents, where a response with the id of an earlier request is not always its answer.
    """
    known = tables.own(revision)
    if method not in known.results or value.__class__ is not dict:
        return True
    if not any(site.kind in {"missing", "wrong"} for site in walk(value, known.results[method], known)):
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
    # What names no members of its own takes every object.
    return tuple(each for each in found if each[0] == "class" and len(known.objects[each[1]][0]) > 1)


class _Fit(NamedTuple):
    """How well a value is of one shape."""

    shape: Shape
    named: int
    """Members that are declared and right, however deep."""
    unnamed: int
    """Members that are not declared, however deep; those of JSON Schemas are not among them."""
    absent: int
    """Members that the type has, and the value does not have at its top."""
    faults: tuple[Path, ...]
    """What is wrong, or missing below the top."""
    missing: tuple[Path, ...]
    """What is missing at the top, where that may be because only a part is shown."""
    bare: bool
    """Of what is missing, some is the envelope of a message."""
    top: int
    """Members at the top that are declared."""
    unknown: int
    """Members at the top that are not."""
    undeclared: tuple[Path, ...]

    @property
    def is_right(self) -> bool:
        """Whether the type takes the value."""
        return not self.faults and not self.missing

    @property
    def is_near(self) -> bool:
        """Whether the value is plainly of the type, though something in it is wrong.

        Objects with an ``error`` that have nothing to do with JSON-RPC are common.
        """
        return bool(self.faults) and not self.unnamed and not self.bare and self.named >= max(2, 2 * len(self.faults))

    @property
    def rank(self) -> tuple[int, int, int]:
        """The better, the greater."""
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
        # Others have blocks with a type too: one that looks different altogether is theirs.
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
    # Where another type names more of what is there, a type that takes it by not looking at it is not what is meant.
    if best is not None and not any(fit.named > best.named and fit.unnamed < best.unnamed for fit in near):
        return _found(value, shown, known)
    if near:
        return _agreed(value, near, known)
    return _found(value, [fit for fit in fits if fit.is_right and fit.named and fit.top >= 4 * fit.unknown], known)


def _only_member(value: Json, best: _Fit | None, known: Tables, shapes: Sequence[Shape]) -> Match:
    """What the value of a lone member is of, by itself, where that explains more than ``best`` does.

    So a heading may stand in place of the member's real name, and ``_meta`` is left out around one of its keys.
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
    """The faulty type where there is one, or where all that are as likely find the same fault."""
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
        parts = tuple(Part((key,), value[key], members[key]) for key in shown)
        names = [f"{_name(fit.shape)}.{shown[0]}" if len(shown) == 1 else _name(fit.shape) for fit in as_good]
    else:
        parts = (Part((), value, best.shape),)
        names = [_name(fit.shape) for fit in as_good]
    return Match(tuple(dict.fromkeys(names)), parts, best.undeclared)


def _fit(value: Json, shape: Shape, top: int, known: Tables, *, whole: bool) -> _Fit:
    """How well a value is of a shape. ``whole``: as it stands, so that whatever is missing is a fault."""
    sites = list(walk(value, shape, known))
    members = [site for site in sites if site.kind == "member"]
    others = [site for site in sites if site.kind in {"further", "undeclared"} and _SCHEMAS.isdisjoint(site.path[:-1])]
    absent = [site.path for site in sites if site.kind == "missing" and len(site.path) == top and not whole]
    at_top = sum(len(site.path) == top for site in members)
    return _Fit(
        shape=shape,
        named=len(members),
        unnamed=len(others),
        absent=len(_names(shape, known)) - at_top,
        faults=tuple(
            site.path
            for site in sites
            if site.kind == "wrong" or (site.kind == "missing" and (whole or len(site.path) != top))
        ),
        missing=tuple(absent),
        bare=any(path[-1] in _ENVELOPE for path in absent),
        top=at_top,
        unknown=sum(len(site.path) == top for site in others),
        undeclared=tuple(site.path for site in others if site.kind == "undeclared"),
    )


def _names(shape: Shape, known: Tables) -> frozenset[str]:
    """The members that a type declares."""
    if shape[0] == "list":
        return _names(shape[1], known)
    if shape[0] != "class":
        return frozenset()
    return frozenset(member[0] for member in known.objects[shape[1]][0])


def _has_own_literal(value: Json, shape: Shape, known: Tables) -> bool:
    """Whether a value has a literal that only this type, or a few, have: ``"type": "image"``, ``"method": "ping"``."""
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
