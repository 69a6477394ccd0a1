"""The view model: the values that the templates print, most of them finished lines of code."""

from __future__ import annotations

from attrs import frozen

Lines = tuple[str, ...]


@frozen
class DeclarationView:
    """A constant, an alias or a method key (``NAME: Final = …``) and its docstring."""

    declaration: Lines
    doc: Lines


@frozen
class MemberView:
    """An attribute of a class, and the statement by which ``__init__`` stores it."""

    annotation: Lines
    doc: Lines
    store: str


@frozen
class DerivedPropertiesView:
    """Properties and methods that a class has besides its members."""

    has_bytes: bool
    has_display_name: bool
    is_tool_result: bool
    is_resource_result: bool
    """The class is the result of a tool call, with methods that read it."""
    structured: str
    """Attribute with the structured content of a tool's result; ``None`` if the class has none."""
    has_properties: bool
    has_required: bool
    encoded: str
    """Attribute with the base64 text that ``bytes`` decodes."""
    display_name: Lines
    """Body of ``display_name``."""


@frozen
class ClassView:
    """An emitted class."""

    name: str
    head: str
    doc: Lines
    slots: Lines
    constants: tuple[MemberView, ...]
    fields: tuple[MemberView, ...]
    signature: Lines
    derived: DerivedPropertiesView


@frozen
class TypesView:
    """``types.py``: simple aliases, then classes, then the aliases that refer to classes."""

    exported: Lines
    constants: tuple[DeclarationView, ...]
    simple_aliases: tuple[DeclarationView, ...]
    classes: tuple[ClassView, ...]
    aliases: tuple[DeclarationView, ...]


@frozen
class StepView:
    """Conversion of one member: statements that load it into ``v``, check ``v``, and store the converted value."""

    load: Lines
    """Starts with an ``if`` for a member that may be absent."""
    checks: Lines
    store: Lines
    absent: str
    """Statement for an absent member; empty if there is nothing to do."""

    @property
    def lines(self) -> Lines:
        """All statements but that for an absent member."""
        return self.load + self.checks + self.store


@frozen
class DecoderView:
    """The function that decodes one class."""

    signature: Lines
    constants: tuple[str, ...]
    """Heads of ``if`` statements that are true for a wrong constant."""
    new: str
    required: tuple[StepView, ...]
    optional: tuple[StepView, ...]
    has_optional: bool
    count: int
    """Number of members that are always present."""
    extra: Lines


@frozen
class EncoderView:
    """The function that encodes one class."""

    signature: Lines
    check: Lines
    start: Lines
    required: tuple[StepView, ...]
    optional: tuple[StepView, ...]
    extra: Lines
    end: str


@frozen
class FunctionView:
    """A function that converts a union, an alias or a map."""

    signature: Lines
    body: Lines


@frozen
class CodecView:
    """``_decoders.py``, ``_encoders.py`` or ``_json_writers.py``."""

    tables: tuple[Lines, ...]
    objects: tuple[DecoderView, ...] | tuple[EncoderView, ...]
    functions: tuple[FunctionView, ...]
    choices: tuple[Lines, ...]
    """Tables from class, tag or method to function."""


@frozen
class MethodKeysView:
    """``methods.py``."""

    exported: Lines
    requests: tuple[DeclarationView, ...]
    notifications: tuple[DeclarationView, ...]
    requests_table: Lines
    notifications_table: Lines


@frozen
class RequestMethodView:
    """A method that sends a request."""

    overloads: tuple[Lines, ...]
    signature: Lines
    doc: Lines
    params: Lines
    """Statement that makes the params; empty for a request without."""
    is_paged: bool
    """The method iterates over the items of all pages."""
    request_page: Lines
    """The inner function that requests a page."""
    result: Lines


@frozen
class DecoratorView:
    """A decorator of a server."""

    overload: Lines
    """Signature of the decorator with options, for one that may also be used without parentheses."""
    signature: Lines
    parameters: Lines
    """List of the parameters in the docstring."""
    members: Lines
    add: Lines


@frozen
class ExportedModuleView:
    """A module from which a package exports names."""

    package: str
    name: str
    imports: Lines
    condition: Lines
    """``if name in (…):``, true for the names of the module."""


@frozen
class ExportsView:
    """Names that a package exports besides its types; their modules are imported on first use."""

    modules: tuple[ExportedModuleView, ...]
    names: tuple[str, ...]
    submodules: tuple[str, ...] = ()
    """Modules of the package itself that are its attributes before anybody has imported them."""
    submodule_condition: Lines = ()

    @property
    def has_submodules(self) -> bool:
        """Whether there are such modules."""
        return bool(self.submodules)


@frozen
class ClientMethodView:
    """A method of the client of one server, or the function of the same name in a module of its own."""

    signature: Lines
    doc: Lines
    body: Lines
    module: str


@frozen
class ServerClientView:
    """The class for one server."""

    name: str
    methods: tuple[ClientMethodView, ...]
