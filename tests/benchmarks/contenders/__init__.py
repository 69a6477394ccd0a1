"""Those who read and write the same messages, each run by ``worker`` in an environment of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from benchmarks.corpus import Message


class Work(NamedTuple):
    """One thing to measure: ``function(argument)``, which may be called again and again."""

    function: Callable[[Any], Any]
    argument: Any


class Contender(Protocol):
    """One way to read and write the messages of one revision."""

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        """From bytes to what a program works with; what kind of message it is, is known."""
        ...

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        """From what the decoder gave to the bytes of a message."""
        ...

    def other(self, work: str, message: Message) -> Work:
        """What else can be measured here, by its name; raises LookupError for a name that is not known."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Versions of the distributions in use."""
        ...


MODULES = {
    "fast": "bindings",
    "standard": "bindings",
    "peer": "official",
    "structs": "structs",
    "cattrs": "stock_cattrs",
    "bare": "bare",
}
"""Contender to the module of this package that has it."""


def load(name: str, revision: str) -> Contender:
    """The contender of that name; raises ImportError where what it needs is not installed."""
    module = import_module(f"benchmarks.contenders.{MODULES[name]}")
    made: Contender = module.make(name, revision)
    return made
