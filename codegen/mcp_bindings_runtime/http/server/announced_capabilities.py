"""The capabilities of a server without those that clients of an endpoint cannot use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ...binding import Binding

_LISTS: Final = frozenset({"prompts", "resources", "tools"})
_ANNOUNCEMENTS: Final = frozenset({"listChanged", "subscribe"})


def without_announcements(binding: Binding, capabilities: Any) -> Any:
    """Return capabilities of a server without those that only a stream for listening could deliver."""
    codec = binding.codec
    declared: dict[str, Any] = codec.unstructure(capabilities)
    kept = {
        name: {key: each for key, each in value.items() if key not in _ANNOUNCEMENTS}
        for name, value in declared.items()
        if name in _LISTS
    }
    return codec.structure({**declared, **kept}, binding.types.ServerCapabilities)


def without_logging(binding: Binding, capabilities: Any) -> Any:
    """Return capabilities of a server without log messages, whose level only a session could keep."""
    return _without(binding, capabilities, "logging")


def without_tasks(binding: Binding, capabilities: Any) -> Any:
    """Return capabilities of a server without tasks, which clients without a session and a principal could not fetch."""
    return _without(binding, capabilities, "tasks")


def _without(binding: Binding, capabilities: Any, undeclared: str) -> Any:
    declared: dict[str, Any] = binding.codec.unstructure(capabilities)
    kept = {name: each for name, each in declared.items() if name != undeclared}
    return binding.codec.structure(kept, binding.types.ServerCapabilities)
