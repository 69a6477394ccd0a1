"""Declare the capabilities and the ``Implementation`` of a side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..binding import OTHER_SIDE, Binding
from ..errors import DecodeError, EncodeError, UsageError
from ..installed_revisions import json_of
from ..methods import Side

OFFERED: Mapping[str, str] = {
    "tools": "tools/list",
    "resources": "resources/list",
    "prompts": "prompts/list",
    "completions": "completion/complete",
}
"""Server capability to the method that the registry of the same name answers."""


def declared_by(
    binding: Binding,
    side: Side,
    methods: Iterable[str],
    *,
    more: Any = None,
    logging: bool = False,
    also: Iterable[str] = (),
) -> Any:
    """Return the capabilities of a side that handles these methods.

    A side that offers a list declares that it may change. ``logging`` declares log messages, and ``also`` further dotted
    paths. ``more`` overrides the rest: capabilities of any revision, or a dict. Raise ``UsageError`` for another value.
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
        _merge(declared, _json_of(binding, cls, more))
    if binding.wire_methods is not None:
        from ..extensions.extended_binding import declare_extensions

        declare_extensions(binding, side, declared)
    return binding.codec.structure(declared, cls)


def _json_of(binding: Binding, cls: type[Any], declared: Any) -> dict[str, Any]:
    """Return capabilities as the revision writes them."""
    wrong = ""
    try:
        # Capabilities of the other side would be accepted, as unknown members are.
        value = json_of(declared) if declared.__class__.__name__ == cls.__name__ or isinstance(declared, dict) else None
        if value is not None:
            return dict(binding.codec.unstructure(binding.codec.structure(value, cls)))
    except (DecodeError, EncodeError) as fault:
        wrong = f": {fault}"
    right = f"a {cls.__name__} of {binding.revision}, or a dict with its members"
    text = f"`capabilities` must be {right}, got {declared!r}{wrong}"
    raise UsageError(text)


INTRODUCTION = frozenset({"title", "description", "icons", "website_url"})
"""Optional members of ``Implementation`` in any revision, by attribute."""


def introduction(binding: Binding, name: str, version: str, **more: Any) -> Any:
    """Return the ``Implementation`` of a side.

    ``more`` are members of ``INTRODUCTION``; None stands for an absent one. An icon may be a JSON object. Raise
    ``UsageError`` for a member that the revision does not declare, and for a value of a wrong type.
    """
    cls = binding.types.Implementation
    members = {member: value for member, value in more.items() if value is not None}
    undeclared = missing_members(binding) & members.keys()
    if undeclared:
        text = (
            f"`{min(undeclared)}` does not exist in {binding.revision}, whose Implementation declares only "
            f"{', '.join(['name', 'version', *sorted(binding.facts.introduction)])}; leave it out"
        )
        raise UsageError(text)
    for member, value in {"name": name, "version": version, **members}.items():
        if member != "icons" and not isinstance(value, str):
            hint = f"; write {member}={str(value)!r}" if isinstance(value, int | float) else ""
            text = f"`{member}` must be a str, got {value!r}{hint}"
            raise UsageError(text)
    if "icons" in members:
        if not isinstance(icons := members["icons"], list | tuple):
            text = f"`icons` must be a list, got {icons!r}"
            raise UsageError(text)
        members["icons"] = [_icon(binding, each) for each in cast("list[Any]", icons)]
    return cls(name=name, version=version, **members)


def missing_members(binding: Binding) -> frozenset[str]:
    """Return the members of ``INTRODUCTION`` that the revision does not declare."""
    return INTRODUCTION - binding.facts.introduction


def _icon(binding: Binding, icon: Any) -> Any:
    """Return an icon of the revision, from one or from a JSON object."""
    cls = binding.types.Icon
    if not isinstance(icon, (cls, dict)):
        text = f"`icons` must hold objects of {binding.revision}'s Icon or JSON objects, got {icon!r}"
        raise UsageError(text)
    try:
        return binding.codec.structure(icon if isinstance(icon, dict) else binding.codec.unstructure(icon), cls)
    except (DecodeError, EncodeError) as error:
        text = f"`icons` holds {icon!r}, which is not a valid Icon: {error}"
        raise UsageError(text) from None


def check_paths(binding: Binding, side: Side, paths: Iterable[str]) -> None:
    """Raise ``UsageError`` for a dotted path that is not a capability of a side in the revision."""
    known = binding.capabilities[side]
    parents = {path.rpartition(".")[0] for path in known}
    for path in paths:
        parts = path.split(".")
        prefixes = (".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
        deepest = next((prefix for prefix in prefixes if prefix in known), None)
        # An object without declared members accepts any.
        is_open = deepest is not None and deepest not in parents and deepest not in binding.boolean_capabilities
        if path not in known and not is_open:
            text = f"{binding.revision} has no {side} capability {path!r}; use one of {', '.join(sorted(known))}"
            raise UsageError(text)


def _announcements(binding: Binding, side: Side) -> set[str]:
    """Return the capabilities of a side that only notifications of changes need."""
    of_requests = {key.capability for key in binding.requests.values() if OTHER_SIDE[side] in key.sent_by}
    of_notifications = {
        key.capability
        for key in binding.notifications.values()
        if side in key.sent_by and key.capability_of == "sender"
    }
    return {path for path in of_notifications - of_requests if path is not None and "." in path}


def _declare(binding: Binding, declared: dict[str, Any], path: str) -> None:
    *parents, leaf = path.split(".")
    for parent in parents:
        declared = declared.setdefault(parent, {})
    declared.setdefault(leaf, True if path in binding.boolean_capabilities else {})


def _merge(declared: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        below: Any = declared.get(key)
        if below.__class__ is dict and value.__class__ is dict:
            _merge(below, value)
        else:
            declared[key] = value
