"""Independent judges of JSON values, both made from the official ``schema.json``: what they accept is compared with ours.

A ``Rule`` corrects one known error of the JSON, or asks one thing more or less of a value, as the bindings do on
purpose. Where the official judge differs from ours, the one with all rules applied must not; the rules without which
it would are those that explain the difference.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import jsonschema
from attrs import field, frozen
from support.official_schemas import definitions

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Json: TypeAlias = Any


@frozen
class Rule:
    """A difference between the official JSON and the bindings that is meant."""

    name: str
    reason: str
    revisions: tuple[str, ...]
    correct: Callable[[dict[str, Json]], None] | None = None
    """Changes the types of the JSON to what the bindings do; None: it is the validator that is stricter."""


class Traversal:
    """Applies jsonschema's own rule of each keyword to a value and its parts, as its validators do.

    Those make another validator for each part, and complete each error with its place. That takes three quarters of the
    time, and here only the verdict counts.
    """

    def __init__(self, kind: Any, schema: Json) -> None:
        self._kind = kind
        self._schema = schema
        self._rules: dict[int, tuple[Json, list[tuple[Any, Json]]]] = {}
        self.is_type = kind.TYPE_CHECKER.is_type
        self.format_checker = None

    def is_valid(self, value: Json) -> bool:
        return next(self.descend(value, self._schema), None) is None

    def evolve(self, schema: Json) -> Traversal:
        """Return a traversal of another schema, as the rules of `if` and `oneOf` ask for."""
        made = Traversal(self._kind, schema)
        made._rules = self._rules
        return made

    def descend(self, instance: Json, schema: Json, path: Any = None, schema_path: Any = None) -> Iterator[Any]:
        """Yield an error for each rule that the value breaks; the arguments are those of jsonschema."""
        known = self._rules.get(id(schema))
        if known is None:
            # The schema is kept, so that no other gets its id.
            known = self._rules[id(schema)] = schema, self._rules_of(schema)
        for rule, argument in known[1]:
            yield from rule(self, argument, instance, schema) or ()

    def _rules_of(self, schema: Json) -> list[tuple[Any, Json]]:
        if type(schema) is bool:
            return [] if schema else [(_nothing, None)]
        rules = [(self._kind.VALIDATORS[key], each) for key, each in schema.items() if key in self._kind.VALIDATORS]
        # Older drafts ignore what stands beside a reference, newer ones do not.
        assert "$ref" not in schema or len(rules) == 1, schema
        return rules


def _nothing(*_: Any) -> Iterator[Any]:
    yield jsonschema.ValidationError("no value fits")


class Validator:
    """A JSON Schema validator over all types of a document, some rules applied.

    ``traversal`` makes what applies the rules of a class of jsonschema, given a schema; that class itself does so, too.
    """

    def __init__(
        self, document: dict[str, Json], rules: Iterable[Rule] = (), traversal: Callable[[Any, Json], Any] = Traversal
    ) -> None:
        rules = list(rules)
        corrected = copy.deepcopy(document)
        kind = jsonschema.validators.validator_for(document)
        for rule in rules:
            if rule.correct is None:
                checker = kind.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
                kind = jsonschema.validators.extend(kind, type_checker=checker)
            else:
                rule.correct(definitions(corrected))
        place = "definitions" if "definitions" in document else "$defs"
        self._prefix = f"#/{place}/"
        types = {self._prefix + name: schema for name, schema in definitions(corrected).items()}

        def follow(validator: Any, reference: str, value: Json, _: Json) -> Iterator[Any]:
            # Each reference names a type; to resolve it by the rules of URIs takes a third of all time.
            return validator.descend(value, types[reference])

        self._kind = jsonschema.validators.extend(kind, {"$ref": follow, "anyOf": _any_of})
        self._traversal = traversal
        self._traversals: dict[str, Any] = {}

    def accepts(self, name: str, value: Json) -> bool:
        """Whether the type of that name takes the value."""
        if name not in self._traversals:
            self._traversals[name] = self._traversal(self._kind, {"$ref": self._prefix + name})
        accepted: bool = self._traversals[name].is_valid(value)
        return accepted


def _any_of(validator: Any, alternatives: list[Json], value: Json, _: Json) -> Iterator[Any]:
    """Say as the validator's own rule whether an alternative fits, but do not collect why the others do not."""
    if not any(next(validator.descend(value, each), None) is None for each in alternatives):
        yield jsonschema.ValidationError("no alternative fits")


@frozen
class Explained:
    """A validator, and what of its verdicts is meant to be otherwise."""

    document: dict[str, Json]
    rules: tuple[Rule, ...]
    _made: dict[tuple[str, ...], Validator] = field(factory=dict, init=False)

    def official(self, name: str, value: Json) -> bool:
        """What the official JSON says."""
        return self._with(()).accepts(name, value)

    def with_strict_integers(self, name: str, value: Json) -> bool:
        """The same where 1.0 is no integer."""
        return self._with(tuple(rule for rule in self.rules if rule.correct is None)).accepts(name, value)

    def corrected(self, name: str, value: Json) -> bool:
        """What it says with every rule applied."""
        return self._with(self.rules).accepts(name, value)

    def needed(self, name: str, value: Json, wanted: Iterable[Rule]) -> list[str]:
        """Those of some rules without any one of which the corrected verdict would be another."""
        verdict = self.corrected(name, value)
        return [
            rule.name
            for rule in wanted
            if self._with(tuple(each for each in self.rules if each is not rule)).accepts(name, value) is not verdict
        ]

    def _with(self, rules: tuple[Rule, ...]) -> Validator:
        key = tuple(rule.name for rule in rules)
        if key not in self._made:
            self._made[key] = Validator(self.document, rules)
        return self._made[key]


class Models:
    """The models that datamodel-code-generator makes of a document, in pydantic's strict mode.

    A format is plain text to them, as it is to a validator and to decoding; and an optional member may be left out but
    not be null, which they have to be told.
    """

    def __init__(self, document: dict[str, Json], folder: Path, module: str) -> None:
        import datamodel_code_generator as generator

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            generator.generate(
                json.dumps(document),
                input_file_type=generator.InputFileType.JsonSchema,
                output=folder / f"{module}.py",
                output_model_type=generator.DataModelType.PydanticV2BaseModel,
                enum_field_as_literal=generator.LiteralType.All,
                type_mappings=["uri=string", "byte=string", "uri-template=string"],
                use_missing_sentinel=True,
                formatters=[],
            )
            spec = importlib.util.spec_from_file_location(module, folder / f"{module}.py")
            assert spec is not None
            assert spec.loader is not None
            self._models = importlib.util.module_from_spec(spec)
            # pydantic looks up annotations in the module of a class.
            sys.modules[module] = self._models
            spec.loader.exec_module(self._models)
        self._adapters: dict[str, TypeAdapter[Any]] = {}

    def accepts(self, name: str, value: Json) -> bool:
        """Whether the model of that name takes the value."""
        from pydantic import TypeAdapter, ValidationError

        if name not in self._adapters:
            self._adapters[name] = TypeAdapter(getattr(self._models, name))
        try:
            self._adapters[name].validate_json(json.dumps(value), strict=True)
        except ValidationError:
            return False
        return True


# --- For writing rules -------------------------------------------------------------------------------------------


def ref(types: dict[str, Json], name: str) -> Json:
    """A reference to a type."""
    assert name in types
    return {"$ref": f"#/{'definitions' if 'JSONRPCError' in types else '$defs'}/{name}"}


def nodes(schema: Json) -> Iterator[dict[str, Json]]:
    """Every object in a schema, the outer before the inner."""
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from nodes(each)


def unions_of(types: dict[str, Json], *names: str) -> list[dict[str, Json]]:
    """Every union of just these types, named or written out; at least one."""
    wanted = sorted(names)
    found = [
        node
        for node in nodes(types)
        if isinstance(node.get("anyOf"), list) and sorted(_members(node["anyOf"])) == wanted
    ]
    assert found, f"there is no union of {wanted}"
    return found


def _members(alternatives: list[Json]) -> list[str]:
    return [each.get("$ref", "#/").rpartition("/")[2] for each in alternatives]


def when(key: str, present: Json, absent: Json) -> Json:
    """One schema for objects that have a key, another for the others."""
    return {"if": {"required": [key]}, "then": present, "else": absent}
