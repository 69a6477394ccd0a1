"""The standard library alone: bytes to dicts and back, with no types at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.contenders import Work
from benchmarks.corpus import Message

_raw_decode = json.JSONDecoder().raw_decode


class Bare:
    """``json.loads`` and ``json.dumps`` as they are; the latter gives a str with blanks, which suits it best."""

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        return json.loads

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        return lambda value: json.dumps(value).encode()

    def other(self, work: str, message: Message) -> Work:
        """Reading with a decoder of one's own, and writing without the step to bytes."""
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
