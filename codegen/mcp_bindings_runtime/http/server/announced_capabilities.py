"""``without_announcements``: the capabilities of a server from which clients cannot get changes."""

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
