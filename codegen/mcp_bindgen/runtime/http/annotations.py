"""Which arguments of the tools of a server are repeated in headers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..logs import note
from ..meta import member
from .headers import Annotation, InvalidAnnotation, annotated_arguments

if TYPE_CHECKING:
    from ..server import Server

_MOST = 1000
"""How many tools are remembered."""


class Annotations:
    """The annotated arguments of the tools that a server offers, found once for each."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._known: dict[str, tuple[Any, Sequence[Annotation]]] = {}

    def of(self, message: Any) -> Sequence[Annotation]:
        """Those of the tool that a message, as JSON, calls; none for other messages."""
        if member(message, "method") != "tools/call":
            return ()
        name = member(message, "params", "name")
        listed = self._server.listed_tool(name) if name.__class__ is str else None
        if listed is None:
            return ()
        known = self._known.get(name)
        # A tool may be replaced by another of its name.
        if known is None or known[0] is not listed:
            if len(self._known) >= _MOST:
                self._known.clear()
            known = self._known[name] = listed, self._find(listed)
        return known[1]

    def _find(self, listed: Any) -> Sequence[Annotation]:
        try:
            return annotated_arguments(self._server.binding.codec.unstructure(listed.input_schema))
        except InvalidAnnotation as fault:
            note("warning", "clients will not show the tool %s: %s", listed.name, fault)
            return ()
