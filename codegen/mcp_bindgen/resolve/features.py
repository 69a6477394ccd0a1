"""The capability that a method requires, derived from the words of its name.

A request requires a capability of its receiver: ``prompts/get`` requires ``prompts``; ``tasks/list`` requires
``tasks.list`` if there is one. ``notifications/x/list_changed`` requires ``x.listChanged`` of its sender. Overrides state
the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mcp_bindgen.ir.protocol import ObjectOf, ObjectType, Side
from mcp_bindgen.resolve import overrides
from mcp_bindgen.resolve.overrides import Applied, Party

_OBJECTS: Mapping[Side, str] = {"client": "ClientCapabilities", "server": "ServerCapabilities"}
_OTHER: Mapping[Side, Side] = {"client": "server", "server": "client"}

_LIST_CHANGED = re.compile("notifications/([^/]+)/list_changed")


class Features:
    """The capabilities that one protocol declares."""

    def __init__(self, objects: Mapping[str, ObjectType], applied: Applied) -> None:
        self._objects = objects
        self._applied = applied

    def needed(self, method: str, kind: str, sent_by: tuple[Side, ...]) -> tuple[str, Party] | tuple[None, None]:
        """Return the path of the capability and the side that declares it."""
        entry = next((each for each in self._applied.all(overrides.Capability) if each.method == method), None)
        if entry is not None and self._declared(entry.capability.split("."), _sides(entry.of, sent_by)):
            self._applied.use(entry)
            return entry.capability, entry.of
        words = method.split("/")
        if kind == "request":
            party: Party = "receiver"
            sides = _sides(party, sent_by)
            paths = [words[:length] for length in (2, 1) if len(words) >= length]
        else:
            party = "sender"
            sides = sent_by
            changed = _LIST_CHANGED.fullmatch(method)
            paths = [[changed[1], "listChanged"]] if changed else []
        found = next((path for path in paths if self._declared(path, sides)), None)
        return (".".join(found), party) if found else (None, None)

    def _declared(self, path: list[str], sides: Iterable[Side]) -> bool:
        """Return whether a side has a capability of that name."""
        return any(self._in(_OBJECTS[side], path) for side in sides)

    def _in(self, owner: str, path: list[str]) -> bool:
        for word in path:
            declared = self._objects.get(owner)
            field = next((each for each in declared.fields if each.name == word), None) if declared else None
            if field is None:
                return False
            owner = field.type.path if isinstance(field.type, ObjectOf) else ""
        return True


def _sides(party: Party, sent_by: tuple[Side, ...]) -> tuple[Side, ...]:
    return sent_by if party == "sender" else tuple(_OTHER[side] for side in sent_by)
