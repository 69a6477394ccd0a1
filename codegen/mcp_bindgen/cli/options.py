"""Options shared by several commands."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli.completion import complete_revision, complete_revision_or_all

if TYPE_CHECKING:
    from mcp_bindgen.generate import Input, SchemaFile
    from mcp_bindgen.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def collect_options(name: str, kind: Callable[..., NamedTuple], options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds options to a command, which receives them as one argument of the class ``kind``.

    A field without an option keeps its default.
    """
    fields: tuple[str, ...] = getattr(kind, "_fields", ())

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def collected(*args: Any, **values: Any) -> Any:
            collection = kind(**{field: values.pop(field) for field in fields if field in values})
            return function(*args, **{name: collection}, **values)

        command: Callable[..., Any] = collected
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


schema_option = click.option(
    "--schema",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Your own schema.ts; --version is then its label.",
)

map_option = click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="NAME=FILE",
    help="File or bundled revision to use for the schema's import NAME. Repeatable.",
)

_base_option = click.option(
    "--base",
    metavar="REVISION",
    shell_complete=complete_revision,
    help="Bundled revision whose specification applies to your schema; by default the one that the schema names, else "
    "the most similar one.",
)


numbers_option = click.option(
    "--numbers",
    type=click.Choice(["integer", "float"]),
    help="How to read numbers of your schema that have no tag @TJS-type; by default as integers in types that a bundled "
    "schema also declares, and as floats in others.",
)


def schema_options(about_version: str) -> Callable[[Command], Command]:
    """Return the options of a ``SchemaOptions`` without ``--out``; ``about_version`` is the help of ``--version``."""
    version = click.option(
        "--version",
        "versions",
        multiple=True,
        metavar="REVISION",
        help=about_version,
        shell_complete=complete_revision_or_all,
    )

    def add(command: Command) -> Command:
        return version(schema_option(map_option(_base_option(numbers_option(command)))))

    return add


class _Folder(click.Path):
    """The path of a folder. An empty one, as of a variable that is not set, is not the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty; for the current folder, pass .", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _Folder(path_type=Path)

out_option = click.option(
    "--out",
    type=FOLDER,
    metavar="FOLDER",
    help="Folder to write to; in a checkout generated/mcp_bindings by default.",
)

only_option = click.option(
    "--only",
    type=click.Choice(["codec", "client", "server", "all"]),
    help="Part to generate: types and codec alone, with the client, with the server, or all; a copy of the runtime has what "
    "that part needs.",
)


class SchemaOptions(NamedTuple):
    """The schemas that a command line names, not yet looked up."""

    versions: tuple[str, ...]
    schema: Path | None
    mapped: tuple[str, ...]
    out: Path | None = None
    base: str | None = None
    numbers: Any = None
    only: Any = None

    def near(self) -> SchemaOptions:
        """Return the same with paths below the current folder relative to it, however they were typed."""
        schema, out = (None if each is None else _relative(each) for each in (self.schema, self.out))
        return self._replace(schema=schema, out=out)

    def typed(self) -> str:
        """Return the command that generates the packages, as a person would type it."""
        words = ["mcp-codegen"] if self.versions else ["mcp-codegen", "generate"]
        for version in self.versions:
            words += ["--version", version]
        words += [] if self.schema is None else ["--schema", str(self.schema)]
        for pair in self.mapped:
            words += ["--map", pair]
        words += [] if self.base is None else ["--base", self.base]
        words += [] if self.numbers is None else ["--numbers", self.numbers]
        words += [] if self.only is None else ["--only", self.only]
        words += [] if self.out is None else ["--out", str(self.out)]
        return shlex.join(words)


def _relative(path: Path) -> Path:
    here = os.path.relpath(path)
    return path if here.startswith(os.pardir) else Path(here)


def choose(options: SchemaOptions, settings: Settings, *, everything: bool) -> list[Input]:
    """Return the schemas that the options name, else those of the project's settings.

    If neither names one, return all bundled schemas with ``everything``, else none.
    """
    from attrs import evolve

    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import Bundled

    versions, schema, mapped, _, base, numbers, _ = options
    more: dict[str, Any] = {
        "command": options.near().typed(),
        "numbers": numbers or settings.numbers,
        "table": settings.map,
    }
    if schema is not None:
        own = _own(schema, versions, pairs(mapped))
        return [evolve(own, base=_base(base or settings.base), **more)]
    if numbers is not None and (versions or settings.schema is None):
        message = "--numbers requires --schema FILE: the bundled schemas have a rule of their own"
        raise BindgenError(message)
    if base is not None and (versions or settings.schema is None):
        message = "--base requires --schema FILE: each bundled revision is its own base"
        raise BindgenError(message)
    if mapped and (versions or settings.schema is None):
        message = "--map requires --schema FILE"
        raise BindgenError(message)
    if versions:
        return [Bundled(revision) for revision in bundled(versions, has_schema_option=True)]
    chosen: list[Input] = [Bundled(revision) for revision in _configured(settings)]
    if settings.schema is not None:
        label = (settings.name,) if settings.name else ()
        own = _own(settings.schema, label, pairs(mapped))
        configured = not mapped
        chosen.append(evolve(own, base=_base(base or settings.base), configured=configured, **more))
    if not chosen and everything:
        return [Bundled(label) for label in bundled(("all",))]
    return chosen


def _configured(settings: Settings) -> list[str]:
    """Return the bundled revisions of ``pyproject.toml``, which an error names."""
    from mcp_bindgen.errors import BindgenError

    try:
        return bundled(settings.versions)
    except BindgenError as problem:
        message = f"{settings.file}: versions: {problem}"
        raise BindgenError(message) from problem


def choose_one(options: SchemaOptions) -> Input:
    """Return the one schema that the options name, by default the newest bundled revision.

    The settings of the project complete a schema that the options name.
    """
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import Bundled
    from mcp_bindgen.settings import Settings, read_settings

    if len(options.versions) > 1 or "all" in options.versions:
        message = "this command shows one revision; pass --version once"
        raise BindgenError(message)
    options = with_configured_schema(options)
    settings = Settings() if options.schema is None else read_settings(Path.cwd())
    chosen = choose(options, settings, everything=False)
    return chosen[0] if chosen else Bundled(catalog.revisions()[-1])


def with_configured_schema(options: SchemaOptions) -> SchemaOptions:
    """Return the options with the schema of ``pyproject.toml``, if ``--version`` is its label."""
    schema = configured_schema(options.versions[0]) if len(options.versions) == 1 and options.schema is None else None
    return options if schema is None else options._replace(schema=schema)


def configured_schema(label: str) -> Path | None:
    """Return the schema of ``pyproject.toml`` if a word is its label, and not that of a bundled schema."""
    from mcp_bindgen.settings import read_settings

    if label in (*catalog.revisions(), *catalog.extensions()):
        return None
    settings = read_settings(Path.cwd())
    return settings.schema if settings.label == label else None


def _base(revision: str | None) -> str | None:
    """Return the revision that ``--base`` names; raise ``BindgenError`` for one that is not bundled."""
    if revision is not None and revision not in catalog.revisions():
        raise catalog.unknown_revision(revision, "--base")
    return revision


def bundled(words: tuple[str, ...], *, has_schema_option: bool = False) -> list[str]:
    """Return the revisions of ``--version`` without duplicates: bundled ones, oldest first, then extensions.

    ``has_schema_option``: the command has the option ``--schema``, which errors mention.
    """
    known = (*catalog.revisions(), *catalog.extensions())
    found: set[str] = set()
    for word in words:
        found.update(known if word == "all" else [_revision(word, has_schema_option=has_schema_option)])
    return sorted(found, key=known.index)


def _revision(word: str, *, has_schema_option: bool) -> str:
    from mcp_bindgen.cli.app import COMMANDS
    from mcp_bindgen.errors import BindgenError

    known = catalog.revisions()
    if word in known or word in catalog.extensions():
        return word
    if word == "draft":
        message = f"{catalog.NO_DRAFT}; use one of {', '.join(known)}"
        if has_schema_option:
            message = f"{catalog.DRAFT_HINT}, and add --schema schema.ts"
    elif word in COMMANDS:
        message = f"{word!r} is a command, not a revision; run: mcp-codegen {word}"
    elif not word or word.startswith("-"):
        message = f"--version needs a revision: use {', '.join(known)} or all"
    elif word == "latest":
        message = f"'latest' is not a revision; the newest bundled revision is {known[-1]}"
    elif "," in word:
        message = f"{word!r} is not a bundled revision; repeat --version for each revision"
    elif has_schema_option and not catalog.is_like_a_date(word):
        message = f"{catalog.unknown_revision(word)}; if it is the label of a schema of your own, add --schema FILE"
    else:
        raise catalog.unknown_revision(word)
    raise BindgenError(message)


def _own(schema: Path, versions: tuple[str, ...], mapped: Any) -> SchemaFile:
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import SchemaFile

    if str(schema) == "-":
        message = (
            "a schema cannot be read from standard input, because its imports are looked up beside it; "
            "pass a file to --schema"
        )
        raise BindgenError(message)
    if len(versions) > 1 or "all" in versions:
        message = (
            "with --schema, --version is the label of that schema; pass it once. Generate bundled revisions into the same "
            "folder by another command without --schema, or list both in pyproject.toml"
        )
        raise BindgenError(message)
    return SchemaFile(schema, versions[0] if versions else catalog.package_label(schema), mapped)


def pairs(mapped: tuple[str, ...], option: str = "--map") -> dict[str, str]:
    """Return the file or revision of each import that ``--map`` or a similar option names."""
    from mcp_bindgen.errors import BindgenError

    found: dict[str, str] = {}
    for text in mapped:
        name, equals, place = text.partition("=")
        if not (name and equals and place):
            message = f"{option} must have the form NAME=FILE or NAME=REVISION, got {text!r}"
            raise BindgenError(message)
        if found.setdefault(name, place) != place:
            message = f"{option} maps {name!r} to both {found[name]} and {place}; pass one of them"
            raise BindgenError(message)
    return found
