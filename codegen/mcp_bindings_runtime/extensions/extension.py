"""An extension that a client or server uses: the package generated from its schema, and its settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from ..codec.codec import Codec
from ..errors import UsageError
from ..methods import NotificationMethod, RequestMethod
from ..validation import require_mappings

_IDENTIFIER = re.compile(r"[A-Za-z]([\w-]*\w)?(\.[A-Za-z]([\w-]*\w)?)*/\w([\w.-]*\w)?", re.ASCII)
"""A prefix of labels with dots, a slash and a name (2026-07-28, Extensions; General fields, `_meta`)."""


def is_identifier(value: object) -> bool:
    """Return whether a value is an identifier under which an extension can be declared."""
    return isinstance(value, str) and _IDENTIFIER.fullmatch(value) is not None


class Extension:
    """An extension of the protocol with its settings, for the option ``extensions`` of clients and servers.

    ``package`` was generated from a schema of your own. Both sides declare the extension under ``identifier``, by default
    the constant ``EXTENSION_ID`` of the schema, and with ``settings``, a JSON object. Raise ``UsageError`` for another
    module, for a package that imports another runtime, and if there is no identifier.
    """

    def __init__(
        self, package: ModuleType, *, identifier: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        name = getattr(package, "__name__", repr(package))
        made: Any = package
        try:
            declared: Any = made.revision.EXTENSION_ID
            codec: Any = made.converter.CODEC
            self.requests: Mapping[str, RequestMethod[Any, Any]] = made.methods.REQUESTS
            self.notifications: Mapping[str, NotificationMethod[Any]] = made.methods.NOTIFICATIONS
        except AttributeError:
            text = f"`extensions` must hold packages that mcp-codegen made from schemas of extensions, got {name}"
            raise UsageError(text) from None
        if not isinstance(codec, Codec):
            text = (
                f"{name} imports the runtime {_runtime_of(codec)}, and this client or server {_runtime_of(Codec)}; generate "
                "both into one folder (--out)"
            )
            raise UsageError(text)
        self.name = name
        self.codec: Codec[Any] = codec
        self.types: Any = made.types
        self.identifier: str = identifier or declared or ""
        require_mappings(settings=settings)
        self.settings: dict[str, Any] = dict(settings or {})
        if not is_identifier(self.identifier):
            found = "has no identifier"
            if self.identifier:
                found = f"has the identifier {self.identifier!r}, which is not of the form prefix/name"
            text = (
                f'{name} {found}; write `export const EXTENSION_ID = "com.example/prices"` into its schema, or pass '
                'Extension(package, identifier="com.example/prices")'
            )
            raise UsageError(text)

    def __repr__(self) -> str:
        return f"<extension {self.identifier}>"


def read_extensions(values: Iterable[Any]) -> tuple[Extension, ...]:
    """Return the entries of the option ``extensions``; raise ``UsageError`` for one that is not valid or declared twice."""
    if isinstance(values, str | ModuleType | Extension):
        text = f"`extensions` must be a list, got {values!r}; write extensions=[…]"
        raise UsageError(text)
    found: dict[str, Extension] = {}
    for value in values:
        extension = value if isinstance(value, Extension) else Extension(value)
        if extension.identifier in found:
            text = f"`extensions` holds {extension.identifier} twice; leave one out"
            raise UsageError(text)
        found[extension.identifier] = extension
    return tuple(found.values())


def _runtime_of(part: Any) -> str:
    """Return the import path of the runtime that a class or object belongs to."""
    module: str = (part if isinstance(part, type) else part.__class__).__module__
    return module.removesuffix(".codec.codec")
