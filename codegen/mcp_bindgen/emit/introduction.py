"""The options with which a client or a server introduces itself: optional members of the revision's ``Implementation``."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.ir.protocol import Protocol, Side

_DOCS: Mapping[str, tuple[str, str]] = {
    "title": ("title", "Name of the {} for people; `name` is for programs."),
    "description": ("description", "What the {} is for, in a sentence or two."),
    "icons": ("icons", "Images to choose an icon of the {} from."),
    "websiteUrl": ("website_url", "URL of a web page about the {}."),
}
"""Wire names of the members to the option and what it is for."""


def introduction_options(protocol: Protocol, annotations: Annotations, side: Side) -> Mapping[str, tuple[str, str]]:
    """Return the options of a side by name, each with its annotation and what it is for."""
    declared = {member.name: member.type for member in protocol.objects["Implementation"].fields}
    return {
        option: (f"{annotations.of(declared[member])} | None", doc.format(side))
        for member, (option, doc) in _DOCS.items()
        if member in declared
    }
