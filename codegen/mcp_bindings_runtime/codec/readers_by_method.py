"""The emitted functions that read messages, by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .checks import Invalid


class ReadersByMethod(dict[str, Callable[[Any], Any]]):
    """The functions for the requests that one side may send, or for its notifications, by method.

    An unknown method has the function of the envelope, unless it is one of ``others``: the notifications for these
    requests, or the requests for these notifications. ``functions`` maps classes to functions; ``envelope`` is None
    where the schema declares no such class.
    """

    def __init__(self, functions: Mapping[Any, Callable[[Any], Any]], envelope: type | None) -> None:
        super().__init__()
        self._functions = functions
        self._envelope = envelope
        self._classes: dict[str, type] = {}
        self.others: Mapping[str, Callable[[Any], Any]] = {}

    def add(self, method: str, cls: type) -> None:
        """Read messages of this method as objects of this class."""
        self[method] = self._functions[cls]
        self._classes[method] = cls

    def class_of(self, method: str) -> type:
        """Return the class of messages of this method; raise Invalid where there is none."""
        cls = self._classes.get(method, self._envelope)
        if cls is None or (method not in self and method in self.others):
            raise Invalid
        return cls

    def __missing__(self, method: str) -> Callable[[Any], Any]:
        return self._functions[self.class_of(method)]
