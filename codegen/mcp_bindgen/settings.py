"""Settings of a project: ``[tool.mcp-codegen]`` of the nearest ``pyproject.toml``; paths are relative to that file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from attrs import field, frozen

from mcp_bindgen.catalog import nearest, package_label, revisions
from mcp_bindgen.errors import BindgenError

_NAME = "mcp-codegen"
_KEYS = ("versions", "out", "schema", "name", "map", "base", "numbers", "only", "clients")
_CLIENT_KEYS = ("from", "out", "vendored", "versions", "split")


@frozen
class ClientSettings:
    """A package for one server: an entry of ``clients``."""

    file: Path
    """``from``: the lock file."""
    out: Path
    vendored: bool = False
    versions: tuple[str, ...] = ()
    """The revisions that are copied into a vendored package."""
    split: bool = False


@frozen
class Settings:
    """Default options of a project; the command line takes precedence."""

    versions: tuple[str, ...] = ()
    out: Path | None = None
    schema: Path | None = None
    name: str | None = None
    """The label of ``schema``."""
    map: Mapping[str, str] = field(factory=dict[str, str])
    """Import specifier to a file or a bundled revision."""
    base: str | None = None
    """The bundled revision whose prose applies to ``schema``."""
    numbers: Literal["integer", "float"] | None = None
    """The kind of the numbers of ``schema`` without a tag."""
    only: Literal["codec", "client", "server", "all"] | None = None
    """The part of each package to generate."""
    clients: tuple[ClientSettings, ...] = ()
    """The packages for single servers."""
    file: Path | None = field(default=None, eq=False)
    """The ``pyproject.toml`` with these settings; None if it has no such table."""

    @property
    def label(self) -> str | None:
        """The label of the package of ``schema``."""
        return self.name or (None if self.schema is None else package_label(self.schema))


def read_settings(start: Path) -> Settings:
    """Return the settings that apply in the folder ``start``."""
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _parse(file)
    return Settings()


def _parse(file: Path) -> Settings:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        message = f"cannot read {file}: {problem.strerror}"
        raise BindgenError(message) from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        message = f"{file} is not valid TOML: {problem}"
        raise BindgenError(message) from problem
    tools = _table(data.get("tool", {})) or {}
    if _NAME not in tools:
        for key in tools:
            if re.sub(r"[-_.]", "", key.lower()) == "mcpcodegen":
                message = f"{file}: [tool.{key}] is not read; write [tool.{_NAME}]"
                raise BindgenError(message)
        return Settings()
    found: object = tools[_NAME]
    table = _table(found)
    if table is None:
        message = f"{file}: tool.mcp-codegen must be a table, got {_kind(found)}; write [tool.mcp-codegen]"
        raise BindgenError(message)
    return _Table(file, table).settings()


class _Table:
    """Reader of the keys of one table; error messages name the file."""

    def __init__(self, file: Path, table: dict[str, object]) -> None:
        self._file = file
        self._table = table

    def settings(self) -> Settings:
        for key in self._table:
            if key not in _KEYS:
                near = nearest(key, _KEYS, 1)
                hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(_KEYS)}"
                message = f"unknown key {key!r} in [tool.mcp-codegen]; {hint}"
                raise self._wrong(message)
        schema, name = self._path("schema"), self._text("name")
        if name is not None and schema is None:
            message = "name is the label of a schema of your own, which is missing; add schema, the path of its file"
            raise self._wrong(message)
        return Settings(
            self._versions(),
            self._path("out"),
            schema,
            name,
            self._map(),
            self._text("base"),
            self._numbers(),
            self._only(),
            self._clients(),
            self._file,
        )

    def _clients(self) -> tuple[ClientSettings, ...]:
        value = self._table.get("clients", [])
        tables = [_table(each) for each in cast("list[object]", value)] if isinstance(value, list) else [None]
        return tuple(_Client(self._file, each or {}).client() for each in tables)

    def _versions(self) -> tuple[str, ...]:
        value = self._table.get("versions", [])
        if isinstance(value, str):
            return (value,)
        texts = _texts(value)
        if texts is None:
            # Without quotes TOML reads 2025-03-26 as a date, which is what people write first.
            found = "other values in the list" if isinstance(value, list) else _kind(value)
            message = f'versions must be a list of strings such as ["2025-03-26"], got {found}'
            raise self._wrong(message)
        return texts

    def _text(self, key: str) -> str | None:
        value = self._table.get(key)
        if isinstance(value, str) and "\0" in value:
            message = f"{key} must not contain a NUL character"
            raise self._wrong(message)
        if value is None or isinstance(value, str):
            return value
        message = f"{key} must be a string, got {_kind(value)}"
        raise self._wrong(message)

    def _numbers(self) -> Literal["integer", "float"] | None:
        match self._text("numbers"):
            case None | "integer" | "float" as value:
                return value
            case value:
                pass
        message = f'numbers must be "integer" or "float", got {value!r}'
        raise self._wrong(message)

    def _only(self) -> Literal["codec", "client", "server", "all"] | None:
        match self._text("only"):
            case None | "codec" | "client" | "server" | "all" as value:
                return value
            case value:
                pass
        message = f'only must be "codec", "client", "server" or "all", got {value!r}'
        raise self._wrong(message)

    def _path(self, key: str) -> Path | None:
        text = self._text(key)
        if text == "":
            message = f'{key} must not be empty; for the folder of pyproject.toml, write "."'
            raise self._wrong(message)
        return None if text is None else self._file.parent / text

    def _map(self) -> dict[str, str]:
        value = self._table.get("map", {})
        entries = _table(value)
        if entries is None:
            message = f'map must be a table such as {{ "./core" = "2025-03-26" }}, got {_kind(value)}'
            raise self._wrong(message)
        for name, place in entries.items():
            if not isinstance(place, str):
                message = f"map.{name} must be a file or a revision, as a string, got {_kind(place)}"
                raise self._wrong(message)
        return {name: self._file_or_revision(str(place)) for name, place in entries.items()}

    def _file_or_revision(self, text: str) -> str:
        return text if text in revisions() else str(self._file.parent / text)

    def _wrong(self, message: str) -> BindgenError:
        return BindgenError(f"{self._file}: {message}")


class _Client(_Table):
    """Reader of one entry of ``clients``."""

    def client(self) -> ClientSettings:
        """Return the entry."""
        unknown = [key for key in self._table if key not in _CLIENT_KEYS]
        file, out = self._path("from"), self._path("out")
        if unknown or file is None or out is None:
            found = f"unknown key {unknown[0]!r}" if unknown else "`from` or `out` is missing"
            message = (
                f"an entry of clients must be a table [[tool.mcp-codegen.clients]] with from, out, and optionally "
                f"{', '.join(_CLIENT_KEYS[2:])}: {found}"
            )
            raise self._wrong(message)
        return ClientSettings(file, out, self._flag("vendored"), self._versions(), self._flag("split"))

    def _flag(self, key: str) -> bool:
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            message = f"{key} of a client must be true or false, got {_kind(value)}"
            raise self._wrong(message)
        return value


def _table(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _texts(value: object) -> tuple[str, ...] | None:
    words = cast("list[object]", value) if isinstance(value, list) else [None]
    texts = tuple(word for word in words if isinstance(word, str))
    return texts if len(texts) == len(words) else None


def _kind(value: object) -> str:
    """Return the TOML type of a value, with its article."""
    for kinds, name in _NAMES:
        if isinstance(value, kinds):
            return name
    return "a date or time"


_NAMES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "a string"),
    (bool, "a boolean"),
    ((int, float), "a number"),
    (list, "a list"),
    (dict, "a table"),
)
