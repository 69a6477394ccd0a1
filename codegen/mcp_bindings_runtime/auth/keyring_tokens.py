"""A store of tokens in the keyring of the operating system, by the library ``keyring``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import OAuthError, UsageError
from ..validation import require_instance
from .token_store import TokenStore


class KeyringTokens(TokenStore):
    """Keeps tokens in the user's keyring of macOS, Windows, GNOME or KDE. It needs the library ``keyring``.

    ``service`` is the name of the entries. Some keyrings limit the length of an entry; Windows allows 1,280 characters,
    which long tokens exceed. Processes that use one entry at the same time may refresh its token twice. Raises
    ``UsageError`` if the library is missing. The methods raise ``OAuthError`` if the keyring is locked or does not
    exist.
    """

    def __init__(self, service: str = "mcp-bindings") -> None:
        require_instance("service", service, str, "a str")
        self._service = service
        self._keyring = _library()

    def __repr__(self) -> str:
        return f"KeyringTokens({self._service!r})"

    def get(self, issuer: str, resource: str) -> Mapping[str, Any] | None:
        """See ``TokenStore.get``. Raise ``OAuthError`` if the keyring is locked, or there is none."""
        try:
            text = self._keyring.get_password(self._service, _name(issuer, resource))
            value: Any = None if text is None else json.loads(text)
        except self._keyring.errors.KeyringError as fault:
            message = f"the keyring cannot be read: {fault}"
            raise OAuthError(message) from fault
        except ValueError:
            value = None
        # An entry of another program.
        return value if value.__class__ is dict else None

    def put(self, issuer: str, resource: str, value: Mapping[str, Any] | None) -> None:
        """See ``TokenStore.put``. Raise ``OAuthError`` if the keyring is locked, or there is none."""
        name, errors = _name(issuer, resource), self._keyring.errors
        try:
            if value is not None:
                self._keyring.set_password(self._service, name, json.dumps(dict(value)))
            elif self._keyring.get_password(self._service, name) is not None:
                self._keyring.delete_password(self._service, name)
        except errors.KeyringError as fault:
            message = f"the keyring cannot be written: {fault}"
            raise OAuthError(message) from fault


def _name(issuer: str, resource: str) -> str:
    # URLs contain no blanks.
    return f"{issuer} {resource}"


def _library() -> Any:
    from importlib import import_module

    try:
        # Not an extra: whoever uses a keyring has it.
        return import_module("keyring")
    except ModuleNotFoundError as missing:
        if missing.name != "keyring":
            raise
        text = "KeyringTokens needs the library keyring, which is not installed: pip install keyring"
        raise UsageError(text) from None
