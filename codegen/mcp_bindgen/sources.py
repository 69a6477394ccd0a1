"""Reading of a schema file and its imports, beside the file or mapped by ``--map``, and their resolution."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from mcp_bindgen import bundled_schemas
from mcp_bindgen.errors import BindgenError, Fault, SchemaError
from mcp_bindgen.ir.declarations import Constant, Import, Module
from mcp_bindgen.ir.protocol import VERSION_CONSTANT, Protocol
from mcp_bindgen.ir.types import Position

if TYPE_CHECKING:
    from mcp_bindgen.ir.types import Numbers
    from mcp_bindgen.resolve.number_rule import NumberRule

MAX_BYTES = 64 * 2**20
"""Bytes read of a file at most; the parser refuses smaller files with a better message."""

MAX_FILES = 200

_TABLE = "[tool.mcp-codegen.map]"

_CORE = re.compile(r"\.\./\.\./([^/]+)/schema\.js")
"""The import specifier by which a bundled extension names the revision that it extends."""


class Texts:
    """Texts of schema files by name, to show the lines of faults."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}
        self._lines: dict[str, list[str]] = {}

    def add(self, name: str, data: bytes) -> None:
        """Keep the text of a file."""
        self._data[name] = data

    def line(self, position: Position) -> str | None:
        """Return the line of a position; None if the file is unknown."""
        if position.file not in self._lines:
            # Split on first use only: most files have no faults.
            self._lines[position.file] = self._data.get(position.file, b"").decode("utf-8", "replace").split("\n")
        lines = self._lines[position.file]
        return lines[position.line - 1].rstrip("\r") if position.line <= len(lines) else None


@frozen
class Modules:
    """A schema file and all its imports."""

    main: Module
    imported: Mapping[str, Module]
    """By name of the file, which is ``Import.module``: ``./core`` may name different files in two folders."""
    texts: Texts


def read_modules(
    file: Path,
    mapped: Mapping[str, str],
    options: Mapping[str, str] | None = None,
    *,
    table: Mapping[str, str] | None = None,
    configured: bool = False,
) -> Modules:
    """Read a schema file and, transitively, its imports.

    ``mapped`` maps import specifiers to files or bundled revisions. ``options`` maps a specifier to the option that
    mapped it, if that was not ``--map``. ``table`` is the one of ``pyproject.toml``, for specifiers that no option maps.
    ``configured``: ``pyproject.toml`` names the file, so each entry of its table must be used.
    """
    search = _Search(mapped, options or {}, table or {}, configured=configured)
    return search.run(_Place(_key(file), file, str(file)))


def read_bundled(label: str) -> Modules:
    """Read the schema of a bundled revision, which imports nothing, or of an extension, which imports from those."""
    return _Search({}, {}, {}, configured=False).run(_bundled(label))


def read_bytes(file: Path) -> bytes:
    """Return the content of a file that a user named; raise ``BindgenError`` if it cannot be read."""
    try:
        # A pipe or a device may have no end, so the size is asked of regular files only.
        if file.exists() and not file.is_file():
            what = "a folder" if file.is_dir() else "not a regular file"
            hint = f"; did you mean {file / 'schema.ts'}?" if (file / "schema.ts").is_file() else ""
            message = f"cannot read {file}: it is {what}{hint}"
            raise BindgenError(message)
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError as problem:
        hint = "; download it first, and pass the file" if file.parts[:1] in {("http:",), ("https:",)} else ""
        message = f"cannot read {file}: {problem.strerror}{hint}"
        raise BindgenError(message) from problem
    except ValueError as problem:
        # A NUL in a path is not an OSError.
        message = f"cannot read {str(file)!r}: {problem}"
        raise BindgenError(message) from problem


@frozen
class _Place:
    """A schema file: its key, its path (None: bundled), and its name in messages."""

    key: str
    file: Path | None
    name: str


class _Search:
    def __init__(
        self, mapped: Mapping[str, str], options: Mapping[str, str], table: Mapping[str, str], *, configured: bool
    ) -> None:
        self._mapped = {**table, **mapped}
        self._required = self._mapped if configured else mapped
        """The entries that must be used."""
        self._options = options
        self._configured = configured
        self._from_bundled: list[tuple[Import, _Place]] = []
        self._used: set[str] = set()
        self._faults: list[Fault] = []
        self._found: dict[str, Module] = {}
        self._names: dict[str, str] = {}
        self._texts = Texts()

    def run(self, main: _Place) -> Modules:
        waiting = [main]
        while waiting:
            place = waiting.pop(0)
            if place.key not in self._found:
                waiting.extend(self._read(place))
        for item, place in self._from_bundled:
            self._require_export(item, place)
        if self._faults:
            raise SchemaError(self._faults)
        for specifier in self._required:
            if specifier not in self._used:
                option = self._options.get(specifier, "--map")
                entry = f"{option} {specifier}=…"
                if self._configured:
                    entry = f'{_TABLE} of pyproject.toml: "{specifier}"'
                message = f"{entry} is not used: {main.name} does not import {specifier!r}"
                raise BindgenError(message)
        # Where others import the main file too, both ways have to lead to the same module.
        imported = {self._names[key]: module for key, module in self._found.items()}
        return Modules(self._found[main.key], imported, self._texts)

    def _read(self, place: _Place) -> list[_Place]:
        """Read one file; return the files that it imports from."""
        from mcp_bindgen.syntax.declarations import read_schema

        if len(self._found) >= MAX_FILES:
            message = f"{place.name}: more than {MAX_FILES} files are imported, which is the limit"
            raise BindgenError(message)
        data = bundled_schemas.schema_file(place.key).read_bytes() if place.file is None else read_bytes(place.file)
        name = self._names.setdefault(place.key, place.name)
        self._texts.add(name, data)
        module = read_schema(data, name)
        targets: dict[str, _Place] = {}
        imports: list[Import] = []
        for item in module.imports:
            target = targets.get(item.module) or self._find(item, place)
            if target is not None:
                targets[item.module] = target
                if target.file is None:
                    self._from_bundled.append((item, target))
                imports.append(evolve(item, module=self._names.setdefault(target.key, target.name)))
        self._found[place.key] = evolve(module, imports=tuple(imports))
        return list(targets.values())

    def _find(self, item: Import, place: _Place) -> _Place | None:
        specifier = item.module
        if specifier in self._mapped:
            self._used.add(specifier)
            return _mapped(self._mapped[specifier])
        if place.file is None and (core := _CORE.fullmatch(specifier)):
            return _bundled(core[1])
        if place.file is not None and specifier.startswith(("./", "../")):
            tried = list(_candidates(specifier))
            for candidate in tried:
                file = place.file.parent / candidate
                if _is_file(file):
                    return _Place(_key(file), file, str(file))
            looked = f"looked for {', '.join(tried)} in {place.file.parent}"
            self._fault(item, f"cannot find the module {specifier!r}; {looked}")
            return None
        hint = f"pass --map {specifier}=FILE or --map {specifier}=REVISION"
        if self._configured:
            hint = f'add "{specifier}" = "FILE or REVISION" to {_TABLE} of pyproject.toml'
        if others := [each for each in self._required if each not in self._used and each not in self._options]:
            hint += f"{'; it has' if self._configured else ', not'} {', '.join(others)}"
        self._fault(item, f"cannot locate the module {specifier!r}; {hint}")
        return None

    def _require_export(self, item: Import, place: _Place) -> None:
        """Report an import of a name that a bundled schema lacks, with the revisions that have it."""
        if item.imported in _exported(self._found[place.key]):
            return
        having = [
            revision
            for revision in bundled_schemas.revisions()
            if item.imported in _exported(self._found.get(revision) or read_bundled(revision).main)
        ]
        hint = ""
        if having:
            hint = f"; {', '.join(having)} {'exports' if len(having) == 1 else 'export'} it"
        elif near := bundled_schemas.nearest(item.imported, _exported(self._found[place.key]), 1):
            hint = f"; did you mean {near[0]}?"
        self._fault(item, f"{place.name!r} does not export {item.imported}{hint}")

    def _fault(self, item: Import, message: str) -> None:
        place = (item.position.file, item.position.line)
        # An import of five names is one fault.
        if all(
            (fault.position.file, fault.position.line, fault.message) != (*place, message) for fault in self._faults
        ):
            self._faults.append(Fault(item.position, message, self._texts.line(item.position)))


def _exported(module: Module) -> list[str]:
    return [each.name for each in module.declarations if each.exported]


def _mapped(value: str) -> _Place:
    if value in bundled_schemas.revisions():
        return _bundled(value)
    file = Path(value)
    if bundled_schemas.is_date(value) and not file.exists():
        raise bundled_schemas.unknown_revision(value)
    return _Place(_key(file), file, value)


def _bundled(label: str) -> _Place:
    return _Place(label, None, bundled_schemas.schema_name(label))


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        # A name that is too long, a folder that may not be searched: nothing that can be imported from.
        return False


def _key(file: Path) -> str:
    # Not Path.resolve(), which raises for links in a circle.
    return os.path.realpath(file)


def _candidates(specifier: str) -> Iterator[str]:
    """Yield the files that TypeScript would try for a relative module, in that order."""
    # "./core.js" names what core.ts will be compiled to.
    for suffix in (".js", ".mjs", ".cjs"):
        if specifier.endswith(suffix):
            specifier = specifier.removesuffix(suffix)
            break
    if specifier.endswith(".ts"):
        yield specifier
    yield f"{specifier}.ts"
    yield f"{specifier}.d.ts"
    yield f"{specifier}/index.ts"


def understand(modules: Modules, revision: str, base: str | None = None, *, numbers: Numbers | None = None) -> Protocol:
    """Resolve a schema that was read; ``revision`` is its label.

    ``numbers`` is the kind of numbers without a tag. By default they are floats, except in types that a bundled schema
    declares, too: there they are integers, so that a draft is read like the revisions before it.

    The overrides of ``base`` apply, by default those of the bundled revision that the label or else the schema names.
    """
    from mcp_bindgen.resolve.protocol import resolve_protocol

    bundled = bundled_schemas.revisions()
    named = next((each for each in (base, revision, _version(modules.main)) if each in bundled), None)
    with showing_lines(modules.texts):
        protocol = resolve_protocol(
            modules.main,
            revision=revision,
            base=named,
            imported=modules.imported,
            numbers=_number_rule(numbers),
            importable=bundled_schemas.declared_types,
        )
    if not protocol.order:
        message = f"{modules.main.source} declares no types and no constants"
        raise BindgenError(message)
    return protocol


def _number_rule(numbers: Numbers | None) -> NumberRule:
    from mcp_bindgen.resolve.number_rule import NumberRule

    return NumberRule("float", bundled_schemas.declared_types()) if numbers is None else NumberRule(numbers)


def _version(module: Module) -> str | None:
    """Return the protocol version that a schema names, if it names one."""
    for each in module.declarations:
        if isinstance(each, Constant) and each.name == VERSION_CONSTANT:
            return each.value if isinstance(each.value, str) else None
    return None


@contextmanager
def showing_lines(texts: Texts) -> Generator[None, None, None]:
    """Add source lines to the faults raised inside: the model has positions only."""
    try:
        yield
    except SchemaError as error:
        shown = [fault if fault.line else evolve(fault, line=texts.line(fault.position)) for fault in error.faults]
        raise SchemaError(shown) from None
