"""Results of a server as text; other content is summarised, or saved in a folder."""

from __future__ import annotations

import base64
import binascii
import json
import mimetypes
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcp_bindgen.calling import schemas
from mcp_bindgen.calling.schemas import Json
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.escaping import visible

_LONGEST = 80
"""Maximum length of a saved file's name."""
_WRAPPER = "result"
"""Some servers wrap a value that is not an object in an object with only this member, as older revisions require one."""


class Contents:
    """Converts content blocks and resources to text; other content is written to ``folder``.

    With ``plain``, for terminals, control characters are escaped. Otherwise text is unchanged.
    """

    def __init__(self, folder: Path | None, *, plain: bool) -> None:
        self._folder = folder
        self._plain = plain
        self.unsaved = 0
        """Number of contents that were summarised and not saved."""

    def of_tool(self, name: str, result: Json) -> Iterator[str]:
        """Yield the lines of a ``CallToolResult``."""
        blocks = schemas.as_list(result.get("content"))
        for block in blocks:
            yield from self._block(block, name)
        structured = result.get("structuredContent")
        # Servers repeat it as text, for clients of older revisions.
        if structured is not None and not _is_repeated(structured, blocks):
            yield from self._text(json.dumps(structured, indent=2, ensure_ascii=False))

    def of_resource(self, result: Json) -> Iterator[str]:
        """Yield the lines of a ``ReadResourceResult``."""
        parts = schemas.as_list(result.get("contents"))
        for part in parts:
            if len(parts) > 1:
                yield f"{visible(part['uri'])}:"
            yield from self._resource(part)

    def of_prompt(self, name: str, result: Json) -> Iterator[str]:
        """Yield the lines of a ``GetPromptResult``: each message below its role."""
        for message in schemas.as_list(result.get("messages")):
            yield f"{visible(message['role'])}:"
            for line in self._block(message["content"], name):
                yield from (f"  {each}" for each in line.split("\n"))

    def _block(self, block: Json, name: str) -> Iterator[str]:
        kind = block.get("type")
        if kind == "text":
            yield from self._text(block["text"])
        elif kind in {"image", "audio"}:
            yield self._bytes(kind, block["data"], block.get("mimeType"), name)
        elif kind == "resource":
            yield from self._resource(block["resource"])
        elif kind == "resource_link":
            about = ", ".join(str(block[key]) for key in ("name", "mimeType", "description") if block.get(key))
            yield visible(f"[resource {block['uri']}{f' ({about})' if about else ''}]")
        else:
            yield from self._text(json.dumps(block, indent=2, ensure_ascii=False))

    def _resource(self, part: Json) -> Iterator[str]:
        if "text" in part:
            yield from self._text(part["text"])
        else:
            yield self._bytes(
                "resource", part["blob"], part.get("mimeType"), part["uri"].rpartition("/")[2] or "resource"
            )

    def _text(self, text: str) -> Iterator[str]:
        if not self._plain:
            yield text.removesuffix("\n")
            return
        for line in text.removesuffix("\n").split("\n"):
            yield "\t".join(visible(part) for part in line.removesuffix("\r").split("\t"))

    def _bytes(self, kind: str, encoded: str, mime: str | None, name: str) -> str:
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as problem:
            return f"[{kind} with invalid base64: {problem}]"
        about = f"{kind} {visible(mime)}, {len(data)} bytes" if mime else f"{kind}, {len(data)} bytes"
        if self._folder is None:
            self.unsaved += 1
            return f"[{about}]"
        return f"[{about}: {visible(str(_save(self._folder, name, mime, data)))}]"


def _is_repeated(structured: Json, blocks: Sequence[Json]) -> bool:
    """Return whether blocks of text have the structured content: as one block, or a block for each item of a list."""
    values = [structured]
    if structured.__class__ is dict and structured.keys() == {_WRAPPER}:
        values.append(structured[_WRAPPER])
    return any(
        any(_is_text_of(block, value) for block in blocks)
        or (
            value.__class__ is list
            and bool(blocks)
            and len(blocks) == len(value)
            and all(map(_is_text_of, blocks, value))
        )
        for value in values
    )


def _is_text_of(block: Json, value: Json) -> bool:
    """Return whether a block of text is a string, or another value as JSON."""
    if block.get("type") != "text":
        return False
    try:
        return bool(block["text"] == value or json.loads(block["text"]) == value)
    except (ValueError, RecursionError):
        return False


def _save(folder: Path, name: str, mime: str | None, data: bytes) -> Path:
    """Write a new file into the folder, whatever its name is, and overwrite nothing."""
    stem = re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).strip("._-")[:_LONGEST] or "content"
    suffix = mimetypes.guess_extension((mime or "").partition(";")[0].strip()) or ""
    if suffix and stem.lower().endswith(suffix):
        stem = stem[: -len(suffix)]
    elif "." in stem and not suffix:
        stem, dot, tail = stem.rpartition(".")
        suffix = dot + tail
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            path = folder / f"{stem}{f'-{number}' if number > 1 else ''}{suffix}"
            try:
                with path.open("xb") as file:
                    file.write(data)
            except FileExistsError:
                number += 1
                continue
            return path
    except OSError as problem:
        message = f"cannot write into {str(folder)!r}: {problem.strerror}; pass a writable folder to --save"
        raise BindgenError(message) from problem
