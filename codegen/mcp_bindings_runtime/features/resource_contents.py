"""Contents of a resource for the values that functions return (Resources: Resource Contents)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from ..binding import Binding
from ..errors import UsageError
from .json_values import to_json
from .mismatch import MismatchError

_JSON = "application/json"
_TEXTUAL = frozenset({_JSON, "application/xml", "application/javascript", "application/toml"})
_SUFFIXES = ("+json", "+xml")


class ResourceContents:
    """Converts values to contents of resources of one revision."""

    def __init__(self, binding: Binding) -> None:
        self._text = binding.types.TextResourceContents
        self._blob = binding.types.BlobResourceContents

    def of(self, value: Any, uri: str, mime_type: str | None) -> list[Any]:
        """Return the contents for a value; ``uri`` and ``mime_type`` apply unless the contents have their own.

        Raise `UsageError` for a value without contents, whose text begins with "returned", and what reading a file raises.
        """
        if self._is_json_array(value, mime_type):
            return [self._json(value, uri, mime_type)]
        return list(self._each(value, uri, mime_type))

    def _is_json_array(self, value: Any, mime_type: str | None) -> bool:
        """Return whether a list is one JSON text, and not a list of contents."""
        if not isinstance(value, list | tuple):
            return False
        items = cast("Sequence[Any]", value)
        if not items:
            return _is_json(mime_type)
        if any(isinstance(each, bytes | bytearray | Path | self._text | self._blob) for each in items):
            return False
        return _is_json(mime_type) or not all(isinstance(each, str | list | tuple) for each in items)

    def _json(self, value: Any, uri: str, mime_type: str | None) -> Any:
        try:
            text = json.dumps(to_json(value), ensure_ascii=False)
        except MismatchError as fault:
            message = f"returned {value.__class__.__name__}, which is neither contents nor JSON: {fault}"
            raise UsageError(message) from None
        return self._text(uri=uri, text=text, mime_type=mime_type or _JSON)

    def _each(self, value: Any, uri: str, mime_type: str | None) -> Iterator[Any]:
        if isinstance(value, list | tuple):
            for each in cast("Sequence[Any]", value):
                yield from self._each(each, uri, mime_type)
        elif isinstance(value, self._text | self._blob):
            yield value
        elif isinstance(value, str):
            yield self._text(uri=uri, text=value, mime_type=mime_type)
        elif isinstance(value, bytes | bytearray):
            yield self._binary(bytes(value), uri, mime_type)
        elif isinstance(value, Path):
            yield self._file(value, uri, mime_type or self.media_type_of(value))
        elif value is None:
            text = (
                f"returned None; return str, bytes, Path, {self._text.__name__}, "
                f"{self._blob.__name__}, a list of these, a ReadResourceResult, or a value for JSON"
            )
            raise UsageError(text)
        else:
            yield self._json(value, uri, mime_type)

    @staticmethod
    def media_type_of(file: Path) -> str | None:
        """Return the media type of a file by its name; None if unknown."""
        from mimetypes import guess_type

        return guess_type(file.name)[0]

    def _file(self, file: Path, uri: str, mime_type: str | None) -> Any:
        data = file.read_bytes()
        if mime_type is not None and _is_text(mime_type):
            try:
                return self._text(uri=uri, text=data.decode(), mime_type=mime_type)
            except UnicodeDecodeError:
                pass
        return self._binary(data, uri, mime_type)

    def _binary(self, data: bytes, uri: str, mime_type: str | None) -> Any:
        from base64 import b64encode

        return self._blob(uri=uri, blob=b64encode(data).decode(), mime_type=mime_type)


def _is_json(mime_type: str | None) -> bool:
    kind = (mime_type or "").partition(";")[0].strip().lower()
    return kind == _JSON or kind.endswith("+json")


def _is_text(mime_type: str) -> bool:
    kind = mime_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TEXTUAL or kind.endswith(_SUFFIXES)
