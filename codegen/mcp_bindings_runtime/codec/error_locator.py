"""Find what is wrong with a message that the codec could not read, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..methods import RequestMethod
from .checks import Invalid, Json
from .method_readers import Envelopes, MethodReaders
from .type_tables import Path, Shape, TypeTables, Violation
from .wording import describe


class ErrorLocator:
    """Slow reader of messages that decides as ``Codec.read`` does and adds what is wrong to ``violations``.

    ``readers`` are those of requests and of notifications. ``results`` maps ids of requests to their method keys.
    """

    def __init__(
        self,
        tables: TypeTables,
        result_shapes: Callable[[], Mapping[str, Shape]],
        envelopes: Envelopes,
        readers: tuple[MethodReaders, MethodReaders],
        violations: list[Violation],
        *,
        results: Mapping[str | int, RequestMethod[Any, Any]] | None,
        batches: bool,
    ) -> None:
        self._tables = tables
        self._result_shapes = result_shapes
        self._envelopes = envelopes
        self._requests, self._notifications = readers
        self._violations = violations
        self._results = results
        self._batches = batches

    def read(self, value: Json) -> Any:
        """Return a message, or those of an array, as far as it can be made."""
        if value.__class__ is list and self._batches:
            if not value:
                self._add((), "an empty array", "at least one message")
            return [self._read_message(item, (index,)) for index, item in enumerate(value)]
        return self._read_message(value, ())

    def _read_message(self, value: Json, path: Path) -> Any:
        if value.__class__ is not dict:
            self._add(path, describe(value), "an object")
            return value
        if "method" in value:
            return self._read_call(value, path)
        if "result" in value and "error" in value:
            self._add(path, "both result and error", "one of them")
            return value
        if "result" not in value and "error" not in value:
            self._add(path, "neither method nor result nor error", "one of them")
            return value
        return self._read_response(value, path)

    def _read_call(self, value: dict[str, Any], path: Path) -> Any:
        method = value["method"]
        if method.__class__ is not str:
            self._add((*path, "method"), describe(method), "a string")
            return value
        try:
            cls = (self._requests if "id" in value else self._notifications).class_of(method)
        except Invalid:
            if "id" in value:
                self._add((*path, "id"), describe(value["id"]), f"no id, as {method} is a notification")
            else:
                self._add((*path, "id"), "nothing", f"an id, as {method} is a request")
            return value
        return self._tables.read(value, ("class", cls.__name__), path, self._violations)

    def _read_response(self, value: dict[str, Any], path: Path) -> Any:
        cls = self._envelopes.error if "error" in value else self._envelopes.response
        if cls is None:
            self._add(path, "a response", "a request or a notification")
            return value
        key = None
        if self._results is not None and "result" in value and value.get("id").__class__ in {str, int}:
            key = self._results.get(value["id"])
        if key is None:
            return self._tables.read(value, ("class", cls.__name__), path, self._violations)
        # The type of the result checks all that the envelope would check of it.
        found: list[Violation] = []
        response = self._tables.read(value, ("class", cls.__name__), path, found)
        inside = (*path, "result")
        self._violations += [each for each in found if each.path[: len(inside)] != inside]
        response.result = self._tables.read(value["result"], self._result_shapes()[key.name], inside, self._violations)
        return response

    def _add(self, path: Path, found: str, expected: str) -> None:
        self._violations.append(Violation(path, found, expected))
