"""The revisions whose packages are installed, or lie beside this copy of the runtime."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from .errors import UsageError
from .facts import Facts
from .validation import require_list

_PACKAGE = re.compile(r"v(\d{4})_(\d{2})_(\d{2})")
# A copy of the runtime lies beside the packages that it was copied for; the installed one serves the bundled packages.
_BUNDLED = "mcp_bindings"
_PARENT = __name__.rpartition(".")[0].rpartition(".")[0] or _BUNDLED


@cache
def installed_revisions() -> tuple[str, ...]:
    """Return the labels of the installed revisions, newest first."""
    names = (module.name for module in pkgutil.iter_modules(import_module(_PARENT).__path__) if module.ispkg)
    return tuple(sorted(("-".join(found.groups()) for found in map(_PACKAGE.fullmatch, names) if found), reverse=True))


@cache
def _version_of(label: str) -> str:
    """Return the protocol version of a package; that of a bundled one is its label."""
    if _PARENT == _BUNDLED:
        return label
    version: str = import_module(f"{_package(label)}.revision").REVISION
    return version


def select_revisions(wanted: Sequence[str] | None) -> dict[str, str]:
    """Return the protocol versions of the wanted revisions, all for None, in their order, each with its label.

    Raise ``UsageError`` if a wanted one is not installed, and if two have the same protocol version.
    """
    installed = installed_revisions()
    if wanted is not None:
        require_list("revisions", wanted, installed[0])
    found: dict[str, str] = {}
    for label in installed if wanted is None else wanted:
        if label not in installed:
            text = f"there are no bindings of {label!r} here; use one of {', '.join(installed)}"
            raise UsageError(text)
        version = _version_of(label)
        if found.setdefault(version, label) != label:
            both = f"{found[version]} and {label}"
            text = f"the packages of {both} both have the protocol version {version}; name one in `revisions`"
            raise UsageError(text)
    return found


@cache
def facts_of(version: str) -> Facts | None:
    """Return the facts about the revision with a protocol version; None if there is no package of it."""
    label = next((label for label in installed_revisions() if _version_of(label) == version), None)
    if label is None:
        return None
    facts: Facts = import_module(f"{_package(label)}.revision").FACTS
    return facts


def client_class_of(server: Any) -> Any:
    """Return the client class of the package of a server."""
    cls = next(cls for cls in type(server).__mro__ if "binding" in vars(cls))
    return import_module(cls.__module__.rpartition(".")[0]).Client


def client_class(label: str) -> Any:
    """Import the package of a revision and return its client class."""
    return import_module(_package(label)).Client


def _package(label: str) -> str:
    return f"{_PARENT}.v{label.replace('-', '_')}"


def extension_package(name: str) -> Any:
    """Return the package of an extension; raise ``UsageError`` if it is not installed."""
    try:
        return import_module(f"{_PARENT}.{name}")
    except ModuleNotFoundError as error:
        label = name.replace("_", "-")
        text = f"there are no bindings of {label} here; add `--version {label}` to the command that generates these"
        raise UsageError(text) from error
