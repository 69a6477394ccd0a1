"""msgspec: from bytes directly to hand-written Structs, in C, by a decoder for the known kind of message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import msgspec

from benchmarks.contenders import Work
from benchmarks.contenders.struct_types import MESSAGES
from benchmarks.corpus import Message


class Structs:
    """One revision; a decoder for each message of the corpus."""

    def __init__(self, revision: str) -> None:
        self._types = MESSAGES[revision]

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(self._types[message.name]).decode
        return decode

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        return msgspec.json.Encoder().encode

    def other(self, work: str, message: Message) -> Work:
        raise LookupError(work)

    def versions(self) -> Mapping[str, str]:
        return {"msgspec": version("msgspec")}


def make(name: str, revision: str) -> Structs:
    return Structs(revision)
