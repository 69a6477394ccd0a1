"""What a side says of itself: who it is, and what it declares, from what it handles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .binding import OTHER, Binding
from .errors import UsageError
from .methods import Side


def declared_by(
    binding: Binding,
    side: Side,
    methods: Iterable[str],
    *,
    more: Any = None,
    logging: bool = False,
    also: Iterable[str] = (),
) -> Any:
    """The capabilities, an object of the revision, of a side that handles these methods.

    Who offers a list may say that it has changed, so that is declared with it. ``more`` is an object of capabilities
    that is laid over the rest, ``logging`` whether the side sends log messages, ``also`` are dotted paths of what it has
    besides.
    """
    cls = binding.types.ServerCapabilities if side == "server" else binding.types.ClientCapabilities
    declared: dict[str, Any] = {}
    for method in sorted(methods):
        key = binding.requests.get(method)
        if key is not None and key.capability is not None:
            _declare(binding, declared, key.capability)
    if logging and "logging" in cls.__slots__:
        _declare(binding, declared, "logging")
    for path in also:
        _declare(binding, declared, path)
    for path in sorted(_announcements(binding, side)):
        if path.partition(".")[0] in declared:
            _declare(binding, declared, path)
    if more is not None:
        if not isinstance(more, cls):
            text = f"capabilities is {more!r}; accepted is a {cls.__name__} of {binding.revision}"
            raise UsageError(text)
        _lay_over(declared, binding.codec.unstructure(more))
    return binding.codec.structure(declared, cls)


def introduction(binding: Binding, name: str, version: str, title: str | None) -> Any:
    """Who a side says it is, an object of the revision.

    Raises UsageError for what is no text, and for a title where there are none.
    """
    cls = binding.types.Implementation
    texts: dict[str, object] = {"name": name, "version": version, "title": title or ""}
    for member, given in texts.items():
        if not isinstance(given, str):
            text = f"the {member} is {given!r}; give a text, such as {str(given)!r}"
            raise UsageError(text)
    if title is None:
        return cls(name=name, version=version)
    if "title" not in cls.__slots__:
        message = f"servers of {binding.revision} have no title; it exists from 2025-06-18 on"
        raise UsageError(message)
    return cls(name=name, version=version, title=title)


def check_paths(binding: Binding, side: Side, paths: Iterable[str]) -> None:
    """Raises UsageError for a dotted path that names nothing which a side could declare in the revision."""
    known = binding.capabilities[side]
    above = {path.rpartition(".")[0] for path in known}
    for path in paths:
        parts = path.split(".")
        prefixes = (".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
        deepest = next((prefix for prefix in prefixes if prefix in known), None)
        # What has no members of its own is open.
        open_below = deepest is not None and deepest not in above and deepest not in binding.switches
        if path not in known and not open_below:
            text = f"{binding.revision} has no capability {path!r} of a {side}; it has {', '.join(sorted(known))}"
            raise UsageError(text)


def _announcements(binding: Binding, side: Side) -> set[str]:
    """Capabilities that a side needs in order to tell of changes, and which no request of the other side asks for."""
    asked = {key.capability for key in binding.requests.values() if OTHER[side] in key.sent_by}
    told = {
        key.capability
        for key in binding.notifications.values()
        if side in key.sent_by and key.capability_of == "sender"
    }
    return {path for path in told - asked if path is not None and "." in path}


def _declare(binding: Binding, declared: dict[str, Any], path: str) -> None:
    *parents, leaf = path.split(".")
    for parent in parents:
        declared = declared.setdefault(parent, {})
    declared.setdefault(leaf, True if path in binding.switches else {})


def _lay_over(declared: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        below: Any = declared.get(key)
        if below.__class__ is dict and value.__class__ is dict:
            _lay_over(below, value)
        else:
            declared[key] = value
