"""Roots: the folders and files that a client would have a server work in (Roots, of every revision).

The client's side makes them of paths and checks them; the server's side keeps them as long as they hold, and says
whether a path is below one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from ..errors import UsageError
from ..logs import write_log
from ..validation import require_list
from .client_methods import CHANGED_ROOTS, ROOTS

if TYPE_CHECKING:
    from .feature_client import FeatureClient

_HERE = frozenset({"", "localhost"})
"""Hosts of a ``file://`` URI that mean this machine (RFC 8089, section 2)."""


class Shared:
    """The roots of a client, which answers ``roots/list`` with those of them that can be read at that time."""

    def __init__(self, types: Any) -> None:
        self._types = types
        self.roots: list[Any] = []

    def __call__(self, params: Any, context: Any) -> Any:
        """Handles ``roots/list``."""
        readable: list[Any] = []
        for root in self.roots:
            if os.access(path_of(root.uri), os.R_OK):
                readable.append(root)
            else:
                write_log("warning", "the root %s cannot be read, so it is left out", root.uri)
        return self._types.ListRootsResult(roots=readable)


def share(client: FeatureClient, roots: Iterable[Any]) -> None:
    """Has a client offer these roots from now on, and tells the server where it is connected.

    A root is a path, a ``file://`` URI or a ``Root``. Raises UsageError for one that is no such thing, leads out of
    itself, or cannot be read, and for a client that connected without roots.
    """
    types = client.binding.types
    require_list("roots", roots, "/srv/project")
    made = [root_of(types, root) for root in roots]
    key = client.binding.requests[ROOTS]
    shared = client.handler_of(key)
    if not isinstance(shared, Shared):
        shared = Shared(types)
        client.handles(key, shared)
    if made == shared.roots:
        return
    shared.roots = made
    changed = client.binding.notifications.get(CHANGED_ROOTS)
    if changed is not None and client.connected:
        client.notify(changed)


def root_of(types: Any, given: Any) -> Any:
    """The root that a path, a URI or a root stands for; raises UsageError as ``share`` does."""
    if isinstance(given, types.Root):
        root: Any = given
    elif isinstance(given, str) and "://" in given:
        root = types.Root(uri=given)
    else:
        try:
            place = os.fsdecode(given)
        except TypeError:
            text = f"a root is a path, a file:// URI or a Root, and not {type(given).__name__}"
            raise UsageError(text) from None
        root = types.Root(uri=Path(place).absolute().as_uri())
    if not os.access(path_of(root.uri), os.R_OK):
        text = f"the root {root.uri} is not there, or cannot be read"
        raise UsageError(text)
    return root


def path_of(uri: str) -> Path:
    """The absolute path that a ``file://`` URI names on this machine.

    Raises UsageError for another scheme or host, a query or fragment, and for segments ``..``, written in whatever way.
    """
    parts = urlsplit(uri)
    if parts.scheme != "file":
        text = f"{uri!r} is no file:// URI, and roots are nothing else (Roots: Data Types)"
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


class Known:
    """The roots of one client, as a server knows them, until it hears that they have changed."""

    def __init__(self) -> None:
        self.changes = 0
        self.roots: list[Any] | None = None

    def forget(self) -> None:
        """What is known holds no more."""
        self.changes += 1
        self.roots = None


def roots_of(context: Any) -> list[Any]:
    """The roots of the client whose request is handled; asked for where they are not known.

    They are known only of clients that tell of changes. Raises what ``context.request`` does.
    """
    connection = context.connection
    binding = connection.session.binding
    told = CHANGED_ROOTS in binding.notifications and binding.declares(context.peer_capabilities, "roots.listChanged")
    known: Known = connection.session.feature_state.setdefault("roots", Known()) if told else Known()
    roots = known.roots
    if roots is None:
        changes = known.changes
        roots = context.request(binding.requests[ROOTS]).roots
        # What has changed meanwhile may be in the answer, or not.
        if changes == known.changes:
            known.roots = roots
    return list(roots)


def is_within(path: str | os.PathLike[str], roots: Iterable[Any]) -> bool:
    """Whether a path, or what a ``file://`` URI names, is a root or below one, after ``..`` and symbolic links.

    A path that does not exist yet is judged by the part that does. A relative one starts at the working directory.
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
    """Where it leads; None for what names nothing on this machine."""
    try:
        named = path_of(path) if isinstance(path, str) and "://" in path else Path(path)
        return named.resolve()
    except (OSError, RuntimeError, UsageError, ValueError):
        # A loop of links, a null byte, another scheme.
        return None
