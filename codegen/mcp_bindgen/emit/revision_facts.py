"""Facts about a revision for the runtime, from the structure of its schema and from the specification's prose.

Facts that only prose states come from a bundled revision, the *base* (``catalog.base_of``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from mcp_bindings_runtime.facts import Facts
from mcp_bindings_runtime.jsonrpc import INVALID_PARAMS

from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.envelopes import find_envelopes
from mcp_bindgen.emit.layout import Tree, exploded
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.prerequisites import is_stateless, object_of
from mcp_bindgen.ir.protocol import AliasOf, Field, ListOf, ObjectOf, Protocol, Scalar, Type, Union
from mcp_bindgen.revision_range import RevisionRange

BATCH = "JSONRPCBatchRequest"
RESOURCE_NOT_FOUND = -32002

PROSE: Mapping[str, tuple[RevisionRange, str]] = {
    "tool_names": (RevisionRange(since="2025-11-25"), "server/tools, Tool Names"),
    "argument_faults_in_results": (
        RevisionRange(since="2025-11-25"),
        "server/tools, Error Handling (tool execution errors: input validation)",
    ),
    "resource_not_found": (
        RevisionRange(until="2025-11-25"),
        "server/resources, Error Handling (a code of its own; later that of invalid params)",
    ),
    "parameter_headers": (
        RevisionRange(since="2026-07-28"),
        "basic/transports/streamable-http, Custom Headers from Tool Parameters",
    ),
    "only_sse": (RevisionRange(until="2024-11-05"), "basic/transports, HTTP with SSE"),
    "version_header": (RevisionRange(since="2025-06-18"), "basic/transports, Protocol Version Header"),
    "polling": (
        RevisionRange(since="2025-11-25", until="2025-11-25"),
        "basic/transports, Sending Messages to the Server (priming events and retry)",
    ),
}
"""Facts that no schema states: the revisions for which they hold, and the section that says so."""


def facts_of(protocol: Protocol, names: Names, base: str) -> Facts:
    """Return the facts about a schema; ``base`` is the bundled revision whose prose holds."""
    prose = {name: base in revisions for name, (revisions, _) in PROSE.items()}
    objects = protocol.objects
    error = find_envelopes(protocol).error
    requests = [method for method in protocol.methods.values() if method.kind == "request"]
    return Facts(
        label=protocol.revision,
        version=protocol.version,
        base=base,
        handshake=not is_stateless(protocol),
        batches=BATCH in protocol.aliases,
        null_id=error is not None and not _may_be_absent(_field(protocol, ObjectOf(error), "id")),
        progress_messages=_has(protocol, "ProgressNotification", "params", "message"),
        introduction=frozenset(names.fields.get("Implementation", {}).values()) - {"name", "version"},
        meta_classes={
            method.name: found
            for method in protocol.methods.values()
            if (found := _meta_class(protocol, names, *_alternatives(protocol, method.params))) is not None
        },
        result_meta=_meta_class(protocol, names, ObjectOf("Result")) or "dict",
        task_methods=frozenset(
            method.name
            for method in requests
            if any(_field(protocol, each, "task") for each in _alternatives(protocol, method.params))
        ),
        structured_results=_structured(protocol),
        output_schemas=_has(protocol, "Tool", "outputSchema"),
        tool_execution=_has(protocol, "Tool", "execution"),
        tool_names=prose["tool_names"],
        argument_faults_in_results=prose["argument_faults_in_results"],
        parameter_headers=prose["parameter_headers"],
        content_blocks=_content_blocks(protocol, names),
        unknown_resource_code=RESOURCE_NOT_FOUND if prose["resource_not_found"] else INVALID_PARAMS,
        completion_context=_has(protocol, "CompleteRequest", "params", "context"),
        form_types=_form_types(protocol, names),
        form_defaults=_has(protocol, "StringSchema", "default"),
        form_choices="UntitledMultiSelectEnumSchema" in objects and "TitledSingleSelectEnumSchema" in objects,
        page_errors="URLElicitationRequiredError" in objects,
        cached=frozenset(
            method.name for method in requests if any(_field(protocol, each, "ttlMs") for each in method.results)
        ),
        resumable=frozenset(method.name for method in requests if _field(protocol, method.params, "inputResponses")),
        only_sse=prose["only_sse"],
        version_header=prose["version_header"],
        polling=prose["polling"],
    )


def facts_lines(facts: Facts) -> list[str]:
    """Return the declaration of ``FACTS``."""
    return exploded("FACTS: Final = Facts", ("(", list(_arguments(facts)), ")"))


def _arguments(facts: Facts) -> Iterator[Tree]:
    stated: dict[str, Any] = facts._asdict()
    for name, value in stated.items():
        if isinstance(value, frozenset):
            members: list[Tree] = [literal(each) for each in sorted(cast("frozenset[str]", value))]
            yield (f"{name}=frozenset(", [("{", members, "}")] if members else [], ")")
        elif isinstance(value, dict):
            entries = cast("dict[str, str]", value)
            pairs: list[Tree] = [f"{literal(key)}: {literal(item)}" for key, item in sorted(entries.items())]
            yield (f"{name}={{", pairs, "}")
        elif isinstance(value, tuple):
            items: list[Tree] = [literal(each) for each in cast("tuple[str, ...]", value)]
            yield (f"{name}=(", [*items, ""] if len(items) == 1 else items, ")")
        else:
            yield f"{name}={literal(value) if isinstance(value, str) else value}"


def _form_types(protocol: Protocol, names: Names) -> tuple[str, str] | None:
    method = protocol.methods.get("elicitation/create")
    for member in _alternatives(protocol, None if method is None else method.params):
        field = _field(protocol, member, "requestedSchema")
        if isinstance(member, ObjectOf) and field is not None and isinstance(field.type, ObjectOf):
            return names.types[member.path], names.types[field.type.path]
    return None


def _alternatives(protocol: Protocol, kind: Type | None) -> tuple[Type | None, ...]:
    """Return the members of a type that is a union, else the type."""
    while isinstance(kind, AliasOf):
        kind = protocol.aliases[kind.name].type
    return kind.members if isinstance(kind, Union) else (kind,)


def _content_blocks(protocol: Protocol, names: Names) -> tuple[str, ...]:
    """Return the classes of the content that tools may return."""
    field = _field(protocol, ObjectOf("CallToolResult"), "content")
    kind = None if field is None else field.type
    while isinstance(kind, AliasOf):
        kind = protocol.aliases[kind.name].type
    if not isinstance(kind, ListOf):
        return ()
    blocks = (object_of(protocol, each) for each in _alternatives(protocol, kind.element))
    return tuple(names.types[each.path] for each in blocks if each is not None)


def _meta_class(protocol: Protocol, names: Names, *kinds: Type | None) -> str | None:
    """Return the class of ``_meta`` that all of the types declare, "dict" for a JSON object; None if they do not."""
    found: set[str | None] = set()
    for kind in kinds:
        field = _field(protocol, kind, "_meta")
        declared = None if field is None else object_of(protocol, field.type)
        found.add(None if field is None else "dict" if declared is None else names.types[declared.path])
    return found.pop() if len(found) == 1 else None


def _structured(protocol: Protocol) -> Literal["none", "object", "any"]:
    field = _field(protocol, ObjectOf("CallToolResult"), "structuredContent")
    if field is None:
        return "none"
    return "any" if _is_any(protocol, field.type) else "object"


def _is_any(protocol: Protocol, kind: Type) -> bool:
    """Return whether every JSON value is of the type, judged by its scalars."""
    match kind:
        case AliasOf():
            return _is_any(protocol, protocol.aliases[kind.name].type)
        case Scalar():
            return kind.kind == "json"
        case Union():
            return any(isinstance(member, Scalar) and member.kind in {"json", "string"} for member in kind.members)
        case _:
            return False


def _has(protocol: Protocol, name: str, *path: str) -> bool:
    kind: Type | None = ObjectOf(name) if name in protocol.objects else None
    for each in path:
        field = _field(protocol, kind, each)
        if field is None:
            return False
        kind = field.type
    return True


def _field(protocol: Protocol, kind: Type | None, name: str) -> Field | None:
    if isinstance(kind, ObjectOf) and kind.path not in protocol.objects:
        return None
    declared = object_of(protocol, kind)
    return None if declared is None else next((each for each in declared.fields if each.name == name), None)


def _may_be_absent(field: Field | None) -> bool:
    return field is None or field.optional
