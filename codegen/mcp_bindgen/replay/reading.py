"""Reading of recordings that are to be replayed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcp_bindings_runtime.replay.recording import RecordedMessage

from mcp_bindgen.errors import BindgenError
from mcp_bindgen.validate import validate
from mcp_bindgen.validate.entries import Entry
from mcp_bindgen.validate.limits import Limits
from mcp_bindgen.validate.options import AUTO
from mcp_bindgen.validate.source_reader import read
from mcp_bindgen.validate.sources import find

_SHOWN = 10
"""Number of findings that an error shows."""


def read_valid(path: str, revision: str | None) -> list[RecordedMessage]:
    """Return the messages of a recording that ``mcp-codegen validate`` accepts.

    Raise ``BindgenError`` for a recording that cannot be read or is not valid; it lists the findings.
    """
    if path == "-":
        text = "a recording is read twice, so standard input cannot be replayed; pass a file"
        raise BindgenError(text)
    report = validate(path, version=revision or AUTO)
    errors = [str(finding) for finding in report if finding.level == "error"]
    if report.failures:
        raise BindgenError("\n".join(report.failures))
    if errors:
        rest = [f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else []
        text = "\n".join([f"{path} is not a valid recording; see mcp-codegen validate {path}", *errors[:_SHOWN], *rest])
        raise BindgenError(text)
    return list(_messages(path))


def _messages(path: str) -> Iterator[RecordedMessage]:
    for source in find([path]):
        for entry in read(source, Limits()):
            if not isinstance(entry, Entry):
                continue
            values: list[Any] = entry.value if entry.value.__class__ is list else [entry.value]
            for value in values:
                if value.__class__ is dict:
                    yield RecordedMessage(value, entry.sender, entry.conversation, str(entry.place))
