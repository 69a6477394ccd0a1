"""The tools of a connected server as every adapter needs them: names, schemas as JSON, and results as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple, cast

from ..client.any_client import AnyClient
from ..errors import UsageError
from ..features.lenient_lists import LIST_TOOLS, list_as_json
from ..logs import log_warning


class ServerTool(NamedTuple):
    """A tool of a server."""

    client: AnyClient
    name: str
    description: str
    schema: dict[str, Any]
    """The JSON Schema of its arguments."""

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The schemas of its arguments by name."""
        found: dict[str, Any] = self.schema.get("properties") or {}
        return {name: schema if isinstance(schema, dict) else {} for name, schema in found.items()}

    @property
    def required(self) -> frozenset[str]:
        """The names of the arguments that a call must have."""
        return frozenset(self.schema.get("required") or ())

    def call(self, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """Call the tool; return the text of its result, for a language model, and the result.

        The text of a result without text is its structured content. Optional arguments that are None are left out. Raise
        the errors of ``call_tool``.
        """
        wanted = {name: value for name, value in arguments.items() if value is not None or name in self.required}
        result = self.client.call_tool(self.name, wanted or None)
        text: str = result.text
        if not text and not result.is_error:
            data = result.data
            text = "" if data is None else json.dumps(data, ensure_ascii=False)
        return text, result


def server_tools(client: AnyClient) -> Iterator[ServerTool]:
    """Yield the tools of the server that a client is connected to, those of all pages.

    A list that does not match the schema is used as it is, with a warning in the log, but without tools that have no name.
    """
    any_client: Any = client
    for item in list_as_json(any_client, LIST_TOOLS, None, lambda text: log_warning("%s", text)):
        tool = _as_object(item)
        name, description = tool.get("name"), tool.get("description")
        if isinstance(name, str):
            schema = {"type": "object", **_as_object(tool.get("inputSchema"))}
            yield ServerTool(client, name, description if isinstance(description, str) else "", schema)


def _as_object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def import_library(module: str, distribution: str) -> Any:
    """Return a module of another project; raise ``UsageError`` if that is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        message = f"this adapter needs {distribution}; run: pip install {distribution}"
        raise UsageError(message) from error
