"""The resolved model of one schema: every name looked up, every object flattened, every union decided.

The emitter and the diff read this model only, never the model as written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.decisions import Decision
from mcp_bindgen.ir.types import Position, exactly

Side: TypeAlias = Literal["client", "server"]

OTHER_SIDE: Mapping[Side, Side] = {"client": "server", "server": "client"}

VERSION_CONSTANT = "LATEST_PROTOCOL_VERSION"
"""The constant by which a schema names its protocol version."""

ScalarKind: TypeAlias = Literal["string", "integer", "float", "boolean", "null", "json", "object"]
"""``integer`` and ``float`` are both TypeScript's ``number``; a ``float`` accepts integers, too. ``json`` is any JSON value
(``unknown``, ``any``), null included; ``object`` is any JSON object."""


@frozen
class Scalar:
    """A type without parts. ``written`` is its TypeScript keyword."""

    kind: ScalarKind
    written: str


@frozen
class Enum:
    """One or more literals. If ``open``, any other string is valid, too."""

    values: tuple[str | int | float | bool, ...] = field(eq=exactly)
    open: bool = False


@frozen
class ListOf:
    """A JSON array of ``element``."""

    element: Type


@frozen
class ObjectOf:
    """The object type with this path in ``Protocol.objects``."""

    path: str


@frozen
class AliasOf:
    """The alias of this name in ``Protocol.aliases``.

    An alias whose text builds an object is an object of its own; a second name for an object is an alias.
    """

    name: str


@frozen
class Union:
    """Alternatives.

    ``written`` are those of the source, with aliases, for people. ``members`` are the same with aliases of unions
    expanded and literals merged into one ``Enum``, for the decision.
    """

    written: tuple[Type, ...]
    members: tuple[Type, ...]
    decision: Decision
    position: Position | None = field(default=None, eq=False)


Type: TypeAlias = Scalar | Enum | ListOf | ObjectOf | AliasOf | Union


@frozen
class Constraints:
    """The constraints that the tags of a field add to its type: documented, and validated on request, not by decoding."""

    minimum: float | int | None = None
    maximum: float | int | None = None
    max_items: int | None = None
    format: str | None = None
    number: Literal["integer", "float"] | None = None


@frozen
class About:
    """The documentation of a type, a field or a constant."""

    doc: str | None = None
    deprecated: str | None = None
    """The text of the deprecation, which may be empty; None if not deprecated."""
    since: str | None = None
    internal: bool = False


@frozen
class Field:
    """One property of an object after flattening."""

    name: str
    """The wire name."""
    type: Type
    optional: bool
    declared_in: str
    """Path of the object type whose text declares it."""
    about: About = field(default=About(), eq=False)
    constraints: Constraints = Constraints()
    envelope: bool = False
    """Added to a message of the early revisions, whose schemas omit the JSON-RPC envelope."""
    default: str | int | float | bool | None = None
    """The default of the constructor argument."""
    absence_tolerated: bool = False
    """Whether decoding tolerates the absence of a required field, which then means ``default`` if there is one."""
    absence_required_of: tuple[Side, ...] = field(default=(), kw_only=True)
    """The receivers that the specification requires to tolerate the absence; decoding tolerates it for both."""
    null_tolerated: bool = field(default=False, kw_only=True)
    """Whether the ``null`` in ``type`` is not in the schema, but tolerated by decoding."""
    raw: bool = False
    """Validated against ``type`` and kept as JSON, since the value itself does not determine its type."""
    position: Position | None = field(default=None, eq=False)


@frozen
class ObjectType:
    """An object with named members: an interface, an alias of an object, or an inline object."""

    path: str
    """The declared name, or ``Owner.property`` for an inline object."""
    kind: Literal["interface", "alias", "inline"]
    fields: tuple[Field, ...]
    index: Type | None
    """The value type of the index signature that applies after flattening, or None. On the wire every object is
    open."""
    bases: tuple[str, ...] = field(default=(), eq=False)
    """Names of all types that it extends or intersects, directly or not, under ``Omit`` and the like too; nearest first."""
    recursive: bool = field(default=False, kw_only=True)
    """Whether it is an alias of an object that contains itself, other than through an interface."""
    about: About = field(default=About(), eq=False)
    position: Position | None = field(default=None, eq=False)

    @property
    def is_map(self) -> bool:
        """Whether it declares no members, so that a value is a plain mapping."""
        return not self.fields and (self.index is not None or self.kind == "inline")


@frozen
class AliasType:
    """A name for a type that is not an object, or a plain second name for one (``type EmptyResult = Result``).

    ``recursive``: it contains itself, other than through an interface. An alias that accepts every JSON value is opaque:
    its ``type`` is ``json``, and ``written`` holds the type as written.
    """

    name: str
    type: Type
    recursive: bool = False
    written: Type | None = field(default=None, kw_only=True)
    about: About = field(default=About(), eq=False)
    position: Position | None = field(default=None, eq=False)


@frozen
class Constant:
    """An exported value."""

    name: str
    value: str | int | float | bool = field(eq=exactly)
    about: About = field(default=About(), eq=False)
    position: Position | None = field(default=None, eq=False)


@frozen
class Method:
    """A request or notification that the protocol names."""

    name: str
    """The wire name: ``tools/call``."""
    kind: Literal["request", "notification"]
    sent_by: tuple[Side, ...]
    interface: str
    params: Type | None
    """None if the message has no params of its own."""
    params_required: bool
    results: tuple[Type, ...] = ()
    """Alternatives for the result of a request, the usual one first; each is an ``ObjectOf`` or ``AliasOf``."""
    result: Type | None = None
    """``results`` as one type, with the decision between them."""
    capability: str | None = None
    """Dotted path of the capability that it requires: of the receiver of a request, of the sender of a notification,
    unless ``capability_of`` names the other side."""
    capability_of: Literal["receiver", "sender"] | None = field(default=None, kw_only=True)
    """The side that declares the capability, or None."""
    embedded: bool = False
    """Whether it occurs only inside another message, never as a request of its own."""
    envelope: tuple[str, ...] = ()
    """Members that the generator adds to its interface: ``jsonrpc``, ``id``."""
    requested: str | None = field(default=None, kw_only=True)
    """For a notification that is sent only on request: the condition in words; None if it may be sent at any time."""


@frozen
class Protocol:
    """A resolved schema."""

    revision: str
    source: str
    sha256: str = field(eq=False)
    constants: Mapping[str, Constant]
    objects: Mapping[str, ObjectType]
    """By path, in the order of the source; each inline object follows its owner."""
    aliases: Mapping[str, AliasType]
    methods: Mapping[str, Method]
    order: tuple[str, ...] = field(eq=False)
    """Names of all declared types and constants in the order of the source."""
    warnings: tuple[str, ...] = field(default=(), eq=False)

    @property
    def version(self) -> str:
        """The protocol version on the wire: the schema's constant ``LATEST_PROTOCOL_VERSION``, else the label."""
        declared = self.constants.get(VERSION_CONSTANT)
        return declared.value if declared is not None and isinstance(declared.value, str) else self.revision
