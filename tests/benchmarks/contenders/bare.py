"""The standard library alone: bytes to dicts and back, without types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.contenders import Work
from benchmarks.corpus import Message

_raw_decode = json.JSONDecoder().raw_decode


class Bare:
    """``json.loads`` and ``json.dumps`` unchanged; the latter returns a str with blanks, its fastest form."""

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        return json.loads

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        return lambda value: json.dumps(value).encode()

    def other(self, work: str, message: Message) -> Work:
        """Return reading with a decoder of its own, or writing without the conversion to bytes."""
        if work == "raw decode":
            return Work(_read_raw, message.data)
        if work == "dumps":
            return Work(json.dumps, json.loads(message.data))
        raise LookupError(work)

    def versions(self) -> Mapping[str, str]:
        return {}


def _read_raw(data: bytes) -> Any:
    return _raw_decode(data.decode())[0]


def make(name: str, revision: str) -> Bare:
    return Bare()
