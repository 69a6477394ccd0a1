"""Comparison of two contracts, for callers that were written for the old one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp_bindings_runtime.features.tool_digest import tool_digest

from mcp_bindgen.contracts.contract import Contract, Json
from mcp_bindgen.diff.tools.changes import (
    AREAS,
    TOOL_VERDICTS,
    ContractName,
    ToolChange,
    ToolsDifference,
    ToolVerdict,
    ToolWitness,
)
from mcp_bindgen.diff.tools.rules import TOOL_RULES
from mcp_bindgen.diff.tools.schema_comparison import SchemaChange, SchemaComparison, Side, short_json
from mcp_bindgen.diff.tools.wording_comparison import rewordings
from mcp_bindgen.subsumption.conjunction import Document, root_of
from mcp_bindgen.subsumption.decision import Subsumption
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object
from mcp_bindgen.syntax.jsonschema.schema import same_json

_HEADER = "x-mcp-header"
_ANY_OBJECT: Json = {"type": "object"}


def compare_contracts(old: Contract, new: Contract) -> ToolsDifference:
    """Return all changes between two contracts.

    Lists that only one of them has are not compared. Raise `BindgenError` for a schema that is none, and if the extra
    ``schema`` is not installed.
    """
    return _Comparison(old, new).difference()


class _Comparison:
    def __init__(self, old: Contract, new: Contract) -> None:
        self._old = old
        self._new = new
        self._subsumption = Subsumption()
        self._found: dict[str, ToolChange] = {}

    def difference(self) -> ToolsDifference:
        old, new = self._old, self._new
        both = old.listed & new.listed
        if "tools" in both:
            self._tools()
        if "prompts" in both:
            self._prompts()
        if "resourceTemplates" in both:
            self._offers("template", old.resource_templates, new.resource_templates)
        if "resources" in both:
            self._offers("resource", old.resources, new.resources)
        changes = sorted(
            self._found.values(),
            key=lambda each: (-TOOL_VERDICTS.index(each.verdict), AREAS.index(each.area), each.subject),
        )
        return ToolsDifference(_name_of(old), _name_of(new), tuple(changes))

    def _add(
        self,
        rule: str,
        subject: str,
        old: Any = None,
        new: Any = None,
        *,
        witness: ToolWitness | None = None,
        verdict: ToolVerdict | None = None,
        reason: str | None = None,
    ) -> None:
        entry = TOOL_RULES[rule]
        identity, number = f"{rule}:{subject}", 1
        while identity in self._found:
            number += 1
            identity = f"{rule}:{subject}#{number}"
        self._found[identity] = ToolChange(
            id=identity,
            rule=rule,
            area=entry.area,
            subject=subject,
            verdict=verdict or entry.verdict,
            old=None if old is None else short_json(old),
            new=None if new is None else short_json(new),
            reason=reason or entry.explanation,
            witness=witness,
        )

    def _tools(self) -> None:
        for name, old in self._old.tools.items():
            new = self._new.tools.get(name)
            if new is None:
                self._add("tool-removed", name, old.get("description", name), witness=self._call(name, old))
            elif tool_digest(old) != tool_digest(new):
                self._tool(name, old, new)
        for name, tool in self._new.tools.items():
            if name not in self._old.tools:
                self._add("tool-added", name, new=tool.get("description", name))

    def _call(self, name: str, tool: Json) -> ToolWitness | None:
        """Return the smallest call of a tool."""
        try:
            schema = Document.of(tool.get("inputSchema", _ANY_OBJECT), f"tool {name!r}: inputSchema", is_checked=True)
            return _request(name, self._subsumption.samples.smallest(root_of(schema)))
        except LookupError:
            return None

    def _tool(self, name: str, old: Json, new: Json) -> None:
        self._schema(name, "argument", old.get("inputSchema", _ANY_OBJECT), new.get("inputSchema", _ANY_OBJECT))
        before, after = old.get("outputSchema"), new.get("outputSchema")
        if before is not None and after is not None:
            self._schema(name, "result", before, after)
        elif before is not None:
            witness = ToolWitness("server", {"content": []})
            self._add("result-schema-removed", f"{name}.result", before, witness=witness)
        elif after is not None:
            self._add("result-schema-added", f"{name}.result", new=after)
        self._headers(name, old, new)
        self._tasks(name, old, new)
        for each in rewordings(old, new, {"inputSchema": "arguments", "outputSchema": "result"}):
            self._add(each.rule, ".".join((name, *each.path)), each.old, each.new)

    def _schema(self, name: str, side: Side, old: Any, new: Any) -> None:
        if same_json(old, new):
            return
        member = "inputSchema" if side == "argument" else "outputSchema"
        before = Document.of(old, f"{self._old.source}: tool {name!r}: {member}", is_checked=True)
        after = Document.of(new, f"{self._new.source}: tool {name!r}: {member}", is_checked=True)
        for each in SchemaComparison(self._subsumption, before, after, side).changes():
            subject = ".".join((name, "arguments" if side == "argument" else "result", *each.path))
            witness = self._witness(name, side, each)
            self._add(each.rule, subject, each.old, each.new, witness=witness, verdict=each.level)

    def _witness(self, name: str, side: Side, change: SchemaChange) -> ToolWitness | None:
        if change.witness is None or change.level == "compatible":
            return None
        value = change.witness[0]
        return _request(name, value) if side == "argument" else ToolWitness("server", {"structuredContent": value})

    def _headers(self, name: str, old: Json, new: Json) -> None:
        """Compare the arguments that are repeated in headers (2026-07-28, Transports: Custom headers)."""
        before, after = _headers_of(old.get("inputSchema")), _headers_of(new.get("inputSchema"))
        if not _has_fact(self._new.revision, "parameter_headers"):
            return
        for argument, header in after.items():
            if before.get(argument) != header:
                self._add("header-required", f"{name}.arguments.{argument}", before.get(argument), header)
        for argument in before.keys() - after.keys():
            self._add("header-removed", f"{name}.arguments.{argument}", before[argument])

    def _tasks(self, name: str, old: Json, new: Json) -> None:
        """Compare whether calls may, must or must not become tasks (2025-11-25, Tasks: Tool-Level Negotiation)."""
        before, after = _task_support(old), _task_support(new)
        if before == after or not _has_fact(self._new.revision, "tool_execution"):
            return
        subject = f"{name}.execution"
        if after == "required":
            self._add("task-required", subject, before, after, witness=self._call(name, old))
        elif after == "forbidden":
            self._add("task-refused", subject, before, after)
        else:
            self._add("task-allowed", subject, before, after)

    def _prompts(self) -> None:
        for name, old in self._old.prompts.items():
            new = self._new.prompts.get(name)
            subject = f"prompt {name}"
            if new is None:
                self._add("prompt-removed", subject, witness=ToolWitness("client", _prompt_request(name, old)))
                continue
            self._prompt_arguments(subject, name, old, new)
            for each in rewordings(old, new, {}):
                self._add(each.rule, ".".join((subject, *each.path)), each.old, each.new)
        for name in self._new.prompts.keys() - self._old.prompts.keys():
            self._add("prompt-added", f"prompt {name}")

    def _prompt_arguments(self, subject: str, name: str, old: Json, new: Json) -> None:
        before, after = _arguments(old), _arguments(new)
        for argument, each in after.items():
            place = f"{subject}.arguments.{argument}"
            known = before.get(argument)
            was, now = bool(known and known.get("required")), bool(each.get("required"))
            if now and not was:
                witness = ToolWitness("client", _prompt_request(name, old))
                self._add("prompt-argument-required", place, known, each, witness=witness)
            elif known is None or was != now:
                self._add("prompt-argument-optional", place, known, each)
            elif known.get("description") != each.get("description"):
                self._add("description-changed", place, known.get("description"), each.get("description"))
        for argument in before.keys() - after.keys():
            self._add("prompt-argument-removed", f"{subject}.arguments.{argument}", before[argument])

    def _offers(self, kind: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> None:
        for key, each in old.items():
            subject = f"{kind} {key}"
            other = new.get(key)
            if other is None:
                uri = ToolWitness("client", {"uri": key}) if kind == "resource" else None
                self._add(f"{kind}-removed", subject, each.get("name"), witness=uri)
                continue
            if each.get("mimeType") != other.get("mimeType"):
                self._add("media-type-changed", subject, each.get("mimeType"), other.get("mimeType"))
            for change in rewordings(each, other, {}):
                self._add(change.rule, ".".join((subject, *change.path)), change.old, change.new)
        for key in new.keys() - old.keys():
            self._add(f"{kind}-added", f"{kind} {key}", new=new[key].get("name"))


def _name_of(contract: Contract) -> ContractName:
    return ContractName(contract.title, contract.source, contract.revision)


def _request(name: str, arguments: Any) -> ToolWitness:
    return ToolWitness("client", {"name": name, "arguments": arguments})


def _prompt_request(name: str, prompt: Json) -> dict[str, Any]:
    needed = {each: "" for each, argument in _arguments(prompt).items() if argument.get("required")}
    return {"name": name, "arguments": needed} if needed else {"name": name}


def _arguments(prompt: Json) -> dict[str, Json]:
    found: Any = prompt.get("arguments")
    items: Iterable[Any] = found if is_array(found) else ()
    return {each["name"]: each for each in items if is_object(each) and isinstance(each.get("name"), str)}


def _task_support(tool: Json) -> str:
    execution: Any = tool.get("execution")
    found: Any = execution.get("taskSupport") if is_object(execution) else None
    return found if isinstance(found, str) else "forbidden"


def _headers_of(schema: Any) -> dict[str, str]:
    return dict(_headers_below(schema, (), 0))


def _headers_below(schema: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[str, str]]:
    members: Any = schema.get("properties") if is_object(schema) and depth < 64 else None
    if is_object(members):
        for name, each in members.items():
            if is_object(each) and isinstance(each.get(_HEADER), str):
                yield ".".join((*path, name)), each[_HEADER]
            yield from _headers_below(each, (*path, name), depth + 1)


def _has_fact(revision: str | None, fact: str) -> bool:
    """Return whether a revision gives a member of tools its meaning; True for an unknown one."""
    from mcp_bindings_runtime.installed_revisions import facts_of

    facts = None if revision is None else facts_of(revision)
    return facts is None or bool(getattr(facts, fact))
