"""Members of objects and items of arrays: the schemas that apply to each, from all leaves of an alternative."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from attrs import frozen

from mcp_bindgen.subsumption.conjunction import Conjunction, Part, joined
from mcp_bindgen.subsumption.patterns import Patterns
from mcp_bindgen.syntax.jsonschema.keywords import ANNOTATIONS
from mcp_bindgen.syntax.jsonschema.schema import Schema


@frozen(slots=False)
class ObjectView:
    """The object that some leaves describe together."""

    leaves: Conjunction
    patterns: Patterns

    @cached_property
    def required(self) -> frozenset[str]:
        """Names of required members."""
        return frozenset(name for part in self.leaves for name in part.schema.required)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names that a leaf declares or requires, in their order."""
        declared = (name for part in self.leaves for name in part.schema.properties)
        return tuple(dict.fromkeys([*declared, *sorted(self.required)]))

    @cached_property
    def name_patterns(self) -> tuple[str, ...]:
        """Patterns of names."""
        return tuple(dict.fromkeys(name for part in self.leaves for name in part.schema.pattern_properties))

    @cached_property
    def at_least(self) -> int:
        """Minimum number of members."""
        return max([len(self.required), *(part.schema.min_properties or 0 for part in self.leaves)])

    @cached_property
    def at_most(self) -> int | None:
        """Maximum number of members; None without a limit."""
        found = [part.schema.max_properties for part in self.leaves if part.schema.max_properties is not None]
        if self.is_closed:
            found.append(len(self.names))
        return min(found, default=None)

    @cached_property
    def is_closed(self) -> bool:
        """Whether no other names than the declared ones are allowed."""
        return any(
            part.schema.additional_properties is not None
            and part.schema.additional_properties.nothing
            and not part.schema.pattern_properties
            for part in self.leaves
        )

    @cached_property
    def declares_members(self) -> bool:
        """Whether a leaf has ``properties``, so that it describes a record and not a map."""
        return any("properties" in part.schema.keywords for part in self.leaves)

    @cached_property
    def names_allowed(self) -> Conjunction:
        """Schemas of the names themselves."""
        return joined(part.inside(each) for part in self.leaves if (each := part.schema.property_names) is not None)

    def is_declared(self, name: str) -> bool:
        """Return whether a leaf has a schema for this name, other than one for all further names."""
        return any(self._own(part, name) for part in self.leaves)

    def is_open_by_default(self) -> bool:
        """Return whether no leaf mentions further names."""
        return all(
            part.schema.additional_properties is None and part.schema.unevaluated_properties is None
            for part in self.leaves
        )

    def accepts_anything_further(self) -> bool:
        """Return whether further names may have any value."""
        further = self.further()
        if any(part.schema.nothing or part.schema.keywords - ANNOTATIONS for part in further):
            return False
        return all(part.schema.unevaluated_properties is None for part in self.leaves)

    def leaves_out(self, name: str | None, *, is_root: bool) -> bool:
        """Return whether senders leave a member out because it is not declared; None stands for names in neither schema.

        Objects that declare no members are maps, unless they are the arguments or the result themselves.
        """
        if not (is_root or self.declares_members):
            return False
        if name is None:
            return self.is_open_by_default()
        return not self.is_declared(name) and name not in self.required and self.accepts_anything_further()

    def member(self, name: str) -> Conjunction:
        """Return the schemas that apply to the member with a name."""
        return joined(each for part in self.leaves for each in self._of(part, name))

    def matched(self, pattern: str) -> Conjunction:
        """Return the schemas that apply to members that match a pattern of these leaves and no other one."""
        return joined(
            part.inside(each)
            for part in self.leaves
            if (each := part.schema.pattern_properties.get(pattern) or part.schema.additional_properties) is not None
        )

    def further(self) -> Conjunction:
        """Return the schemas that apply to members with other names."""
        return joined(
            part.inside(each) for part in self.leaves if (each := part.schema.additional_properties) is not None
        )

    def _of(self, part: Part, name: str) -> Iterable[Part]:
        own = self._own(part, name)
        if own:
            return map(part.inside, own)
        additional = part.schema.additional_properties
        return () if additional is None else (part.inside(additional),)

    def _own(self, part: Part, name: str) -> list[Schema]:
        schema = part.schema
        found = [schema.properties[name]] if name in schema.properties else []
        found += [each for pattern, each in schema.pattern_properties.items() if self.patterns.matches(pattern, name)]
        return found


@frozen(slots=False)
class ArrayView:
    """The array that some leaves describe together."""

    leaves: Conjunction

    @cached_property
    def at_least(self) -> int:
        """Minimum number of items."""
        return max((part.schema.min_items or 0 for part in self.leaves), default=0)

    @cached_property
    def at_most(self) -> int | None:
        """Maximum number of items; None without a limit."""
        found = [part.schema.max_items for part in self.leaves if part.schema.max_items is not None]
        found += [
            len(part.schema.prefix_items)
            for part in self.leaves
            if part.schema.items is not None and part.schema.items.nothing
        ]
        return min(found, default=None)

    @cached_property
    def positions(self) -> int:
        """Number of items at the start that may have schemas of their own."""
        return max((len(part.schema.prefix_items) for part in self.leaves), default=0)

    @cached_property
    def is_unique(self) -> bool:
        """Whether items must differ."""
        return any(part.schema.unique_items for part in self.leaves)

    def item(self, place: int) -> Conjunction:
        """Return the schemas that apply to the item at a place."""
        found: list[Part] = []
        for part in self.leaves:
            schema = part.schema
            each = schema.prefix_items[place] if place < len(schema.prefix_items) else schema.items
            found += [] if each is None else [part.inside(each)]
        return joined(found)
