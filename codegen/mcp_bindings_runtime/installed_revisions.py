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
_PARENT = __name__.rpartition(".")[0].rpartition(".")[0] or "mcp_bindings"


@cache
def installed_revisions() -> tuple[str, ...]:
    """Return the installed revisions, newest first."""
    names = (module.name for module in pkgutil.iter_modules(import_module(_PARENT).__path__) if module.ispkg)
    return tuple(sorted(("-".join(found.groups()) for found in map(_PACKAGE.fullmatch, names) if found), reverse=True))


def select_revisions(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return the wanted revisions in their order, or all for None; raise ``UsageError`` if one is not installed."""
    installed = installed_revisions()
    if wanted is None:
        return installed
    require_list("revisions", wanted, installed[0])
    for revision in wanted:
        if revision not in installed:
            text = f"there are no bindings of {revision!r} here; use one of {', '.join(installed)}"
            raise UsageError(text)
    return tuple(wanted)


@cache
def facts_of(revision: str) -> Facts | None:
    """Return the facts about a revision; None if there is no package of it."""
    if revision not in installed_revisions():
        return None
    facts: Facts = import_module(f"{_PARENT}.v{revision.replace('-', '_')}.revision").FACTS
    return facts


def client_class_of(server: Any) -> Any:
    """Return the client class of the package of a server."""
    cls = next(cls for cls in type(server).__mro__ if "binding" in vars(cls))
    return import_module(cls.__module__.rpartition(".")[0]).Client


def client_class(revision: str) -> Any:
    """Import the package of a revision and return its client class."""
    return import_module(f"{_PARENT}.v{revision.replace('-', '_')}").Client


def extension_package(name: str) -> Any:
    """Return the package of an extension; raise ``UsageError`` if it is not installed."""
    try:
        return import_module(f"{_PARENT}.{name}")
    except ModuleNotFoundError as error:
        label = name.replace("_", "-")
        text = f"there are no bindings of {label} here; add `--version {label}` to the command that generates these"
        raise UsageError(text) from error
