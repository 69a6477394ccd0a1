"""What functions return, as content: text, images and sounds, ready-made blocks, or JSON for all else."""

from __future__ import annotations

import json
from typing import Any

from ..binding import Binding
from ..errors import UsageError
from .json_values import to_json
from .media import Audio, Image, media_type

BYTES = (bytes, bytearray, memoryview)


class Contents:
    """Makes content blocks of one revision."""

    def __init__(self, binding: Binding) -> None:
        self._types = binding.types
        self._revision = binding.revision
        self.blocks: tuple[type, ...] = tuple(getattr(binding.types, name) for name in binding.facts.content_blocks)
        """The classes of content blocks that the revision has."""
        self.classes: tuple[type, ...] = (*self.blocks, Image, Audio, *BYTES)
        """What becomes a block that is no text."""

    def of(self, value: Any) -> list[Any]:
        """The blocks that a value is: none for None, those of each item for a list that has blocks, else one.

        Raises UsageError for bytes that are neither image nor sound, and for a kind of content that the revision does
        not have; MismatchError for what is not to be written as JSON.
        """
        if value is None:
            return []
        if value.__class__ is str:
            return [self.text(value)]
        if isinstance(value, self.classes):
            return [self._block(value)]
        if value.__class__ in (list, tuple) and any(isinstance(item, self.classes) for item in value):
            return [block for item in value for block in self.of(item)]
        return [self.text(as_text(to_json(value)))]

    def text(self, text: str) -> Any:
        """A block of text."""
        return self._types.TextContent(text=text)

    def _block(self, value: Any) -> Any:
        if isinstance(value, self.blocks):
            return value
        if value.__class__ in BYTES:
            data: bytes = b"".join((value,))
            kind = media_type(data) or ""
            if not kind:
                text = (
                    "bytes are content only where they are an image or a sound; "
                    "give Image(data, mime_type), an embedded resource or text"
                )
                raise UsageError(text)
            value = Image(data) if kind.startswith("image") else Audio(data)
        name = "ImageContent" if isinstance(value, Image) else "AudioContent"
        cls: Any = next((each for each in self.blocks if each.__name__ == name), None)
        if cls is None:
            text = f"{self._revision} has no audio content; it exists from 2025-03-26 on"
            raise UsageError(text)
        from base64 import b64encode

        encoded = b64encode(value.data).decode()
        return cls(data=encoded, mime_type=value.mime_type, annotations=value.annotations)


def as_text(value: Any) -> str:
    """JSON as the text that a language model reads: strings as they are."""
    if value.__class__ is str:
        text: str = value
        return text
    return json.dumps(value, ensure_ascii=False)
