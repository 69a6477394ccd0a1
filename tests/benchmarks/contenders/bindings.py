"""These bindings, by their public functions; the environment determines whether orjson is used."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from benchmarks.contenders import Work
from benchmarks.contenders.replay import replay
from benchmarks.corpus import Message


class Bindings:
    """``decode`` with the methods of open requests, and ``encode``."""

    def __init__(self, revision: str, *, fast: bool) -> None:
        self._mcp: Any = import_module("mcp_bindings.v" + revision.replace("-", "_"))
        self._fast = fast
        self._parse: Callable[[bytes], Any]
        self._print: Callable[[Any], Any]
        if fast:
            orjson: Any = import_module("orjson")
            self._parse, self._print = orjson.loads, orjson.dumps
        else:
            raw_decode = json.JSONDecoder().raw_decode
            self._parse, self._print = lambda data: raw_decode(data.decode())[0], json.dumps

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        decode: Callable[..., Any] = self._mcp.decode
        if message.answers is None:
            return decode
        return functools.partial(decode, results={message.id: self._mcp.methods.REQUESTS[message.answers]})

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        encode: Callable[[Any], bytes] = self._mcp.encode
        return encode

    def other(self, work: str, message: Message) -> Work:
        """Return a part of decoding or encoding.

        ``parse`` and ``print`` are the bare parser and printer; ``read`` converts the parser's result, and ``objects``
        and ``lookups`` are the works of ``replay`` for it.
        """
        if work == "parse":
            return Work(self._parse, message.data)
        value = json.loads(message.data)
        if work == "print":
            return Work(self._print, value)
        made = self.decoder(message)(message.data)
        if message.answers is None:
            methods: Any = {**self._mcp.methods.REQUESTS, **self._mcp.methods.NOTIFICATIONS}
            read = functools.partial(_structure, self._mcp.converter.structure, methods[message.method].message)
        else:
            read = functools.partial(self._mcp.decode_result, self._mcp.methods.REQUESTS[message.answers])
            made, value = made.result, value["result"]
        if work == "read":
            return Work(read, value)
        objects, lookups = replay(made, value)
        return Work({"objects": objects, "lookups": lookups}[work], None)

    def versions(self) -> Mapping[str, str]:
        return {name: version(name) for name in ("orjson",) if self._fast}


def _structure(structure: Callable[[Any, Any], Any], kind: type, value: Any) -> Any:
    return structure(value, kind)


def make(name: str, revision: str) -> Bindings:
    """Return the contender; raise ImportError if orjson is missing or, for the standard library alone, installed."""
    installed = find_spec("orjson") is not None
    if installed != (name == "fast"):
        message = f"{name!r} is to be measured {'with' if name == 'fast' else 'without'} orjson"
        raise ImportError(message)
    return Bindings(revision, fast=installed)
