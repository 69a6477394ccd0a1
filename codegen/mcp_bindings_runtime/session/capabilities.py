"""What a side says of itself: who it is, and what it declares, from what it handles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..binding import OTHER, Binding
from ..errors import DecodeError, EncodeError, UsageError
from ..methods import Side

OFFERED: Mapping[str, str] = {
    "tools": "tools/list",
    "resources": "resources/list",
    "prompts": "prompts/list",
    "completions": "completion/complete",
}
"""Capabilities of servers to the method that the registry of the same name answers."""


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
    if logging and "logging" in binding.capabilities[side]:
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


INTRODUCTION = frozenset({"title", "description", "icons", "website_url"})
"""Optional members of ``Implementation`` in any revision, by attribute."""


def introduction(binding: Binding, name: str, version: str, **more: Any) -> Any:
    """Return the ``Implementation`` of the revision with which a side introduces itself.

    ``more`` are members of ``INTRODUCTION``; None stands for an absent one. An icon may be a JSON object. Raise
    ``UsageError`` for a member that the revision does not declare, and for a value that does not fit it.
    """
    cls = binding.types.Implementation
    given = {member: value for member, value in more.items() if value is not None}
    lacking = missing_members(binding) & given.keys()
    if lacking:
        text = (
            f"`{min(lacking)}` does not exist in {binding.revision}, whose Implementation declares only "
            f"{', '.join(['name', 'version', *sorted(binding.facts.introduction)])}; leave it out"
        )
        raise UsageError(text)
    for member, value in {"name": name, "version": version, **given}.items():
        if member != "icons" and not isinstance(value, str):
            mend = f"; write {member}={str(value)!r}" if isinstance(value, int | float) else ""
            text = f"`{member}` must be a str, got {value!r}{mend}"
            raise UsageError(text)
    if "icons" in given:
        if not isinstance(icons := given["icons"], list | tuple):
            text = f"`icons` must be a list, got {icons!r}"
            raise UsageError(text)
        given["icons"] = [_icon(binding, each) for each in cast("list[Any]", icons)]
    return cls(name=name, version=version, **given)


def missing_members(binding: Binding) -> frozenset[str]:
    """Return the members of ``INTRODUCTION`` that the revision does not declare."""
    return INTRODUCTION - binding.facts.introduction


def _icon(binding: Binding, given: Any) -> Any:
    """Return an icon of the revision, from one or from a JSON object."""
    cls = binding.types.Icon
    if not isinstance(given, (cls, dict)):
        text = f"`icons` must hold objects of {binding.revision}'s Icon or JSON objects, got {given!r}"
        raise UsageError(text)
    try:
        return binding.codec.structure(given if isinstance(given, dict) else binding.codec.unstructure(given), cls)
    except (DecodeError, EncodeError) as fault:
        text = f"`icons` holds {given!r}, which is no Icon: {fault}"
        raise UsageError(text) from None


def check_paths(binding: Binding, side: Side, paths: Iterable[str]) -> None:
    """Raises UsageError for a dotted path that names nothing which a side could declare in the revision."""
    known = binding.capabilities[side]
    above = {path.rpartition(".")[0] for path in known}
    for path in paths:
        parts = path.split(".")
        prefixes = (".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
        deepest = next((prefix for prefix in prefixes if prefix in known), None)
        # What has no members of its own is open.
        open_below = deepest is not None and deepest not in above and deepest not in binding.boolean_capabilities
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
    declared.setdefault(leaf, True if path in binding.boolean_capabilities else {})


def _lay_over(declared: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        below: Any = declared.get(key)
        if below.__class__ is dict and value.__class__ is dict:
            _lay_over(below, value)
        else:
            declared[key] = value
