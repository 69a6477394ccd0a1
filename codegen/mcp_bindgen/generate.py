"""Generation of packages in memory; nothing is written here."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError, OverrideError
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.ir.types import Numbers
from mcp_bindgen.sources import Modules, read_bundled, read_modules, showing_lines, understand

if TYPE_CHECKING:
    from mcp_bindgen.emit.runtime_files import Purpose


@frozen
class Bundled:
    """A bundled revision or extension."""

    revision: str

    @property
    def label(self) -> str:
        """Label of the package."""
        return self.revision

    def modules(self) -> Modules:
        """Return the schema as written."""
        return read_bundled(self.revision)


@frozen
class SchemaFile:
    """A schema file of the user."""

    path: Path
    label: str
    mapped: Mapping[str, str] = field(factory=dict[str, str])
    """Import specifier to a file or a bundled revision."""
    options: Mapping[str, str] = field(factory=dict[str, str])
    """Import specifier to the option that mapped it, if that was not ``--map``."""
    command: str | None = field(default=None, kw_only=True)
    """The command that generates its package, for the header of each file."""
    base: str | None = field(default=None, kw_only=True)
    """The bundled revision whose prose applies; by default the one that the schema names, else the nearest."""
    numbers: Numbers | None = field(default=None, kw_only=True)
    """The kind of numbers without a tag; by default integers in types of the bundled schemas, floats in others."""

    table: Mapping[str, str] = field(factory=dict[str, str], kw_only=True)
    """The same as ``mapped`` in ``pyproject.toml``, for imports that no option maps."""
    configured: bool = field(default=False, kw_only=True)
    """``pyproject.toml`` names it, so each entry of its table must be used."""

    def modules(self) -> Modules:
        """Return the schema and its imports as written."""
        return read_modules(self.path, self.mapped, self.options, table=self.table, configured=self.configured)


Input = Bundled | SchemaFile


@frozen
class Package:
    """One generated package."""

    label: str
    name: str
    protocol: Protocol = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    seconds: float = field(eq=False)
    base: str | None = None
    """The bundled revision whose prose applies to client and server; None for a package without them."""
    notes: tuple[str, ...] = ()
    """Remarks on what is not as a reader of the schema would expect."""

    @property
    def types(self) -> int:
        """Number of types that the schema declares."""
        return count_types(self.protocol)


@frozen
class Run:
    """All files that one run writes."""

    packages: tuple[Package, ...]
    shared: Mapping[str, str] = field(repr=False)
    """The runtime, and the files at the top."""

    @property
    def files(self) -> dict[str, str]:
        """All files, relative path to text."""
        files = dict(self.shared)
        for package in self.packages:
            files.update(package.files)
        return files


def generate(
    inputs: Iterable[Input],
    progress: Callable[[str], None] | None = None,
    *,
    copy_runtime: bool = True,
    present: Collection[str] = (),
    purpose: Purpose = "all",
    beside: Mapping[str, str] | None = None,
    importers: Collection[str] = (),
    folder: str | None = None,
) -> Run:
    """Read, resolve and render; call ``progress`` with each label before its turn.

    With ``copy_runtime`` the files include a copy of the runtime, which the packages import by relative paths;
    otherwise they import the installed one. ``present`` are the bundled revisions whose packages are in the target.
    ``purpose`` is the part of each package that is generated. The copy of the runtime has what the packages need, and what
    the modules in ``beside`` need, which are other packages in the target, by path, and ``importers``, which are texts of
    modules outside the target. ``folder`` is the name of the target, by which the documentation of a copy imports it.
    """
    from mcp_bindgen.emit.imports import COPIED_RUNTIME, INSTALLED_RUNTIME
    from mcp_bindgen.emit.render import root_files
    from mcp_bindgen.emit.runtime_files import runtime_files, uses_tasks

    runtime = COPIED_RUNTIME if copy_runtime else INSTALLED_RUNTIME

    inputs = list(inputs)
    labels = {*present, *(item.label for item in inputs if isinstance(item, Bundled))}
    packages: list[Package] = []
    for item in inputs:
        if progress is not None:
            progress(item.label)
        # A package imports shared types from one that lies beside it: made by this run or one before, or installed.
        core = catalog.extended_by(item.label) if isinstance(item, Bundled) else None
        package = _package(item, runtime, core if core in labels or not copy_runtime else None, purpose)
        twin = next((other for other in packages if other.name == package.name), None)
        if twin is not None:
            message = f"{item.label!r} and {twin.label!r} have the same package name, {package.name}; change one label"
            raise BindgenError(message)
        packages.append(package)
    files = {path: text for package in packages for path, text in package.files.items()} | dict(beside or {})
    sides = {side: any(path.endswith(f"/{side}.py") for path in files) for side in ("client", "server")}
    name = _import_name(folder) if copy_runtime and folder is not None else None
    bridge = _bridge(labels, packages, runtime, name) if any(sides.values()) else {}
    shared = bridge | root_files(
        runtime,
        has_client=sides["client"],
        has_server=sides["server"],
        has_bridge=bool(bridge),
        has_tasks=not copy_runtime or uses_tasks(files.values()),
        package=name,
        examples=_examples(files),
    )
    if copy_runtime:
        modules = (text for path, text in {**files, **shared}.items() if path.endswith(".py"))
        shared |= runtime_files([*modules, *importers])
    return Run(tuple(packages), shared)


def _import_name(folder: str) -> str:
    """Return the name by which the documentation of a copy imports it; a neutral one if the folder's is no identifier."""
    return folder if all(map(str.isidentifier, folder.split("."))) else "bindings"


def _examples(files: Iterable[str]) -> list[str]:
    """Return the newest packages of a copy, with a client or server if there are some."""
    sides = ("/client.py", "/server.py")
    paths = [path for path in files if path.endswith(sides)] or [path for path in files if "/" in path]
    return sorted({path.partition("/")[0] for path in paths})[-2:]


def understood(item: Input) -> Protocol:
    """Return the resolved schema of one input."""
    return _understand(item, item.modules())


def _understand(item: Input, modules: Modules) -> Protocol:
    """Return the resolved schema; if it is no schema of the revision that its label names, say so."""
    try:
        return understand(modules, item.label, _base(item), numbers=_numbers(item))
    except OverrideError as fault:
        if isinstance(item, Bundled) or item.label not in catalog.revisions():
            raise
        message = (
            f"{item.path} is not a schema of the revision {item.label}; pass another label to --version, such as "
            f"{catalog.package_label(item.path)}"
        )
        raise BindgenError(message) from fault


def protocol_of(item: Input) -> Protocol:
    """Return the resolved schema of one input; bundled ones are read once."""
    return catalog.load(item.label) if isinstance(item, Bundled) else understood(item)


def count_types(protocol: Protocol) -> int:
    """Return the number of types that a schema declares: objects and aliases, without inline ones."""
    return sum(declared.kind != "inline" for declared in protocol.objects.values()) + len(protocol.aliases)


def _bridge(labels: Collection[str], packages: Collection[Package], runtime: str, name: str | None) -> dict[str, str]:
    """Return the files that convert messages between the revisions in the target; none if there is only one."""
    from mcp_bindgen.bridge import plan_steps
    from mcp_bindgen.emit.bridge_modules import bridge_files

    places = [place for place, revision in enumerate(catalog.revisions()) if revision in labels]
    if len(places) < 2:
        return {}
    revisions = catalog.revisions()[places[0] : places[-1] + 1]
    read = {package.label: package.protocol for package in packages}
    protocols = [read.get(revision) or catalog.load(revision) for revision in revisions]
    return bridge_files(revisions, plan_steps(protocols), runtime, name)


def _base(item: Input) -> str | None:
    return item.base if isinstance(item, SchemaFile) else None


def _numbers(item: Input) -> Numbers | None:
    return item.numbers if isinstance(item, SchemaFile) else "integer"


def _package(item: Input, runtime: str, core: str | None, purpose: Purpose) -> Package:
    from mcp_bindgen.emit.naming import Names
    from mcp_bindgen.emit.prerequisites import can_converse
    from mcp_bindgen.emit.render import render_package

    started = time.perf_counter()
    name = catalog.package_name(item.label)
    modules = item.modules()
    protocol = _understand(item, modules)
    # The file name without folders, so that output does not depend on the working directory.
    source = protocol.source if isinstance(item, Bundled) else Path(protocol.source).name
    if isinstance(item, Bundled) and protocol.version != item.label:
        message = f"the bundled schema of {item.label} has the protocol version {protocol.version}; correct one of them"
        raise BindgenError(message)
    base = (_base(item) or catalog.base_of(protocol)) if can_converse(protocol) else None
    command = None if isinstance(item, Bundled) else item.command
    with showing_lines(modules.texts):
        files = render_package(
            evolve(protocol, source=source),
            package=name,
            runtime=runtime,
            command=command,
            base=base,
            purpose=purpose,
            extended=None if core is None else (catalog.package_name(core), catalog.load(core)),
        )
    notes = (*protocol.warnings, *Names(protocol).notes)
    return Package(item.label, name, protocol, files, time.perf_counter() - started, base, notes)
