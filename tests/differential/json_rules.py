"""Where the official ``schema.json`` is known to say less than, or something else than, ``schema.ts``.

A difference that no rule explains is a failure of ours; a rule that explains nothing in a revision that it names has
outlived its reason, and is a failure too.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen
from checkout import REVISIONS
from differential.comparison import Difference
from mcp_bindgen.ir.protocol import Protocol


@frozen
class Rule:
    """A known error or peculiarity of the JSON."""

    name: str
    reason: str
    revisions: tuple[str, ...]
    covers: Callable[[Difference, Protocol], bool]
    """Whether a difference of one of the revisions is this one."""


def _since(revision: str) -> tuple[str, ...]:
    return REVISIONS[REVISIONS.index(revision) :]


def _until(revision: str) -> tuple[str, ...]:
    return REVISIONS[: REVISIONS.index(revision) + 1]


def _loses_known_values(difference: Difference, protocol: Protocol) -> bool:
    return difference.aspect == "known" and not difference.theirs


def _inherits_openness(difference: Difference, protocol: Protocol) -> bool:
    declared = protocol.objects.get(difference.place)
    return (
        difference.aspect == "open"
        and difference.ours is True
        and declared is not None
        and any(protocol.objects[base].index is not None for base in declared.bases)
    )


def _is_record(difference: Difference, protocol: Protocol) -> bool:
    return difference.aspect == "open" and difference.ours is True and difference.place == "MetaObject"


def _is_envelope(difference: Difference, protocol: Protocol) -> bool:
    added = difference.field is not None and difference.field.envelope
    return difference.aspect == "property" and difference.ours is True and added


def _is_null_id(difference: Difference, protocol: Protocol) -> bool:
    return (
        difference.aspect == "kinds"
        and difference.field is not None
        and difference.field.null_tolerated
        and difference.ours == {"string", "integer", "null"}
        and difference.theirs == {"string", "integer"}
    )


def _is_form_number(difference: Difference, protocol: Protocol) -> bool:
    return (
        difference.place == "ElicitResult.content[string]"
        and difference.ours == {"string", "number", "boolean"}
        and difference.theirs == {"string", "integer", "boolean"}
    )


def _is_json_value(difference: Difference, protocol: Protocol) -> bool:
    return (
        difference.place == "JSONValue"
        and difference.ours == {"string", "number", "boolean", "null"}
        and difference.theirs == {"string", "integer", "boolean"}
    )


def _is_written_out(difference: Difference, protocol: Protocol) -> bool:
    return difference.aspect == "name" and difference.place == "ClientNotification" and difference.theirs is None


def _stands_alone(difference: Difference, protocol: Protocol) -> bool:
    codes = {"PARSE_ERROR", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS", "INTERNAL_ERROR"}
    return difference.aspect == "constant" and difference.theirs is None and difference.place in codes


def _is_own_name(difference: Difference, protocol: Protocol) -> bool:
    return (
        difference.place == "LATEST_PROTOCOL_VERSION"
        and difference.ours == difference.revision
        and difference.theirs is None
    )


RULES = (
    Rule(
        "known values of open unions",
        'TypeScript folds `"a" | "b" | string` to `string` before the JSON is made; we read the text.',
        REVISIONS,
        _loses_known_values,
    ),
    Rule(
        "inherited openness",
        "The JSON shows an index signature on the type that writes it, not on those that inherit it.",
        REVISIONS,
        _inherits_openness,
    ),
    Rule(
        "openness of Record",
        "`Record<string, unknown>` becomes a bare object; it says the same as an index signature.",
        ("2026-07-28",),
        _is_record,
    ),
    Rule(
        "envelope of early messages",
        "Until 2025-06-18 messages extend Request and Notification, which leave `jsonrpc` and `id` to JSONRPCRequest and "
        "JSONRPCNotification; every message on the wire has them, so ours do.",
        _until("2025-06-18"),
        _is_envelope,
    ),
    Rule(
        "null as the id of an error",
        "JSON-RPC 2.0, section 5: who could not read the id answers with null. An override of ours says so.",
        REVISIONS,
        _is_null_id,
    ),
    Rule(
        "numbers of a form",
        "The JSON's generator takes every untagged number for an integer, but NumberSchema lets a form ask for any number.",
        _since("2025-06-18"),
        _is_form_number,
    ),
    Rule(
        "JSONValue without null and fractions",
        "The same generator, which was not told of null either; schema.ts lists null, and JSON numbers have fractions.",
        ("2026-07-28",),
        _is_json_value,
    ),
    Rule(
        "an alias written out",
        "`type ClientNotification = CancelledNotification` becomes a copy of that interface, whose members are compared.",
        ("2026-07-28",),
        _is_written_out,
    ),
    Rule(
        "codes without a type",
        "The JSON has no constants but those that a type refers to; the codes of JSON-RPC have had types since 2026-07-28. "
        "Their values are compared with JSON-RPC's own.",
        _until("2025-11-25"),
        _stands_alone,
    ),
    Rule(
        "the revision's own name",
        "No type refers to it; the folder of the file says the same.",
        REVISIONS,
        _is_own_name,
    ),
)
