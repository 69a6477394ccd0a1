"""What functions return, as content: text, images and sounds, ready-made blocks, or JSON for all else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..binding import Binding
from ..errors import UsageError
from .json_validator import Fault, Misfit
from .media import Audio, Image, media_type
from .structures import is_structure

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
        not have; Misfit for what is not to be written as JSON.
        """
        if value is None:
            return []
        if value.__class__ is str:
            return [self.text(value)]
        if isinstance(value, self.classes):
            return [self._block(value)]
        if value.__class__ in (list, tuple) and any(isinstance(item, self.classes) for item in value):
            return [block for item in value for block in self.of(item)]
        return [self.text(as_text(as_json(value)))]

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


def as_json(value: Any) -> Any:
    """The JSON value of a value without annotation; raises Misfit."""
    if value is None or value.__class__ in (str, int, bool):
        return value
    if not is_structure(value.__class__):
        faults = list(_foreign(value, ()))
        if not faults:
            return value
    from .argument_converter import write

    made = write(value, value.__class__)
    faults = list(_foreign(made, ()))
    if faults:
        raise Misfit(faults)
    return made


def _foreign(value: Any, keys: tuple[str | int, ...]) -> Iterator[Fault]:
    """What JSON does not have inside of a value."""
    cls = value.__class__
    if value is None or cls in (str, int, bool):
        return
    if cls is float:
        if value - value != 0.0:
            yield Fault(keys, f"found {value}, expected a finite number")
    elif cls is list:
        for place, item in enumerate(value):
            yield from _foreign(item, (*keys, place))
    elif cls is dict:
        for key, item in value.items():
            if key.__class__ is not str:
                yield Fault(keys, f"found the key {key!r}, expected a str")
            else:
                yield from _foreign(item, (*keys, key))
    else:
        yield Fault(keys, f"found {cls.__name__}, which is nothing that JSON has")
