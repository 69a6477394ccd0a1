"""Messages of recorded sessions, and the findings of `validate` about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp_bindgen.validate import Finding, Report, validate

Json = Any

WHO = {"name": "x", "version": "1"}


def request(method: str, number: Json = 1, **params: Json) -> dict[str, Json]:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return {**message, "params": params} if params else message


def notification(method: str, **params: Json) -> dict[str, Json]:
    message = {"jsonrpc": "2.0", "method": method}
    return {**message, "params": params} if params else message


def result(number: Json = 1, **members: Json) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": number, "result": members}


def failure(number: Json = 1, code: Json = -32603, message: Json = "no") -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def opening(revision: str = "2025-06-18", number: Json = 0) -> list[dict[str, Json]]:
    """Return the handshake of a session."""
    return [
        request("initialize", number, protocolVersion=revision, capabilities={}, clientInfo=WHO),
        result(number, protocolVersion=revision, capabilities={"tools": {}}, serverInfo=WHO),
        notification("notifications/initialized"),
    ]


def text_of(*messages: Json) -> str:
    """Return one line for each message; strings are unchanged."""
    return "".join(f"{each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)}\n" for each in messages)


def recorded(folder: Path, *messages: Json, name: str = "session.jsonl", **options: Json) -> Report:
    """Return the report on a file with these lines."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(*messages), encoding="utf-8", newline="")
    return validate(path, **options)


def shown(findings: Any, *, notes: bool = False) -> list[str]:
    """Return line, path and message of each finding."""
    return [line_of(each) for each in findings if notes or each.level != "note"]


def line_of(finding: Finding) -> str:
    where = "" if finding.place.line is None else f"{finding.place.line}: "
    return f"{where}{finding.path}: {finding.message}"
