"""Images and sounds as bytes, and how to tell of what type they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..errors import UsageError

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
"""Offset, bytes that are there, media type."""


def media_type(data: bytes) -> str | None:
    """The media type that the first bytes tell; None where they do not."""
    for offset, magic, kind in _MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return kind
    return None


class _Media:
    """Bytes of a media type. ``annotations`` is an object of the revision's ``Annotations``."""

    __slots__ = ("annotations", "data", "mime_type")
    kind: Literal["image", "audio"]

    def __init__(
        self, data: bytes | bytearray | memoryview, mime_type: str | None = None, *, annotations: Any = None
    ) -> None:
        self.data = bytes(data)
        found = mime_type or media_type(self.data)
        if found is None or (mime_type is None and not found.startswith(self.kind)):
            article = "an" if self.kind[0] in "ai" else "a"
            text = f"the first bytes are not those of {article} {self.kind} that is known here; pass mime_type="
            raise UsageError(text)
        self.mime_type = found
        self.annotations = annotations

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self.data)} bytes, {self.mime_type!r})"


class Image(_Media):
    """An image that a tool or a prompt gives: bytes, and their media type, by default what the first of them tell.

    Raises UsageError where they do not tell: PNG, JPEG, GIF, WebP, BMP, TIFF, AVIF and HEIC are known.
    """

    __slots__ = ()
    kind = "image"


class Audio(_Media):
    """A sound that a tool or a prompt gives: bytes, and their media type, by default what the first of them tell.

    Raises UsageError where they do not tell: WAV, MP3, Ogg, FLAC, M4A, AAC and AIFF are known.
    """

    __slots__ = ()
    kind = "audio"
