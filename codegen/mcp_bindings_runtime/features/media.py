"""Images and sounds as bytes, and their media types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Literal

from ..errors import UsageError
from ..foreign_names import ARGUMENTS_OF_MEDIA, explain_calls

_MAGIC: Sequence[tuple[int, bytes, str]] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftypM4A", "audio/mp4"),
    (0, b"\xff\xf1", "audio/aac"),
    (8, b"AIFF", "audio/aiff"),
)
"""Offset, bytes at that offset, media type."""


def media_type(data: bytes) -> str | None:
    """Return the media type by the first bytes of a file; None if they are unknown."""
    for offset, magic, kind in _MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return kind
    return None


class _Media:
    """Bytes with a media type; ``annotations`` is an object of the revision's ``Annotations``."""

    __slots__ = ("annotations", "data", "mime_type")
    kind: Literal["image", "audio"]

    @explain_calls(ARGUMENTS_OF_MEDIA)
    def __init__(
        self, data: bytes | bytearray | memoryview, mime_type: str | None = None, *, annotations: Any = None
    ) -> None:
        value: Any = data
        if isinstance(value, str | PurePath):
            text = (
                f"{type(self).__name__} needs bytes, got {value!r}; for a file, pass Path({str(value)!r}).read_bytes()"
            )
            raise UsageError(text)
        self.data = bytes(data)
        found = mime_type or media_type(self.data)
        if found is None or (mime_type is None and not found.startswith(self.kind)):
            article = "an" if self.kind[0] in "ai" else "a"
            text = f"the first bytes are not those of {article} {self.kind} of a known format; pass mime_type="
            raise UsageError(text)
        self.mime_type = found
        self.annotations = annotations

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self.data)} bytes, {self.mime_type!r})"


class Image(_Media):
    """An image that a tool or prompt returns: bytes and their media type, by default detected from the first bytes.

    Raises UsageError if detection fails; the known types are PNG, JPEG, GIF, WebP, BMP, TIFF, AVIF and HEIC.
    """

    __slots__ = ()
    kind = "image"


class Audio(_Media):
    """A sound that a tool or prompt returns: bytes and their media type, by default detected from the first bytes.

    Raises UsageError if detection fails; the known types are WAV, MP3, Ogg, FLAC, M4A, AAC and AIFF.
    """

    __slots__ = ()
    kind = "audio"
