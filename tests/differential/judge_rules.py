"""Where the bindings take or refuse a value on purpose though the official ``schema.json`` says otherwise.

Three kinds: what the JSON gets wrong of ``schema.ts`` (see ``json_rules``), what ``overrides.toml`` adds to both from
the specification's prose, and how decoding works: a union is decided by a mark first, so that a fault in one member
does not make the value one of another member, and constraint tags are not checked. A rule that explains nothing in a
revision that it names has outlived its reason, which fails.
"""

from __future__ import annotations

from typing import Any

from checkout import REVISIONS
from differential.judges import Rule, nodes, ref, unions_of, when

Types = dict[str, Any]


def _until(revision: str) -> tuple[str, ...]:
    return REVISIONS[: REVISIONS.index(revision) + 1]


def _since(revision: str) -> tuple[str, ...]:
    return REVISIONS[REVISIONS.index(revision) :]


# --- What the JSON gets wrong ------------------------------------------------------------------------------------


def _envelopes(types: Types) -> None:
    for name, schema in types.items():
        properties = schema.get("properties", {})
        if "const" in properties.get("method", {}):
            envelope = {"jsonrpc": {"const": "2.0"}}
            if name.endswith("Request"):
                envelope["id"] = ref(types, "RequestId")
            properties.update(envelope)
            schema["required"] = [*schema["required"], *envelope]


def _form_numbers(types: Types) -> None:
    for node in nodes(types["ElicitResult"]["properties"]["content"]):
        if "integer" in node.get("type", ()):
            node["type"] = [{"integer": "number"}.get(kind, kind) for kind in node["type"]]


def _any_json(types: Types) -> None:
    scalars = next(each for each in types["JSONValue"]["anyOf"] if "integer" in each.get("type", ()))
    scalars["type"] = ["string", "number", "boolean", "null"]


# --- What the specification's prose adds -------------------------------------------------------------------------


def _null_ids(types: Types) -> None:
    for schema in types.values():
        properties = schema.get("properties", {})
        if "error" in properties and "jsonrpc" in properties:
            properties["id"] = {"anyOf": [ref(types, "RequestId"), {"type": "null"}]}


def _absent_ids(types: Types) -> None:
    types["JSONRPCError"]["required"].remove("id")


def _absent_result_types(types: Types) -> None:
    for name, schema in types.items():
        if "resultType" in schema.get("required", ()) and name != "InputRequiredResult":
            schema["required"] = [each for each in schema["required"] if each != "resultType"]


def _absent_caching_hints(types: Types) -> None:
    hints = {"ttlMs", "cacheScope"}
    for schema in types.values():
        if hints & {*schema.get("required", ())}:
            schema["required"] = [each for each in schema["required"] if each not in hints]


def _result_types(types: Types) -> None:
    asking = ref(types, "InputRequiredResult")
    marked = {"required": ["resultType"], "properties": {"resultType": {"const": "input_required"}}}
    complete = {"properties": {"resultType": {"const": "complete"}}}
    for name in ("CallToolResult", "GetPromptResult", "ReadResourceResult"):
        for union in unions_of(types, name, "InputRequiredResult"):
            del union["anyOf"]
            union.update({"if": marked, "then": asking, "else": {"allOf": [complete, ref(types, name)]}})


# --- How decoding works ------------------------------------------------------------------------------------------


def _constraints(types: Types) -> None:
    for node in nodes(types):
        for keyword in ("minimum", "maximum", "maxItems"):
            if isinstance(node.get(keyword), int):
                del node[keyword]


def _messages(types: Types) -> None:
    early = "JSONRPCError" in types
    result = ref(types, "JSONRPCResponse" if early else "JSONRPCResultResponse")
    error = ref(types, "JSONRPCError" if early else "JSONRPCErrorResponse")
    call = when("id", ref(types, "JSONRPCRequest"), ref(types, "JSONRPCNotification"))
    answer = when("result", result, error)
    message = when("method", call, answer)
    if not early:
        types["JSONRPCResponse"] = answer
    if "JSONRPCBatchRequest" in types:
        calls = types["JSONRPCBatchRequest"] = {"type": "array", "items": call}
        answers = types["JSONRPCBatchResponse"] = {"type": "array", "items": answer}
        of_calls = {"items": [{"required": ["method"]}]}  # the first item, in draft 7
        batch = {"if": of_calls, "then": calls, "else": answers}
        message = {"if": {"type": "array"}, "then": batch, "else": message}
    types["JSONRPCMessage"] = message


def _resources(types: Types) -> None:
    text, blob = ref(types, "TextResourceContents"), ref(types, "BlobResourceContents")
    for union in unions_of(types, "TextResourceContents", "BlobResourceContents"):
        del union["anyOf"]
        union.update(when("text", text, blob))


def _form_fields(types: Types) -> None:
    text, scalars = ref(types, "StringSchema"), [ref(types, "NumberSchema"), ref(types, "BooleanSchema")]
    if "LegacyTitledEnumSchema" not in types:
        types["PrimitiveSchemaDefinition"]["anyOf"] = [when("enum", ref(types, "EnumSchema"), text), *scalars]
        return
    untitled, titled = ref(types, "UntitledSingleSelectEnumSchema"), ref(types, "TitledSingleSelectEnumSchema")
    several = {
        "if": {"required": ["items"], "properties": {"items": {"required": ["enum"]}}},
        "then": ref(types, "UntitledMultiSelectEnumSchema"),
        "else": ref(types, "TitledMultiSelectEnumSchema"),
    }
    named = when("enumNames", ref(types, "LegacyTitledEnumSchema"), untitled)
    one = when("enum", named, when("oneOf", titled, text))
    types["PrimitiveSchemaDefinition"]["anyOf"] = [one, *scalars, several]
    types["EnumSchema"]["anyOf"] = [when("enum", named, titled), several]
    types["SingleSelectEnumSchema"] = when("enum", untitled, titled)
    types["MultiSelectEnumSchema"] = several


def _input_responses(types: Types) -> None:
    roots = when("roots", ref(types, "ListRootsResult"), ref(types, "ElicitResult"))
    types["InputResponse"] = when("model", ref(types, "CreateMessageResult"), roots)


RULES = (
    Rule(
        "1.0 is no integer",
        "To JSON Schema it is one. We keep integers and fractions apart as they were written, and an integer is an int.",
        REVISIONS,
    ),
    Rule(
        "envelopes of early messages",
        "Until 2025-06-18 the schema leaves `jsonrpc` and `id` out of the messages; on the wire they are required.",
        _until("2025-06-18"),
        _envelopes,
    ),
    Rule(
        "numbers of a form",
        "The JSON takes every untagged number for an integer; NumberSchema lets a form ask for any number.",
        _since("2025-06-18"),
        _form_numbers,
    ),
    Rule(
        "JSONValue is any JSON",
        "The JSON leaves out null, which schema.ts lists, and fractions.",
        ("2026-07-28",),
        _any_json,
    ),
    Rule(
        "null as the id of an error",
        "JSON-RPC 2.0, section 5: who could not read the id answers with null. (overrides.toml)",
        REVISIONS,
        _null_ids,
    ),
    Rule(
        "no id in an error",
        "An HTTP endpoint that refuses a message may return an error without an id. (overrides.toml)",
        _until("2025-06-18"),
        _absent_ids,
    ),
    Rule(
        "no resultType",
        "Servers of earlier revisions do not know it; a result without it is a complete one. (overrides.toml)",
        ("2026-07-28",),
        _absent_result_types,
    ),
    Rule(
        "no ttlMs or cacheScope",
        "Servers of earlier versions leave them out: such a result is stale at once, and private. (overrides.toml)",
        ("2026-07-28",),
        _absent_caching_hints,
    ),
    Rule(
        "resultType decides",
        "A result is InputRequiredResult if and only if its resultType says so, and no extension defines other values. "
        "(overrides.toml)",
        ("2026-07-28",),
        _result_types,
    ),
    Rule(
        "constraints are not checked",
        "@minimum, @maximum and @maxItems are documented and checked by `validate`, not by decoding.",
        REVISIONS,
        _constraints,
    ),
    Rule(
        "keys decide about messages",
        "A message with a method is no response, and with an id no notification, whatever is wrong with it.",
        REVISIONS,
        _messages,
    ),
    Rule(
        "keys decide about resources",
        "Contents with `text` are TextResourceContents, whatever is wrong with it, even if there is a `blob` too.",
        REVISIONS,
        _resources,
    ),
    Rule(
        "keys decide about fields of forms",
        "`enum`, `enumNames`, `oneOf` and `items` tell the kinds of choices from each other and from a plain text; with "
        "something wrong in one of them, the JSON takes it for an unknown key of another kind.",
        _since("2025-06-18"),
        _form_fields,
    ),
    Rule(
        "keys decide about answers to input requests",
        "The same for `model`, `roots` and `action`.",
        ("2026-07-28",),
        _input_responses,
    ),
)
