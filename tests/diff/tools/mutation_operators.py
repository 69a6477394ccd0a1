"""Mutations of tools with known verdicts, and how well the comparison knows them.

``python tests/diff/tools/mutation_operators.py`` prints the precision and the recall of each verdict.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mcp_bindgen.contracts.contract import Contract, Listing, contract_of
from mcp_bindgen.diff.tools.changes import TOOL_VERDICTS, ToolsDifference, ToolVerdict
from mcp_bindgen.diff.tools.comparison import compare_contracts

Json = Any

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
FLAG: Json = {"type": "boolean"}
NULL: Json = {"type": "null"}


def record(required: tuple[str, ...] = (), /, *, closed: bool = False, **members: Json) -> Json:
    found: Json = {"type": "object", "properties": members}
    if required:
        found["required"] = list(required)
    return {**found, "additionalProperties": False} if closed else found


def array(items: Json, **more: Json) -> Json:
    return {"type": "array", "items": items, **more}


def text(**more: Json) -> Json:
    return {"type": "string", **more}


def tagged(tag: str, **members: Json) -> Json:
    return record(("kind", *members), kind={"const": tag}, **members)


NARROWINGS: dict[str, tuple[Json, Json]] = {
    "remove an enum value": ({"enum": ["a", "b", "c"]}, {"enum": ["a", "b"]}),
    "add an enum": (TEXT, text(enum=["a", "b"])),
    "change a const": ({"enum": ["a", "b"]}, {"const": "a"}),
    "number to integer": (NUMBER, WHOLE),
    "remove null from a type list": ({"type": ["string", "null"]}, TEXT),
    "remove null from anyOf": ({"anyOf": [TEXT, NULL]}, TEXT),
    "remove a branch of anyOf": ({"anyOf": [TEXT, WHOLE, FLAG]}, {"anyOf": [TEXT, WHOLE]}),
    "remove a branch of oneOf": (
        {"oneOf": [tagged("a", x=WHOLE), tagged("b", y=TEXT)]},
        {"oneOf": [tagged("a", x=WHOLE)]},
    ),
    "narrow a branch of oneOf": (
        {"oneOf": [tagged("a", x=NUMBER), tagged("b", y=TEXT)]},
        {"oneOf": [tagged("a", x=WHOLE), tagged("b", y=TEXT)]},
    ),
    "raise minimum": ({**WHOLE, "minimum": 0}, {**WHOLE, "minimum": 1}),
    "add minimum": (NUMBER, {**NUMBER, "minimum": 0}),
    "lower maximum": ({**NUMBER, "maximum": 10}, {**NUMBER, "maximum": 9.5}),
    "exclude the minimum": ({**NUMBER, "minimum": 0}, {**NUMBER, "exclusiveMinimum": 0}),
    "add multipleOf": (WHOLE, {**WHOLE, "multipleOf": 5}),
    "raise minLength": (text(minLength=1), text(minLength=2)),
    "lower maxLength": (text(maxLength=10), text(maxLength=9)),
    "add a pattern": (TEXT, text(pattern="^[a-z]+$")),
    "narrow a pattern": (text(pattern="^[a-z0-9]+$"), text(pattern="^[a-z]+$")),
    "add a pattern with lookahead": (TEXT, text(pattern="^(?!x)")),
    "add maxItems": (array(TEXT), array(TEXT, maxItems=3)),
    "add minItems": (array(TEXT), array(TEXT, minItems=1)),
    "add uniqueItems": (array(TEXT), array(TEXT, uniqueItems=True)),
    "narrow items": (array(NUMBER), array(WHOLE)),
    "narrow one of the prefixItems": (
        {"type": "array", "prefixItems": [TEXT, NUMBER], "minItems": 2},
        {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2},
    ),
    "add contains": (array(TEXT), array(TEXT, contains={"const": "a"})),
    "require a member": (record(a=TEXT), record(("a",), a=TEXT)),
    "narrow a member": (record(("a",), a=NUMBER), record(("a",), a=WHOLE)),
    "narrow values of a map": (
        {"type": "object", "additionalProperties": NUMBER},
        {"type": "object", "additionalProperties": WHOLE},
    ),
    "narrow names of a map": (
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "additionalProperties": TEXT, "propertyNames": {"maxLength": 3}},
    ),
    "add minProperties": (record(a=TEXT), {**record(a=TEXT), "minProperties": 1}),
    "add dependentRequired": (record(a=TEXT, b=TEXT), {**record(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}}),
    "remove a member of a closed record": (record(closed=True, a=TEXT, b=TEXT), record(closed=True, a=TEXT)),
    "add not": (TEXT, text(**{"not": {"enum": ["admin"]}})),
    "add if and then": (
        record(a=TEXT, b=TEXT),
        {
            **record(a=TEXT, b=TEXT),
            "if": {"properties": {"a": {"const": "x"}}, "required": ["a"]},
            "then": {"required": ["b"]},
        },
    ),
    "add allOf": (TEXT, {"allOf": [TEXT, {"minLength": 1}]}),
    "require one of two members": (
        record(a=TEXT, b=TEXT),
        {**record(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    ),
}
"""Pairs of schemas of which the second accepts less; reversed they are widenings."""

REPLACEMENTS: dict[str, tuple[Json, Json]] = {
    "string to integer": (TEXT, WHOLE),
    "string to an array of strings": (TEXT, array(TEXT)),
    "array to string": (array(TEXT), TEXT),
    "boolean to string": (FLAG, text(enum=["yes", "no"])),
    "rename an enum value": ({"enum": ["a", "b"]}, {"enum": ["a", "B"]}),
    "rename a required member": (record(("a",), a=TEXT), record(("b",), b=TEXT)),
    "shift a range": ({**WHOLE, "minimum": 0, "maximum": 9}, {**WHOLE, "minimum": 1, "maximum": 10}),
    "object to array": (record(a=TEXT), array(record(a=TEXT))),
}
"""Pairs of schemas of which neither includes the other."""

EQUIVALENTS: dict[str, tuple[Json, Json]] = {
    "type list to anyOf": ({"type": ["string", "null"]}, {"anyOf": [TEXT, NULL]}),
    "anyOf to oneOf of distinct types": ({"anyOf": [TEXT, WHOLE]}, {"oneOf": [TEXT, WHOLE]}),
    "const to enum": ({"const": "a"}, {"enum": ["a"]}),
    "boolean to enum": (FLAG, {"enum": [True, False]}),
    "reorder an enum": ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
    "split into allOf": (text(minLength=1, maxLength=5), {"allOf": [text(minLength=1), {"maxLength": 5}]}),
    "exclusive bound of integers": ({**WHOLE, "exclusiveMinimum": 0}, {**WHOLE, "minimum": 1}),
    "another spelling of a pattern": (text(pattern="^[0-9]+$"), text(pattern="^[0-9][0-9]*$")),
    "add a comment": (TEXT, {**TEXT, "$comment": "new"}),
    "inline a definition": (
        {"$defs": {"t": TEXT}, "$ref": "#/$defs/t"},
        TEXT,
    ),
}

Context = Callable[[Json], Json]


def _with_definitions(schema: Json) -> tuple[Json, Json]:
    if isinstance(schema, dict) and "$defs" in schema:
        return {key: each for key, each in schema.items() if key != "$defs"}, schema["$defs"]
    return schema, None


def _root(schema: Json) -> Json:
    definitions = schema.pop("$defs", None)
    return schema if definitions is None else {**schema, "$defs": definitions}


def _place(build: Context) -> Context:
    def placed(schema: Json) -> Json:
        inner, definitions = _with_definitions(copy.deepcopy(schema))
        whole = build(inner)
        if definitions:
            whole["$defs"] = {**whole.get("$defs", {}), **definitions}
        return whole

    return placed


CONTEXTS: dict[str, Context] = {
    "required": _place(lambda each: record(("v",), v=each)),
    "optional": _place(lambda each: record(v=each)),
    "closed": _place(lambda each: record(("v",), closed=True, v=each)),
    "nested": _place(lambda each: record(("o",), o=record(("v",), v=each, w=TEXT))),
    "items": _place(lambda each: record(("l",), l=array(each))),
    "map": _place(lambda each: record(("m",), m={"type": "object", "additionalProperties": each})),
    "reference": _place(lambda each: {**record(("v",), v={"$ref": "#/$defs/V"}), "$defs": {"V": each}}),
    "recursion": _place(
        lambda each: {
            **record(("n",), n={"$ref": "#/$defs/N"}),
            "$defs": {"N": record(("v",), v=each, next={"$ref": "#/$defs/N"})},
        }
    ),
    "allOf": _place(lambda each: {**record(), "allOf": [record(("v",), v=each), record(w=TEXT)]}),
    "beside": _place(lambda each: record(("v", "k"), v=each, k=array(text(enum=["p", "q"])), z=NUMBER)),
}
"""Places of a schema in the input or output schema of a tool."""


class Mutation(NamedTuple):
    """A pair of contracts with the worst verdict that is known of it."""

    operator: str
    context: str
    old: Json
    new: Json
    expected: ToolVerdict


def tool(**members: Json) -> Json:
    return {"name": "t", "description": "A tool.", "inputSchema": record(), **members}


def schema_mutations(contexts: Mapping[str, Context] = CONTEXTS, base: Json = None) -> Iterator[Mutation]:
    """Yield every operator in every context; ``base`` is the tool around them, by default one without arguments."""
    kinds: list[tuple[dict[str, tuple[Json, Json]], str, ToolVerdict, ToolVerdict]] = [
        (NARROWINGS, "", "breaking", "compatible"),
        ({name: (new, old) for name, (old, new) in NARROWINGS.items()}, "undo: ", "compatible", "breaking"),
        (REPLACEMENTS, "", "breaking", "breaking"),
        (EQUIVALENTS, "", "compatible", "compatible"),
    ]
    for table, prefix, argument, result in kinds:
        for name, (old, new) in table.items():
            for context, place in contexts.items():
                before, after = place(old), place(new)
                for side, prefixed, expected in (
                    ("inputSchema", prefix, argument),
                    ("outputSchema", f"result: {prefix}", result),
                ):
                    around = base or tool()
                    changed = {**around, side: before}, {**around, side: after}
                    yield Mutation(prefixed + name, context, *changed, expected)


def mutations_of(found: Json) -> Iterator[Mutation]:
    """Yield every operator on a further required member of a tool's own schema."""

    def inside(each: Json) -> Json:
        # Operators are written in 2020-12, of which older dialects do not have every keyword.
        schema = {key: copy.deepcopy(value) for key, value in found["inputSchema"].items() if key != "$schema"}
        members = {**schema.get("properties", {}), "mutated": each}
        return {**schema, "properties": members, "required": [*schema.get("required", []), "mutated"]}

    yield from schema_mutations({found["name"]: _place(inside)}, found)


def tool_mutations() -> Iterator[Mutation]:
    a, ab = record(("a",), a=TEXT), record(("a",), a=TEXT, b=WHOLE)
    hints = {"readOnlyHint": True}
    rows: list[tuple[str, Json, Json, ToolVerdict]] = [
        (
            "add a required argument",
            tool(inputSchema=a),
            tool(inputSchema=record(("a", "b"), a=TEXT, b=WHOLE)),
            "breaking",
        ),
        ("remove a required argument", tool(inputSchema=ab), tool(inputSchema=record(b=WHOLE)), "risky"),
        ("add a typed optional argument to an open schema", tool(inputSchema=a), tool(inputSchema=ab), "risky"),
        (
            "add an optional argument to a tool without any",
            tool(inputSchema={"type": "object"}),
            tool(inputSchema=record(a=TEXT)),
            "risky",
        ),
        (
            "add an untyped optional argument",
            tool(inputSchema=a),
            tool(inputSchema=record(("a",), a=TEXT, b={})),
            "compatible",
        ),
        (
            "add an optional argument to a closed schema",
            tool(inputSchema=record(("a",), closed=True, a=TEXT)),
            tool(inputSchema=record(("a",), closed=True, a=TEXT, b=WHOLE)),
            "compatible",
        ),
        ("remove an optional argument of an open schema", tool(inputSchema=ab), tool(inputSchema=a), "risky"),
        ("close a schema", tool(inputSchema=a), tool(inputSchema=record(("a",), closed=True, a=TEXT)), "risky"),
        (
            "close a schema that was open on purpose",
            tool(inputSchema={**a, "additionalProperties": True}),
            tool(inputSchema=record(("a",), closed=True, a=TEXT)),
            "breaking",
        ),
        *(
            (
                f"add an optional argument to a schema with additionalProperties {shown}",
                tool(inputSchema={**a, "additionalProperties": further}),
                tool(inputSchema={**record(("a",), a=TEXT, b=TEXT), "additionalProperties": further}),
                "risky",
            )
            for shown, further in (("true", True), ("{}", {}), ("with a description", {"description": "More."}))
        ),
        (
            "describe a map",
            tool(inputSchema=record(m={"type": "object"})),
            tool(inputSchema=record(m=record(a=TEXT))),
            "breaking",
        ),
        (
            "change a default",
            tool(inputSchema=record(a={**WHOLE, "default": 1})),
            tool(inputSchema=record(a={**WHOLE, "default": 2})),
            "risky",
        ),
        ("add a format", tool(inputSchema=a), tool(inputSchema=record(("a",), a=text(format="date"))), "risky"),
        (
            "remove a required member of the result",
            tool(outputSchema=ab),
            tool(outputSchema=record(b=WHOLE)),
            "breaking",
        ),
        ("remove an optional member of the result", tool(outputSchema=ab), tool(outputSchema=a), "risky"),
        ("add a member to the result", tool(outputSchema=a), tool(outputSchema=ab), "compatible"),
        (
            "add a member to a closed result",
            tool(outputSchema=record(("a",), closed=True, a=TEXT)),
            tool(outputSchema=record(("a",), closed=True, a=TEXT, b=WHOLE)),
            "breaking",
        ),
        ("remove the output schema", tool(outputSchema=a), tool(), "breaking"),
        ("add an output schema", tool(), tool(outputSchema=a), "compatible"),
        ("change the description", tool(), tool(description="Another."), "compatible"),
        ("end readOnlyHint", tool(annotations=hints), tool(annotations={}), "risky"),
        ("begin readOnlyHint", tool(annotations={}), tool(annotations=hints), "compatible"),
        (
            "begin destructiveHint",
            tool(annotations={"destructiveHint": False}),
            tool(annotations={"destructiveHint": True}),
            "risky",
        ),
        ("require a task", tool(), tool(execution={"taskSupport": "required"}), "breaking"),
        ("refuse tasks", tool(execution={"taskSupport": "optional"}), tool(), "breaking"),
        ("allow tasks", tool(), tool(execution={"taskSupport": "optional"}), "compatible"),
        (
            "require a header",
            tool(inputSchema=a),
            tool(inputSchema=record(("a",), a={**TEXT, "x-mcp-header": "A"})),
            "breaking",
        ),
        ("rename the tool", tool(), tool(name="u"), "breaking"),
    ]
    yield from (Mutation(name, "tool", old, new, expected) for name, old, new, expected in rows)


def mutations() -> Iterator[Mutation]:
    yield from schema_mutations()
    yield from tool_mutations()


def contract(each: Json) -> Contract:
    return contract_of(Listing("test", lists={"tools": [each]}))


def difference(mutation: Mutation) -> ToolsDifference:
    return compare_contracts(contract(mutation.old), contract(mutation.new))


def worst(found: ToolsDifference) -> ToolVerdict:
    return max((change.verdict for change in found.changes), key=TOOL_VERDICTS.index, default="compatible")


def report(mutations: Iterable[Mutation]) -> int:
    """Print precision and recall, and each mutation that was not judged as expected; return 1 for a wrong verdict."""
    counts: Counter[tuple[ToolVerdict, ToolVerdict]] = Counter()
    operators: set[str] = set()
    for mutation in mutations:
        found = worst(difference(mutation))
        counts[mutation.expected, found] += 1
        operators.add(mutation.operator)
        if found != mutation.expected:
            print(f"{mutation.operator} ({mutation.context}): expected {mutation.expected}, found {found}")
    total = sum(counts.values())
    print(f"{len(operators)} operators, {total} mutations")
    for verdict in ("breaking", "risky", "compatible"):
        right = counts[verdict, verdict]
        judged = sum(number for (_, found), number in counts.items() if found == verdict)
        known = sum(number for (expected, _), number in counts.items() if expected == verdict)
        if known or judged:
            print(
                f"{verdict:<12} precision {right / max(judged, 1):.3f}  recall {right / max(known, 1):.3f}  ({known})"
            )
    undecided = sum(number for (_, found), number in counts.items() if found == "undecided")
    print(f"undecided    {undecided / total:.3f}")
    return 0 if undecided == total - sum(counts[each, each] for each in TOOL_VERDICTS) else 1


if __name__ == "__main__":
    sys.exit(report(mutations()))
