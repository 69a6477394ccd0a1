"""Plans for the conversion of objects between two revisions, made from the type tables of both and those of the steps.

A value that no step treats, and that has the same type in both revisions, needs no JSON: its object of the target has the
same values. Whatever else a step does, the plan leaves to the steps: it raises `NeedsSteps`. So both agree, and nothing that
the ledger would list is converted here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Final

from ..binding import Binding
from ..codec.record import Record
from ..codec.type_tables import Member, Shape, TypeTables
from .object_converter import (
    ByValueClass,
    Convert,
    NeedsSteps,
    ObjectConverter,
    ObjectPlan,
    TagSwitch,
    absent_without,
    always,
    elements,
    entries,
    json_value,
    one_of,
    replacing,
    undeclared_members,
)
from .step_tables import Node, StepTables, Treatment

_META = "_meta"
_REVISION = "revision_as_target"
_ACCEPTED: Final[Mapping[type, frozenset[str]]] = {
    str: frozenset({"string", "json"}),
    int: frozenset({"integer", "float", "json"}),
    float: frozenset({"float", "json"}),
    bool: frozenset({"boolean", "json"}),
    NoneType: frozenset({"null", "json"}),
    dict: frozenset({"object", "json"}),
    list: frozenset({"json"}),
}
"""The scalar shapes of the values of a class."""
_KINDS: Final[Mapping[type, str]] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    dict: "object",
    list: "array",
}
_IDLE_WITHOUT: Final = {
    "boolean_schemas": "properties",
    "other_structured_as_text": "structuredContent",
    "structured_as_text": "structuredContent",
}
"""Functions of ``replacements`` that change nothing in objects without a member."""


class DependsOn(Exception):
    """Raised if the value of a member decides between the alternatives of a union."""

    def __init__(self, member: str, literals: tuple[Any, ...]) -> None:
        super().__init__(member, literals)
        self.member = member
        self.literals = literals


class ConversionPlans:
    """The plans for the values of ``source`` in ``target``.

    ``unrecorded`` are members that the steps may add or drop without an entry in the ledger.
    """

    def __init__(
        self, source: Binding, target: Binding, steps: Sequence[StepTables], unrecorded: frozenset[str]
    ) -> None:
        self.source_types, self.target_types = source.types, target.types
        self.source, self.target = source.codec.type_tables(), target.codec.type_tables()
        self._unstructure = source.codec.unstructure
        self._results = source.codec.result_shapes(), target.codec.result_shapes()
        self.steps = steps
        self.unrecorded = unrecorded
        self.drops_meta = source.era == "stateless" != target.era
        """Whether ``_meta`` of requests goes if it holds nothing but what the target leaves to the session."""
        self._objects: dict[Any, Convert] = {}

    def session_meta(self, members: Mapping[str, Member]) -> Convert | None:
        """Return the conversion of ``_meta`` in params whose content the target leaves to the session; None for others."""
        meta = members.get(_META)
        if not self.drops_meta or meta is None or meta[2] != "required":
            return None
        kept = [each[1] for name, each in self.source.members(meta[3][1]).items() if name not in self.unrecorded]
        return absent_without([*kept, "extra"])

    def results(self, method: str) -> ByValueClass | None:
        """Return the conversion of the results of a method; None if only the steps can convert them."""
        source, target = (shapes.get(method) for shapes in self._results)
        if source is None or target is None:
            return None
        nodes = [tables.results.get(method) for tables in self.steps]
        return ByValueClass(lambda cls: self.value(cls, source, target, nodes))

    def params(self, source: Any, target: Any, nodes: Sequence[Node]) -> ByValueClass | None:
        """Return the conversion of the params of a message, from the classes of both messages and the nodes of the steps.

        None if only the steps can convert them.
        """
        before, after = (tables.members(cls.__name__) for tables, cls in ((self.source, source), (self.target, target)))
        if "params" not in before or "params" not in after:
            return None
        try:
            members = MemberTreatments(self, [self._object_node(node) for node in nodes])
            of_params = members.nodes("params")
        except NeedsSteps:
            return None

        def make(cls: type) -> Convert | None:
            if cls is not NoneType:
                return self.value(cls, before["params"][3], after["params"][3], of_params)
            if "required" in {before["params"][2], after["params"][2]} or members.becomes("params", None) is not None:
                raise NeedsSteps
            return None

        return ByValueClass(make)

    @staticmethod
    def _object_node(node: Node) -> str | None:
        """Return the entry of ``objects`` for a node of objects; None if there is no treatment."""
        if node is None:
            return None
        if node[0] != "object":
            raise NeedsSteps
        name: str = node[1]
        return name

    def value(self, cls: Any, source: Shape, target: Shape, nodes: Sequence[Node]) -> Convert | None:
        """Return the conversion of the values of a class; None if they stay as they are."""
        if issubclass(cls, Record):
            if target in {"object", "json"} and not any(nodes):
                return self._unstructure
            return self._object(cls, target, nodes, {})
        source, target = _narrow(self.source, source, cls), _narrow(self.target, target, cls)
        if cls in {list, dict} and {source.__class__, target.__class__} == {tuple}:
            return self._container("list" if cls is list else "map", source, target, nodes)
        shapes = [source, target]
        for node in nodes:
            if node is not None:
                if node[0] != "fit":
                    raise NeedsSteps
                shapes.append(node[1])
        return _scalar(cls, shapes)

    def _container(self, kind: str, source: Shape, target: Shape, nodes: Sequence[Node]) -> Convert:
        if source[0] != kind or target[0] != kind or any(node is not None and node[0] != kind for node in nodes):
            raise NeedsSteps
        inner = [None if node is None else node[1] for node in nodes]
        by_class = ByValueClass(lambda cls: self.value(cls, source[1], target[1], inner))
        return elements(by_class) if kind == "list" else entries(by_class)

    def _object(self, cls: Any, target: Shape, nodes: Sequence[Node], tags: Mapping[str, Any]) -> Convert:
        """Return the conversion of the objects of a class, where the values of ``tags`` are known."""
        name = cls.__name__
        if getattr(self.source_types, name, None) is not cls:
            raise NeedsSteps
        members = self.source.members(name)
        consulted: set[str] = set()

        def choose(decision: Any) -> int:
            return _choose(decision, members, tags, consulted)

        try:
            while target[0] in {"alias", "raw", "union"}:
                if target[0] == "union":
                    target = target[2][choose(target[1])]
                else:
                    target = self.target.aliases[target[1]] if target[0] == "alias" else target[1]
            treatments: list[str | None] = []
            for each in nodes:
                node = each
                while node is not None and node[0] == "union":
                    node = node[2][choose(node[1])]
                treatments.append(self._object_node(node))
        except DependsOn as open_question:
            return self._by_tag(cls, target, nodes, tags, open_question)
        if target[0] != "class":
            raise NeedsSteps
        known = (cls, target[1], *treatments, *tags.items(), frozenset(consulted))
        found = self._objects.get(known)
        if found is None:
            plan = ClassPlan(self, name, target[1], treatments, consulted)
            found = self._objects[known] = plan.converter()
        return found

    def _by_tag(
        self, cls: Any, target: Shape, nodes: Sequence[Node], tags: Mapping[str, Any], question: DependsOn
    ) -> Convert:
        _, attribute, _, _, absent, *_ = self.source.members(cls.__name__)[question.member]
        by_tag: dict[Any, Convert] = {}
        for tag in (*question.literals, absent):
            try:
                by_tag[tag] = self._object(cls, target, nodes, {**tags, question.member: tag})
            except NeedsSteps:
                continue
        return TagSwitch(attribute, by_tag)


class MemberTreatments:
    """The treatments of the members of an object by all steps; ``objects`` are their entries of ``objects``."""

    def __init__(self, plans: ConversionPlans, objects: Sequence[str | None]) -> None:
        self._unrecorded = plans.unrecorded
        self.revisions: dict[str, list[tuple[str, str]]] = {}
        """Members whose value names the revision: source and target of each step that replaces it, with no entry."""
        self.steps: list[tuple[Treatment, ...]] = [
            () if name is None else tables.objects[name] for tables, name in zip(plans.steps, objects, strict=True)
        ]
        self.names = frozenset(each[1] for step in self.steps for each in step if each[0] != "apply")
        for tables, step in zip(plans.steps, self.steps, strict=True):
            for verb, function, *rest in step:
                if (verb, function) == ("apply", _REVISION) and rest[1] in plans.unrecorded:
                    self.revisions.setdefault(rest[1], []).append((tables.source, tables.target))

    def require_idle(self, classes: Mapping[str, type]) -> None:
        """Raise ``NeedsSteps`` if a function may change an object; ``classes`` are those of its members."""
        for step in self.steps:
            for verb, function, *rest in step:
                if verb == "apply" and not (function == _REVISION and rest[1] in self.revisions):
                    member = _IDLE_WITHOUT.get(function)
                    is_object = function == "other_structured_as_text" and classes.get("structuredContent") is dict
                    if member is None or (member in classes and not is_object):
                        raise NeedsSteps

    def nodes(self, name: str) -> list[Node]:
        """Return the nodes of a member that is present; raise ``NeedsSteps`` if a step does more than to convert it."""
        found = self.becomes(name, ())
        if found.__class__ is not list:
            raise NeedsSteps
        nodes: list[Node] = found
        return nodes

    def becomes(self, name: str, value: Any) -> Any:
        """Return what becomes of a member, None for an absent one: the nodes of all steps, a constant, or None."""
        present, constant = value is not None, None
        nodes: list[Node] = []
        for step in self.steps:
            node: Node = None
            for verb, about, *rest in step:
                if about != name or verb == "apply":
                    continue
                if verb in {"convert", "attempt"}:
                    node = rest[0] if present else None
                elif verb == "add":
                    if not present and name != _META:
                        present, constant = True, rest[0]
                elif verb == "drop" and present and name in self._unrecorded:
                    present, constant = False, None
                elif present != (verb == "require"):
                    raise NeedsSteps
            nodes.append(node)
        if constant is None:
            return nodes if present else None
        if name not in self._unrecorded or any(nodes) or constant.__class__ is not str or constant.startswith("$"):
            raise NeedsSteps
        return constant


class ClassPlan:
    """The plan for the objects of one class; ``consulted`` are the undeclared members that a decision has looked for."""

    def __init__(
        self, plans: ConversionPlans, source: str, target: str, objects: Sequence[str | None], consulted: set[str]
    ) -> None:
        self._plans = plans
        self._treatments = MemberTreatments(plans, objects)
        self._class = getattr(plans.target_types, target)
        before, after = plans.source.members(source), plans.target.members(target)
        self._before, self._after = before, after
        names = _attributes(after)
        self._shared = [name for name in _attributes(before) if name in names]
        self._dropped = [name for name in _attributes(before) if name not in names]
        self._added = [name for name in names if name not in before]
        known = {*before, *after, *self._treatments.names, *_IDLE_WITHOUT.values(), *consulted}
        self._extra: Convert = undeclared_members(frozenset(known))
        self._session_meta = plans.session_meta(before)
        self._is_open = {plans.source.objects[source][1], plans.target.objects[target][1]} <= {None, "json"}
        self._check_constants()

    def _check_constants(self) -> None:
        """Raise ``NeedsSteps`` unless both classes have the same constants, and no step treats them."""
        constants = [
            {name: member[3] for name, member in members.items() if member[1] is None}
            for members in (self._before, self._after)
        ]
        if constants[0] != constants[1] or not self._treatments.names.isdisjoint(constants[0]):
            raise NeedsSteps

    def converter(self) -> ObjectConverter:
        """Return the converter."""
        names = [self._after[name][1] for name in self._shared]
        read = [self._before[name][1] for name in (*self._shared, *self._dropped)]
        place = len(names)
        return ObjectConverter(self._class, [*names, "extra"], [*read[:place], "extra", *read[place:]], self._plan)

    def _plan(self, values: tuple[Any, ...]) -> ObjectPlan:
        """Return the plan for objects with such values."""
        place = len(self._shared)
        *found, _ = (*values[:place], *values[place + 1 :])
        members = dict(zip((*self._shared, *self._dropped), found, strict=True))
        classes = {
            name: value.__class__ for name, value in members.items() if not _is_absent(self._before[name], value)
        }
        self._treatments.require_idle(classes)
        conversions: list[tuple[int, Convert]] = []
        for number, name in enumerate(self._shared):
            convert = self._member(name, classes.get(name))
            if convert is not None:
                conversions.append((number, convert))
        if values[place] is not None:
            if not self._is_open or values[place].__class__ is not dict:
                raise NeedsSteps
            conversions.append((place, self._extra))
        for number, name in enumerate(self._dropped, place + 1):
            if name == _META and self._session_meta is not None:
                conversions.append((number, self._session_meta))
            elif self._treatments.becomes(name, classes.get(name)) is not None:
                raise NeedsSteps
        return ObjectPlan(conversions, {self._after[name][1]: self._new(name) for name in self._added})

    def _member(self, name: str, cls: type | None) -> Convert | None:
        """Return the conversion of a member with a value of a class, None if it is absent; None if the value stays."""
        if name == _META and self._session_meta is not None:
            return self._session_meta
        before, after = self._before[name], self._after[name]
        found = self._treatments.becomes(name, cls)
        if found.__class__ is list:
            if cls is None:
                raise NeedsSteps
            convert = self._plans.value(cls, before[3], after[3], found)
            replaced = self._treatments.revisions.get(name)
            if replaced is None:
                return convert
            if convert is not None:
                raise NeedsSteps
            return replacing(replaced)
        stays = cls is None and before[4] is after[4]
        value = self._value_of(after, found)
        return None if stays and found is None else always(value)

    def _new(self, name: str) -> Any:
        """Return the value of an attribute that the source does not have."""
        return self._value_of(self._after[name], self._treatments.becomes(name, None))

    @staticmethod
    def _value_of(member: Member, constant: Any) -> Any:
        """Return the value of an attribute for a constant, None for an absent member."""
        if constant is not None:
            return constant
        if member[2] == "required" and member[0] != _META:
            raise NeedsSteps
        return member[4]


def _attributes(members: Mapping[str, Member]) -> list[str]:
    """Return the members that are attributes and not constants."""
    return [name for name, member in members.items() if member[1] is not None]


def _is_absent(member: Member, value: Any) -> bool:
    return member[2] != "required" and value is member[4]


def _choose(decision: Any, members: Mapping[str, Member], tags: Mapping[str, Any], consulted: set[str]) -> int:
    """Return the alternative of a union for objects with these members; ``tags`` are values of members."""
    verb: Any
    key: Any
    rest: Any
    branches: dict[Any, Any]
    while decision.__class__ is not int:
        if decision is None:
            raise NeedsSteps
        verb, key, *rest = decision
        if verb == "kind":
            decision = dict(key).get("object")
            continue
        if verb not in {"tag", "key"}:
            raise NeedsSteps
        member = members.get(key)
        if member is None:
            consulted.add(key)
            decision = rest[1]
        elif verb == "key":
            if member[2] != "required":
                raise NeedsSteps
            decision = rest[0]
        else:
            branches = dict(rest[0])
            if member[1] is None:
                tag = member[3][1]
            elif key in tags:
                tag = tags[key]
            else:
                raise DependsOn(key, tuple(branches))
            decision = rest[1] if tag is None else branches.get(tag)
    chosen: int = decision
    return chosen


def _narrow(tables: TypeTables, shape: Shape, cls: type) -> Shape:
    """Return the shape of the values of a class, which are not objects of the revision, without aliases and unions."""
    while shape.__class__ is tuple and shape[0] in {"alias", "raw", "union"}:
        if shape[0] == "union":
            verb, kinds, *_ = shape[1]
            chosen = dict(kinds).get(_KINDS.get(cls)) if verb == "kind" else None
            if chosen.__class__ is not int:
                raise NeedsSteps
            shape = shape[2][chosen]
        else:
            shape = tables.aliases[shape[1]] if shape[0] == "alias" else shape[1]
    return shape


def _scalar(cls: type, shapes: Sequence[Shape]) -> Convert | None:
    """Return the check of values of a class that all shapes accept; None if they need none."""
    literals: list[frozenset[Any]] = []
    for shape in shapes:
        if shape.__class__ is tuple and shape[0] == "enum" and cls is str:
            literals.append(frozenset(each for each in shape[1:] if each.__class__ is str))
        elif shape.__class__ is not str or shape not in _ACCEPTED.get(cls, ()):
            raise NeedsSteps
    if literals:
        return one_of(literals[0].intersection(*literals[1:]))
    return json_value if cls in {dict, list, float} else None
