"""Comparison of a server's tools with a lock that ``mcp-codegen tools snapshot`` has written.

Tools are compared by their digests, so that every change counts, also one of a description alone, and no schema needs to be
understood. ``mcp-codegen tools check`` judges whether a change breaks callers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from weakref import ref

from ..errors import ConnectionClosed, McpError, ProtocolError, ToolsChanged, UsageError
from ..logs import log_warning
from .lenient_lists import LIST_TOOLS, items_by_name, list_as_json
from .tool_digest import tool_digest

if TYPE_CHECKING:
    from .feature_client import FeatureClient

Drift: TypeAlias = Literal["ignore", "warn", "error"]

_FORMAT = "mcp-tools-lock/1"
_MAX_BYTES = 64 << 20
_MAX_TOOLS = 20_000
"""Limit on the tools of one list that a client compares with its `tools_lock`, because a server may send pages without
end. `mcp-codegen tools snapshot` has the same limit.
"""


class TooManyTools(ProtocolError):
    """The server lists more tools than are compared with a lock."""


class ToolsLock:
    """The digests of a lock. Raise ``UsageError`` if the file cannot be read, and for an unknown ``drift``."""

    def __init__(self, path: str | PathLike[str], drift: Drift) -> None:
        if drift not in ("ignore", "warn", "error"):
            text = f"`drift` must be 'ignore', 'warn' or 'error', got {drift!r}"
            raise UsageError(text)
        self._drift = drift
        self._path = fspath(path)
        self._digests = _read(self._path)

    def check(self, client: FeatureClient) -> None:
        """Compare the tools of a connected client. Raise ``ToolsChanged``, or log a warning, if they differ.

        Do the same with the error for a list that cannot be compared: one of more than 20,000 tools, say. A list that does
        not match the schema of the revision is compared as it is, with a warning.
        """
        try:
            found = _listed(client)
        except ConnectionClosed:
            raise
        except McpError as fault:
            if self._drift == "error":
                raise
            log_warning("%s", self._failure(fault))
            return
        changed = [name for name, digest in found.items() if self._digests.get(name, digest) != digest]
        added = [name for name in found if name not in self._digests]
        removed = [name for name in self._digests if name not in found]
        if not (changed or added or removed):
            return
        error = ToolsChanged(self._path, changed=changed, added=added, removed=removed)
        if self._drift == "error":
            raise error
        log_warning("%s", error)

    def _failure(self, fault: McpError) -> str:
        return f"the tools could not be compared with {self._path}: {fault}"

    def on_change(self, client: FeatureClient, callback: Callable[[], object] | None) -> Callable[[], object]:
        """Return a callback for changes of the list, which compares it and then calls ``callback``.

        With ``drift="error"`` a difference closes the connection, and running and later calls fail with it. So does a list
        that cannot be read: nobody knows what the tools are then.
        """
        # The client holds its callbacks, and must end without references.
        reference = ref(client)

        def compare() -> None:
            known: Any = reference()
            if known is not None:
                try:
                    self.check(known)
                except ConnectionClosed:
                    # Nothing is left to compare; the callback may still want to know.
                    pass
                except McpError as error:
                    known.connection.close(why=str(error) if isinstance(error, ToolsChanged) else self._failure(error))
            if callback is not None:
                callback()

        return compare


def _listed(client: FeatureClient) -> Mapping[str, str]:
    declared = client.connection.session.peer_capabilities
    # Capabilities that the client did not ask for are unknown.
    if declared is not None and not client.binding.declares(declared, "tools"):
        return {}
    tools = list_as_json(client, LIST_TOOLS, _MAX_TOOLS + 1, lambda text: log_warning("%s", text))
    if len(tools) > _MAX_TOOLS:
        text = (
            f"the server lists more than {_MAX_TOOLS:,} tools, which are not compared with `tools_lock`; "
            "pass drift='ignore' to use the server without the comparison"
        )
        raise TooManyTools(text)
    return {name: tool_digest(tool) for name, tool in items_by_name(tools, "tools", "tool").items()}


def _read(path: str) -> dict[str, str]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - no module for paths is imported for one file
            document: Any = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError) as problem:
        text = f"`tools_lock` cannot be read: {path}: {problem}; write it with mcp-codegen tools snapshot"
        raise UsageError(text) from problem
    members: dict[str, Any] = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    digests: Any = members.get("digests")
    if not isinstance(digests, dict) or members.get("format") != _FORMAT:
        text = f"`tools_lock` must be a file of the format {_FORMAT}: {path}; write it with mcp-codegen tools snapshot"
        raise UsageError(text)
    return {str(name): str(digest) for name, digest in cast("dict[str, Any]", digests).items()}
