"""From what a function returns to the contents of a resource (Resources: Resource Contents)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from ..binding import Binding
from ..errors import UsageError

_TEXTUAL = frozenset({"application/json", "application/xml", "application/javascript", "application/toml"})
_SUFFIXES = ("+json", "+xml")


class Contents:
    """Makes contents of a revision."""

    def __init__(self, binding: Binding) -> None:
        self._text = binding.types.TextResourceContents
        self._blob = binding.types.BlobResourceContents

    def of(self, given: Any, uri: str, mime_type: str | None) -> list[Any]:
        """The contents that a value stands for; ``uri`` and ``mime_type`` are theirs where they do not say so themselves.

        Raises UsageError for a value that stands for none, and what reading a file raises.
        """
        return list(self._each(given, uri, mime_type))

    def _each(self, given: Any, uri: str, mime_type: str | None) -> Iterator[Any]:
        if isinstance(given, list | tuple):
            for each in cast("Sequence[Any]", given):
                yield from self._each(each, uri, mime_type)
        elif isinstance(given, self._text | self._blob):
            yield given
        elif isinstance(given, str):
            yield self._text(uri=uri, text=given, mime_type=mime_type)
        elif isinstance(given, bytes | bytearray):
            yield self._binary(bytes(given), uri, mime_type)
        elif isinstance(given, Path):
            yield self._file(given, uri, mime_type or self.kind_of(given))
        else:
            text = (
                f"{uri}: the function has given a {given.__class__.__name__}; accepted are str, bytes, Path, "
                f"{self._text.__name__}, {self._blob.__name__}, a list of these, and a ReadResourceResult"
            )
            raise UsageError(text)

    @staticmethod
    def kind_of(file: Path) -> str | None:
        """The media type of a file, by its name; None where that does not say."""
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
