"""Content blocks for the values that functions return: text, images, sounds, blocks, and JSON for all else.

The classes of blocks come from the schema of the revision (``facts.content_blocks``).
"""

from __future__ import annotations

import json
from typing import Any

from ..binding import Binding
from ..codec.unknown_content import UnknownContent
from ..errors import UsageError
from .json_values import to_json
from .media import Audio, Image, media_type

BYTES = (bytes, bytearray, memoryview)


class ContentConverter:
    """Converts values to content blocks of one revision."""

    def __init__(self, binding: Binding) -> None:
        self._types = binding.types
        self._revision = binding.revision
        declared = (getattr(binding.types, name) for name in binding.facts.content_blocks)
        # Gateways return blocks that their client has received.
        self.blocks: tuple[type, ...] = (*declared, UnknownContent)
        """The classes of content blocks."""
        self.classes: tuple[type, ...] = (*self.blocks, Image, Audio, *BYTES)
        """The classes of values that become a block other than text."""

    def of(self, value: Any) -> list[Any]:
        """Return the blocks for a value: none for None, those of all items for a list that contains blocks, else one.

        Raise `UsageError` for bytes that are neither image nor sound and for content that the revision does not have, and
        `MismatchError` for a value without JSON.
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
        """Return a text block."""
        return self._types.TextContent(text=text)

    def _block(self, value: Any) -> Any:
        if isinstance(value, self.blocks):
            return value
        if value.__class__ in BYTES:
            data: bytes = b"".join((value,))
            kind = media_type(data) or ""
            if not kind:
                text = (
                    "bytes must be an image or a sound to be content; "
                    "use Image(data, mime_type), an embedded resource or text"
                )
                raise UsageError(text)
            value = Image(data) if kind.startswith("image") else Audio(data)
        name = "ImageContent" if isinstance(value, Image) else "AudioContent"
        cls: Any = next((each for each in self.blocks if each.__name__ == name), None)
        if cls is None:
            text = f"{self._revision} has no audio content, which exists from 2025-03-26 on"
            raise UsageError(text)
        from base64 import b64encode

        encoded = b64encode(value.data).decode()
        return cls(data=encoded, mime_type=value.mime_type, annotations=value.annotations)


def as_text(value: Any) -> str:
    """Return a JSON value as text for language models: strings unchanged."""
    if value.__class__ is str:
        text: str = value
        return text
    return json.dumps(value, ensure_ascii=False)
