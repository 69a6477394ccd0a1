"""Resolution of a schema: from the model as written to the protocol."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from attrs import evolve

from mcp_bindgen.ir.declarations import Alias, Module
from mcp_bindgen.ir.protocol import AliasType, Constant, Method, ObjectType, Protocol, Scalar, Type, Union
from mcp_bindgen.ir.types import Position
from mcp_bindgen.resolve.documentation import about
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.imports import link
from mcp_bindgen.resolve.inherit import Flattener
from mcp_bindgen.resolve.methods import Known, Methods
from mcp_bindgen.resolve.number_rule import NumberRule
from mcp_bindgen.resolve.objects import Objects
from mcp_bindgen.resolve.overrides import AdditionalResult, Applied, Overrides
from mcp_bindgen.resolve.recursion import opaque_names, recursive_names
from mcp_bindgen.resolve.scope import Scope
from mcp_bindgen.resolve.settle import Settler
from mcp_bindgen.resolve.types import PENDING, Types
from mcp_bindgen.resolve.unions import Decider

_WHOLE = {"request": "JSONRPCRequest", "notification": "JSONRPCNotification"}
"""The types whose members complete a message, by its kind."""


def resolve_protocol(
    module: Module,
    *,
    revision: str,
    base: str | None = None,
    imported: Mapping[str, Module] = {},
    overrides: Overrides | None = None,
    numbers: NumberRule = NumberRule(),  # noqa: B008  # frozen
    importable: Callable[[], Collection[str]] = frozenset,
) -> Protocol:
    """Return the protocol that a schema declares.

    ``revision`` is its label. ``base`` is the bundled revision whose overrides apply; by default all apply that match.
    ``imported`` maps the specifier of each import to its module. ``overrides`` defaults to the bundled ones.
    ``numbers`` is the rule for numbers without a tag. ``importable`` returns the names of the protocol's types.

    Raise ``SchemaError`` with all faults, and ``OverrideError`` if ``base`` is this revision and an override of it
    matches nothing. Unknown names and types made of themselves are reported alone: other faults follow from them.
    """
    faults = Faults()
    applied = Applied(Overrides.bundled() if overrides is None else overrides, revision, base)
    companions = {each.params: each.result for each in applied.all(AdditionalResult)}
    scope = link(module, imported, faults, companions, importable)
    flattener = Flattener(scope, faults)
    values = {name: flattener.constant(name) for name in scope.constants}
    faults.check()
    types = Types(scope, flattener, applied, faults, numbers)
    recursive = recursive_names(types)
    opaque = opaque_names(types, recursive)
    settler = Settler(types.aliases, opaque)
    undecided = Objects(types, settler, recursive, applied, faults).all()
    # Conflicts between inherited texts would show again, as unions that cannot be decided.
    faults.check()
    decider = Decider(undecided, types.aliases, applied, faults)
    objects = {path: decider.object(made) for path, made in undecided.items()}
    aliases = _aliases(scope, types, settler, decider, recursive, opaque)

    def alternatives(results: tuple[Type, ...], position: Position, place: str) -> Type:
        if len(results) == 1:
            return results[0]
        return decider.decided(settler.settle(Union(results, (), PENDING, position)), place)

    methods = Methods(Known(objects, aliases, alternatives), applied, faults)
    faults.check()
    applied.check()
    objects, complete = _with_envelopes(objects, methods.all)
    return Protocol(
        revision=revision,
        source=module.source,
        sha256=module.sha256,
        constants={
            name: Constant(name, values[name], about(each.doc), each.position) for name, each in scope.constants.items()
        },
        objects=objects,
        aliases=aliases,
        methods=complete,
        order=tuple(scope.declarations),
        warnings=(*flattener.warnings, *methods.warnings),
    )


def _aliases(
    scope: Scope,
    types: Types,
    settler: Settler,
    decider: Decider,
    recursive: frozenset[str],
    opaque: frozenset[str],
) -> dict[str, AliasType]:
    made: dict[str, AliasType] = {}
    for name, kind in types.aliases.items():
        declared = scope.types[name]
        assert isinstance(declared, Alias)
        settled = settler.settle(kind)
        alias = AliasType(
            name=name,
            type=Scalar("json", "unknown") if name in opaque else settled,
            recursive=name in recursive,
            written=settled if name in opaque else None,
            about=about(declared.doc),
            position=declared.position,
        )
        made[name] = decider.alias(alias)
    return made


def _with_envelopes(
    objects: Mapping[str, ObjectType], methods: Mapping[str, Method]
) -> tuple[dict[str, ObjectType], dict[str, Method]]:
    """Return the objects and methods with the members of the JSON-RPC envelope added to messages that lack them.

    Until 2025-06-18 messages extend ``Request`` and ``Notification``, which declare neither ``jsonrpc`` nor ``id``,
    although the wire has both.
    """
    completed, complete = dict(objects), dict(methods)
    for name, method in methods.items():
        made, whole = objects[method.interface], objects.get(_WHOLE[method.kind])
        if whole is None or not set(whole.bases) & set(made.bases):
            continue
        present = {each.name for each in made.fields}
        added = [each for each in whole.fields if each.declared_in == whole.path and each.name not in present]
        fields = (*made.fields, *(evolve(each, envelope=True) for each in added))
        completed[made.path] = evolve(made, fields=fields)
        complete[name] = evolve(method, envelope=tuple(each.name for each in added))
    return completed, complete
