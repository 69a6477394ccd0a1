"""The declarations of a schema file, as written: interfaces, aliases, constants, imports."""

from __future__ import annotations

from typing import TypeAlias

from attrs import field, frozen

from mcp_bindgen.ir.documentation import NO_DOC, Doc
from mcp_bindgen.ir.types import IndexSignature, LookupType, Position, Property, TypeExpression, exactly


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
