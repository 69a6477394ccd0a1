"""The tables of one step, planned by a parallel walk over the types of two protocols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from attrs import frozen
from mcp_bindings_runtime.bridge.step_tables import Node, Reason, StepTables, Treatment

from mcp_bindgen.bridge.matches import find_match, leaves
from mcp_bindgen.bridge.rules import Rule, RuleError, Rules
from mcp_bindgen.bridge.target_shapes import TargetShapes
from mcp_bindgen.ir.protocol import (
    AliasOf,
    Field,
    ListOf,
    Method,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Type,
    Union,
)
from mcp_bindgen.ir.type_shapes import decision_shape

_ENVELOPES = {
    "request": ("JSONRPCRequest",),
    "notification": ("JSONRPCNotification",),
    "response": ("JSONRPCResultResponse", "JSONRPCResponse"),
    "error": ("JSONRPCErrorResponse", "JSONRPCError"),
}
_CAPABILITIES = {"client": "ClientCapabilities", "server": "ServerCapabilities"}
_BATCH = "JSONRPCBatchRequest"
_JSON = Scalar("json", "unknown")


def plan_step(source: Protocol, target: Protocol, rules: Rules | None = None) -> StepTables:
    """Return the tables of the step from one protocol to another.

    Raise ``RuleError`` if a difference needs a rule and has none, and if a rule of this step matches nothing.
    """
    return _Planner(source, target, rules or Rules.bundled()).plan()


def plan_steps(protocols: Iterable[Protocol]) -> list[tuple[StepTables, StepTables]]:
    """Return the tables of the steps between neighbours, down and up; the protocols are sorted, the oldest first.

    Raise ``RuleError`` if the bundled rules cannot be read, and else with the faults of all steps that ``plan_step`` finds.
    """
    rules = Rules.bundled()
    steps: list[tuple[StepTables, StepTables]] = []
    faults: list[str] = []
    for older, newer in pairwise(protocols):
        planned: list[StepTables] = []
        for source, target in ((newer, older), (older, newer)):
            try:
                planned.append(plan_step(source, target, rules))
            except RuleError as fault:
                faults.append(str(fault))
        if not faults:
            down, up = planned
            steps.append((down, up))
    if faults:
        raise RuleError("\n".join(faults))
    return steps


@frozen
class _Objects:
    """An object type of the source and the one of the target that stands for it."""

    source: ObjectType
    target: ObjectType


class _Planner:
    def __init__(self, source: Protocol, target: Protocol, rules: Rules) -> None:
        self._source, self._target = source, target
        self._rules = rules.of_step(source.revision, target.revision)
        self._reasons: dict[Reason, int] = {}
        self._shapes = TargetShapes(target)
        self._objects: dict[str, tuple[Treatment, ...] | None] = {}
        self._referred: set[str] = set()

    def plan(self) -> StepTables:
        """Return the tables."""
        methods: dict[str, Node] = {}
        results: dict[str, Node] = {}
        for method in self._source.methods.values():
            known = self._target.methods.get(method.name)
            # Messages that only one of the two embeds change their envelope, which the runtime does.
            if not method.embedded or (known is not None and known.embedded):
                self._method(method, methods, results)
        for method in self._target.methods.values():
            known = self._source.methods.get(method.name)
            if not method.embedded and (known is None or known.embedded):
                shape = self._shapes.use(ObjectOf(method.interface))
                methods[method.name] = ("fit", shape, self._general("clash"))
        envelopes = {role: self._envelope(names) for role, names in _ENVELOPES.items()}
        capabilities = {side: self._pair(ObjectOf(name), ObjectOf(name), name) for side, name in _CAPABILITIES.items()}
        batches = None
        if _BATCH in self._source.aliases and _BATCH not in self._target.aliases:
            batches = self._reason(self._rules.require("batch", _BATCH))
        self._rules.check()
        return StepTables(
            source=self._source.revision,
            target=self._target.revision,
            batches=batches,
            senders={
                name: method.sent_by[0] for name, method in self._source.methods.items() if len(method.sent_by) == 1
            },
            methods=methods,
            results=results,
            envelopes={role: node for role, node in envelopes.items() if node is not None},
            capabilities={side: node for side, node in capabilities.items() if node is not None},
            objects={name: treatments for name, treatments in self._objects.items() if treatments is not None},
            reasons=tuple(self._reasons),
            shapes=self._shapes.objects,
            aliases=self._shapes.aliases,
        )

    # --- Messages ------------------------------------------------------------------------------------------------

    def _method(self, method: Method, methods: dict[str, Node], results: dict[str, Node]) -> None:
        other = self._target.methods.get(method.name)
        if other is None or other.embedded != method.embedded:
            rule = self._rules.require("method", method.name, do="omit" if method.result is None else "refuse")
            methods[method.name] = (rule.do, self._reason(rule))
            if method.result is not None:
                results[method.name] = methods[method.name]
            return
        for side in method.sent_by:
            if side not in other.sent_by:
                rule = self._rules.require("method", f"{method.name} from {side}")
                methods[f"{method.name} from {side}"] = (rule.do, self._reason(rule))
        node = self._pair(ObjectOf(method.interface), ObjectOf(other.interface), method.interface)
        if node is not None:
            methods[method.name] = node
        if method.result is not None and other.result is not None:
            found = self._pair(method.result, other.result, f"result of {method.name}")
            if found is not None:
                results[method.name] = found

    def _envelope(self, names: tuple[str, ...]) -> Node:
        one = next((name for name in names if name in self._source.objects), None)
        other = next((name for name in names if name in self._target.objects), None)
        return None if one is None or other is None else self._pair(ObjectOf(one), ObjectOf(other), one)

    # --- Types ---------------------------------------------------------------------------------------------------

    def _pair(self, one: Type, other: Type, site: str) -> Node:
        """Return the treatment of values of ``one`` where the target has ``other``."""
        targets = leaves(other, self._target)
        if _JSON.kind in {each.kind for each in targets if isinstance(each, Scalar)}:
            return None
        one = self._unnamed(one)
        if not isinstance(one, Union):
            return self._alternative(one, targets, other, site)
        nodes = tuple(self._member(each, targets, other, site) for each in one.members)
        return None if all(node is None for node in nodes) else ("union", decision_shape(one.decision), nodes)

    def _member(self, member: Type, targets: tuple[Type, ...], other: Type, site: str) -> Node:
        member = self._unnamed(member)
        if isinstance(member, Union):
            return self._pair(member, other, site)
        return self._alternative(member, targets, other, site)

    def _unnamed(self, kind: Type) -> Type:
        while isinstance(kind, AliasOf):
            kind = self._source.aliases[kind.name].type
        return kind

    def _alternative(self, one: Type, targets: tuple[Type, ...], other: Type, site: str) -> Node:
        """Return the treatment of one alternative of the source; the target has ``targets``."""
        rule = self._rules.find("alternative", one.path, site) if isinstance(one, ObjectOf) else None
        if rule is not None:
            return self._treated(rule)
        found = find_match(one, targets, self._source, self._target)
        match one, found:
            case ListOf(), ListOf():
                return self._list(one, found, site)
            case ObjectOf(), ObjectOf():
                return self._object(_Objects(self._source.objects[one.path], self._target.objects[found.path]), site)
            case Scalar(kind="object"), ObjectOf():
                nothing = ObjectType("object", "inline", (), _JSON)
                return self._object(_Objects(nothing, self._target.objects[found.path]), site)
            case _, None:
                return self._missing(one, targets, other, site)
            case _:
                return None

    def _list(self, one: ListOf, other: ListOf, site: str) -> Node:
        node = self._pair(one.element, other.element, f"{site}[]")
        return None if node is None else ("list", node)

    def _missing(self, one: Type, targets: tuple[Type, ...], other: Type, site: str) -> Node:
        """Return the treatment of an alternative that the target lacks."""
        if isinstance(one, ObjectOf | ListOf):
            name = one.path if isinstance(one, ObjectOf) else "array"
            rule = self._rules.require("alternative", name, site)
            if rule.function == "only_element":
                assert isinstance(one, ListOf)
                return ("apply", rule.function, self._reason(rule), self._pair(one.element, other, site))
            return self._treated(rule)
        return ("fit", self._shapes.use(other), self._reason(self._rules.require("value", site)))

    def _treated(self, rule: Rule) -> Node:
        if rule.do == "apply":
            return ("apply", rule.function, self._reason(rule))
        return (rule.do, self._reason(rule))

    # --- Objects -------------------------------------------------------------------------------------------------

    def _object(self, pair: _Objects, site: str) -> Node:
        one, other = pair.source, pair.target
        is_empty = other.is_map and other.index is None
        if (is_empty and not one.fields) or (
            other.index is not None and other.is_map and _is_json(other.index, self._target)
        ):
            return None
        if one.is_map and other.is_map:
            node = self._pair(one.index or _JSON, other.index or _JSON, f"{site}[*]")
            return None if node is None else ("map", node)
        if other.is_map and not is_empty:
            message = f"no treatment for {one.path}, which is a map in {self._target.revision}"
            raise RuleError(message)
        name = one.path if one.path == other.path else f"{one.path} as {other.path}"
        if name not in self._objects:
            self._objects[name] = ()
            treatments = tuple(self._treatments(pair))
            self._objects[name] = treatments if treatments or name in self._referred else None
        elif self._objects[name] == ():
            self._referred.add(name)
        return None if self._objects[name] is None else ("object", name)

    def _treatments(self, pair: _Objects) -> Iterator[Treatment]:
        one, other = pair.source, pair.target
        theirs = {each.name: each for each in other.fields}
        mine = {each.name: each for each in one.fields}
        rule = self._rules.find("object", one.path)
        # One for all steps is about a member that both declare.
        if rule is not None and ("*" not in rule.steps or (rule.value in mine and rule.value in theirs)):
            yield ("apply", rule.function, self._reason(rule), *([] if rule.value is None else [rule.value]))
        for field in other.fields:
            if field.name not in mine:
                yield from self._added(other, field)
        for field in one.fields:
            yield from self._kept(one, field, theirs.get(field.name), other)

    def _added(self, other: ObjectType, field: Field) -> Iterator[Treatment]:
        """Yield the treatments of a member that only the target declares."""
        if not _is_json(field.type, self._target):
            yield ("fit", field.name, self._shapes.use(field.type), self._general("clash"))
        site = f"{other.path}.{field.name}"
        required = not field.optional and not field.absence_tolerated
        rule = self._rules.require("member", site) if required else self._rules.find("member", site)
        if rule is not None:
            yield self._present(rule, field.name)

    def _present(self, rule: Rule, name: str) -> Treatment:
        if rule.do == "add":
            return ("add", name, rule.value, self._reason(rule))
        return (rule.do, name, self._reason(rule))

    def _kept(self, one: ObjectType, field: Field, other: Field | None, target: ObjectType) -> Iterator[Treatment]:
        """Yield the treatments of a member of the source."""
        site = f"{one.path}.{field.name}"
        if other is None:
            rule = self._rules.find("member", site)
            if target.index is not None and not _is_json(target.index, self._target):
                node = self._pair(field.type, target.index, site)
                if node is not None:
                    yield ("convert", field.name, node)
            if rule is None:
                yield ("keep", field.name, self._general("undeclared"))
            else:
                yield self._present(rule, field.name)
            return
        if (field.optional or field.absence_tolerated) and not other.optional:
            rule = (self._rules.find if other.absence_tolerated else self._rules.require)("member", site)
            if rule is not None and rule.do != "keep":
                yield self._present(rule, field.name)
        node = self._pair(field.type, other.type, site)
        if node is not None:
            rule = self._rules.find("value", site)
            yield ("attempt" if rule is not None and rule.do == "drop" else "convert", field.name, node)

    # --- Reasons -------------------------------------------------------------------------------------------------

    def _reason(self, rule: Rule) -> int:
        return self._reasons.setdefault(Reason(rule.reason, rule.section), len(self._reasons))

    def _general(self, name: str) -> int:
        return self._reason(self._rules.require("general", name))


def _is_json(kind: Type, protocol: Protocol) -> bool:
    return any(isinstance(each, Scalar) and each.kind == "json" for each in leaves(kind, protocol))
