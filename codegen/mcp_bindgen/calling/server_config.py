"""Configuration files of hosts, such as ``.mcp.json``: the servers below ``mcpServers``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from mcp_bindgen import catalog
from mcp_bindgen.calling.bounded_file import read_bounded
from mcp_bindgen.calling.connection import Server
from mcp_bindgen.errors import BindgenError, parser_message

_TABLES = ("mcpServers", "servers")
"""Members that hold the servers by name: ``servers`` in the mcp.json of VS Code, ``mcpServers`` everywhere else."""
_HTTP = ("http", "streamable-http", "streamableHttp", "sse")
_MOST = 1 << 20
"""Bytes of a configuration file."""
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}")
"""``${NAME}``, ``${NAME:-default}`` and ``${env:NAME}``."""


def read_server(file: Path, name: str, environment: Mapping[str, str]) -> Server:
    """Return the server that a configuration file calls ``name``.

    ``environment`` has the variables that the file refers to as ``${NAME}``. Raise `BindgenError` if the file, the server
    or one of these variables is missing or invalid.
    """
    return read_servers(file, [name], environment)[name]


def read_servers(file: Path, names: Sequence[str], environment: Mapping[str, str]) -> dict[str, Server]:
    """Return the servers that a configuration file calls by these names, or all for no names; raise as ``read_server``."""
    servers = _servers(file)
    if not (servers or names):
        message = f"{file} has no servers"
        raise BindgenError(message)
    for name in names:
        if name not in servers:
            near = catalog.nearest(name, servers, 1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(servers) or 'none'}"
            message = f"{file} has no server {name!r}; {hint}"
            raise BindgenError(message)
    return {
        name: _Entry(f"{file}, server {name!r}", servers[name], environment).server()
        for name in dict.fromkeys(names or servers)
    }


def _servers(file: Path) -> dict[str, Any]:
    data = read_bounded(file, _MOST, "configuration files")
    try:
        document: Any = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        message = f"{file} is not JSON: {parser_message(problem)}"
        raise BindgenError(message) from problem
    tables: Mapping[str, Any] = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    for key in _TABLES:
        if isinstance(tables.get(key), dict):
            return cast("dict[str, Any]", tables[key])
    message = f'{file} lists no servers; write {{"mcpServers": {{"NAME": {{"command": "…", "args": []}}}}}}'
    raise BindgenError(message)


class _Entry:
    """The entry of one server."""

    def __init__(self, where: str, entry: Any, environment: Mapping[str, str]) -> None:
        self._where = where
        self._environment = environment
        if not isinstance(entry, dict):
            self._refuse("must be an object with 'command' or 'url'", entry)
        self._entry = cast("dict[str, Any]", entry)

    def server(self) -> Server:
        """Return the server."""
        url = self._text("url") or self._text("serverUrl")
        command = self._text("command")
        if (url is None) == (command is None):
            self._refuse("must have either 'command' or 'url'", sorted(self._entry))
        kind = self._text("type") or ("stdio" if url is None else "http")
        if url is None and kind != "stdio":
            self._refuse("'type' must be stdio", kind)
        if url is not None and kind not in _HTTP:
            self._refuse(f"'type' must be one of {', '.join(_HTTP)}", kind)
        if url is not None:
            return Server(url=url, headers=self._texts("headers"))
        arguments: Any = self._entry.get("args") or []
        if not isinstance(arguments, list):
            self._refuse("'args' must be an array of strings", arguments)
        words = [self._string("args", each) for each in cast("list[object]", arguments)]
        environment, folder = self._texts("env"), self._text("cwd")
        return Server([command or "", *words], environment=environment, folder=folder, entry=self._where)

    def _text(self, key: str) -> str | None:
        found = self._entry.get(key)
        return None if found is None else self._string(key, found)

    def _texts(self, key: str) -> dict[str, str]:
        found: Any = self._entry.get(key) or {}
        if not isinstance(found, dict):
            self._refuse(f"{key!r} must be an object of strings", found)
        return {name: self._string(key, each) for name, each in cast("dict[str, Any]", found).items()}

    def _string(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            self._refuse(f"{key!r} must contain strings only", value)
        return _VARIABLE.sub(self._expand(key), value)

    def _expand(self, key: str) -> Callable[[re.Match[str]], str]:
        def value_of(found: re.Match[str]) -> str:
            name, default = found[1], found[2]
            value = self._environment.get(name) or default
            if value is None:
                state = "empty" if name in self._environment else "not set"
                message = f"{self._where}: {key!r} needs the environment variable {name}, which is {state}"
                raise BindgenError(message)
            return value

        return value_of

    def _refuse(self, expected: str, found: Any) -> NoReturn:
        shown = json.dumps(found, ensure_ascii=False, default=str)
        message = f"{self._where}: {expected}, got {shown if len(shown) <= 60 else f'{shown[:59]}…'}"
        raise BindgenError(message)
