"""The slow twin of how a codec reads messages: the same decisions, and what is wrong instead of that something is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .checks import Invalid
from .type_tables import Shapes, Violation
from .wording import describe

if TYPE_CHECKING:
    from ..methods import Side
    from .codec import Codec, Json, JsonObject, Results


def explain_any(
    codec: Codec[Any],
    shapes: Shapes,
    value: Json,
    sender: Side | None,
    results: Results | None,
    faults: list[Violation],
) -> Any:
    """What is wrong with a message, or with those of an array; what can be made of it."""
    if value.__class__ is list and codec.batches:
        if not value:
            _note(faults, (), "an empty array", "at least one message")
        return [explain(codec, shapes, item, (place,), sender, results, faults) for place, item in enumerate(value)]
    return explain(codec, shapes, value, (), sender, results, faults)


def explain(
    codec: Codec[Any],
    shapes: Shapes,
    value: Json,
    path: tuple[str | int, ...],
    sender: Side | None,
    results: Results | None,
    faults: list[Violation],
) -> Any:
    """What is wrong with one message; ``Codec.message`` decides the same."""
    if value.__class__ is not dict:
        _note(faults, path, describe(value), "an object")
        return value
    if "method" in value:
        return _explain_call(codec, shapes, value, path, sender, faults)
    if "result" in value and "error" in value:
        _note(faults, path, "both result and error", "one of them")
        return value
    if "result" not in value and "error" not in value:
        _note(faults, path, "neither method nor result nor error", "one of them")
        return value
    cls = codec.envelopes.error if "error" in value else codec.envelopes.response
    if cls is None:
        _note(faults, path, "a response", "a request or a notification")
        return value
    key = None
    if results is not None and "result" in value and value.get("id").__class__ in {str, int}:
        key = results.get(value["id"])
    if key is None:
        return shapes.read(value, ("class", cls.__name__), path, faults)
    # What the envelope alone would ask of a result, the request's own type asks too.
    around: list[Violation] = []
    made = shapes.read(value, ("class", cls.__name__), path, around)
    place = (*path, "result")
    faults += [fault for fault in around if fault.path[: len(place)] != place]
    made.result = shapes.read(value["result"], codec.result_shapes()[key.name], place, faults)
    return made


def _explain_call(
    codec: Codec[Any],
    shapes: Shapes,
    value: JsonObject,
    path: tuple[str | int, ...],
    sender: Side | None,
    faults: list[Violation],
) -> Any:
    method = value["method"]
    if method.__class__ is not str:
        _note(faults, (*path, "method"), describe(method), "a string")
        return value
    try:
        requests, notifications = codec.methods[sender]
        cls = (requests if "id" in value else notifications).class_of(method)
    except Invalid:
        if "id" in value:
            _note(faults, (*path, "id"), describe(value["id"]), f"no id, as {method} is a notification")
        else:
            _note(faults, (*path, "id"), "nothing", f"an id, as {method} is a request")
        return value
    return shapes.read(value, ("class", cls.__name__), path, faults)


def _note(faults: list[Violation], path: tuple[str | int, ...], found: str, expected: str) -> None:
    faults.append(Violation(path, found, expected))
