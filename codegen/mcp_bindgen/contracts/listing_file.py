"""Listings from files: a lock, the output of ``call list --json``, a ``tools/list`` result or response, or a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from mcp_bindgen.calling.bounded_file import read_bounded
from mcp_bindgen.contracts.contract import KINDS, Listing
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.syntax.jsonschema.json_text import MAX_BYTES, read_json
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object
from mcp_bindgen.validate import Limits
from mcp_bindgen.validate.entries import Entry
from mcp_bindgen.validate.source_reader import read
from mcp_bindgen.validate.sources import find

_METHODS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""Methods by which clients list, each with the member of its result that has the items."""

_METHOD_NOT_FOUND = -32601

_MEMBERS = {**{kind: kind for kind in KINDS}, "templates": "resourceTemplates"}
"""Members of documents that hold items, with their kinds."""


def read_listing(file: Path) -> Listing:
    """Return the listing of a file. Raise `BindgenError` if it cannot be read, or has no list of tools."""
    data = read_bounded(file, MAX_BYTES, "lists of tools")
    name = str(file)
    if file.suffix.lower() not in {".jsonl", ".ndjson", ".log"}:
        found = _document(read_json(data, name), name)
        if found is not None:
            return found
    found = _recorded(file)
    if found is None:
        message = (
            f"{name} has no list of tools; pass a lock that `mcp-codegen tools snapshot` has written, the result of "
            "tools/list, or a recording that contains it"
        )
        raise BindgenError(message)
    return found


def _document(value: Any, name: str) -> Listing | None:
    """Return the listing in one JSON document; None if it is none."""
    if is_array(value):
        is_list = bool(value) and all(isinstance(each, dict) and "inputSchema" in each for each in value)
        return Listing(name, lists={"tools": value}, is_checked=True) if is_list else None
    if not isinstance(value, dict):
        return None
    document = cast("dict[str, Any]", value)
    if "jsonrpc" in document and isinstance(document.get("result"), dict):
        document = cast("dict[str, Any]", document["result"])
    lists = {
        kind: cast("list[Any]", document[member])
        for member, kind in _MEMBERS.items()
        if isinstance(document.get(member), list)
    }
    if not lists:
        return None
    revision, server = document.get("revision"), document.get("server")
    return Listing(
        name,
        revision if isinstance(revision, str) else None,
        cast("Mapping[str, Any]", server) if isinstance(server, dict) else None,
        lists,
        is_checked=True,
    )


def _recorded(file: Path) -> Listing | None:
    """Return what the messages of a recording list: the last complete list of each kind, with all of its pages."""
    lists: dict[str, list[Any]] = {}
    requests: dict[Any, tuple[str, bool]] = {}
    revision: str | None = None
    server: Mapping[str, Any] | None = None
    for message in _messages(file):
        identity = message.get("id")
        if not isinstance(identity, str | int):
            continue
        if "method" in message:
            params = message.get("params")
            requests[identity] = (str(message["method"]), isinstance(params, dict) and "cursor" in params)
            named = _meta(params, "protocolVersion")
            revision = named if isinstance(named, str) else revision
            continue
        method, continues = requests.pop(identity, ("", False))
        if method in _METHODS and _lacks_method(message.get("error")):
            # Servers with resources but without templates often do not implement the method.
            lists.setdefault(_METHODS[method], [])
        result = message.get("result")
        if not isinstance(result, dict):
            continue
        answer = cast("dict[str, Any]", result)
        about = answer.get("serverInfo", _meta(answer, "serverInfo"))
        if isinstance(about, dict):
            server = cast("Mapping[str, Any]", about)
            revision = str(answer["protocolVersion"]) if "protocolVersion" in answer else revision
        kind = _METHODS.get(method)
        if kind is not None and isinstance(answer.get(kind), list):
            items = cast("list[Any]", answer[kind])
            lists[kind] = [*lists.get(kind, []), *items] if continues else items
    return Listing(str(file), revision, server, lists) if "tools" in lists else None


def _meta(value: Any, name: str) -> Any:
    """Return an entry of ``_meta`` by which stateless messages introduce their sender (2026-07-28); None without it."""
    meta: Any = value.get("_meta") if is_object(value) else None
    return meta.get(f"io.modelcontextprotocol/{name}") if is_object(meta) else None


def _lacks_method(error: Any) -> bool:
    return is_object(error) and error.get("code") == _METHOD_NOT_FOUND


def _messages(file: Path) -> Iterator[dict[str, Any]]:
    for source in find([file]):
        for each in read(source, Limits()):
            if isinstance(each, Entry):
                values = each.value if is_array(each.value) else [each.value]
                yield from (value for value in values if is_object(value))
