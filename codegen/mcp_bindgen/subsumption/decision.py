"""The decision about two schemas: included, refuted by a witness, or undecided."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import frozen

from mcp_bindgen.subsumption.alternatives import NormalForms
from mcp_bindgen.subsumption.conjunction import Conjunction, Part
from mcp_bindgen.subsumption.counterexamples import Counterexamples
from mcp_bindgen.subsumption.inclusion import Inclusion
from mcp_bindgen.subsumption.judge import Judge
from mcp_bindgen.subsumption.members import ObjectView
from mcp_bindgen.subsumption.samples import Samples

Answer: TypeAlias = Literal["included", "open", "refuted", "undecided"]


@frozen
class Decision:
    """The relation of two schemas."""

    answer: Answer
    """``included``: every value of the first is one of the second. ``refuted``: the witness is not. ``open``: only values
    with members that the first does not declare are not. ``undecided``: there is neither a proof nor a witness."""
    witness: Any = None
    """The smallest value found that the first accepts and the second refuses."""


class Subsumption:
    """Decides about schemas; one object for all schemas of a comparison."""

    def __init__(self) -> None:
        self.judge = Judge()
        forms = self._forms = NormalForms(self.judge)
        self.samples = Samples(forms, self.judge)
        self._by_letter = Inclusion(forms, self.judge)
        self._declared = Inclusion(forms, self.judge, undeclared=False)
        self._all_values = Counterexamples(forms, self.judge, self.samples)
        self._declared_values = Counterexamples(forms, self.judge, self.samples, undeclared=False)

    def decide(self, one: Conjunction, other: Conjunction, *, is_root: bool = True) -> Decision:
        """Return whether every value of ``one`` is a value of ``other``.

        ``is_root``: these are whole arguments or results, which are records even if they declare no members.
        """
        proof = self.proof(one, other, is_root=is_root)
        if proof == "included":
            return Decision("included")
        search = self._declared_values if proof is None else self._all_values
        found = search.search(one, other, is_root=is_root)
        if found is None:
            return Decision("undecided")
        return Decision("refuted" if proof is None else "open", found[0])

    def proof(
        self, one: Conjunction, other: Conjunction, *, is_root: bool = True
    ) -> Literal["included", "open"] | None:
        """Return what is proven without a search for a witness; None for nothing."""
        if self.includes(one, other):
            return "included"
        return "open" if self._declared.proves(one, other, is_root=is_root) else None

    def includes(self, one: Conjunction, other: Conjunction) -> bool:
        """Return whether every value of ``one`` is proven to be a value of ``other``."""
        return self._by_letter.proves(one, other)

    def is_witness(self, one: Conjunction, other: Conjunction, value: Any) -> bool:
        """Return whether the judge accepts a value by ``one`` and refuses it by ``other``."""
        return self._all_values.is_witness(one, other, value)

    def object_of(self, conjunction: Conjunction) -> ObjectView | None:
        """Return the one object that a conjunction describes by its members alone; None if it is anything else."""
        found = self._forms.of(conjunction)
        if len(found.items) != 1 or not found.complete or found.items[0].kind != "object":
            return None
        leaves = found.items[0].leaves
        return ObjectView(leaves, self.judge.patterns) if all(map(_is_plain, leaves)) else None


_INVOLVED = frozenset(
    {
        *("not", "if", "oneOf", "anyOf", "patternProperties", "propertyNames", "minProperties", "maxProperties"),
        *("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    }
)
"""Keywords because of which members do not stand for the object."""


def _is_plain(part: Part) -> bool:
    return not part.schema.keywords & _INVOLVED
