"""The declarations of a schema file, as written: interfaces, aliases, constants, imports."""

from __future__ import annotations

from typing import TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.types import LookupType, Position, TypeExpression, exactly


@frozen
class Tag:
    """One ``@name text`` of a documentation comment; ``text`` may span lines and may be empty."""

    name: str
    text: str


@frozen
class Doc:
    """A documentation comment: its text without the decoration, and its tags in the order written."""

    text: str
    tags: tuple[Tag, ...] = ()

    def tag(self, name: str) -> str | None:
        """Return the text of the first tag with that name, or None."""
        return next((tag.text for tag in self.tags if tag.name == name), None)


NO_DOC = Doc("")


@frozen
class Property:
    """``name?: type`` of an interface or an inline object."""

    name: str
    type: TypeExpression
    optional: bool
    readonly: bool = False
    doc: Doc = NO_DOC
    position: Position = field(eq=False, kw_only=True)


@frozen
class IndexSignature:
    """``[key: string]: value``."""

    value: TypeExpression
    doc: Doc = NO_DOC
    position: Position = field(eq=False, kw_only=True)


@frozen
class Interface:
    """``interface name extends bases { … }``."""

    name: str
    bases: tuple[TypeExpression, ...]
    properties: tuple[Property, ...]
    index: IndexSignature | None
    doc: Doc = NO_DOC
    exported: bool = True
    position: Position = field(eq=False, kw_only=True)


@frozen
class Alias:
    """``type name = type``."""

    name: str
    type: TypeExpression
    doc: Doc = NO_DOC
    exported: bool = True
    position: Position = field(eq=False, kw_only=True)


@frozen
class Constant:
    """``const name = value``, ``const name: target["key"]``, or both.

    Without a value, as in declaration files, it is the one literal that ``type`` resolves to.
    """

    name: str
    value: str | int | float | bool | None = field(eq=exactly)
    doc: Doc = NO_DOC
    exported: bool = True
    type: LookupType | None = field(default=None, kw_only=True)
    position: Position = field(eq=False, kw_only=True)


@frozen
class Import:
    """``import type { imported as local } from "module"``, one for each name."""

    imported: str
    local: str
    module: str
    position: Position = field(eq=False, kw_only=True)


Declaration: TypeAlias = Interface | Alias | Constant


@frozen
class Module:
    """One schema file: its declarations, its imports, and the sha256 of its bytes."""

    source: str
    sha256: str = field(eq=False)
    declarations: tuple[Declaration, ...]
    imports: tuple[Import, ...] = ()
