"""The resolved model of one schema: every name looked up, every object flattened, every union decided.

Neither the emitter nor the diff ever goes back to the model as written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.decisions import Decision
from mcp_bindgen.ir.types import Position, exactly

Side: TypeAlias = Literal["client", "server"]

VERSION_CONSTANT = "LATEST_PROTOCOL_VERSION"
"""The constant by which a schema names the protocol version that it declares."""

ScalarKind: TypeAlias = Literal["string", "integer", "float", "boolean", "null", "json", "object"]
"""``integer`` and ``float`` are both TypeScript's ``number``; a ``float`` takes integers too. ``json`` is any JSON value
(``unknown``, ``any``), null included; ``object`` is any JSON object."""


@frozen
class Scalar:
    """A type without parts. ``written`` is the TypeScript keyword it came from."""

    kind: ScalarKind
    written: str


@frozen
class Enum:
    """One or more literals. ``open``: any other string is legal too, the values are only the known ones."""

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

    An alias that builds an object is no alias but an object; one that is only a second name for an object is one.
    """

    name: str


@frozen
class Union:
    """Alternatives.

    ``written`` are those of the source (aliases kept), for people; ``members`` the same with aliases of unions expanded
    and literals merged into one ``Enum``, for the decision.
    """

    written: tuple[Type, ...]
    members: tuple[Type, ...]
    decision: Decision
    position: Position | None = field(default=None, eq=False)


Type: TypeAlias = Scalar | Enum | ListOf | ObjectOf | AliasOf | Union


@frozen
class Constraints:
    """What the tags of a field say beyond its type: documented and validated on request, not by decoding."""

    minimum: float | int | None = None
    maximum: float | int | None = None
    max_items: int | None = None
    format: str | None = None
    number: Literal["integer", "float"] | None = None


@frozen
class About:
    """What documentation says of a type, a field or a constant."""

    doc: str | None = None
    deprecated: str | None = None
    """The text of the deprecation, possibly empty; None: not deprecated."""
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
    """Added to a message of the early revisions, whose text leaves the JSON-RPC envelope out."""
    default: str | int | bool | None = None
    """The value that an object made by hand carries unless told otherwise."""
    absence_tolerated: bool = False
    """A required field that senders write and receivers do without (it then means ``default``, where there is one)."""
    absence_asked_of: tuple[Side, ...] = field(default=(), kw_only=True)
    """The sides that the specification itself asks, as receivers, to tolerate that; the decoders do so for both."""
    null_tolerated: bool = field(default=False, kw_only=True)
    """The ``null`` in ``type`` is not the schema's: receivers meet it on the wire and take it."""
    raw: bool = False
    """Checked against ``type`` and kept as JSON: which type it really has, the value does not say."""
    position: Position | None = field(default=None, eq=False)


@frozen
class ObjectType:
    """An object with named members: an interface, an alias of an object, or an inline object."""

    path: str
    """The declared name, or ``Owner.property`` for an inline object."""
    kind: Literal["interface", "alias", "inline"]
    fields: tuple[Field, ...]
    index: Type | None
    """The value type of the index signature that applies after flattening; None where none is written. (On the wire
    every object is open all the same.)"""
    bases: tuple[str, ...] = field(default=(), eq=False)
    """Declared names it extends or intersects (under ``Omit`` and the like too), all the way up, nearest first."""
    recursive: bool = field(default=False, kw_only=True)
    """An alias of an object that contains itself, other than through an interface."""
    about: About = field(default=About(), eq=False)
    position: Position | None = field(default=None, eq=False)

    @property
    def is_map(self) -> bool:
        """It has no members of its own, so that a value is a plain mapping."""
        return not self.fields and (self.index is not None or self.kind == "inline")


@frozen
class AliasType:
    """A name for a type that is not an object, or a plain second name for one (``type EmptyResult = Result``).

    ``recursive``: it contains itself, other than through an interface. One that takes every JSON value is opaque: its
    ``type`` is ``json``, and ``written`` holds what the text says.
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


@frozen
class Method:
    """A request or notification that the protocol names."""

    name: str
    """The wire name: ``tools/call``."""
    kind: Literal["request", "notification"]
    sent_by: tuple[Side, ...]
    interface: str
    params: Type | None
    """None: the message has no params of its own."""
    params_required: bool
    results: tuple[Type, ...] = ()
    """Alternatives for the result of a request, the usual one first; each is an ``ObjectOf`` or ``AliasOf``."""
    result: Type | None = None
    """The same as one type, with the decision between the alternatives."""
    capability: str | None = None
    """Dotted path of the capability that has to be declared for it: by the receiver of a request, by the sender of a
    notification, unless ``capability_of`` says otherwise."""
    capability_of: Literal["receiver", "sender"] | None = field(default=None, kw_only=True)
    """Who declares the capability; None where there is none."""
    embedded: bool = False
    """Travels inside another message only, not as a request of its own."""
    envelope: tuple[str, ...] = ()
    """Members that the generator adds to its interface: ``jsonrpc``, ``id``."""


@frozen
class Protocol:
    """A schema, understood."""

    revision: str
    source: str
    sha256: str = field(eq=False)
    constants: Mapping[str, Constant]
    objects: Mapping[str, ObjectType]
    """By path; declared ones and inline ones, each after its owner, in the order of the source."""
    aliases: Mapping[str, AliasType]
    methods: Mapping[str, Method]
    order: tuple[str, ...] = field(eq=False)
    """Names of all declared types and constants in the order of the source."""
    warnings: tuple[str, ...] = field(default=(), eq=False)

    @property
    def version(self) -> str:
        """The protocol version that peers name to each other: the schema's own constant, else the label."""
        declared = self.constants.get(VERSION_CONSTANT)
        return declared.value if declared is not None and isinstance(declared.value, str) else self.revision
