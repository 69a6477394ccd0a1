"""Contenders that read and write the same messages, each run by ``worker`` in an environment of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from benchmarks.corpus import Message


class Work(NamedTuple):
    """One work to measure: ``function(argument)``, which may be called repeatedly."""

    function: Callable[[Any], Any]
    argument: Any


class Contender(Protocol):
    """One way to read and write the messages of one revision."""

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        """Return the work that reads bytes into typed values, when the kind of the message is known."""
        ...

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        """Return the work that writes the decoder's result as bytes."""
        ...

    def other(self, work: str, message: Message) -> Work:
        """Return another work by name; raise LookupError for an unknown name."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the distributions in use."""
        ...


MODULES = {
    "fast": "bindings",
    "standard": "bindings",
    "peer": "official",
    "structs": "structs",
    "cattrs": "stock_cattrs",
    "bare": "bare",
}
"""Modules of this package by contender."""


def load(name: str, revision: str) -> Contender:
    """Return the contender of that name; raise ImportError if a requirement is missing."""
    module = import_module(f"benchmarks.contenders.{MODULES[name]}")
    made: Contender = module.make(name, revision)
    return made
