"""The conversions of the params and results of two revisions that need no steps, by method."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..binding import Binding
from ..methods import Side
from .conversion_plans import ConversionPlans
from .object_converter import ByValueClass
from .step_tables import Node, StepTables


class ByMethod(dict[str, ByValueClass | None]):
    """Conversions by method, made on first use; None for methods whose values only the steps convert."""

    def __init__(self, make: Callable[[str], ByValueClass | None]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, method: str) -> ByValueClass | None:
        made = self[method] = self._make(method)
        return made


class MessageConversions:
    """The conversions of what ``sender`` sends in ``source`` to ``target``, and of the results of the other side's requests.

    ``excluded`` are methods whose messages only the steps convert, ``unrecorded`` as in ``ConversionPlans``.
    """

    def __init__(
        self,
        source: Binding,
        target: Binding,
        steps: Sequence[StepTables],
        sender: Side,
        *,
        excluded: Collection[str],
        unrecorded: frozenset[str],
    ) -> None:
        self._source = source
        self._target = target
        self._steps = steps
        self._sender = sender
        self._plans = ConversionPlans(source, target, steps, unrecorded)
        self._excluded = excluded
        self.requests = ByMethod(self._request)
        self.notifications = ByMethod(self._notification)
        self.results = ByMethod(lambda method: None if method in excluded else self._plans.results(method))

    def _request(self, method: str) -> ByValueClass | None:
        source, target = self._source.requests.get(method), self._target.requests.get(method)
        if source is None or target is None or source.embedded or target.embedded or method in self._excluded:
            return None
        return self._plans.params(source.message, target.message, self._nodes(method))

    def _notification(self, method: str) -> ByValueClass | None:
        source, target = self._source.notifications.get(method), self._target.notifications.get(method)
        if source is None or target is None:
            return None
        return self._plans.params(source.message, target.message, self._nodes(method))

    def _nodes(self, method: str) -> list[Node]:
        named = f"{method} from {self._sender}"
        return [tables.methods.get(named) or tables.methods.get(method) for tables in self._steps]
