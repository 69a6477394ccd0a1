"""Roots: the folders and files in which a server should work (Roots, of every revision).

A client makes them from paths and checks them. A server caches those of each client, and checks whether a path is below
one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from ..errors import DecodeError, EncodeError, UsageError
from ..installed_revisions import json_of
from ..logs import write_log
from ..validation import require_list
from .client_methods import CHANGED_ROOTS, ROOTS

if TYPE_CHECKING:
    from ..binding import Binding
    from .feature_client import FeatureClient

_HERE = frozenset({"", "localhost"})
"""Hosts of a ``file://`` URI that mean this machine (RFC 8089, section 2)."""


class RootsHandler:
    """The handler of ``roots/list``: it returns those roots of a client that can be read at that time."""

    def __init__(self, types: Any) -> None:
        self._types = types
        self.roots: list[Any] = []

    def __call__(self, params: Any, context: Any) -> Any:
        """Return the roots that can be read."""
        readable: list[Any] = []
        for root in self.roots:
            if os.access(path_of(root.uri), os.R_OK):
                readable.append(root)
            else:
                write_log("warning", "the root %s cannot be read and is left out", root.uri)
        return self._types.ListRootsResult(roots=readable)


def set_roots(client: FeatureClient, roots: Iterable[Any]) -> None:
    """Set the roots of a client, and notify the server if the client is connected.

    A root is a path, a ``file://`` URI, a ``Root`` of any revision, or a dict with its members. Raise `UsageError` for
    anything else, for a root with ``..`` or that cannot be read, and for a client that connected without roots.
    """
    types = client.binding.types
    require_list("roots", roots, "/srv/project")
    made = [root_of(types, _in_own_class(client.binding, root)) for root in roots]
    key = client.binding.requests[ROOTS]
    handler = client.handler_of(key)
    if not isinstance(handler, RootsHandler):
        handler = RootsHandler(types)
        client.handles(key, handler)
    if made == handler.roots:
        return
    handler.roots = made
    changed = client.binding.notifications.get(CHANGED_ROOTS)
    if changed is not None and client.connected:
        client.notify(changed)


def _in_own_class(binding: Binding, root: Any) -> Any:
    """Return a root that is a dict or of another revision's class in the class of this one; other values as they are."""
    if isinstance(root, binding.types.Root):
        return root
    try:
        value = json_of(root)
        return root if value is None else binding.codec.structure(value, binding.types.Root)
    except (DecodeError, EncodeError) as fault:
        text = f"the root {root!r} is not one of {binding.revision}: {fault}"
        raise UsageError(text) from None


def root_of(types: Any, value: Any) -> Any:
    """Return the root for a path, a URI or a root; raise `UsageError` as ``set_roots`` does."""
    if isinstance(value, types.Root):
        root: Any = value
    elif isinstance(value, str) and "://" in value:
        root = types.Root(uri=value)
    else:
        try:
            place = os.fsdecode(value)
        except TypeError:
            text = f"a root must be a path, a file:// URI or a Root, got {type(value).__name__}"
            raise UsageError(text) from None
        root = types.Root(uri=Path(place).absolute().as_uri())
    if not os.access(path_of(root.uri), os.R_OK):
        text = f"the root {root.uri} does not exist or cannot be read"
        raise UsageError(text)
    return root


def path_of(uri: str) -> Path:
    """Return the absolute path that a ``file://`` URI names on this machine.

    Raise `UsageError` for another scheme or host, for a query or fragment, and for segments ``..``, also escaped ones.
    """
    parts = urlsplit(uri)
    if parts.scheme != "file":
        text = f"a root must be a file:// URI (Roots: Data Types), got {uri!r}"
        raise UsageError(text)
    if parts.netloc.lower() not in _HERE:
        text = f"{uri!r} names the host {parts.netloc!r}; write file:///path for a path on this machine"
        raise UsageError(text)
    path = unquote(parts.path)
    if parts.query or parts.fragment or not path.startswith("/") or "\0" in path:
        text = f"{uri!r} names no path; write file:// and an absolute path, with ? and # as %3F and %23"
        raise UsageError(text)
    if ".." in path.replace("\\", "/").split("/"):
        text = f"{uri!r} has a segment '..', which could lead out of what it names; write the path without it"
        raise UsageError(text)
    return Path(url2pathname(parts.path))


class RootsCache:
    """The roots of one client, until it notifies the server of a change."""

    def __init__(self) -> None:
        self.changes = 0
        self.roots: list[Any] | None = None

    def forget(self) -> None:
        """Discard the roots."""
        self.changes += 1
        self.roots = None


def roots_of(context: Any) -> list[Any]:
    """Return the roots of the client whose request is handled; request them if they are not cached.

    They are cached for clients that notify of changes. Raise what ``context.request`` does.
    """
    connection = context.connection
    binding = connection.session.binding
    notifies = CHANGED_ROOTS in binding.notifications and binding.declares(
        context.peer_capabilities, "roots.listChanged"
    )
    cache: RootsCache = connection.session.feature_state.setdefault("roots", RootsCache()) if notifies else RootsCache()
    roots = cache.roots
    if roots is None:
        changes = cache.changes
        roots = context.request(binding.requests[ROOTS]).roots
        # A change while waiting may be in the response or not.
        if changes == cache.changes:
            cache.roots = roots
    return list(roots)


def is_within(path: str | os.PathLike[str], roots: Iterable[Any]) -> bool:
    """Return whether a path or ``file://`` URI is a root or below one, with ``..`` and symbolic links resolved.

    Of a path that does not exist, the part that exists decides. A relative path starts at the working directory.
    """
    place = _resolved(path)
    if place is None:
        return False
    for root in roots:
        top = _resolved(root.uri)
        if top is not None and place.is_relative_to(top):
            return True
    return False


def _resolved(path: str | os.PathLike[str]) -> Path | None:
    """Return the resolved path; None for a URI that names no path on this machine."""
    try:
        named = path_of(path) if isinstance(path, str) and "://" in path else Path(path)
        return named.resolve()
    except (OSError, RuntimeError, UsageError, ValueError):
        # A loop of links, a null byte, another scheme.
        return None
