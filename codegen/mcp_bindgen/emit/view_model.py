"""The view model: what the templates print, as finished lines."""

from __future__ import annotations

from attrs import frozen

Lines = tuple[str, ...]


@frozen
class ConstantView:
    """``NAME: Final = value`` and its docstring."""

    declaration: Lines
    doc: Lines


@frozen
class AliasView:
    """``Name: TypeAlias = …`` and its docstring."""

    declaration: Lines
    doc: Lines


@frozen
class MemberView:
    """One attribute of a class: its annotation and docstring; how ``__init__`` stores it."""

    annotation: Lines
    doc: Lines
    store: str


@frozen
class ClassView:
    """An emitted class."""

    head: str
    doc: Lines
    slots: Lines
    constants: tuple[MemberView, ...]
    fields: tuple[MemberView, ...]
    signature: Lines
    more: Lines
    """Methods and properties that it has besides, each after an empty line."""


@frozen
class TypesView:
    """``types.py``: simple aliases first, then classes, then the aliases that need them."""

    exported: Lines
    constants: tuple[ConstantView, ...]
    simple_aliases: tuple[AliasView, ...]
    classes: tuple[ClassView, ...]
    aliases: tuple[AliasView, ...]
    uses_unset: bool


@frozen
class StepView:
    """How one member is read or written: statements that put it into ``v``, check ``v``, and store its new value."""

    take: Lines
    """Begins with the head of an ``if`` where the member may be absent."""
    checks: Lines
    store: Lines
    absent: str
    """What is done where it is absent; empty where nothing is."""


@frozen
class DecoderView:
    """The function that reads one class."""

    signature: Lines
    constants: tuple[str, ...]
    """Heads of the statements that refuse another value."""
    new: str
    required: tuple[StepView, ...]
    optional: tuple[StepView, ...]
    count: int
    extra: Lines


@frozen
class EncoderView:
    """The function that writes one class."""

    signature: Lines
    check: Lines
    start: Lines
    required: tuple[StepView, ...]
    optional: tuple[StepView, ...]
    extra: Lines
    end: str


@frozen
class FunctionView:
    """A function of which every line is decided: how a union is told apart."""

    signature: Lines
    body: Lines


@frozen
class CodecView:
    """``_decoders.py``, ``_encoders.py`` or ``_json_writers.py``."""

    tables: tuple[Lines, ...]
    objects: tuple[DecoderView, ...] | tuple[EncoderView, ...]
    functions: tuple[FunctionView, ...]
    choices: tuple[Lines, ...]


@frozen
class KeyView:
    """A method key and its docstring."""

    declaration: Lines
    doc: Lines


@frozen
class MethodsView:
    """``methods.py``."""

    exported: Lines
    requests: tuple[KeyView, ...]
    notifications: tuple[KeyView, ...]
    tables: tuple[Lines, ...]


@frozen
class MethodView:
    """A method that sends a request, or a decorator; overloads have no body."""

    overloads: tuple[Lines, ...]
    signature: Lines
    doc: Lines
    body: Lines


@frozen
class ExportsView:
    """What ``__init__.py`` has besides, where there are a client and a server."""

    doc: Lines
    imports: Lines
    names: Lines
