"""Ranges of numbers, computed exactly."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor

from attrs import evolve, frozen

from mcp_bindgen.subsumption.conjunction import Conjunction
from mcp_bindgen.syntax.jsonschema.schema import Schema

WHOLE = Fraction(1)


@frozen
class NumberRange:
    """Numbers between two bounds that are multiples of others."""

    low: Fraction | None = None
    high: Fraction | None = None
    excludes_low: bool = False
    excludes_high: bool = False
    factors: frozenset[Fraction] = frozenset()

    @classmethod
    def of(cls, leaves: Conjunction, *, integer: bool) -> NumberRange:
        """Return the range that leaves describe together."""
        found = cls(factors=frozenset({WHOLE}) if integer else frozenset())
        for part in leaves:
            found = found.limited(part.schema)
        return found.rounded() if WHOLE in found.factors else found

    def limited(self, schema: Schema) -> NumberRange:
        """Return the numbers of this range that satisfy the bounds of a schema."""
        found = self
        for bound, excludes in ((schema.minimum, False), (schema.exclusive_minimum, True)):
            if bound is not None:
                exact = Fraction(bound)
                if found.low is None or (exact, excludes) > (found.low, found.excludes_low):
                    found = evolve(found, low=exact, excludes_low=excludes)
        for bound, excludes in ((schema.maximum, False), (schema.exclusive_maximum, True)):
            if bound is not None:
                exact = Fraction(bound)
                if found.high is None or (exact, not excludes) < (found.high, not found.excludes_high):
                    found = evolve(found, high=exact, excludes_high=excludes)
        factor = schema.multiple_of
        return found if factor is None else evolve(found, factors=found.factors | {Fraction(str(factor))})

    def rounded(self) -> NumberRange:
        """Return the same integers between bounds that are integers themselves."""
        low, high = self.low, self.high
        if low is not None:
            low = Fraction(floor(low) + 1 if self.excludes_low else ceil(low))
        if high is not None:
            high = Fraction(ceil(high) - 1 if self.excludes_high else floor(high))
        return evolve(self, low=low, high=high, excludes_low=False, excludes_high=False)

    @property
    def is_empty(self) -> bool:
        """Whether the bounds leave no number."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.excludes_low or self.excludes_high))

    def is_within(self, schema: Schema, *, integer: bool) -> bool:
        """Return whether all of these numbers satisfy the bounds of a schema, and are integers if it needs these."""
        limit = NumberRange(factors=frozenset({WHOLE}) if integer else frozenset()).limited(schema)
        if limit.low is not None and (
            self.low is None or (self.low, self.excludes_low) < (limit.low, limit.excludes_low)
        ):
            return False
        if limit.high is not None and (
            self.high is None or (self.high, not self.excludes_high) > (limit.high, not limit.excludes_high)
        ):
            return False
        return all(any(not own % factor for own in self.factors) for factor in limit.factors)

    def boundaries(self) -> Iterable[int | float]:
        """Yield numbers at and around the bounds, and multiples."""
        for bound in (self.low, self.high):
            if bound is not None:
                yield from (_json(bound + step) for step in (0, 1, -1, Fraction(1, 2), Fraction(-1, 2)))
        for factor in self.factors:
            start = floor((self.low or 0) / factor)
            yield from (_json(factor * (start + step)) for step in (0, 1, 2))
            yield _json(factor / 2)


def _json(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
