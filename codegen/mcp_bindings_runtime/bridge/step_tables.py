"""The format of the emitted tables of one step: what to do with a message to express it in the neighbouring revision.

A *node* is the treatment of a value, None if the value stays as it is:

    ("object", name)                an entry of ``objects``
    ("list", node)                  each element
    ("map", node)                   each value of an object
    ("union", decision, (node, …))  the node of the alternative that the decision of ``codec.type_tables`` leads to
    ("fit", shape, reason)          a value of a shape of the target; refused if it is not
    ("refuse", reason)              the whole message cannot be expressed
    ("omit", reason)                the same for a notification that the target does without
    ("apply", name, reason, …)      a function of ``replacements``

An entry of ``objects`` is a tuple of treatments of members, applied in this order:

    ("fit", name, shape, reason)    not declared by the source: dropped if it is not of the target's shape
    ("add", name, value, reason)    added if absent, unless the value is unknown
    ("require", name, reason)       refused if absent
    ("convert", name, node)
    ("attempt", name, node)         the same; dropped if the node refuses it
    ("keep", name, reason)          not declared by the target, which ignores it
    ("drop", name, reason)          removed
    ("refuse", name, reason)        refused if present
    ("apply", function, reason, …)  a function of ``replacements`` for the whole object

Reasons are indices of ``reasons``. A value to add may be the name of one that depends on the
conversion: ``$revision`` (the target), ``$client_info`` or ``$client_capabilities``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from ..codec.type_tables import Aliases, Objects
from ..methods import Side

Node: TypeAlias = tuple[Any, ...] | None
Treatment: TypeAlias = tuple[Any, ...]


class Reason(NamedTuple):
    """The reason of a treatment, and the section of the specification."""

    why: str
    section: str


class StepTables(NamedTuple):
    """The tables of one step in one direction."""

    source: str
    target: str
    batches: int | None
    """The reason for which batches are split; None if they need not be."""
    senders: Mapping[str, Side]
    """Method to the side that sends it; methods that both send are absent."""
    methods: Mapping[str, Node]
    """Method to the treatment of its request or notification; ``M from client`` is that of one side only."""
    results: Mapping[str, Node]
    """Method to the treatment of its result."""
    envelopes: Mapping[str, Node]
    """Treatment of an ``error`` response and the envelope of a ``response``; ``request`` and ``notification`` are those of
    unknown methods."""
    capabilities: Mapping[str, Node]
    """``client`` and ``server`` to the treatment of their capabilities."""
    objects: Mapping[str, tuple[Treatment, ...]]
    reasons: tuple[Reason, ...]
    shapes: Objects
    """Classes of the target, for ``fit``."""
    aliases: Aliases
