"""Generation of packages in memory; nothing is written here."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from attrs import evolve, field, frozen

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.sources import Modules, read_bundled, read_modules, showing_lines, understand


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

    def modules(self) -> Modules:
        """Return the schema and its imports as written."""
        return read_modules(self.path, self.mapped, self.options)


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
) -> Run:
    """Read, resolve and render; call ``progress`` with each label before its turn.

    With ``copy_runtime`` the files include a copy of the runtime, which the packages import by relative paths;
    otherwise they import the installed one. ``present`` are the bundled revisions whose packages are in the target.
    """
    from mcp_bindgen.emit.imports import COPIED_RUNTIME, INSTALLED_RUNTIME
    from mcp_bindgen.emit.render import root_files, runtime_files

    runtime = COPIED_RUNTIME if copy_runtime else INSTALLED_RUNTIME

    inputs = list(inputs)
    labels = {*present, *(item.label for item in inputs if isinstance(item, Bundled))}
    packages: list[Package] = []
    for item in inputs:
        if progress is not None:
            progress(item.label)
        # A package imports shared types from one that lies beside it: made by this run or one before, or installed.
        core = catalog.extended_by(item.label) if isinstance(item, Bundled) else None
        package = _package(item, runtime, core if core in labels or not copy_runtime else None)
        twin = next((other for other in packages if other.name == package.name), None)
        if twin is not None:
            message = f"{item.label!r} and {twin.label!r} have the same package name, {package.name}; change one label"
            raise BindgenError(message)
        packages.append(package)
    shared = {**root_files(runtime), **(runtime_files() if copy_runtime else {}), **_bridge(labels, packages, runtime)}
    return Run(tuple(packages), shared)


def understood(item: Input) -> Protocol:
    """Return the resolved schema of one input."""
    return understand(item.modules(), item.label, _base(item))


def protocol_of(item: Input) -> Protocol:
    """Return the resolved schema of one input; bundled ones are read once."""
    return catalog.load(item.label) if isinstance(item, Bundled) else understood(item)


def count_types(protocol: Protocol) -> int:
    """Return the number of types that a schema declares: objects and aliases, without inline ones."""
    return sum(declared.kind != "inline" for declared in protocol.objects.values()) + len(protocol.aliases)


def _bridge(labels: Collection[str], packages: Collection[Package], runtime: str) -> dict[str, str]:
    """Return the files that convert messages between the revisions in the target; none if there is only one."""
    from mcp_bindgen.bridge import plan_step
    from mcp_bindgen.emit.bridge_modules import bridge_files

    places = [place for place, revision in enumerate(catalog.revisions()) if revision in labels]
    if len(places) < 2:
        return {}
    revisions = catalog.revisions()[places[0] : places[-1] + 1]
    read = {package.label: package.protocol for package in packages}
    protocols = [read.get(revision) or catalog.load(revision) for revision in revisions]
    steps = [(plan_step(newer, older), plan_step(older, newer)) for older, newer in pairwise(protocols)]
    return bridge_files(revisions, steps, runtime)


def _base(item: Input) -> str | None:
    return item.base if isinstance(item, SchemaFile) else None


def _package(item: Input, runtime: str, core: str | None) -> Package:
    from mcp_bindgen.emit.prerequisites import can_converse
    from mcp_bindgen.emit.render import render_package

    started = time.perf_counter()
    name = catalog.package_name(item.label)
    modules = item.modules()
    protocol = understand(modules, item.label, _base(item))
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
            extended=None if core is None else (catalog.package_name(core), catalog.load(core)),
        )
    return Package(item.label, name, protocol, files, time.perf_counter() - started, base)
