"""Contents of a resource for the values that functions return (Resources: Resource Contents)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from ..binding import Binding
from ..errors import UsageError

_TEXTUAL = frozenset({"application/json", "application/xml", "application/javascript", "application/toml"})
_SUFFIXES = ("+json", "+xml")


class ResourceContents:
    """Converts values to contents of resources of one revision."""

    def __init__(self, binding: Binding) -> None:
        self._text = binding.types.TextResourceContents
        self._blob = binding.types.BlobResourceContents

    def of(self, value: Any, uri: str, mime_type: str | None) -> list[Any]:
        """Return the contents for a value; ``uri`` and ``mime_type`` apply unless the contents have their own.

        Raise `UsageError` for a value of another class, and what reading a file raises.
        """
        return list(self._each(value, uri, mime_type))

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
        else:
            text = (
                f"{uri}: the function must return str, bytes, Path, {self._text.__name__}, {self._blob.__name__}, "
                f"a list of these or a ReadResourceResult, got {value.__class__.__name__}"
            )
            raise UsageError(text)

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


def _is_text(mime_type: str) -> bool:
    kind = mime_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TEXTUAL or kind.endswith(_SUFFIXES)
